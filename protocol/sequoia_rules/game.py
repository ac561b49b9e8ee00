"""The law as three functions: what is legal, what a command leads to, what an event changes.

``decide`` never changes anything and ``evolve`` never refuses a decided event, so a game is its
list of events: replaying them with ``evolve`` gives the same state again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement

from sequoia_rules.commands import Choose, Command, Deal, SeatCommand, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand, InvalidCommand
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
from sequoia_rules.state import GameState
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
    """List what a seat may do now; empty where it is not asked.

    After a Sequoia (R2) there is one command for each reachable set of sums, with as few dice
    turned as it takes; other ways to turn to the same sums are legal too.
    """
    public = state.public
    dice = state.rolls[seat]
    if public.phase not in CHOICE_PHASES or dice is None:
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

    The last choice of a deal also reveals, and scores or ends the game where that is due.

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
            _check_asked(state, seat, "R5")
            if state.choices[seat] is None:
                raise IllegalCommand(f"seat {seat} has no sealed choice", paragraph="R5")
            return (TakenBack(seat),)


def evolve(state: GameState, event: Event) -> GameState:
    """Apply an event.

    Raises:
        ValueError: the event cannot follow here (see :mod:`sequoia_rules.phases`).
    """
    state = replace(state, public=advance(state.public, redact(event, None)))
    match event:
        case GameStarted(_, first_tokens, second_tokens):
            return GameState(state.public, first_tokens, second_tokens)
        case Dealt(_, rolls):
            by_seat = dict(rolls)
            dice = tuple(by_seat.get(seat) for seat in range(MAX_SEATS))
            return replace(state, rolls=dice, choices=(None,) * MAX_SEATS)
        case Chosen(seat, choice):
            return replace(state, choices=_with(state.choices, seat, choice))
        case TakenBack(seat):
            return replace(state, choices=_with(state.choices, seat, None))
        case Revealed():
            return replace(state, rolls=(None,) * MAX_SEATS, choices=(None,) * MAX_SEATS)
        case _:
            return state


def _start(state: GameState, command: StartGame) -> tuple[Event, ...]:
    seats = command.seats
    for seat in seats:
        _check_seat(seat)
    if list(seats) != sorted(set(seats)) or len(seats) < MIN_PLAYERS:
        raise InvalidCommand(f"seats {seats} are not 2 to 5 ascending seats", paragraph="C1")
    if tuple(sorted(command.first_tokens)) != FIRST_TOKENS:
        raise InvalidCommand(
            f"first tokens {command.first_tokens} are not those of the box", paragraph="C3"
        )
    if tuple(sorted(command.second_tokens)) != SECOND_TOKENS:
        raise InvalidCommand(
            f"second tokens {command.second_tokens} are not those of the box", paragraph="C3"
        )
    if command.deal < 0:
        raise InvalidCommand(f"deal {command.deal} is below 0", paragraph="R1")
    if state.public.phase is not Phase.SETUP:
        raise IllegalCommand(f"the game is already in phase {state.public.phase}", paragraph="S1")
    return (GameStarted(seats, command.first_tokens, command.second_tokens, command.deal),)


def _deal(state: GameState, command: Deal) -> tuple[Event, ...]:
    for seat, dice in command.rolls:
        _check_seat(seat)
        _check_dice(dice, "R1")
    due = state.public.next_to_roll
    seats = tuple(seat for seat, _ in command.rolls)
    if not due or seats != due:
        raise IllegalCommand(
            f"a roll for seats {seats} is not due, but one for {due}",
            paragraph="T5" if state.public.ties else "R1",
        )
    return (Dealt(state.public.deal + 1, command.rolls),)


def _choose(state: GameState, command: Choose) -> tuple[Event, ...]:
    seat, sums, turned = command.seat, command.sums, command.turned
    _check_seat(seat)
    _check_sums(sums)
    if turned is not None:
        _check_dice(turned, "R2")
    dice = _check_asked(state, seat, "R4")
    if state.choices[seat] is not None:
        raise IllegalCommand(f"seat {seat} has already chosen; take it back first", paragraph="R5")
    if turned is not None and not is_sequoia(dice):
        raise IllegalCommand(f"{_text(dice)} is no Sequoia, no die may be turned", paragraph="R2")
    public = state.public
    lying = dice if turned is None else turned
    if public.phase is Phase.CHOOSING:
        if len(sums) != 2:
            raise IllegalCommand(
                f"a round takes two pairs, not {len(sums)}: {_text(sums)}", paragraph="R3"
            )
    else:
        for forest in sums:
            if forest not in public.tied_forests(seat):
                raise IllegalCommand(f"seat {seat} is not tied on {forest}", paragraph="T5")
        if len(set(sums)) != len(sums):
            raise IllegalCommand(f"{_text(sums)} is one forest twice", paragraph="T5")
    if all(way.sums != sums for way in ways(public, seat, lying)):
        raise IllegalCommand(
            f"the dice {_text(lying)} do not make {_text(sums)}",
            paragraph="R3" if public.phase is Phase.CHOOSING else "T5",
        )
    chosen = Chosen(seat, Choice(sums, turned))
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


def _check_asked(state: GameState, seat: Seat, paragraph: str) -> Dice:
    dice = state.rolls[seat]
    if state.public.phase not in CHOICE_PHASES:
        raise IllegalCommand(f"nobody chooses in phase {state.public.phase}", paragraph=paragraph)
    if dice is None:
        raise IllegalCommand(f"seat {seat} has no roll in this deal", paragraph=paragraph)
    return dice


def _text(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _with(
    choices: tuple[Choice | None, ...], seat: Seat, choice: Choice | None
) -> tuple[Choice | None, ...]:
    return (*choices[:seat], choice, *choices[seat + 1 :])
