"""Links, what carries them, and the post that brings each what it is owed, once a tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from sequoia_server.connection import Connection
from sequoia_server.outbox import Outbox, Shared
from sequoia_server.turn import Delivery


class Timer(Protocol):
    """A call that is to come."""

    def cancel(self) -> None:
        """Let it not come."""
        ...

    def when(self) -> float:
        """When it comes."""
        ...


class Loop(Protocol):
    """As much of asyncio's event loop as a host needs; times are monotonic seconds."""

    def time(self) -> float:
        """Give the time."""
        ...

    def call_soon(self, callback: Callable[..., object], *args: Any) -> object:
        """Call back in the loop's next turn, in the order of these calls."""
        ...

    def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> Timer:
        """Call back at a time, or as soon after it as the loop can."""
        ...


class Wire(Protocol):
    """The far side of a link: bytes out. Neither method blocks or raises.

    A wire whose reader is too slow gives itself up; then, as when the peer goes, whoever made the
    link calls :meth:`Link.lost`.
    """

    def send(self, data: bytes) -> None:
        """Send one message."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Close in good order, after what was sent."""
        ...


class Owner(Protocol):
    """Who hears what comes over a link."""

    def received(self, link: Link, data: bytes) -> None:
        """Hear one message of a client."""
        ...

    def lost(self, link: Link) -> None:
        """Hear that the connection is down."""
        ...


class Link:
    """One live connection, as the host sees it; ``held`` commands of it wait to be looked at.

    ``number`` grows from one link to the next.
    """

    def __init__(self, owner: Owner, wire: Wire, number: int) -> None:
        self.number = number
        self._owner = owner
        self.wire = wire
        self.connection = Connection()
        self.outbox = Outbox()
        self.is_closed = False
        self.held = 0
        self.hello_timer: Timer | None = None

    def receive(self, data: bytes) -> None:
        """Take one message of the client."""
        if not self.is_closed:
            self._owner.received(self, data)

    def lost(self) -> None:
        """Note that the connection is down. Again is harmless."""
        self._owner.lost(self)


class Post:
    """Gathers what links are owed, and sends it at the end of the loop's tick."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._due: dict[Link, None] = {}

    def deliver(self, parcels: Iterable[tuple[Link, Delivery]]) -> None:
        """Take parcels in; those for links that are closed by now are dropped."""
        for link, delivery in parcels:
            if not link.is_closed:
                link.outbox.add(delivery)
                if not self._due:
                    self._loop.call_soon(self._flush)
                self._due[link] = None

    def forget(self, link: Link) -> None:
        """Send nothing more to a link."""
        self._due.pop(link, None)

    def _flush(self) -> None:
        due, self._due = self._due, {}
        shared: Shared = {}
        for link in due:
            for data in link.outbox.take(shared):
                link.wire.send(data)
