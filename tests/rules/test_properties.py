"""What holds in every game, over whole games of two to five players."""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sequoia_rules.commands import Choose, Command, TakeBack
from sequoia_rules.errors import RuleViolation
from sequoia_rules.events import Chosen, Dealt, Ended, Event, GameStarted, Revealed, Scored
from sequoia_rules.game import decide, legal_commands, new_game
from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.record import replay
from sequoia_rules.scoring import settle
from sequoia_rules.state import GameState
from sequoia_rules.values import (
    FIRST_TOKENS,
    FORESTS,
    MAX_SEATS,
    MAX_TIEBREAKS,
    SECOND_TOKENS,
    Choice,
    Dice,
    Seat,
    Sums,
    is_sequoia,
)
from sequoia_rules.view import fold, redact, view_for

from tests.rules.games import Plan, dice_for, follow, plans, play, roll_of
from tests.rules.oracle import any_command, refusal_of

VIEWERS: tuple[Seat | None, ...] = (None, *range(MAX_SEATS))
"""The seats, those that do not play too, and a spectator."""

ALL_SUMS: list[Sums] = [
    *combinations_with_replacement(FORESTS, 2),
    *((forest,) for forest in FORESTS),
    (),
]

games = settings(max_examples=500)


@games
@given(plans)
def test_after_ten_rounds_every_player_has_placed_twenty_trees(plan: Plan) -> None:
    placed: Counter[Seat] = Counter()
    for _, event, after in play(plan).moments():
        if isinstance(event, Revealed) and after.public.tiebreak == 0:
            for seat, sums in event.sums:
                placed[seat] += len(sums)
            for seat in plan.seats:
                assert placed[seat] == 2 * after.public.round == 20 - after.public.supply(seat)
                assert placed[seat] == sum(row[seat] for row in after.public.trees)
            if after.public.round == 10:
                assert placed == dict.fromkeys(plan.seats, 20)
                return
    pytest.fail("the game had no tenth round")


@games
@given(plans)
def test_deals_and_rounds_are_counted_without_gaps(plan: Plan) -> None:
    counted = [
        (after.public.round, after.public.tiebreak, after.public.deal - before.public.deal)
        for before, event, after in play(plan).moments()
        if isinstance(event, Dealt)
    ]
    tiebreaks = range(1, len(counted) - 9)
    assert counted == [(n, 0, 1) for n in range(1, 11)] + [(10, n, 1) for n in tiebreaks]


@games
@given(plans)
def test_every_token_lies_on_one_forest_and_is_won_at_most_once(plan: Plan) -> None:
    won: set[tuple[int, int]] = set()
    for _, event, after in play(plan).moments():
        assert tuple(sorted(after.first_tokens)) == FIRST_TOKENS
        assert tuple(sorted(after.second_tokens)) == SECOND_TOKENS
        if isinstance(event, Scored):
            for award in event.awards:
                assert (award.forest, award.place) not in won
                won.add((award.forest, award.place))
                owners = (after.public.first_owners, after.public.second_owners)
                assert owners[award.place - 1][award.forest - 2] == award.seat
        taken = [owner is not None for owner in after.public.first_owners]
        taken += [owner is not None for owner in after.public.second_owners]
        assert sum(taken) == len(won)


@games
@given(plans)
def test_no_token_is_seen_before_the_count_and_all_are_then(plan: Plan) -> None:
    game = play(plan)
    start = game.events[0]
    assert isinstance(start, GameStarted)
    for _, event, after in game.moments():
        for viewer in VIEWERS:
            public = view_for(after, viewer).public
            shown = (public.first_tokens, public.second_tokens)
            if isinstance(event, Ended):
                assert shown == (start.first_tokens, start.second_tokens)
            else:
                assert shown == (None, None)
                # Whatever lies there, the same is seen.
                assert redact(other_tokens(event), viewer) == redact(event, viewer)


@games
@given(plans)
def test_the_points_are_those_of_the_tokens_that_were_won(plan: Plan) -> None:
    end = play(plan).end()
    points: Counter[Seat | None] = Counter(dict.fromkeys(plan.seats, 0))
    for owners, tokens in (
        (end.public.first_owners, end.first_tokens),
        (end.public.second_owners, end.second_tokens),
    ):
        for owner, value in zip(owners, tokens, strict=True):
            points[owner] += value
    assert sum(points.values()) == 44 + 12
    del points[None]
    assert dict(end.public.points or ()) == points


@games
@given(plans)
def test_a_tie_break_is_only_ever_among_those_who_are_tied(plan: Plan) -> None:
    for before, event, after in play(plan).moments():
        for tie in after.public.ties:
            row = after.public.row(tie.forest)
            assert len(tie.seats) >= 2
            assert all(row[seat] >= 1 for seat in tie.seats)
            if after.public.phase is Phase.SCORED:
                # Equals among themselves, and nobody else's tree stands there.
                assert len({row[seat] for seat in tie.seats}) == 1
                assert sum(count > 0 for count in row) == len(tie.seats)
            earlier = before.public.tie_at(tie.forest)
            if before.public.tiebreak:
                assert earlier is not None
                assert set(tie.seats) <= set(earlier.seats)
                assert earlier.for_first or not tie.for_first
        tied = {tie.forest: set(tie.seats) for tie in before.public.ties}
        if isinstance(event, Dealt) and tied:
            assert {seat for seat, _ in event.rolls} == set().union(*tied.values())
        if isinstance(event, Revealed) and tied:
            for seat, sums in event.sums:
                assert len(set(sums)) == len(sums) <= 2
                assert all(seat in tied[forest] for forest in sums)


@games
@given(plans)
def test_every_tie_break_ends(plan: Plan) -> None:
    game = play(plan)
    end = game.end().public
    assert end.phase is Phase.OVER
    assert end.ties == ()
    assert end.tiebreak <= MAX_TIEBREAKS
    assert isinstance(game.events[-1], Ended)
    *_, last = (event for event in game.events if isinstance(event, Scored))
    assert not last.expired or end.tiebreak == MAX_TIEBREAKS
    for forest in last.expired:
        assert end.second_owners[forest - 2] is None


@games
@given(plans)
def test_a_forest_is_scored_by_the_trees_on_it(plan: Plan) -> None:
    for before, event, _ in play(plan).moments():
        if not isinstance(event, Scored):
            continue
        for forest in FORESTS:
            tie = before.public.tie_at(forest)
            found: dict[int, Seat] = {
                award.place: award.seat for award in event.awards if award.forest == forest
            }
            if before.public.tiebreak and tie is None:
                assert not found
                continue
            due = settle(before.public.row(forest), first_open=tie is None or tie.for_first)
            assert (found.get(1), found.get(2)) == (due.first, due.second)
            still = next((tie.seats for tie in event.ties if tie.forest == forest), ())
            assert still == due.tied or (forest in event.expired and not still)


@games
@given(plans, st.integers(0, 15))
def test_every_legal_command_is_decided_and_what_follows_is_applied(plan: Plan, skip: int) -> None:
    # Before every sixteenth command: in five hundred games that is every kind many times over.
    for number, (state, _, _) in enumerate(play(plan).steps()):
        if number % 16 != skip:
            continue
        awaited = set(state.public.awaited)
        for seat in range(MAX_SEATS):
            commands = legal_commands(state, seat)
            assert len(set(commands)) == len(commands)
            assert bool(commands) is (seat in state.public.rolling)
            assert (commands == (TakeBack(seat),)) is (seat in state.public.chosen)
            for command in commands:
                events = decide(state, command)
                after = follow(events, state)
                assert decide(state, command) == events
                if isinstance(command, TakeBack):
                    assert set(after.public.awaited) == awaited | {seat}
                else:
                    assert events[0] == Chosen(seat, Choice(command.sums, command.turned))
                    if awaited == {seat}:
                        assert (seat, command.sums) in after.public.revealed
                    else:
                        assert set(after.public.awaited) == awaited - {seat}


@games
@given(plans, st.integers(0, 23))
def test_no_legal_choice_is_missing_from_the_list(plan: Plan, skip: int) -> None:
    for number, (state, _, _) in enumerate(play(plan).steps()):
        if number % 24 != skip:
            continue
        for seat in state.public.awaited:
            # Dice that can be turned can be turned to whatever the sums need (R2).
            turns = is_sequoia(roll_of(state, seat))
            due = {
                sums
                for sums in ALL_SUMS
                if refusal_of(state, Choose(seat, sums, dice_for(sums) if turns else None)) is None
            }
            assert {choice.sums for choice in choices_of(state, seat)} == due


@games
@given(plans, st.integers(0, 4))
def test_a_choice_taken_back_leaves_no_trace(plan: Plan, skip: int) -> None:
    for number, (state, event, after) in enumerate(play(plan).moments()):
        if number % 5 == skip and isinstance(event, Chosen) and after.public.awaited:
            assert follow(decide(after, TakeBack(event.seat)), after) == state


def choices_of(state: GameState, seat: Seat) -> list[Choose]:
    return [command for command in legal_commands(state, seat) if isinstance(command, Choose)]


def refused(state: GameState, command: Command) -> type[RuleViolation] | None:
    try:
        decide(state, command)
    except RuleViolation as violation:
        return type(violation)
    return None


@games
@given(plans, st.lists(any_command, min_size=1, max_size=6), st.integers(0, 4))
def test_every_other_command_is_refused_and_changes_nothing(
    plan: Plan, commands: list[Command], skip: int
) -> None:
    for number, (state, _, _) in enumerate(play(plan).steps()):
        if number % 5 != skip:
            continue
        twin = replace(state, public=replace(state.public))
        for command in commands:
            assert refused(state, command) is refusal_of(state, command), command
        assert state == twin


@games
@given(plans)
def test_replaying_the_events_gives_the_same_state(plan: Plan) -> None:
    # `replay` decides each command that the events imply anew and refuses what differs.
    game = play(plan)
    assert replay(game.events) == game.end()


@games
@given(plans)
def test_views_of_states_that_differ_in_a_foreign_secret_are_equal(plan: Plan) -> None:
    for state, event, _ in play(plan).moments():
        if state.public.phase not in CHOICE_PHASES:
            continue
        for viewer in VIEWERS:
            other = GameState(
                state.public,
                state.first_tokens[::-1],
                state.second_tokens[::-1],
                tuple(
                    roll if roll is None or seat == viewer else other_roll(roll)
                    for seat, roll in enumerate(state.rolls)
                ),
                tuple(
                    choice if choice is None or seat == viewer else Choice((2, 12), (1, 1, 6, 6, 1))
                    for seat, choice in enumerate(state.choices)
                ),
            )
            assert view_for(other, viewer) == view_for(state, viewer)
            if isinstance(event, Chosen) and event.seat != viewer:
                assert redact(Chosen(event.seat, Choice(())), viewer) == redact(event, viewer)


@games
@given(plans)
def test_what_is_seen_of_a_deal_differs_only_in_the_own_dice(plan: Plan) -> None:
    for event in play(plan).events:
        if isinstance(event, Dealt):
            for viewer in VIEWERS:
                rolls = tuple(
                    (seat, roll if seat == viewer else other_roll(roll))
                    for seat, roll in event.rolls
                )
                assert redact(Dealt(event.deal, rolls), viewer) == redact(event, viewer)


@games
@given(plans)
def test_folding_what_is_seen_into_a_view_gives_the_next_view(plan: Plan) -> None:
    views = {viewer: view_for(new_game(), viewer) for viewer in VIEWERS}
    for _, event, after in play(plan).moments():
        for viewer, view in views.items():
            views[viewer] = view_for(after, viewer)
            assert fold(view, redact(event, viewer)) == views[viewer]


def other_roll(roll: Dice) -> Dice:
    """Another roll that says the same to others: a Sequoia stays one, and no other is (R2)."""
    if is_sequoia(roll):
        face = 1 + roll[0] % 6
        return face, face, face, face, face
    a, b, c, d, e = (7 - die for die in roll)
    return e, a, b, c, d


def other_tokens(event: Event) -> Event:
    if isinstance(event, GameStarted):
        return replace(
            event, first_tokens=event.first_tokens[::-1], second_tokens=event.second_tokens[::-1]
        )
    return event
