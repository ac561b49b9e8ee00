"""A server that is suspended, as by a closed lid, takes no time from anybody when it goes on."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from sequoia_protocol.messages import CreateRoom, Done, JoinRoom, Ready, Start
from sequoia_protocol.room import PersonLeft, RoomSettings, StandInSeated
from sequoia_rules.events import ChosenSeen, Revealed

from tests.kit import Player, ServerProcess, SocketTransport
from tests.tui.support import Client, until

CLOCK: Final = 15
"""Seconds of a round: the shortest that there is."""


@pytest.mark.parametrize(
    "seconds",
    [3.0, pytest.param(60.0, marks=[pytest.mark.long, pytest.mark.timeout(150)])],
)
async def test_a_suspended_server_gives_the_time_back(seconds: float, tmp_path: Path) -> None:
    with ServerProcess(
        *("--bind", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data"))
    ) as server:
        async with a_table(server.port) as (ana, ben, cleo):
            began = time.monotonic()
            await cleo.lose_link()
            deal, number = ana.here.deal, ana.here.number
            await suspend(server, seconds)
            # Whoever's link did not outlive this comes back by itself.
            await until(lambda: ben.online)
            back = await come_back(cleo, server.port)
            # And whose link did is told that the clock has stood still.
            await ana.until(lambda: ana.clock is not None)
            ran = time.monotonic() - began - seconds
            for player in (ana, back):
                assert player.clock is not None
                assert player.clock.held is None
                assert player.clock.left is not None
                assert CLOCK - ran - 1 < player.clock.left / 1000 <= CLOCK
            assert ana.here.deal == deal
            assert ana.here.number == number
            assert not any(isinstance(event, StandInSeated | PersonLeft) for event in ana.events)
            # And the round goes on, for everybody who was there and who was not.
            assert isinstance(await ana.choose(ana.choices[0]), Done)
            assert isinstance(await back.choose(back.choices[0]), Done)
            if seconds > CLOCK:
                await until(lambda: ben.view.deal > deal, CLOCK + 5)
            await until(lambda: ben.view.number == ana.here.number)
            # The one who did not choose was given a choice, but only after the whole time.
            chosen = [event.seat for event in ben.ear.events if isinstance(event, ChosenSeen)]
            is_over = any(isinstance(event, Revealed) for event in ben.ear.events)
            assert sorted(chosen) == ([0, 1, 2] if is_over else [0, 2])
            assert is_over == (seconds > CLOCK)
            assert not ben.ear.outs
            assert not ben.ear.endings
            await back.close()
        server.stop()


@asynccontextmanager
async def a_table(port: int) -> AsyncIterator[tuple[Player, Client, Player]]:
    """Three people in the first round of a game: one of them with the real client's connection."""
    # The links of the other two are not given up by themselves.
    ana, cleo = [
        Player(await SocketTransport.open(port, ping_interval=None), name)
        for name in ("Ana", "Cleo")
    ]
    await ana.hello()
    await cleo.hello()
    settings = RoomSettings(public=False, seats=3, clock=CLOCK)
    code = ana.entered(await ana.command(CreateRoom(settings))).room.code
    ben = Client(port, "Ben")
    await ben.connection.request(JoinRoom(code, watch=False))
    await cleo.join(code)
    await ben.connection.request(Ready(True))
    for player in (ana, cleo):
        await player.command(Ready(True))
    await ana.command(Start())
    for player in (ana, cleo):
        await player.until(lambda player=player: bool(player.choices))  # type: ignore[misc]
    try:
        yield ana, ben, cleo
    finally:
        await ben.close()
        await ana.close()


async def suspend(server: ServerProcess, seconds: float) -> None:
    """Stop the whole process for so long."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        # The time itself is what is tested: there is nothing else to wait for.
        await asyncio.sleep(seconds)
    finally:
        server.process.send_signal(signal.SIGCONT)


async def come_back(player: Player, port: int) -> Player:
    """Come back on a new link."""
    transport = await SocketTransport.open(port, ping_interval=None)
    again = player.again(transport)
    await again.hello()
    await again.resume()
    return again
