"""What the rules refuse: never legal or not now, which value is wrong, and by which paragraph."""

import copy
from collections.abc import Callable

import pytest
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand, InvalidCommand, RuleViolation
from sequoia_rules.game import decide, new_game
from sequoia_rules.state import GameState
from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS

from tests.rules.games import (
    FOURS,
    PLAIN,
    A,
    B,
    C,
    after,
    both_tied_on,
    dealt,
    played,
    started,
    tie_broken,
)

STATES: dict[str, Callable[[], GameState]] = {
    "setup": new_game,
    "dealing": lambda: started(A, B, C),
    # B has a Sequoia.
    "choosing": lambda: dealt(started(A, B, C), {A: PLAIN, B: FOURS, C: PLAIN}),
    "chosen": lambda: after(STATES["choosing"](), Choose(A, (3, 7))),
    "revealed": lambda: played(started(A, B, C), {A: (3, 7), B: (3, 7), C: (3, 7)}),
    # A and B are tied on 6 and 7.
    "scored": lambda: both_tied_on(6, 7),
    "tiebreak": lambda: dealt(both_tied_on(6, 7), {A: (1, 5, 6, 2, 2), B: FOURS}),
    "over": lambda: tie_broken(both_tied_on(6, 7), {A: (6, 7)}),
}


def start(
    seats: tuple[int, ...] = (A, B),
    first: tuple[int, ...] = FIRST_TOKENS,
    second: tuple[int, ...] = SECOND_TOKENS,
    deal: int = 0,
) -> StartGame:
    return StartGame(seats, first, second, deal)


def deal(*seats: int) -> Deal:
    return Deal(tuple((seat, PLAIN) for seat in seats))


# Dice and sums that the types would not let pass are what a broken program sends.
INVALID: list[tuple[Command, str, str]] = [
    (start((A, 5)), "there is no seat 5", "C1"),
    (start((-1, A)), "there is no seat -1", "C1"),
    (start((A,)), "seats 0 are not 2 to 5 ascending seats", "C1"),
    (start(()), "seats none are not 2 to 5", "C1"),
    (start((B, A)), "seats 1 0 are not 2 to 5 ascending", "C1"),
    (start((A, A, B)), "seats 0 0 1 are not", "C1"),
    (start(first=(2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6)), "first-place tokens 2 2 3 3", "C3"),
    (start(first=FIRST_TOKENS[1:]), "first-place tokens 3 3 3 4", "C3"),
    (start(second=(2, *SECOND_TOKENS[1:])), "second-place tokens 2 1 1 1 1 1 1 1 1 1 2", "C3"),
    (start(second=FIRST_TOKENS), "second-place tokens 2 3", "C3"),
    (start(deal=-1), "not had -1 deals", "R1"),
    (deal(A, B, 5), "there is no seat 5", "C1"),
    (deal(A, A, B), "seats 0 0 1 are not", "R1"),
    (deal(C, B, A), "seats 2 1 0 are not", "R1"),
    (deal(A), "seats 0 are not 2 to 5", "R1"),
    (deal(), "seats none are not 2 to 5", "R1"),
    (Deal(((A, PLAIN), (B, (1, 2, 3, 4, 7)))), "1 2 3 4 7 are not five dice", "R1"),
    (Deal(((A, PLAIN), (B, (0, 2, 3, 4, 6)))), "0 2 3 4 6 are not five dice", "R1"),
    (
        Deal(((A, PLAIN), (B, (1, 2, 3, 4)))),  # type: ignore[arg-type]  # a die is missing
        "1 2 3 4 are not five dice",
        "R1",
    ),
    (Choose(5, (3, 7)), "there is no seat 5", "C1"),
    (Choose(-1, (3, 7)), "there is no seat -1", "C1"),
    (Choose(A, (3, 13)), "there is no forest 13", "C2"),
    (Choose(A, (1, 7)), "there is no forest 1", "C2"),
    (Choose(A, (0,)), "there is no forest 0", "C2"),
    (Choose(A, (3, 5, 7)), "3 5 7 are more than two pairs", "R3"),
    (Choose(A, (7, 3)), "sums 7 3 do not ascend", "R3"),
    (Choose(B, (2, 7), (1, 1, 1, 6, 0)), "1 1 1 6 0 are not five dice", "R2"),
    (
        Choose(B, (2, 7), (1, 1, 1, 6)),  # type: ignore[arg-type]  # a die is missing
        "1 1 1 6 are not five dice",
        "R2",
    ),
    (Choose(B, (2, 7), (6, 6, 6, 6, 6)), "dice 6 6 6 6 6 do not make 2 7", "R3"),
    (Choose(B, (7, 8), (1, 6, 2, 1, 1)), "dice 1 6 2 1 1 do not make 7 8", "R3"),
    (Choose(B, (12,), (6, 5, 5, 5, 5)), "dice 6 5 5 5 5 do not make 12", "R3"),
    (TakeBack(5), "there is no seat 5", "C1"),
    (TakeBack(-1), "there is no seat -1", "C1"),
]

ILLEGAL: list[tuple[str, Command, str, str]] = [
    ("dealing", start(), "phase dealing", "S1"),
    ("choosing", start((A, B, C)), "phase choosing", "S1"),
    ("over", start((A, B, C)), "phase over", "S1"),
    ("setup", deal(A, B), "no roll is due in phase setup, for seats 0 1", "R1"),
    ("dealing", deal(A, B), "seats 0 1 2 have to roll now, not 0 1", "R1"),
    ("dealing", deal(A, B, C, 3), "seats 0 1 2 have to roll now, not 0 1 2 3", "R1"),
    ("choosing", deal(A, B, C), "no roll is due in phase choosing", "R1"),
    ("revealed", deal(B, C), "seats 0 1 2 have to roll now, not 1 2", "R1"),
    ("scored", deal(A, B, C), "seats 0 1 have to roll now, not 0 1 2", "T5"),
    ("tiebreak", deal(A, B), "no roll is due in phase tiebreak", "T5"),
    ("over", deal(A, B, C), "no roll is due in phase over", "R1"),
    ("setup", Choose(A, (3, 7)), "seat 0 cannot choose in phase setup", "R4"),
    ("dealing", Choose(A, (3, 7)), "seat 0 cannot choose in phase dealing", "R4"),
    ("revealed", Choose(A, (3, 7)), "seat 0 cannot choose in phase revealed", "R4"),
    ("scored", Choose(A, ()), "seat 0 cannot choose in phase scored", "R4"),
    ("over", Choose(A, ()), "seat 0 cannot choose in phase over", "R4"),
    ("choosing", Choose(3, (3, 7)), "seat 3 cannot choose: it has no roll", "R4"),
    ("tiebreak", Choose(C, (6,)), "seat 2 cannot choose: it has no roll", "T5"),
    ("choosing", Choose(A, (3, 8)), "dice 1 2 3 4 6 do not make 3 8", "R3"),
    ("choosing", Choose(A, (2, 7)), "dice 1 2 3 4 6 do not make 2 7", "R3"),
    # Every single pair is there, but both need the 1.
    ("choosing", Choose(A, (3, 4)), "dice 1 2 3 4 6 do not make 3 4", "R3"),
    ("choosing", Choose(B, (7, 8)), "dice 4 4 4 4 4 do not make 7 8", "R3"),
    ("choosing", Choose(A, (7,)), "two pairs, not 7", "R3"),
    ("choosing", Choose(A, ()), "two pairs, not none", "R3"),
    ("choosing", Choose(A, (2, 2), (1, 1, 1, 1, 1)), "1 2 3 4 6 is no Sequoia", "R2"),
    ("choosing", Choose(A, (3, 7), PLAIN), "turned to 1 2 3 4 6", "R2"),
    ("chosen", Choose(A, (3, 7)), "seat 0 has already chosen", "R5"),
    ("chosen", Choose(A, (5, 10)), "seat 0 has already chosen", "R5"),
    ("tiebreak", Choose(A, (8,)), "seat 0 is not tied on forest 8", "T5"),
    ("tiebreak", Choose(A, (3, 7)), "seat 0 is not tied on forest 3", "T5"),
    ("tiebreak", Choose(B, (7, 7), (1, 6, 1, 6, 1)), "7 7 are not two different forests", "T5"),
    ("tiebreak", Choose(A, (6, 7)), "dice 1 5 6 2 2 do not make 6 7", "T5"),
    ("tiebreak", Choose(B, (6,)), "dice 4 4 4 4 4 do not make 6", "T5"),
    ("tiebreak", Choose(B, (8,)), "seat 1 is not tied on forest 8", "T5"),
    ("tiebreak", Choose(A, (7,), (1, 6, 1, 6, 1)), "1 5 6 2 2 is no Sequoia", "R2"),
    ("choosing", TakeBack(A), "seat 0 has no sealed choice", "R5"),
    ("chosen", TakeBack(B), "seat 1 has no sealed choice", "R5"),
    ("chosen", TakeBack(4), "seat 4 cannot take back: it has no roll", "R5"),
    ("tiebreak", TakeBack(C), "seat 2 cannot take back: it has no roll", "R5"),
    ("revealed", TakeBack(A), "seat 0 cannot take back in phase revealed", "R5"),
    ("scored", TakeBack(A), "seat 0 cannot take back in phase scored", "R5"),
    ("over", TakeBack(A), "seat 0 cannot take back in phase over", "R5"),
]


def refusal(state: GameState, command: Command) -> RuleViolation:
    before = copy.deepcopy(state)
    with pytest.raises(RuleViolation) as caught:
        decide(state, command)
    assert state == before
    return caught.value


@pytest.mark.parametrize(
    ("command", "reason", "paragraph"), INVALID, ids=[reason for _, reason, _ in INVALID]
)
def test_what_could_never_be_legal_is_invalid_in_every_state(
    command: Command, reason: str, paragraph: str
) -> None:
    for make in STATES.values():
        violation = refusal(make(), command)
        assert type(violation) is InvalidCommand
        assert reason in violation.reason
        assert violation.paragraph == paragraph
        assert str(violation) == f"{violation.reason} ({paragraph})"


@pytest.mark.parametrize(
    ("where", "command", "reason", "paragraph"),
    ILLEGAL,
    ids=[f"{where}: {reason}" for where, _, reason, _ in ILLEGAL],
)
def test_what_is_not_legal_now_is_illegal(
    where: str, command: Command, reason: str, paragraph: str
) -> None:
    violation = refusal(STATES[where](), command)
    assert type(violation) is IllegalCommand
    assert reason in violation.reason
    assert violation.paragraph == paragraph
    assert str(violation) == f"{violation.reason} ({paragraph})"
