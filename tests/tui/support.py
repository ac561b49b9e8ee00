"""What the tests of the client share: a network that fails on demand, and ears."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

from sequoia_protocol.messages import CreateRoom, Entered
from sequoia_protocol.room import AnySeenEvent, RoomSettings, RoomView
from sequoia_server.embedded import EmbeddedServer

from sequoia_tui.address import Address
from sequoia_tui.connection import Connection
from sequoia_tui.link import Link, LinkState
from sequoia_tui.listener import Ending, Place, SeatKey
from sequoia_tui.transports import Transport
from sequoia_tui.transports.websocket import WebSocketTransport

PATIENCE = 10.0


async def until(predicate: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not predicate():  # noqa: ASYNC110 - what is waited for knows of no event
            await asyncio.sleep(0.005)


class Proxy:
    """Stands between client and server, and breaks off when it is told to."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.made = 0
        self.deaf = False
        self.lost = False
        self._words: bytes | None = None
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen, on the same port as before if there was one."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no longer, and break every link."""
        if self._server is not None:
            self._server.close()
            self.cut()
            await self._server.wait_closed()
            self._server = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Break every link, without any goodbye."""
        for writer in self._writers:
            writer.transport.abort()

    def lose_answers_after(self, words: bytes) -> None:
        """Let the next message with these words through, and break the link at its answer."""
        self._words, self.lost = words, False

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.made += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        for source, sink, answers in (
            (reader, far_writer, False),
            (far_reader, writer, True),
        ):
            task = asyncio.ensure_future(self._pass_on(source, sink, answers=answers))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if not answers and self._words is not None and self._words in unmasked(data):
                    self._words, self.lost = None, True
                    self.deaf = True
                elif answers and self.deaf:
                    # The server has heard and done it; its answer never comes.
                    self.deaf = not self.lost
                    self.cut()
                    break
                sink.write(data)
                await sink.drain()
        sink.close()
        self._writers.discard(sink)


def unmasked(data: bytes) -> bytes:
    """Give what a client's frames say (RFC 6455, 5.2), which are whole, and short or middling."""
    said = b""
    while len(data) > 6:
        length, start = data[1] & 0x7F, 2
        if length == 126:
            length, start = int.from_bytes(data[2:4], "big"), 4
        mask, body = data[start : start + 4], data[start + 4 : start + 4 + length]
        said += bytes(byte ^ mask[at % 4] for at, byte in enumerate(body))
        data = data[start + 4 + length :]
    return said


class Ear:
    """A listener that notes everything down."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.views: list[RoomView] = []
        self.events: list[AnySeenEvent] = []
        self.away: Mapping[int, float] = {}
        self.outs: list[str] = []
        self.seats: list[SeatKey | None] = []
        self.disk_is_full = False
        self.endings: list[tuple[Ending, str]] = []

    def on_link(self, link: Link) -> None:
        self.links.append(link)

    def on_view(
        self, view: RoomView, events: Sequence[AnySeenEvent], away: Mapping[int, float]
    ) -> None:
        self.views.append(view)
        self.events += events
        self.away = away

    def on_seat(self, seat: SeatKey | None) -> bool:
        if self.disk_is_full:
            return False
        self.seats.append(seat)
        return True

    def on_out(self, sentence: str) -> None:
        self.outs.append(sentence)

    def on_end(self, ending: Ending, sentence: str) -> None:
        self.endings.append((ending, sentence))


class Client:
    """A connection that runs, and what it told."""

    def __init__(
        self,
        port: int,
        name: str,
        *,
        seat: SeatKey | None = None,
        dial: Callable[[], Transport] | None = None,
        delay: Callable[[int], float] = lambda _: 0.02,
    ) -> None:
        def to_port() -> Transport:
            return WebSocketTransport(Address("127.0.0.1", port))

        self.port = port
        self.ear = Ear()
        place = Place("oak.local", dial or to_port)
        self.connection = Connection(place, name, self.ear, seat=seat, delay=delay)
        self.task = asyncio.ensure_future(self.connection.run())

    @property
    def view(self) -> RoomView:
        assert self.connection.view is not None
        return self.connection.view

    @property
    def online(self) -> bool:
        return self.connection.link.state is LinkState.ONLINE

    async def close(self) -> None:
        await self.connection.close()


async def open_room(client: Client, seats: int = 5) -> str:
    """Let somebody open a room, and give its code."""
    answer = await client.connection.request(CreateRoom(RoomSettings(seats=seats)))
    assert isinstance(answer, Entered)
    return answer.view.room.code


async def lose_link(proxy: Proxy, client: Client) -> None:
    """Break a client's link, and wait until it has another."""
    links = proxy.made
    proxy.cut()
    await until(lambda: proxy.made > links and client.online)


@asynccontextmanager
async def a_server() -> AsyncIterator[tuple[EmbeddedServer, int]]:
    """A server that listens on a port of its own."""
    server = EmbeddedServer()
    await server.start()
    await server.listen("127.0.0.1", 0)
    try:
        yield server, server.addresses[0][1]
    finally:
        await server.stop()


@asynccontextmanager
async def a_proxy(target: int) -> AsyncIterator[Proxy]:
    """A proxy before a port."""
    proxy = Proxy(target)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
