"""All that can be asked, and in the plainest way what of it is allowed: a second opinion."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Any

from hypothesis import strategies as st
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand, InvalidCommand, RuleViolation
from sequoia_rules.phases import Phase
from sequoia_rules.state import GameState
from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS

_seats = st.integers(-1, 5)
_faces = st.integers(0, 7) | st.integers(1, 6)
_dice: st.SearchStrategy[Any] = (
    st.tuples(*[st.integers(1, 6)] * 5)
    | st.lists(_faces, min_size=3, max_size=6).map(tuple)
    | st.integers(1, 6).map(lambda face: (face,) * 5)
)
_sums = st.lists(st.integers(2, 12), max_size=2).map(lambda forests: tuple(sorted(forests)))
_odd_sums = st.lists(st.integers(0, 14), max_size=3).map(tuple)
any_command: st.SearchStrategy[Command] = st.one_of(
    st.builds(Choose, st.integers(0, 4), _sums),
    st.builds(Choose, st.integers(0, 4), _sums, _dice),
    st.builds(Choose, _seats, _sums | _odd_sums, st.none() | _dice),
    st.builds(TakeBack, _seats),
    st.builds(Deal, st.lists(st.tuples(_seats, _dice), max_size=6).map(tuple)),
    st.builds(
        lambda rolls: Deal(tuple(sorted(rolls.items()))),
        st.dictionaries(st.integers(0, 4), st.tuples(*[st.integers(1, 6)] * 5)),
    ),
    st.builds(
        StartGame,
        st.lists(_seats, max_size=6).map(tuple) | st.just((0, 3)),
        st.permutations(FIRST_TOKENS).map(tuple) | st.just(SECOND_TOKENS),
        st.permutations(SECOND_TOKENS).map(tuple),
        st.integers(-2, 5),
    ),
)
"""Commands of every kind, well formed or not."""


def refusal_of(state: GameState, command: Command) -> type[RuleViolation] | None:
    """How the rules have to refuse a command, or None if they have to allow it."""
    if not _valid(command):
        return InvalidCommand
    return None if _legal(state, command) else IllegalCommand


@cache
def makes(dice: tuple[int, ...], sums: tuple[int, ...]) -> bool:
    """Tell whether pairs that share no die make these sums."""
    if not sums:
        return True
    if len(sums) == 1:
        return any(a + b == sums[0] for a, b in combinations(dice, 2))
    return any((a + b, c + d) == sums for a, b, c, d, _ in permutations(dice))


def _valid(command: Command) -> bool:
    match command:
        case StartGame(seats, first, second, deal):
            tokens = sorted(first), sorted(second)
            return _players(seats) and tokens == (_FIRST, _SECOND) and deal >= 0
        case Deal(rolls):
            return _players([seat for seat, _ in rolls]) and all(_five(dice) for _, dice in rolls)
        case Choose(seat, sums, turned):
            return (
                seat in range(5)
                and len(sums) <= 2
                and all(2 <= forest <= 12 for forest in sums)
                and list(sums) == sorted(sums)
                and (turned is None or (_five(turned) and makes(turned, sums)))
            )
        case TakeBack(seat):
            return seat in range(5)


def _legal(state: GameState, command: Command) -> bool:
    public = state.public
    match command:
        case StartGame():
            return public.phase is Phase.SETUP
        case Deal(rolls):
            tied = {seat for tie in public.ties for seat in tie.seats}
            due = {
                Phase.DEALING: set(public.seats),
                Phase.REVEALED: set(public.seats),
                Phase.SCORED: tied,
            }
            return {seat for seat, _ in rolls} == due.get(public.phase)
        case TakeBack(seat):
            return state.choices[seat] is not None
        case Choose(seat, sums, turned):
            dice = state.rolls[seat]
            if dice is None or state.choices[seat] is not None:
                return False
            if turned is not None and len(set(dice)) > 1:
                return False
            if public.phase is Phase.CHOOSING and len(sums) != 2:
                return False
            if public.phase is Phase.TIEBREAK:
                tied = {tie.forest for tie in public.ties if seat in tie.seats}
                if not tied.issuperset(sums) or len(set(sums)) < len(sums):
                    return False
            return makes(dice if turned is None else turned, sums)


def _players(seats: Sequence[int]) -> bool:
    return (
        2 <= len(seats) <= 5 and set(seats) <= set(range(5)) and list(seats) == sorted(set(seats))
    )


def _five(dice: Sequence[int]) -> bool:
    return len(dice) == 5 and set(dice) <= set(range(1, 7))


_FIRST, _SECOND = list(FIRST_TOKENS), list(SECOND_TOKENS)
