"""The only door to the server package: a server inside this program.

It plays solo games over memory pipes, and opens itself to the network when the player hosts.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sequoia_protocol import DEFAULT_PORT
from sequoia_protocol.messages import (
    AddBot,
    CreateRoom,
    Ready,
    Refused,
    Start,
)
from sequoia_protocol.room import RoomSettings

from sequoia_tui.connection import Connection
from sequoia_tui.listener import Place
from sequoia_tui.transports import Transport
from sequoia_tui.transports.memory import MemoryTransport

if TYPE_CHECKING:
    from sequoia_server.embedded import EmbeddedServer
    from sequoia_server.sqlite_journal import SqliteJournal

PORTS_TRIED: Final = 20

_logger = logging.getLogger(__name__)


class CannotHost(Exception):
    """This machine lets nobody in; the text is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """The server is open to the network: what friends type behind ``--host``, and the port."""

    hosts: tuple[str, ...]
    port: int

    @property
    def moved(self) -> bool:
        """Whether the usual port was taken."""
        return self.port != DEFAULT_PORT


class LocalServer:
    """The server in this process; it starts when it is first needed.

    Its journal is in ``directory``. If that is not to be had, because another program has it or
    the disk does not take it, the server keeps everything in memory: then ``keeps`` is false.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server: EmbeddedServer | None = None
        self._journal: SqliteJournal | None = None
        self._starting = asyncio.Lock()
        self.hosting: Hosting | None = None

    async def start(self) -> EmbeddedServer:
        """Start the server, unless it runs already."""
        from sequoia_server.data_dir import CannotOpen, open_journal
        from sequoia_server.embedded import EmbeddedServer

        async with self._starting:
            if self._server is None:
                try:
                    self._journal = open_journal(self._directory)
                except CannotOpen as error:
                    _logger.warning("the journal cannot be had: %s", error)
                server = EmbeddedServer(journal=self._journal)
                await server.start()
                self._server = server
            return self._server

    @property
    def keeps(self) -> bool:
        """Whether what goes on there outlives this program."""
        return self._journal is not None

    async def place(self, name: str) -> Place:
        """Give the way to it, under the name that the screen shall show."""
        from sequoia_server.embedded import PipeClosed

        server = await self.start()

        def dial() -> Transport:
            return MemoryTransport(server.connect, PipeClosed)

        return Place(name, dial)

    async def open_to_network(self) -> Hosting:
        """Listen on the usual port, or on the next one that is free.

        Raises:
            CannotHost: none of them can be had.
        """
        if self.hosting is not None:
            return self.hosting
        server = await self.start()
        trouble = ""
        for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
            try:
                hosts = await server.listen(None, port)
            except OSError as error:
                trouble = error.strerror or "it is not allowed"
                continue
            self.hosting = Hosting(tuple(hosts), port)
            return self.hosting
        raise CannotHost(f"This machine cannot host a table: {trouble}.")

    async def stop(self) -> None:
        """Stop it, and everything that goes on there."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop()
        journal, self._journal = self._journal, None
        if journal is not None:
            journal.close()


async def begin_solo(connection: Connection, bots: int) -> Refused | None:
    """Make a private room, fill it with bots and start; give what was refused, if anything."""
    settings = RoomSettings(public=False, seats=bots + 1, spectators=False, clock=0)
    asked = [connection.request(CreateRoom(settings))]
    asked += [connection.request(AddBot(seat)) for seat in range(1, bots + 1)]
    asked += [connection.request(Ready(True)), connection.request(Start())]
    answers = await asyncio.gather(*asked)
    return next((answer for answer in answers if isinstance(answer, Refused)), None)
