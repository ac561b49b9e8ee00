"""Scoring, tie-breaks and the final count by example (T1 to F2)."""

import pytest
from sequoia_rules.commands import Choose
from sequoia_rules.errors import IllegalCommand
from sequoia_rules.events import Chosen, Ended, Scored
from sequoia_rules.game import (
    decide,
    forced_none,
    legal_commands,
    ways,
)
from sequoia_rules.phases import Phase
from sequoia_rules.scoring import standings
from sequoia_rules.values import FIRST_TOKENS, FORESTS, SECOND_TOKENS, Choice, Seat

from tests.rules.games import (
    PLAIN,
    A,
    B,
    C,
    after,
    both_tied_on,
    dealt,
    owners,
    started,
    ten_rounds,
    tie_broken,
    tie_on,
)

# The worked cases of the rules: trees on one forest after ten rounds, what is then planted in
# each tie-break round, who has the tokens, and who is tied, if for both tokens.
WORKED: list[
    tuple[
        dict[Seat, int],
        list[set[Seat]],
        tuple[Seat | None, Seat | None],
        tuple[tuple[Seat, ...], bool] | None,
    ]
] = [
    ({A: 3, B: 2, C: 1}, [], (A, B), None),
    ({A: 3, B: 2, C: 2}, [], (A, None), ((B, C), False)),
    ({A: 3, B: 3, C: 2}, [], (None, None), ((A, B), True)),
    ({A: 2, B: 2, C: 2}, [], (None, None), ((A, B, C), True)),
    ({A: 3, B: 0}, [], (A, None), None),
    ({A: 1, B: 1}, [], (None, None), ((A, B), True)),
    ({A: 0, B: 0}, [], (None, None), None),
    ({A: 3, B: 2, C: 2}, [{B, C}], (A, None), ((B, C), False)),
    ({A: 2, B: 2}, [{A}], (A, B), None),
    ({A: 2, B: 2, C: 2}, [{A}], (A, None), ((B, C), False)),
    ({A: 2, B: 2, C: 2}, [{A, B}], (None, None), ((A, B), True)),
    # And what follows from them.
    ({A: 2, B: 2, C: 2}, [{A}, {C}], (A, C), None),
    ({A: 2, B: 2, C: 2}, [{A, B}, {B}], (B, A), None),
    ({A: 3, B: 3, C: 2}, [{B}], (B, A), None),
    ({A: 4, B: 2, C: 2}, [{C}], (A, C), None),
    ({A: 1, B: 1, C: 1, 3: 1, 4: 1}, [], (None, None), ((0, 1, 2, 3, 4), True)),
    ({A: 1, B: 1, C: 1, 3: 1, 4: 1}, [{3}], (3, None), ((0, 1, 2, 4), False)),
    ({A: 2, B: 1, C: 1, 3: 1}, [{B, C}], (A, None), ((B, C), False)),
    ({A: 2, B: 1, C: 1, 3: 1}, [set()], (A, None), ((B, C, 3), False)),
]


@pytest.mark.parametrize(("trees", "tiebreaks", "tokens", "tie"), WORKED)
def test_t1_to_t6_a_worked_case(
    trees: dict[Seat, int],
    tiebreaks: list[set[Seat]],
    tokens: tuple[Seat | None, Seat | None],
    tie: tuple[tuple[Seat, ...], bool] | None,
) -> None:
    for forest in (2, 7, 12):
        state = ten_rounds(forest, trees)
        for seats in tiebreaks:
            state = tie_broken(state, dict.fromkeys(seats, (forest,)))
        assert owners(state.public, forest) == tokens
        assert tie_on(state.public, forest) == tie
        assert (state.public.phase is Phase.OVER) is (tie is None)


def test_t2_a_token_with_no_claimant_is_turned_over_and_counts_for_nobody() -> None:
    public = ten_rounds(7, {A: 3, B: 0}).public
    assert public.phase is Phase.OVER
    # A alone stands on 2 and 7, B alone on 4: all other tokens lie where they lay.
    assert public.points == ((A, FIRST_TOKENS[0] + FIRST_TOKENS[5]), (B, FIRST_TOKENS[2]))
    assert public.first_tokens == FIRST_TOKENS
    assert public.second_tokens == SECOND_TOKENS
    assert sum(owner is not None for owner in public.first_owners) == 3
    assert not any(owner is not None for owner in public.second_owners)


def test_t3_the_trees_of_those_not_in_a_tie_for_most_leave() -> None:
    state = ten_rounds(7, {A: 3, B: 3, C: 2})
    assert state.public.row(7) == (3, 3, 0, 0, 0)
    # C, who was third, gets nothing, however the tie-break ends.
    assert owners(tie_broken(state, {A: (7,)}).public, 7) == (A, B)


def test_t4_the_leader_s_trees_leave_a_tie_for_second_most() -> None:
    state = ten_rounds(7, {A: 3, B: 2, C: 2, 3: 1})
    assert state.public.row(7) == (0, 2, 2, 0, 0)
    assert owners(tie_broken(state, {B: (7,)}).public, 7) == (A, B)


def test_t5_every_tied_player_rolls_and_nobody_else() -> None:
    state = both_tied_on(6, 7)
    assert state.public.next_to_roll == (A, B)
    state = dealt(state, {A: PLAIN, B: PLAIN})
    assert (state.public.phase, state.public.tiebreak) == (Phase.TIEBREAK, 1)
    assert legal_commands(state, C) == ()


def test_t5_two_trees_go_to_two_different_forests_by_pairs_that_share_no_die() -> None:
    state = dealt(both_tied_on(6, 7), {A: (1, 6, 2, 4, 6), B: (1, 5, 6, 3, 3)})
    assert Choose(A, (6, 7)) in legal_commands(state, A)
    assert Choose(B, (6, 7)) in legal_commands(state, B)
    # 1+5 and 1+6 both need the only 1.
    state = dealt(both_tied_on(6, 7), {A: (1, 5, 6, 2, 2), B: PLAIN})
    assert legal_commands(state, A) == (Choose(A, (6,)), Choose(A, (7,)), Choose(A, ()))
    with pytest.raises(IllegalCommand, match="1 5 6 2 2 do not make 6 7"):
        decide(state, Choose(A, (6, 7)))


def test_t5_fewer_or_none_may_be_placed() -> None:
    state = dealt(both_tied_on(6, 7), {A: (1, 6, 2, 4, 6), B: PLAIN})
    assert legal_commands(state, A) == tuple(Choose(A, sums) for sums in ((6, 7), (6,), (7,), ()))
    for sums in ((6, 7), (6,), (7,), ()):
        assert decide(state, Choose(A, sums)) == (Chosen(A, Choice(sums)),)


def test_t5_who_can_place_none_has_one_choice_and_is_known_to() -> None:
    state = dealt(both_tied_on(6, 7), {A: (1, 1, 1, 2, 2), B: PLAIN})
    assert forced_none(state.public, A, (1, 1, 1, 2, 2))
    assert legal_commands(state, A) == (Choose(A, ()),)
    assert [way.sums for way in ways(state.public, A, (1, 1, 1, 2, 2))] == [()]
    assert not forced_none(state.public, B, PLAIN)
    # A Sequoia can be turned, though it makes nothing as it lies.
    assert not forced_none(state.public, A, (1, 1, 1, 1, 1))
    # In a round something can always be placed.
    assert not forced_none(started(A, B).public, A, (1, 1, 1, 2, 2))


def test_t5_a_round_in_which_nobody_places_is_shown_and_the_next_begins() -> None:
    before = both_tied_on(6, 7)
    state = tie_broken(before, {})
    assert state.public.revealed == ((A, ()), (B, ()))
    assert (state.public.ties, state.public.trees) == (before.public.ties, before.public.trees)
    assert (state.public.phase, state.public.next_to_roll) == (Phase.SCORED, (A, B))
    state = dealt(state, {A: PLAIN, B: PLAIN})
    assert state.public.tiebreak == 2


def test_t6_forests_are_settled_one_by_one() -> None:
    state = tie_broken(both_tied_on(6, 7), {A: (6,)})
    assert owners(state.public, 6) == (A, B)
    assert owners(state.public, 7) == (None, None)
    assert tie_on(state.public, 7) == ((A, B), True)
    with pytest.raises(IllegalCommand, match="not tied on forest 6"):
        decide(dealt(state, {A: PLAIN, B: PLAIN}), Choose(A, (6,)))
    state = tie_broken(state, {B: (7,)})
    assert owners(state.public, 7) == (B, A)
    assert state.public.phase is Phase.OVER


def test_t7_tie_break_trees_come_without_limit() -> None:
    state = both_tied_on(6, 7)
    for _ in range(30):
        state = tie_broken(state, {A: (6, 7), B: (6, 7)})
    assert state.public.row(6) == state.public.row(7) == (40, 40, 0, 0, 0)
    assert state.public.supply(A) == 0


def test_t8_a_forest_still_tied_after_a_hundred_tie_breaks_keeps_its_tokens() -> None:
    state = both_tied_on(6, 7)
    for number in range(1, 100):
        state = tie_broken(state, {})
        assert (state.public.phase, state.public.tiebreak) == (Phase.SCORED, number)
    rolled = dealt(state, {A: PLAIN, B: PLAIN})
    events = decide(after(rolled, Choose(A, ())), Choose(B, ()))
    assert isinstance(events[2], Scored)
    assert events[2] == Scored((), (), expired=(6, 7))
    assert isinstance(events[3], Ended)
    public = tie_broken(state, {}).public
    assert (public.phase, public.next_to_roll) == (Phase.OVER, ())
    assert owners(public, 6) == owners(public, 7) == (None, None)
    assert dict(public.points or ()) == {A: 0, B: 0, C: FIRST_TOKENS[0]}


def test_t8_the_hundredth_tie_break_can_still_settle_a_forest() -> None:
    state = both_tied_on(6, 7)
    for _ in range(99):
        state = tie_broken(state, {})
    public = tie_broken(state, {A: (6,)}).public
    assert public.phase is Phase.OVER
    assert (owners(public, 6), owners(public, 7)) == ((A, B), (None, None))


def test_f1_every_player_adds_up_the_tokens_won() -> None:
    public = tie_broken(both_tied_on(6, 7), {A: (6,), B: (7,)}).public
    first = dict(zip(FORESTS, FIRST_TOKENS, strict=True))
    second = dict(zip(FORESTS, SECOND_TOKENS, strict=True))
    assert dict(public.points or ()) == {
        A: first[6] + second[7],
        B: first[7] + second[6],
        C: first[2],
    }


@pytest.mark.parametrize(
    ("points", "places"),
    [
        ({0: 9, 1: 12, 2: 12}, [(1, 1), (1, 2), (3, 0)]),
        ({0: 5, 1: 5, 2: 5}, [(1, 0), (1, 1), (1, 2)]),
        ({0: 1, 1: 9, 2: 4, 3: 4, 4: 2}, [(1, 1), (2, 2), (2, 3), (4, 4), (5, 0)]),
        ({1: 3, 4: 0}, [(1, 1), (2, 4)]),
    ],
)
def test_f2_equal_points_share_the_place_and_the_next_is_skipped(
    points: dict[Seat, int], places: list[tuple[int, Seat]]
) -> None:
    table = standings(points)
    assert [(line.place, line.seat) for line in table] == places
    assert all(line.points == points[line.seat] for line in table)
