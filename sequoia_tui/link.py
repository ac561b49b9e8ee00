"""What the screens know of the link to a server, and of the table at its other end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sequoia_protocol.messages import Held
from sequoia_protocol.room import RoomView


class LinkState(StrEnum):
    """How the link is."""

    CONNECTING = "connecting"
    ONLINE = "online"
    RECONNECTING = "reconnecting"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Link:
    """The link to a server: its name as the header shows it, and how it is.

    ``latency`` is the round trip in milliseconds, None while unknown and in solo play.
    ``retry_in`` are the seconds to the next try while reconnecting. ``reason`` is a sentence
    that says why the link is not online.
    """

    state: LinkState
    server: str
    latency: int | None = None
    retry_in: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RoundTimer:
    """The clock of the round on the table.

    ``zero`` is the monotonic time (s) at which it shows zero, None while it is held. ``left`` are
    the seconds it shows while it is held. ``held`` tells why it does not run.
    """

    zero: float | None = None
    left: float = 0.0
    held: Held | None = None

    def seconds(self, now: float) -> float:
        """Give the seconds that it shows, never less than 0."""
        return max(0.0, self.left if self.zero is None else self.zero - now)


@dataclass(frozen=True, slots=True)
class Table:
    """All that a room or game screen shows.

    ``away`` maps the id of a person whose link is down to the monotonic time (s) since when.
    ``sending`` is true while a choice, or taking one back, waits for its answer. ``timer`` is None
    while nothing is timed; ``held`` tells why the table stands still, whether or not it is timed.
    """

    view: RoomView
    link: Link
    away: Mapping[int, float] = field(default_factory=dict)
    sending: bool = False
    timer: RoundTimer | None = None
    held: Held | None = None
