"""What a connection and those who use it tell each other: where, who, and what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sequoia_protocol.room import AnySeenEvent, RoomView

from sequoia_tui.link import Link
from sequoia_tui.transports import Transport


class Ending(StrEnum):
    """Why a connection is over for good."""

    FAILED = "failed"
    """It never came to be; the sentence says what to do."""
    VERSION = "version"
    BAD_NAME = "bad_name"
    REPLACED = "replaced"
    """The same seat is open elsewhere, and that one counts."""
    BROKEN = "broken"
    """The two ends do not understand each other."""


@dataclass(frozen=True, slots=True)
class Place:
    """A server to go to: its name as the screen shows it, and how to make a link to it."""

    name: str
    dial: Callable[[], Transport]


@dataclass(frozen=True, slots=True, repr=False)
class SeatKey:
    """What it takes to come back to a room. It has no repr, so that no log can show the key."""

    code: str
    person: int
    key: str


class Listener(Protocol):
    """Who is told what happens. Each call comes from the event loop and must not take long."""

    def on_link(self, link: Link) -> None:
        """Hear that the link is different now."""

    def on_view(
        self, view: RoomView, events: Sequence[AnySeenEvent], away: Mapping[int, float]
    ) -> None:
        """Hear that there is a new view; the events that led to it, none for a whole one."""

    def on_seat(self, seat: SeatKey | None) -> bool:
        """Keep a new seat key, or forget the seat if there is none any more.

        False if the key could not be kept, while an older one is: that one is to be used on.
        """

    def on_out(self, sentence: str) -> None:
        """Hear that one is in no room any more; no sentence if that was asked for."""

    def on_end(self, ending: Ending, sentence: str) -> None:
        """Hear that the connection is over for good."""
