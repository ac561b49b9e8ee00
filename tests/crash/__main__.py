"""`python -m tests.crash --kills N --seed S`: kill a real server N times while clients play.

Nothing that was acknowledged or shown may be lost, nothing may happen twice, and everybody is back
by themselves. Prints how long the last client needed, from the port's opening.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine

from sequoia_protocol.messages import AddBot, CreateRoom, JoinRoom
from sequoia_protocol.room import RoomSettings

from tests.crash.guest import Guest
from tests.crash.history import Broken, History
from tests.kit import ROOT

ROOMS = ((2, 0), (3, 0), (5, 0), (2, 2))
"""People and bots of each room."""

PLACES = (
    "while they played",
    "within 5 ms of a choice",
    "within 20 ms of the last one's return",
    "as soon as everybody had played on",
)
AS_IT_STARTED = "more within 250 ms of a start"
"""Where kills fall."""

PATIENCE = 40.0


class Server:
    """A real server process that can be killed and started again on the same port and data."""

    def __init__(self, data: str, seed: int) -> None:
        self.data = data
        self.seed = seed
        self.starts = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process, and do not wait for it."""
        self.starts += 1
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.scripted_server", str(self.seed + self.starts)),
            *("--bind", "127.0.0.1", "--port", str(self.port), "--data", self.data),
            *("--log-level", "error"),
            cwd=ROOT,
            stdout=asyncio.subprocess.DEVNULL,
        )

    async def until_open(self) -> float:
        """Wait until the port is open, and give when it was."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                # The system tells nobody when a port opens; so it is tried until it does.
                await asyncio.sleep(0.002)
                continue
            opened = time.monotonic()
            writer.close()
            return opened
        raise AssertionError("the server does not start")

    async def kill(self) -> None:
        """Kill it with -9."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def seat(server: Server, rng: random.Random, choosing: asyncio.Event) -> list[list[Guest]]:
    """Open the rooms and fill them; ``choosing`` is set whenever somebody chooses."""
    rooms = []
    for number, (people, bots) in enumerate(ROOMS):
        history = History()
        guests = [
            Guest(f"R{number} P{i}", server.port, history, random.Random(rng.random()), choosing)
            for i in range(people)
        ]
        settings = RoomSettings(public=bool(number % 2), seats=people + bots, clock=60)
        view = await guests[0].enter(CreateRoom(settings))
        for guest in guests[1:]:
            await guest.enter(JoinRoom(view.room.code, watch=False))
        for bot in range(people, people + bots):
            await guests[0].ask(AddBot(bot))
        rooms.append(guests)
    return rooms


async def crash(kills: int, seed: int) -> str:
    """Play, kill and check; give the report.

    Raises:
        Broken: a promise was.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="sequoia-crash-") as data:
        server = Server(data, seed)
        await server.start()
        await server.until_open()
        choosing = asyncio.Event()
        async with asyncio.timeout(PATIENCE):
            rooms = await seat(server, rng, choosing)
        guests = [guest for room in rooms for guest in room]
        players = [
            asyncio.create_task(guest.play_on(host=guest is room[0]))
            for room in rooms
            for guest in room
        ]
        where: Counter[str] = Counter()
        times = []
        try:
            for _ in range(kills):
                opened = await _one_kill(
                    server, rng, guests, choosing=choosing, where=where, players=players
                )
                await _watched(_all_online(guests), players)
                times.append(max(guest.online_since or opened for guest in guests) - opened)
            # Some more play, so that the last restart is looked at as well; nobody is stuck.
            await _watched(_all_play(guests), players)
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            for room in rooms:
                for guest in room:
                    await guest.close()
            await server.kill()
    for room in rooms:
        for guest in room:
            assert guest.view is not None
            guest.history.check_chats(guest.acknowledged, guest.view)
    ordered = sorted(times)
    return "\n".join(
        [
            f"seed {seed}: {kills} kills, "
            + ", ".join(f"{where[place]} {place}" for place in (*PLACES, AS_IT_STARTED)),
            f"{sum(room[0].games for room in rooms)} games seen to their end,"
            f" {sum(guest.sent for guest in guests)} commands, every one with its one effect",
            f"from the port's opening to the last of {len(guests)} clients' resume:"
            f" median {statistics.median(ordered):.2f} s,"
            f" 99th percentile {ordered[int(0.99 * (len(ordered) - 1))]:.2f} s",
        ]
    )


async def _one_kill(
    server: Server,
    rng: random.Random,
    guests: list[Guest],
    *,
    choosing: asyncio.Event,
    where: Counter[str],
    players: list[asyncio.Task[None]],
) -> float:
    """Let them play for a moment, kill the server, start it; give when its port was open."""
    place = rng.choice(PLACES)
    # A kill comes at a moment in time: but for a choice there is no event to wait for.
    match place:
        case "within 5 ms of a choice":
            choosing.clear()
            await _watched(choosing.wait(), players)
            await asyncio.sleep(rng.choice((0.0005, 0.001, 0.002, 0.005)) * rng.random())
        case "within 20 ms of the last one's return":
            await asyncio.sleep(rng.uniform(0.0, 0.02))
        case "as soon as everybody had played on":
            await _watched(_all_play(guests), players)
        case _:
            await _watched(asyncio.sleep(rng.uniform(0.05, 0.8)), players)
    await server.kill()
    where[place] += 1
    await server.start()
    while rng.random() < 0.15:
        await asyncio.sleep(rng.uniform(0.0, 0.25))
        await server.kill()
        where[AS_IT_STARTED] += 1
        await server.start()
    return await server.until_open()


async def _all_online(guests: list[Guest]) -> None:
    await asyncio.gather(*(guest.until_online() for guest in guests))


async def _all_play(guests: list[Guest]) -> None:
    await asyncio.gather(*(guest.until_playing() for guest in guests))


async def _watched(
    work: Coroutine[object, object, object], players: list[asyncio.Task[None]]
) -> None:
    """Wait for something, unless a player meets a broken promise first."""
    task = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait(
            [task, *players], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:
            raise Broken(f"nothing has happened for {PATIENCE:.0f} s")
        for player in players:
            if player.done():
                player.result()
        await task
    finally:
        task.cancel()
        await asyncio.wait([task])


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    # As with Ctrl+C, the server must not stay behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        print(asyncio.run(crash(options.kills, options.seed)))
    except AssertionError as broken:
        print(f"seed {options.seed}: {broken}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
