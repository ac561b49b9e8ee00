"""What the journal holds of a room: settled facts, in the order in which they came about.

A room's whole life is a list of facts, and restoring a room means to apply them again. Numbered
events are facts; the others are what nobody is told but the room must not forget: seat keys (as
hashes), the answers to commands, how the round's clock stands. Everything here holds secrets:
whoever can read a journal can read every roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct
from sequoia_protocol.messages import Done, Refused
from sequoia_protocol.room import RoomEvent, RoomSettings, RoomState
from sequoia_rules.events import (
    Chosen,
    Dealt,
    Ended,
    Event,
    GameStarted,
    Revealed,
    Scored,
    TakenBack,
)
from sequoia_rules.record import Chooser, RecordPlayer
from sequoia_rules.values import Seat

AnyEvent: TypeAlias = RoomEvent | Event
"""A numbered event in full, with every secret in it."""


class _Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all facts."""


class Opened(_Fact, frozen=True, tag="opened"):
    """The first fact of every room."""

    settings: RoomSettings


class Entry(_Fact, frozen=True, tag="entry"):
    """One numbered event; ``by`` tells who chose, for a choice alone."""

    number: int
    event: AnyEvent
    by: Chooser | None = None


class GameBegun(_Fact, frozen=True, tag="game_begun"):
    """What the record of the game that starts next will say of it."""

    id: str
    started: str
    players: tuple[RecordPlayer, ...]


class KeyIssued(_Fact, frozen=True, tag="key_issued"):
    """A person was given a seat key; only its hash is kept."""

    person: int
    digest: bytes


class KeyUsed(_Fact, frozen=True, tag="key_used"):
    """A person came back with a key: the others of this person are void."""

    person: int
    digest: bytes


class CameIn(_Fact, frozen=True, tag="came_in"):
    """A person came in by this command: should it come again, it leads to the same person."""

    person: int
    nonce: str
    id: int


class Answered(_Fact, frozen=True, tag="answered"):
    """A command was answered; None stands for the whole view, which is made anew."""

    person: int
    nonce: str
    id: int
    answer: Done | Refused | None


class ClockSet(_Fact, frozen=True, tag="clock_set"):
    """How the round's clock stands from now on (see :class:`~sequoia_server.clock.RoundClock`)."""

    deadline: float | None
    stopped: float | None


class StoredPerson(Struct, frozen=True, forbid_unknown_fields=True):
    """What a checkpoint holds of one person.

    ``nonce`` and ``id`` name the command by which they came in; key hashes and answers are oldest
    first. ``views_from`` is as in :class:`~sequoia_server.people.Member`.
    """

    person: int
    nonce: str
    id: int
    views_from: int
    digests: tuple[bytes, ...]
    answers: tuple[tuple[str, int, Done | Refused | None], ...]


class StoredEvent(Struct, frozen=True, forbid_unknown_fields=True, tag="game"):
    """A game's event, told apart by its kind: the rules' own classes have no tag.

    ``fields`` is the event itself, or as a map when it has just been read.
    """

    kind: str
    fields: Any
    by: Chooser | None = None


class Checkpoint(_Fact, frozen=True, tag="checkpoint"):
    """The whole room: every fact before this one is in it.

    ``game`` is the running game or the last one, with its events from the first on. ``covered``
    are seats whose roll on the table their player may not see; ``record`` is the last finished
    game as text, None if there is none or ``game`` is that game.
    """

    number: int
    next_person: int
    room: RoomState
    people: tuple[StoredPerson, ...]
    covered: tuple[Seat, ...]
    clock: ClockSet
    game: GameBegun | None
    events: tuple[StoredEvent, ...]
    record: str | None


_AsWritten: TypeAlias = (
    Opened | GameBegun | KeyIssued | KeyUsed | CameIn | Answered | ClockSet | Checkpoint
)
"""Facts that are written as they are."""

Fact: TypeAlias = Entry | _AsWritten


class StoredTurn(NamedTuple):
    """Facts that were committed together; ``at`` is the server's clock then (s)."""

    at: float
    facts: Sequence[Fact]


class BadFacts(Exception):
    """Bytes that are no facts, or facts that cannot follow each other."""


_KINDS: Final[dict[str, type[Event]]] = {
    kind.__name__: kind for kind in (GameStarted, Dealt, Chosen, TakenBack, Revealed, Scored, Ended)
}


class _StoredEntry(Struct, frozen=True, forbid_unknown_fields=True, tag="entry"):
    """An entry as it is written."""

    number: int
    event: RoomEvent | StoredEvent


_Stored: TypeAlias = _StoredEntry | _AsWritten

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[_Stored, ...])


def encode_facts(facts: Sequence[Fact]) -> bytes:
    """Write facts as bytes."""
    return _encoder.encode([_stored(fact) for fact in facts])


def decode_facts(data: bytes) -> tuple[Fact, ...]:
    """Read what :func:`encode_facts` wrote.

    Raises:
        BadFacts: it did not write this.
    """
    try:
        return tuple(_loaded(fact) for fact in _decoder.decode(data))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise BadFacts(f"the facts cannot be read: {type(error).__name__}") from None


def store_event(event: Event, by: Chooser | None) -> StoredEvent:
    """Give an event of a game the form in which it is stored."""
    return StoredEvent(type(event).__name__, event, by)


def load_event(stored: StoredEvent) -> Event:
    """Undo :func:`store_event`.

    Raises:
        BadFacts: there is no such event.
    """
    kind = _KINDS.get(stored.kind)
    if kind is None:
        raise BadFacts("a game has no event of that kind")
    if isinstance(stored.fields, kind):
        return stored.fields
    try:
        return msgspec.convert(stored.fields, kind)
    except (msgspec.ValidationError, RecursionError):
        raise BadFacts("an event has other fields than it should") from None


def _stored(fact: Fact) -> _Stored:
    if not isinstance(fact, Entry):
        return fact
    event = fact.event
    kept = event if isinstance(event, RoomEvent) else store_event(event, fact.by)
    return _StoredEntry(fact.number, kept)


def _loaded(stored: _Stored) -> Fact:
    if not isinstance(stored, _StoredEntry):
        return stored
    event = stored.event
    if isinstance(event, StoredEvent):
        return Entry(stored.number, load_event(event), event.by)
    return Entry(stored.number, event)
