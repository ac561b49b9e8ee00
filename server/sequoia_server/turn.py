"""What a room answers with: facts for the journal, and what each link is owed for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sequoia_protocol.errors import Code
from sequoia_rules.record import GameRecord

from sequoia_server.facts import Fact


class Refusal(Exception):
    """A request that is refused and changes nothing; ``text`` is a sentence for a person."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


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
    clock: bytes | None = None
    fresh: bool = False


@dataclass(slots=True)
class Turn:
    """All that one command, timer or change of a link led to.

    ``deliveries`` are by person and may only be sent once ``facts`` are durable. ``record`` is a
    game that has come to its end. The links of ``unbound`` persons no longer belong to the room
    after their delivery. ``closed`` tells that the room is over.
    """

    at: float = 0.0
    facts: list[Fact] = field(default_factory=list)
    record: GameRecord | None = None
    deliveries: dict[int, Delivery] = field(default_factory=dict)
    unbound: list[int] = field(default_factory=list)
    closed: bool = False

    def to(self, person: int) -> Delivery:
        """Give the delivery of a person, a new one if there is none yet."""
        return self.deliveries.setdefault(person, Delivery())
