"""A real server that may write no more, for users who cannot mount a disk to fill it."""

import asyncio
import resource
import time
from pathlib import Path

import pytest
from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import Answer, ChoosePairs, Done
from sequoia_server.data_dir import JOURNAL

from tests.kit import Player, ServerProcess, SocketTransport
from tests.server.test_disk_full import LOCAL, begin, until_full

prlimit = getattr(resource, "prlimit", None)
pytestmark = pytest.mark.skipif(
    prlimit is None, reason="only Linux can limit another process's files"
)

ENDS_IN = 5.0
"""Seconds that the end of a server may take."""

Owed = list[asyncio.Future[Answer]]


async def fill_up(server: ServerProcess, data: Path, player: Player) -> tuple[Owed, int]:
    """Let the journal grow no more; give all answers owed, and how many have come."""
    size = await asyncio.to_thread(lambda: (data / f"{JOURNAL}-wal").stat().st_size)
    _limit(server, size)
    owed = await until_full(player)
    return owed, sum(answer.done() for answer in owed)


async def test_a_server_that_may_write_no_more_waits_and_then_goes_on(tmp_path: Path) -> None:
    with ServerProcess(*LOCAL, str(tmp_path)) as server:
        ana, bo = await begin(server.port)
        owed, done = await fill_up(server, tmp_path, ana)
        # Neither a further command nor time changes anything for anybody now.
        more = await bo.send(ChoosePairs(*pad_choice(bo.choices[0])))
        seen = bo.here.number
        assert done < len(owed)
        assert not more.done()
        _limit(server, None)
        answers = [*await asyncio.gather(*owed), await more]
        assert all(isinstance(answer, Done) for answer in answers)
        await bo.until(lambda: bo.clock is not None and bo.clock.held is None)
        assert bo.here.number > seen
        texts = [line.text.split()[0] for line in ana.here.room.chat]
        assert texts == [str(number) for number in range(len(owed))][-len(texts) :]
        status, _, _ = await asyncio.to_thread(server.stop)
    assert status == 0


async def test_a_server_that_is_killed_while_it_waits_has_all_that_it_acknowledged(
    tmp_path: Path,
) -> None:
    with ServerProcess(*LOCAL, str(tmp_path)) as server:
        ana, _ = await begin(server.port)
        owed, done = await fill_up(server, tmp_path, ana)
        answers = [answer.result() for answer in owed[:done]]
        shown = ana.here.number
        server.process.kill()
        await ana.until_closed()
    with ServerProcess(*LOCAL, str(tmp_path)) as server:
        back = ana.again(await SocketTransport.open(server.port))
        await back.hello()
        view = await back.resume()
        assert view.number >= shown
        assert all(isinstance(a, Done) and a.number <= view.number for a in answers)
        texts = [line.text.split()[0] for line in view.room.chat]
        # What was not acknowledged may have been stored, but nothing is there twice.
        assert texts == [str(number) for number in range(len(texts))]
        assert len(texts) >= done
        await back.close()


async def test_a_server_that_waits_for_space_still_goes_away_in_time(tmp_path: Path) -> None:
    with ServerProcess(*LOCAL, str(tmp_path)) as server:
        ana, _ = await begin(server.port)
        await fill_up(server, tmp_path, ana)
        began = time.monotonic()
        status, _, log = await asyncio.to_thread(server.stop)
        assert time.monotonic() - began < ENDS_IN
        assert (await ana.until_closed()).code == 1001
        assert ana.bye is not None
        assert ana.bye.code == "server_closing"
    assert status == 0
    assert "Traceback" not in log


def _limit(server: ServerProcess, size: int | None) -> None:
    """Let no file of the server grow past a size in bytes, or let them grow again."""
    assert prlimit is not None
    _, hard = prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
