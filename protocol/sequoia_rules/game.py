"""The law as three functions: what is legal, what a command leads to, what an event changes.

``decide`` never changes anything and ``evolve`` never refuses a decided event, so a game is its
list of events: replaying them with ``evolve`` gives the same state again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement

from sequoia_rules.commands import Choose, Command, Deal, SeatCommand, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand, InvalidCommand, RuleViolation
from sequoia_rules.events import (
    Award,
    Chosen,
    Dealt,
    Ended,
    Event,
    GameStarted,
    Revealed,
    Scored,
    TakenBack,
    Tie,
)
from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.public import PublicState, advance
from sequoia_rules.scoring import settle
from sequoia_rules.state import NOTHING, GameState
from sequoia_rules.values import (
    FIRST_TOKENS,
    FORESTS,
    MAX_SEATS,
    MAX_TIEBREAKS,
    MIN_PLAYERS,
    ROUNDS,
    SECOND_TOKENS,
    Choice,
    Dice,
    Forest,
    Pairing,
    Seat,
    Sums,
    forest_index,
    is_sequoia,
    pairings,
    placements,
    turns_for,
)
from sequoia_rules.view import redact


def new_game() -> GameState:
    """Give the state before the tokens are laid out (S1)."""
    return GameState()


def legal_commands(state: GameState, seat: Seat) -> tuple[SeatCommand, ...]:
    """List what a seat may do now; empty where it is not asked, or does not play.

    After a Sequoia (R2) there is one command for each reachable set of sums, with as few dice
    turned as it takes; other ways to turn to the same sums are legal too.
    """
    public = state.public
    dice = state.rolls[seat] if seat in public.rolling else None
    if dice is None:
        return ()
    if state.choices[seat] is not None:
        return (TakeBack(seat),)
    return tuple(Choose(seat, *choice) for choice in _choices(public, seat, dice))


def choices_for(public: PublicState, seat: Seat, dice: Dice) -> tuple[Choice, ...]:
    """List the distinct choices that a roll allows a seat; the same for a state and for a view.

    Distinct by their sums (R3). In a tie-break "none" is the last of them (T5).
    """
    return tuple(Choice(sums, turned) for sums, turned in _choices(public, seat, dice))


def ways(public: PublicState, seat: Seat, dice: Dice) -> tuple[Pairing, ...]:
    """List the ways to use five dice as they lie: pairings in a round, placements in a tie-break.

    For a Sequoia pass the dice as turned.
    """
    if public.phase is Phase.TIEBREAK:
        return placements(dice, public.tied_forests(seat))
    return pairings(dice)


def forced_none(public: PublicState, seat: Seat, dice: Dice) -> bool:
    """Tell whether T5 chooses "none" for this roll without asking."""
    return public.phase is Phase.TIEBREAK and len(choices_for(public, seat, dice)) == 1


def decide(state: GameState, command: Command) -> tuple[Event, ...]:
    """Tell what a command leads to, without changing anything.

    The last choice of a deal also reveals, and scores or ends the game where that is due. A
    Sequoia "turned" to the very dice that fell was not turned: the event then says None (R2).

    Raises:
        InvalidCommand: no state of any game allows it.
        IllegalCommand: this state does not.
    """
    match command:
        case StartGame():
            return _start(state, command)
        case Deal():
            return _deal(state, command)
        case Choose():
            return _choose(state, command)
        case TakeBack(seat):
            _check_seat(seat)
            _check_asked(state, seat, "take back", "R5")
            if state.choices[seat] is None:
                raise IllegalCommand(f"seat {seat} has no sealed choice", paragraph="R5")
            return (TakenBack(seat),)


def evolve(state: GameState, event: Event) -> GameState:
    """Apply an event.

    Raises:
        ValueError: the event cannot follow here (see :mod:`sequoia_rules.phases`).
    """
    public = advance(state.public, redact(event, None))
    match event:
        case GameStarted(_, first_tokens, second_tokens):
            return GameState(public, first_tokens, second_tokens)
        case Dealt(_, rolls):
            by_seat = dict(rolls)
            dice = tuple(by_seat.get(seat) for seat in range(MAX_SEATS))
            return replace(state, public=public, rolls=dice, choices=NOTHING)
        case Chosen(seat, choice):
            return replace(state, public=public, choices=_with(state.choices, seat, choice))
        case TakenBack(seat):
            return replace(state, public=public, choices=_with(state.choices, seat, None))
        case Revealed():
            return replace(state, public=public, rolls=NOTHING, choices=NOTHING)
        case _:
            return replace(state, public=public)


def _start(state: GameState, command: StartGame) -> tuple[Event, ...]:
    seats = command.seats
    for seat in seats:
        _check_seat(seat)
    _check_seats(seats, "C1")
    for kind, tokens, box in (
        ("first", command.first_tokens, FIRST_TOKENS),
        ("second", command.second_tokens, SECOND_TOKENS),
    ):
        if tuple(sorted(tokens)) != box:
            raise InvalidCommand(
                f"the {kind}-place tokens {_text(tokens)} are not those of the box", paragraph="C3"
            )
    if command.deal < 0:
        raise InvalidCommand(f"a room has not had {command.deal} deals", paragraph="R1")
    if state.public.phase is not Phase.SETUP:
        raise IllegalCommand(
            f"this game has begun already, it is in phase {state.public.phase}", paragraph="S1"
        )
    return (GameStarted(seats, command.first_tokens, command.second_tokens, command.deal),)


def _deal(state: GameState, command: Deal) -> tuple[Event, ...]:
    for seat, dice in command.rolls:
        _check_seat(seat)
        _check_dice(dice, "R1")
    seats = tuple(seat for seat, _ in command.rolls)
    _check_seats(seats, "R1")
    public = state.public
    due = public.next_to_roll
    paragraph = "T5" if public.ties else "R1"
    if not due:
        raise IllegalCommand(
            f"no roll is due in phase {public.phase}, for seats {_text(seats)} or others",
            paragraph=paragraph,
        )
    if seats != due:
        raise IllegalCommand(
            f"seats {_text(due)} have to roll now, not {_text(seats)}", paragraph=paragraph
        )
    return (Dealt(public.deal + 1, command.rolls),)


def _choose(state: GameState, command: Choose) -> tuple[Event, ...]:
    seat, sums, turned = command.seat, command.sums, command.turned
    _check_seat(seat)
    _check_sums(sums)
    if turned is not None:
        _check_dice(turned, "R2")
        if sums not in _makeable(turned):
            raise _do_not_make(turned, sums, InvalidCommand, "R3")
    public = state.public
    tiebreak = public.phase is Phase.TIEBREAK
    dice = _check_asked(state, seat, "choose", "T5" if tiebreak else "R4")
    if state.choices[seat] is not None:
        raise IllegalCommand(f"seat {seat} has already chosen; take it back first", paragraph="R5")
    if turned is not None and not is_sequoia(dice):
        raise IllegalCommand(
            f"{_text(dice)} is no Sequoia: it cannot be turned to {_text(turned)}", paragraph="R2"
        )
    if tiebreak:
        for forest in sums:
            if forest not in public.tied_forests(seat):
                raise IllegalCommand(f"seat {seat} is not tied on forest {forest}", paragraph="T5")
        if len(set(sums)) != len(sums):
            raise IllegalCommand(f"{_text(sums)} are not two different forests", paragraph="T5")
    elif len(sums) != 2:
        raise IllegalCommand(f"a round takes two pairs, not {_text(sums)}", paragraph="R3")
    if all(way.sums != sums for way in ways(public, seat, turned or dice)):
        raise _do_not_make(turned or dice, sums, IllegalCommand, "T5" if tiebreak else "R3")
    chosen = Chosen(seat, Choice(sums, None if turned == dice else turned))
    if public.awaited != (seat,):
        return (chosen,)
    return (chosen, *_after_last_choice(evolve(state, chosen)))


def _after_last_choice(state: GameState) -> tuple[Event, ...]:
    sums = tuple(
        (seat, choice.sums) for seat, choice in enumerate(state.choices) if choice is not None
    )
    revealed = Revealed(sums)
    public = evolve(state, revealed).public
    if public.phase is Phase.REVEALED and public.round < ROUNDS:
        return (revealed,)
    scored = _score(public)
    if scored.ties:
        return (revealed, scored)
    return (revealed, scored, _count(state, advance(public, scored)))


def _score(public: PublicState) -> Scored:
    """Score every forest after round 10, afterwards those still tied (T1 to T4, T6, T8)."""
    awards: list[Award] = []
    ties: list[Tie] = []
    first_scoring = public.phase is Phase.REVEALED
    for forest in FORESTS:
        tie = public.tie_at(forest)
        if tie is None and not first_scoring:
            continue
        result = settle(public.row(forest), first_open=tie is None or tie.for_first)
        for place, seat in enumerate((result.first, result.second), start=1):
            if seat is not None:
                awards.append(Award(forest, place, seat))
        if result.tied:
            ties.append(Tie(forest, result.tied, result.tied_for_first))
    if public.tiebreak >= MAX_TIEBREAKS:
        return Scored(tuple(awards), (), expired=tuple(tie.forest for tie in ties))
    return Scored(tuple(awards), tuple(ties))


def _count(state: GameState, public: PublicState) -> Ended:
    points = dict.fromkeys(public.seats, 0)
    for forest in FORESTS:
        index = forest_index(forest)
        for owner, token in (
            (public.first_owners[index], state.first_tokens[index]),
            (public.second_owners[index], state.second_tokens[index]),
        ):
            if owner is not None:
                points[owner] += token
    return Ended(state.first_tokens, state.second_tokens, tuple(sorted(points.items())))


def _choices(public: PublicState, seat: Seat, dice: Dice) -> tuple[tuple[Sums, Dice | None], ...]:
    if not is_sequoia(dice):
        return tuple((way.sums, None) for way in ways(public, seat, dice))
    reachable: list[Sums]
    if public.phase is Phase.TIEBREAK:
        tied: tuple[Forest, ...] = public.tied_forests(seat)
        reachable = [*combinations(tied, 2), *((forest,) for forest in tied), ()]
    else:
        reachable = [*combinations_with_replacement(FORESTS, 2)]
    return tuple((sums, turns_for(sums, dice[0])) for sums in reachable)


def _check_seat(seat: Seat) -> None:
    if not 0 <= seat < MAX_SEATS:
        raise InvalidCommand(f"there is no seat {seat}", paragraph="C1")


def _check_seats(seats: tuple[Seat, ...], paragraph: str) -> None:
    if list(seats) != sorted(set(seats)) or len(seats) < MIN_PLAYERS:
        raise InvalidCommand(
            f"seats {_text(seats)} are not 2 to 5 ascending seats", paragraph=paragraph
        )


def _check_dice(dice: tuple[int, ...], paragraph: str) -> None:
    if len(dice) != 5 or not all(1 <= die <= 6 for die in dice):
        raise InvalidCommand(f"{_text(dice)} are not five dice", paragraph=paragraph)


def _check_sums(sums: Sums) -> None:
    if len(sums) > 2:
        raise InvalidCommand(f"{_text(sums)} are more than two pairs", paragraph="R3")
    for forest in sums:
        if forest not in FORESTS:
            raise InvalidCommand(f"there is no forest {forest}", paragraph="C2")
    if list(sums) != sorted(sums):
        raise InvalidCommand(f"the sums {_text(sums)} do not ascend", paragraph="R3")


def _check_asked(state: GameState, seat: Seat, deed: str, paragraph: str) -> Dice:
    public = state.public
    if public.phase not in CHOICE_PHASES:
        raise IllegalCommand(
            f"seat {seat} cannot {deed} in phase {public.phase}", paragraph=paragraph
        )
    dice = state.rolls[seat]
    if dice is None:
        raise IllegalCommand(
            f"seat {seat} cannot {deed}: it has no roll in this deal", paragraph=paragraph
        )
    return dice


def _makeable(dice: Dice) -> set[Sums]:
    """Give all that five dice make in a round or, tied everywhere, in a tie-break."""
    return {way.sums for way in (*pairings(dice), *placements(dice, FORESTS))}


def _do_not_make(
    dice: Dice, sums: Sums, kind: type[RuleViolation], paragraph: str
) -> RuleViolation:
    return kind(f"the dice {_text(dice)} do not make {_text(sums)}", paragraph=paragraph)


def _text(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _with(
    choices: tuple[Choice | None, ...], seat: Seat, choice: Choice | None
) -> tuple[Choice | None, ...]:
    return (*choices[:seat], choice, *choices[seat + 1 :])
