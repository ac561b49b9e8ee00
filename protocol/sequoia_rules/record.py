"""A whole game as portable text: write it, read it, follow it again.

A record exists only once its game is over, for it holds every secret of it. It reads like this,
one line per event in their true order::

    Sequoia record 1

    [game]
    id "c3aa7655"
    started "2026-11-30 23:15 UTC"
    seat 0 "Anna" "pink" "person"
    seat 1 "Bo" "gold" "bot, level 2"

    [events]
    start: seats 0 1, first 6 3 4 3 5 4 5 4 3 2 5, second 1 1 1 1 1 1 1 2 1 1 1, after deal 0
    round 1 (deal 1): 0 51333, 1 22222
    0 chooses 4 8 (person)
    0 takes back
    1 turns to 66221 and chooses 4 12 (bot)
    0 chooses 6 6 (stand-in)
    reveal: 0 6 6, 1 4 12
    ...
    score: 4 first 0, 4 second 1, 8 tied 0 1 for both
    tie-break 1 (deal 11): 0 51333, 1 62114
    0 chooses 8 (person)
    1 chooses none (rule)
    reveal: 0 8, 1 none
    score: 8 first 0, 8 second 1
    end: first 6 3 4 3 5 4 5 4 3 2 5, second 1 1 1 1 1 1 1 2 1 1 1, points 0 has 31, 1 has 25

    [check]
    sha256 0f3c...

Text in quotes is a JSON string. Between ``[events]`` and ``[check]`` other sections may stand;
they are kept as they are. The check sum covers all that is above ``[check]``: it shows accidents,
not forgery. There is one way to write a game, so ``write_record(read_record(text)) == text``;
lines may also end in CRLF.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple, TypeVar

from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.errors import RuleViolation
from sequoia_rules.events import Chosen, Dealt, Event, GameStarted, TakenBack
from sequoia_rules.game import decide, evolve, forced_none, new_game
from sequoia_rules.notation import QUOTED, UNSAFE, event_of, line_of, quote, unquote
from sequoia_rules.phases import Phase
from sequoia_rules.state import GameState
from sequoia_rules.values import Seat

VERSION: Final = 1
"""The version of the text that this module writes and reads."""

_T = TypeVar("_T")


class Chooser(StrEnum):
    """Who made a choice: the seat's person or bot, a stand-in, or T5 for who could plant none."""

    PERSON = "person"
    BOT = "bot"
    STAND_IN = "stand-in"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class RecordPlayer:
    """Who sat in a seat; ``kind`` says in words whether a person, or which bot."""

    seat: Seat
    name: str
    colour: str
    kind: str


@dataclass(frozen=True, slots=True)
class Section:
    """A further section: a name in lower case, and lines that are neither empty nor start in [."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game. ``choosers`` has one entry for each ``Chosen`` of ``events``, in order."""

    game_id: str
    started: str
    players: tuple[RecordPlayer, ...]
    events: tuple[Event, ...]
    choosers: tuple[Chooser, ...]
    sections: tuple[Section, ...] = ()


class RecordError(ValueError):
    """What is wrong with a record: ``reason`` is a sentence for a person.

    ``line`` counts from 1 and is None if no text was read. ``event`` is an index, and None
    unless an event is to blame.
    """

    def __init__(self, reason: str, *, line: int | None = None, event: int | None = None) -> None:
        place = f"line {line}: " if line else f"event {event}: " if event is not None else ""
        super().__init__(place + reason)
        self.reason = reason
        self.line = line
        self.event = event


def replay(events: Sequence[Event]) -> GameState:
    """Follow events from the beginning and give the state they lead to.

    Every event must be what the rules decide. The game need not be over, but what a command
    leads to must be there as a whole.

    Raises:
        RecordError: one is not; ``event`` is the first such.
    """
    state = new_game()
    done = dealt = 0
    while done < len(events):
        try:
            decided = decide(state, _command(events[done], done, dealt))
        except RuleViolation as violation:
            line = line_of(events[done], dealt=dealt)
            raise RecordError(f"'{line}' is against the rules: {violation}", event=done) from None
        for due in decided:
            if done == len(events) or events[done] != due:
                line = line_of(due, dealt=dealt)
                if done == len(events):
                    raise RecordError(f"the game breaks off; '{line}' comes next", event=done)
                found = line_of(events[done], dealt=dealt)
                raise RecordError(
                    f"'{found}' does not follow from what was chosen: it has to be '{line}'",
                    event=done,
                )
            state = evolve(state, due)
            dealt += isinstance(due, Dealt)
            done += 1
    return state


def check_record(record: GameRecord) -> None:
    """See that a record is one of a finished game, that all of it follows, and can be written.

    Raises:
        RecordError: it is not.
    """
    over = replay(record.events).public
    if over.phase is not Phase.OVER:
        raise RecordError("the game is not over yet", event=len(record.events))
    seats = tuple(player.seat for player in record.players)
    if seats != over.seats:
        raise RecordError(f"the players sit in {seats}, but {over.seats} play")
    _check_choosers(record)
    texts = [record.game_id, record.started]
    for player in record.players:
        texts += [player.name, player.colour, player.kind]
    for text in texts:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise RecordError(f"{quote(text)} holds half a character")
    names = ["game", "events", "check", *(section.name for section in record.sections)]
    for section in record.sections:
        if not _NAME.fullmatch(section.name) or names.count(section.name) > 1:
            raise RecordError(f"no further section can be called {quote(section.name)}")
        for line in section.lines:
            if not line or line.startswith("[") or UNSAFE.search(line):
                raise RecordError(f"{quote(line)} cannot be a line of [{section.name}]")


def write_record(record: GameRecord) -> str:
    r"""Write a finished game down; every line ends in ``\n``.

    Raises:
        RecordError: :func:`check_record` refuses it.
    """
    check_record(record)
    return _render(record)


def read_record(text: str) -> GameRecord:
    """Read what :func:`write_record` wrote.

    Raises:
        RecordError: the text is no record or one of another version, was altered, or tells of a
            game that the rules do not allow; ``line`` says where.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if unsafe := UNSAFE.search(line):
            raise RecordError(f"U+{ord(unsafe[0]):04X} has no place in a record", line=number)
    game, events, *others, check = _read_parts(lines)
    game_id, started, players = _read_header(game)
    pairs = [_parse(_read_event, line, events.first + i) for i, line in enumerate(events.lines)]
    record = GameRecord(
        game_id,
        started,
        players,
        events=tuple(event for event, _ in pairs),
        choosers=tuple(chooser for _, chooser in pairs if chooser is not None),
        sections=tuple(Section(part.name, tuple(part.lines)) for part in others),
    )
    try:
        check_record(record)
    except RecordError as error:
        # What no event is to blame for is about the header or a further section.
        at = game.first if error.event is None else events.first + error.event
        raise RecordError(error.reason, line=at, event=error.event) from None
    for number, (line, due) in enumerate(zip(lines, _render(record).split("\n"), strict=True), 1):
        if line != due and number >= check.first:
            raise RecordError("the check sum is another: the record was altered", line=number)
        if line != due:
            raise RecordError(f"'{line}' has to be written as '{due}'", line=number)
    return record


_NAME: Final = re.compile(r"[a-z][a-z0-9 -]*")
_HEADING: Final = re.compile(rf"\[({_NAME.pattern})\]")
_TITLE: Final = re.compile(r"Sequoia record ([0-9]{1,9})")
_FACT: Final = re.compile(rf"(id|started) ({QUOTED})")
_PLAYER: Final = re.compile(rf"seat ([0-9]) ({QUOTED}) ({QUOTED}) ({QUOTED})")
_CHOICE: Final = re.compile(rf"(.*) \(({'|'.join(Chooser)})\)")


class _Part(NamedTuple):
    """A section as it stands in the text; ``first`` is the number of its first line."""

    name: str
    first: int
    lines: list[str]


def _read_parts(lines: list[str]) -> list[_Part]:
    title = _TITLE.fullmatch(lines[0])
    if title is None:
        raise RecordError(f"a record begins with 'Sequoia record {VERSION}'", line=1)
    if int(title[1]) != VERSION:
        raise RecordError(
            f"this is a record of version {title[1]}, and only version {VERSION} can be read here",
            line=1,
        )
    parts: list[_Part] = []
    start, last = 1, len(lines) - 1
    while start < last:
        heading = None if lines[start] else _HEADING.fullmatch(lines[start + 1])
        if heading is None:
            raise RecordError("here an empty line and a [section] have to stand", line=start + 1)
        end = start + 2
        while end < last and lines[end]:
            end += 1
        parts.append(_Part(heading[1], start + 3, lines[start + 2 : end]))
        start = end
    if lines[last]:
        raise RecordError("the last line does not end: the record is cut off", line=last + 1)
    names = [part.name for part in parts]
    if names[:2] != ["game", "events"] or names[2:][-1:] != ["check"] or len(parts[-1].lines) != 1:
        raise RecordError(
            "a record has the sections [game], [events] and, with one line, at the end [check]",
            line=last,
        )
    return parts


def _read_header(part: _Part) -> tuple[str, str, tuple[RecordPlayer, ...]]:
    facts = [_FACT.fullmatch(line) for line in part.lines[:2]]
    if [fact and fact[1] for fact in facts] != ["id", "started"]:
        raise RecordError("[game] begins with the lines 'id' and 'started'", line=part.first)
    game_id, started = (
        _parse(unquote, fact[2], part.first + i) for i, fact in enumerate(facts) if fact
    )
    players = [
        _parse(_read_player, line, part.first + i) for i, line in enumerate(part.lines[2:], start=2)
    ]
    return game_id, started, tuple(players)


def _read_player(line: str) -> RecordPlayer:
    found = _PLAYER.fullmatch(line)
    if found is None:
        raise ValueError(f"{quote(line)} is no player")
    return RecordPlayer(int(found[1]), *(unquote(found[i]) for i in (2, 3, 4)))


def _read_event(line: str) -> tuple[Event, Chooser | None]:
    found = _CHOICE.fullmatch(line)
    event = event_of(found[1] if found else line)
    if isinstance(event, Chosen) != (found is not None):
        raise ValueError(f"{quote(line)} has to say who chose, or nobody did")
    return event, Chooser(found[2]) if found else None


def _parse(read: Callable[[str], _T], text: str, number: int) -> _T:
    try:
        return read(text)
    except ValueError as error:
        raise RecordError(str(error), line=number) from error


def _render(record: GameRecord) -> str:
    choosers = iter(record.choosers)
    dealt = 0
    events: list[str] = []
    for event in record.events:
        who = f" ({next(choosers)})" if isinstance(event, Chosen) else ""
        events.append(line_of(event, dealt=dealt) + who)
        dealt += isinstance(event, Dealt)
    game = [f"id {quote(record.game_id)}", f"started {quote(record.started)}"]
    for player in record.players:
        texts = (player.name, player.colour, player.kind)
        game.append(f"seat {player.seat} {' '.join(map(quote, texts))}")
    text = f"Sequoia record {VERSION}\n"
    for name, lines in (
        ("game", game),
        ("events", events),
        *((section.name, section.lines) for section in record.sections),
    ):
        text += _section(name, lines)
    return text + _section("check", [f"sha256 {sha256(text.encode()).hexdigest()}"])


def _section(name: str, lines: Iterable[str]) -> str:
    return f"\n[{name}]\n" + "".join(f"{line}\n" for line in lines)


def _check_choosers(record: GameRecord) -> None:
    """See that there is one for each choice, and T5 chose only where nothing else could be."""
    choices = sum(isinstance(event, Chosen) for event in record.events)
    if len(record.choosers) != choices:
        raise RecordError(f"{len(record.choosers)} choosers are named for {choices} choices")
    if Chooser.RULE not in record.choosers:
        return
    choosers = iter(record.choosers)
    state = new_game()
    for index, event in enumerate(record.events):
        if isinstance(event, Chosen) and next(choosers) is Chooser.RULE:
            dice = state.rolls[event.seat]
            if dice is None or not forced_none(state.public, event.seat, dice):
                raise RecordError(f"seat {event.seat} had a choice of its own (T5)", event=index)
        state = evolve(state, event)


def _command(event: Event, index: int, dealt: int) -> Command:
    match event:
        case GameStarted(seats, first_tokens, second_tokens, deal):
            return StartGame(seats, first_tokens, second_tokens, deal)
        case Dealt(_, rolls):
            return Deal(rolls)
        case Chosen(seat, choice):
            return Choose(seat, choice.sums, choice.turned)
        case TakenBack(seat):
            return TakeBack(seat)
        case _:
            line = line_of(event, dealt=dealt)
            raise RecordError(f"'{line}' follows from nothing here", event=index)
