"""SIGTERM while many rooms play: everybody is told, everything is stored, and soon it is over."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sequoia_protocol.messages import AddBot, Chat, CreateRoom, Done, Ready, Start
from sequoia_protocol.room import RoomSettings

from tests.kit import Player, ServerProcess, SocketTransport

AT_ONCE = 50
"""How many connections are made at the same time."""

ENDS_IN = 5.0
"""Seconds that the end of a server may take."""


class Table:
    """A room in which a person plays against bots, and somebody may sit by the person."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.players: list[Player] = []
        self.said: set[str] = set()
        self._play: list[asyncio.Task[None]] = []

    async def open(self, port: int) -> None:
        """Open the room, fill it, and begin to play."""
        host = await Player.on_socket(port, "Ana")
        self.players.append(host)
        people = 1 + self.number % 2
        settings = RoomSettings(public=True, seats=3, clock=60)
        code = host.entered(await host.command(CreateRoom(settings))).room.code
        for number in range(1, people):
            other = await Player.on_socket(port, f"Ben {number}")
            self.players.append(other)
            await other.join(code)
        for seat in range(people, 3):
            await host.command(AddBot(seat))
        for player in self.players:
            await player.command(Ready(True))
        assert isinstance(await host.command(Start()), Done)
        self._play = [asyncio.create_task(self._plays(player)) for player in self.players]

    async def _plays(self, player: Player) -> None:
        """Choose, and say so, until the link is gone."""
        while not player.is_over:
            deal = player.here.deal
            if player.choices:
                await player.choose(player.choices[0])
                line = f"{player.name} {deal}"
                assert isinstance(await player.command(Chat(line)), Done)
                self.said.add(line)
            await player.until(lambda deal=deal: player.here.deal > deal or player.is_over)  # type: ignore[misc]

    async def check_goodbye(self) -> None:
        """See that everybody here was told, in words and by the close code."""
        for player in self.players:
            assert (await player.until_closed()).code == 1001
            assert player.bye is not None
            assert player.bye.code == "server_closing"
        # Each was cut short; what went wrong before has been raised by the waiting for the close.
        await asyncio.gather(*self._play, return_exceptions=True)

    async def come_back(self, port: int) -> None:
        """Come back to the room, and find everything that was seen before."""
        for player in self.players:
            before = player.here
            again = player.again(await SocketTransport.open(port))
            await again.hello()
            after = await again.resume()
            assert after.number >= before.number
            if after.number == before.number:
                assert after == before
            assert {line.text for line in after.room.chat} >= self.said
            await again.close()


@pytest.mark.parametrize(
    "rooms",
    [50, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(300)])],
)
async def test_a_server_goes_away(rooms: int, tmp_path: Path) -> None:
    tables = [Table(number) for number in range(rooms)]
    async with a_server(tmp_path) as server:
        await together(table.open(server.port) for table in tables)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        status, out, err = await asyncio.to_thread(server.wait)
        took = time.monotonic() - began
    assert (status, out, err) == (0, "", "")
    assert took < ENDS_IN
    await together(table.check_goodbye() for table in tables)
    async with a_server(tmp_path) as server:
        listening = time.monotonic() - began - took
        await together(table.come_back(server.port) for table in tables)
    links = sum(len(table.players) for table in tables)
    said = sum(len(table.said) for table in tables)
    assert said
    print(
        f"{rooms} rooms with {links} links: closed {took:.2f} s after the signal, {said} lines"
        f" kept; the next server listened after {listening:.2f} s"
    )


@asynccontextmanager
async def a_server(directory: Path) -> AsyncIterator[ServerProcess]:
    """A real server with a data directory."""
    with await asyncio.to_thread(
        ServerProcess,
        *("--bind", "127.0.0.1", "--port", "0", "--data", str(directory / "data")),
        *("--log-level", "error"),
    ) as server:
        yield server


async def together(work: Iterable[Awaitable[None]]) -> None:
    """Do many things, some at a time."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(what: Awaitable[None]) -> None:
        async with free:
            await what

    async with asyncio.TaskGroup() as group:
        for what in work:
            group.create_task(one(what))
