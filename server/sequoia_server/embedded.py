"""A whole server inside of another program: rooms, bots and codec over pipes in memory.

The same bytes go through the same code as over a socket, with the same limits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Final

from sequoia_server.addresses import invitations
from sequoia_server.entropy import Entropy, SystemEntropy
from sequoia_server.host import Host
from sequoia_server.journal import Journal, MemoryJournal
from sequoia_server.links import Link
from sequoia_server.settings import Settings
from sequoia_server.websocket import Listener, listen

STORING: Final = 1.5
"""Seconds that a server which stops gives its journal."""


class PipeClosed(Exception):
    """The pipe is closed, and everything that was sent before has been received."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with {code} {reason}".rstrip())
        self.code = code
        self.reason = reason


class Pipe:
    """A client's end of a link in memory; the server holds the other end.

    It belongs to the event loop in which the server was started.
    """

    def __init__(self, host: Host, write_buffer: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._write_buffer = write_buffer
        self._received: deque[bytes] = deque()
        self._waiting = 0
        self._arrived = asyncio.Event()
        self._closed: PipeClosed | None = None
        self._link: Link = host.open(_PipeWire(self))

    def send(self, data: bytes) -> None:
        """Send one message.

        Raises:
            PipeClosed: the pipe is closed.
        """
        if self._closed is not None:
            raise self._closed
        # Not from inside of this call: a server never answers before it was asked.
        self._loop.call_soon(self._link.receive, data)

    async def receive(self) -> bytes:
        """Wait for the next message.

        Raises:
            PipeClosed: the pipe is closed, and there is no message left.
        """
        while not self._received:
            if self._closed is not None:
                raise self._closed
            self._arrived.clear()
            await self._arrived.wait()
        data = self._received.popleft()
        self._waiting -= len(data)
        return data

    def close(self) -> None:
        """Close the pipe from the client's side; what was sent before still arrives."""
        self.end(PipeClosed(1000, ""))
        self._loop.call_soon(self._link.lost)

    def deliver(self, data: bytes) -> None:
        """Take a message of the server, or give up if too much is waiting already."""
        if self._closed is not None:
            return
        self._received.append(data)
        self._waiting += len(data)
        self._arrived.set()
        if self._waiting > self._write_buffer:
            self._received.clear()
            self.end(PipeClosed(1006, "too much was waiting to be read"))
            self._loop.call_soon(self._link.lost)

    def end(self, why: PipeClosed) -> None:
        """Be closed, unless it is already."""
        if self._closed is None:
            self._closed = why
            self._arrived.set()


class _PipeWire:
    """The server's end of a pipe."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def send(self, data: bytes) -> None:
        """Send one message."""
        self._pipe.deliver(data)

    def close(self, code: int, reason: str) -> None:
        """Close the pipe after what was sent."""
        self._pipe.end(PipeClosed(code, reason))


class EmbeddedServer:
    """A server to be started in a running event loop; it goes on with what the journal holds.

    Clients of the same program come in through :meth:`connect`, others over the network once
    :meth:`listen` has opened it.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        entropy: Entropy | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._entropy = entropy or SystemEntropy()
        self._journal = journal or MemoryJournal()
        self._host: Host | None = None
        self._listeners: list[Listener] = []

    async def start(self) -> None:
        """Start without any socket."""
        loop = asyncio.get_running_loop()
        self._host = Host(self._settings, self._entropy, self._journal, loop)

    def connect(self) -> Pipe:
        """Open a link in memory."""
        return Pipe(self._running(), self._settings.write_buffer)

    async def listen(self, bind: str | None, port: int) -> list[str]:
        """Open the same rooms to the network, and give what friends type behind ``--host``.

        ``bind`` is an address of this machine, or None for all of them; port 0 takes a free one.

        Raises:
            OSError: the address is not one of this machine, or the port is taken or not allowed.
        """
        listener = await listen(self._running(), self._settings, bind, port)
        self._listeners.append(listener)
        return await invitations(listener.addresses)

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """The addresses and ports on which it listens."""
        return [address for listener in self._listeners for address in listener.addresses]

    async def stop(self) -> None:
        """Tell everybody, store what is on its way, and close every link and socket.

        The journal stays open, for whoever opened it to close.
        """
        host, self._host = self._host, None
        if host is not None:
            stored = asyncio.Event()
            host.close(stored.set)
            # A disk that takes nothing must not keep us: what waits for it was never acknowledged.
            with suppress(TimeoutError):
                async with asyncio.timeout(STORING):
                    await stored.wait()
            host.say_goodbye()
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            await listener.close()

    def _running(self) -> Host:
        if self._host is None:
            raise RuntimeError("the server is not running: start it first")
        return self._host
