"""The link to a server in this very process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sequoia_tui.transports import TransportError


class Pipe(Protocol):
    """One end of a pair of queues, as the embedded server hands it out."""

    def send(self, data: bytes) -> None:
        """Put one message into the pipe."""

    async def receive(self) -> bytes:
        """Wait for the next message."""

    def close(self) -> None:
        """Close both ends."""


class MemoryTransport:
    """A transport over a pipe. ``closed`` is what the pipe raises when the other end is closed."""

    latency: int | None = None

    def __init__(self, connect: Callable[[], Pipe], closed: type[Exception]) -> None:
        self._connect = connect
        self._closed = closed
        self._pipe: Pipe | None = None

    async def open(self) -> None:
        """Take a pipe from the server."""
        try:
            self._pipe = self._connect()
        except self._closed:
            raise TransportError("The game's own server has stopped.") from None

    async def send(self, data: bytes) -> None:
        """Send one message."""
        if self._pipe is None:
            raise TransportError("The link is closed.")
        try:
            self._pipe.send(data)
        except self._closed:
            raise TransportError("The game's own server closed the link.") from None

    async def receive(self) -> bytes:
        """Wait for the next message."""
        if self._pipe is None:
            raise TransportError("The link is closed.")
        try:
            return await self._pipe.receive()
        except self._closed:
            raise TransportError("The game's own server closed the link.") from None

    async def close(self) -> None:
        """Close the pipe."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.close()
