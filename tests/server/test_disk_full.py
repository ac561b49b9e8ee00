"""A real server on a disk that fills up: the table waits, loses nothing, and goes on."""

import asyncio
from pathlib import Path

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import (
    Answer,
    Chat,
    ChoosePairs,
    Done,
    Held,
)

from tests.kit import Player, ServerProcess, SocketTransport, begin_game
from tests.server.journals import contents, fill, small_disk

LOCAL = ("--bind", "127.0.0.1", "--port", "0", "--data")


async def begin(port: int) -> tuple[Player, Player]:
    ana, bo = await Player.on_socket(port, "Ana"), await Player.on_socket(port, "Bo")
    await begin_game(ana, bo)
    return ana, bo


async def until_full(player: Player) -> list[asyncio.Future[Answer]]:
    """Chat until the server says that it can store nothing; give all the answers owed."""
    owed: list[asyncio.Future[Answer]] = []

    def is_full() -> bool:
        return player.clock is not None and player.clock.held is Held.STORAGE

    while not is_full():
        owed.append(await player.send(Chat(f"{len(owed)} ".ljust(200, "x"))))
        await player.until(lambda: owed[-1].done() or is_full())
    return owed


async def test_a_table_waits_for_space_and_then_goes_on(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1024) as disk:
        with ServerProcess(*LOCAL, str(disk / "data")) as server:
            ana, bo = await begin(server.port)
            ballast = await asyncio.to_thread(fill, disk)
            owed = await until_full(ana)
            choice = await bo.send(ChoosePairs(*pad_choice(bo.choices[0])))
            # What is on the way is neither acknowledged nor shown.
            seen = bo.here.number
            assert not owed[-1].done()
            assert not choice.done()
            ballast.unlink()
            answers = await asyncio.gather(*owed)
            assert all(isinstance(answer, Done) for answer in answers)
            assert isinstance(await choice, Done)
            await bo.until(lambda: bo.clock is not None and bo.clock.held is None)
            assert bo.here.number > seen
            lines = [line.text for line in ana.here.room.chat]
            assert lines[-1].startswith(f"{len(owed) - 1} ")
            status, _, log = await asyncio.to_thread(server.stop)
        assert status == 0
        assert log.count("nothing can be stored") == log.count("every table goes on") == 1
        assert "Traceback" not in log


async def test_a_server_that_is_killed_on_a_full_disk_has_all_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 1024) as disk:
        with ServerProcess(*LOCAL, str(disk / "data")) as server:
            ana, bo = await begin(server.port)
            ballast = await asyncio.to_thread(fill, disk)
            owed = await until_full(ana)
            acknowledged = [answer.result() for answer in owed if answer.done()]
            server.process.kill()
            await ana.until_closed()
            await bo.until_closed()
        ballast.unlink()
        with ServerProcess(*LOCAL, str(disk / "data")) as server:
            back = ana.again(await SocketTransport.open(server.port))
            await back.hello()
            view = await back.resume()
            last = acknowledged[-1] if acknowledged else None
            assert not isinstance(last, Done) or view.number >= last.number
            await back.close()
        assert all(isinstance(turns, list) for turns in contents(disk / "data").values())
