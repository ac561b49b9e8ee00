"""What a room answers with: facts for the journal, and what each link is owed for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sequoia_protocol.errors import Code
from sequoia_protocol.room import RoomEvent
from sequoia_rules.events import Event

AnyEvent: TypeAlias = RoomEvent | Event
"""A numbered event in full, with every secret in it."""


class Refusal(Exception):
    """A request that is refused and changes nothing; ``text`` is a sentence for a person."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Entry(NamedTuple):
    """One numbered event for the journal, in full."""

    number: int
    event: AnyEvent


@dataclass(slots=True)
class Delivery:
    """What one person's link is owed, already encoded and redacted for this person.

    ``number`` is that of the first of ``events``. With ``fresh`` the link comes into a room or
    goes out of one: nothing of the room before may be in the same message.
    """

    number: int = 0
    events: list[bytes] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    away: bytes | None = None
    fresh: bool = False


@dataclass(slots=True)
class Turn:
    """All that one command, timer or change of a link led to.

    ``deliveries`` are by person and may only be sent once ``entries`` are durable. The links of
    ``unbound`` persons no longer belong to the room after their delivery. ``closed`` tells that
    the room is over.
    """

    entries: list[Entry] = field(default_factory=list)
    deliveries: dict[int, Delivery] = field(default_factory=dict)
    unbound: list[int] = field(default_factory=list)
    closed: bool = False

    def to(self, person: int) -> Delivery:
        """Give the delivery of a person, a new one if there is none yet."""
        return self.deliveries.setdefault(person, Delivery())
