"""One event as one line of text, and back: what the records are written in.

>>> line_of(Chosen(1, Choice((4, 12), (6, 6, 2, 2, 1))), dealt=1)
'1 turns to 66221 and chooses 4 12'
>>> event_of("1 turns to 66221 and chooses 4 12")
Chosen(seat=1, choice=Choice(sums=(4, 12), turned=(6, 6, 2, 2, 1)))
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

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
from sequoia_rules.values import ROUNDS, Choice, Dice, Seat, Sums

UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)
"""What may hide or move text on a screen, or is no text.

Controls, line and paragraph separators, invisible and bidirectional formatting, tags, halves of
characters. Spelt out, since what ``str.isprintable`` says differs between versions of Python.
"""

QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
"""Matches what :func:`quote` gives."""

_T = TypeVar("_T")

_N = "[0-9]{1,9}"
_NUMBERS = rf"{_N}(?: {_N})*"
_SUMS = rf"{_NUMBERS}|none"
_STARTED: Final = re.compile(
    rf"start: seats ({_NUMBERS}), first ({_NUMBERS}), second ({_NUMBERS}), after deal ({_N})"
)
_DEALT: Final = re.compile(rf"(?:round|tie-break) {_N} \(deal ({_N})\): (.+)")
_ROLL: Final = re.compile(r"([0-9]) ([0-9]{5})")
_CHOSEN: Final = re.compile(rf"([0-9]) (?:turns to ([0-9]{{5}}) and )?chooses ({_SUMS})")
_TAKEN_BACK: Final = re.compile(r"([0-9]) takes back")
_REVEALED: Final = re.compile(r"reveal: (.+)")
_PLANTED: Final = re.compile(rf"([0-9]) ({_SUMS})")
_SCORED: Final = re.compile(r"score: (.+)")
_AWARD: Final = re.compile(rf"({_N}) (first|second) ([0-9])")
_TIE: Final = re.compile(rf"({_N}) tied ({_NUMBERS}) for (both|second)")
_EXPIRED: Final = re.compile(rf"({_N}) given up")
_ENDED: Final = re.compile(rf"end: first ({_NUMBERS}), second ({_NUMBERS}), points (.+)")
_POINTS: Final = re.compile(rf"([0-9]) has ({_N})")


def quote(text: str) -> str:
    r"""Write any text as one line in quotes: a JSON string without anything unsafe.

    >>> print(quote('Jürgen "#1"\n'))
    "Jürgen \"#1\"\n"
    """
    plain = json.dumps(text, ensure_ascii=False)
    return UNSAFE.sub(lambda unsafe: json.dumps(unsafe[0])[1:-1], plain)


def unquote(text: str) -> str:
    """Read what :func:`quote` wrote.

    Raises:
        ValueError: this is not a JSON string.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{text} is not a text in quotes: {error.msg}") from error
    return str(value)


def line_of(event: Event, *, dealt: int) -> str:
    """Write an event; ``dealt`` deals of its game came before it."""
    match event:
        case GameStarted(seats, first, second, deal):
            return (
                f"start: seats {_text(seats)}, first {_text(first)}, second {_text(second)}, "
                f"after deal {deal}"
            )
        case Dealt(deal, rolls):
            tiebreak = dealt - ROUNDS + 1
            name = f"tie-break {tiebreak}" if tiebreak > 0 else f"round {dealt + 1}"
            return f"{name} (deal {deal}): {_list(f'{s} {_faces(dice)}' for s, dice in rolls)}"
        case Chosen(seat, Choice(sums, turned)):
            turns = f"turns to {_faces(turned)} and " if turned else ""
            return f"{seat} {turns}chooses {_text(sums)}"
        case TakenBack(seat):
            return f"{seat} takes back"
        case Revealed(choices):
            return f"reveal: {_list(f'{seat} {_text(sums)}' for seat, sums in choices)}"
        case Scored(awards, ties, expired):
            items = [
                f"{won.forest} {'first' if won.place == 1 else 'second'} {won.seat}"
                for won in awards
            ]
            items += [
                f"{tie.forest} tied {_text(tie.seats)} for {'both' if tie.for_first else 'second'}"
                for tie in ties
            ]
            return f"score: {_list([*items, *(f'{forest} given up' for forest in expired)])}"
        case Ended(first, second, points):
            totals = _list(f"{seat} has {total}" for seat, total in points)
            return f"end: first {_text(first)}, second {_text(second)}, points {totals}"


def event_of(line: str) -> Event:
    """Read an event. More than one line may give the same: compare with :func:`line_of`.

    Raises:
        ValueError: no event is written like this.
    """
    if found := _STARTED.fullmatch(line):
        return GameStarted(
            _numbers(found[1]), _numbers(found[2]), _numbers(found[3]), int(found[4])
        )
    if found := _DEALT.fullmatch(line):
        return Dealt(int(found[1]), _each(found[2], _roll))
    if found := _CHOSEN.fullmatch(line):
        turned = _dice(found[2]) if found[2] else None
        return Chosen(int(found[1]), Choice(_sums(found[3]), turned))
    if found := _TAKEN_BACK.fullmatch(line):
        return TakenBack(int(found[1]))
    if found := _REVEALED.fullmatch(line):
        return Revealed(_each(found[1], _planted))
    if found := _SCORED.fullmatch(line):
        return _scored(found[1])
    if found := _ENDED.fullmatch(line):
        return Ended(_numbers(found[1]), _numbers(found[2]), _each(found[3], _points))
    raise ValueError(f"{quote(line)} is no event")


def _scored(text: str) -> Scored:
    awards: list[Award] = []
    ties: list[Tie] = []
    expired: list[int] = []
    for item in text.split(", "):
        if won := _AWARD.fullmatch(item):
            awards.append(Award(int(won[1]), 1 if won[2] == "first" else 2, int(won[3])))
        elif tie := _TIE.fullmatch(item):
            ties.append(Tie(int(tie[1]), _numbers(tie[2]), tie[3] == "both"))
        elif up := _EXPIRED.fullmatch(item):
            expired.append(int(up[1]))
        else:
            raise ValueError(f"{quote(item)} is nothing that scoring decides")
    return Scored(tuple(awards), tuple(ties), tuple(expired))


def _roll(text: str) -> tuple[Seat, Dice]:
    found = _match(_ROLL, text, "roll")
    return int(found[1]), _dice(found[2])


def _planted(text: str) -> tuple[Seat, Sums]:
    found = _match(_PLANTED, text, "choice")
    return int(found[1]), _sums(found[2])


def _points(text: str) -> tuple[Seat, int]:
    found = _match(_POINTS, text, "total")
    return int(found[1]), int(found[2])


def _match(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{quote(text)} is no {what} of a seat")
    return found


def _each(text: str, read: Callable[[str], _T]) -> tuple[_T, ...]:
    return tuple(read(item) for item in text.split(", "))


def _dice(text: str) -> Dice:
    a, b, c, d, e = map(int, text)
    return a, b, c, d, e


def _sums(text: str) -> Sums:
    return () if text == "none" else _numbers(text)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(" ")))


def _faces(dice: Dice) -> str:
    return "".join(map(str, dice))


def _text(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _list(items: Iterable[str]) -> str:
    return ", ".join(items) or "nothing"
