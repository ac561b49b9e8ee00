"""The journal on disk: what it has called durable is there, in order, and nothing else is."""

import asyncio
import random
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sequoia_protocol.room import RoomSettings
from sequoia_rules.record import read_record
from sequoia_server.data_dir import CannotOpen, open_journal
from sequoia_server.facts import StoredTurn
from sequoia_server.journal import Batch, DamagedRoom
from sequoia_server.room import Room
from sequoia_server.settings import Settings

from tests.kit import PATIENCE, FixedEntropy
from tests.server import strace
from tests.server.driver import Driver
from tests.server.journals import (
    Acknowledger,
    Keeper,
    chat,
    contents,
    fill,
    pull_the_plug,
    small_disk,
    small_game,
)
from tests.server.strace import Began

BIG = 40_000


@contextmanager
def nobody_can_write(keeper: Keeper) -> Iterator[None]:
    """Hold the database as somebody does who writes to it: the journal's thread has to wait."""
    with closing(sqlite3.connect(keeper.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def commits(keeper: Keeper) -> int:
    """Count the commits in the write-ahead log: frames that tell the size of the database."""
    data = keeper.path.with_name(keeper.path.name + "-wal").read_bytes()
    frames = range(32, len(data), 24 + 4096)
    return sum(data[frame + 4 : frame + 8] != bytes(4) for frame in frames)


async def test_the_next_server_reads_what_this_one_stored(tmp_path: Path) -> None:
    driver = Driver(RoomSettings(clock=60))
    driver.begin(3, bots=1)
    driver.play()
    with Keeper(tmp_path) as keeper:
        assert not keeper.journal.codes
        assert keeper.journal.clock == 0
        await keeper.store(*(Batch("ROOM", turn.at, turn.facts) for turn in driver.turns))
    with Keeper(tmp_path) as keeper:
        assert list(keeper.journal.codes) == ["ROOM"]
        assert keeper.journal.clock == driver.clock()
        turns = keeper.journal.read("ROOM")
    assert turns == driver.turns
    room = Room.restore(
        "ROOM",
        turns,
        settings=Settings(),
        entropy=FixedEntropy(),
        date=lambda: "",
        now=driver.clock(),
    )
    assert room.state == driver.state


async def test_a_room_that_was_never_stored_is_refused(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper, pytest.raises(DamagedRoom, match="nothing is stored"):
        keeper.journal.read("OAK")


async def test_callbacks_come_in_the_order_of_the_calls_on_the_loops_thread(
    tmp_path: Path,
) -> None:
    threads = set()
    with Keeper(tmp_path) as keeper:
        for number in range(1, 200):
            code = ("OAK", "ELM", "FIR")[number % 3]
            keeper.append(chat(code, number), number)
            keeper.after(-number)
            keeper.journal.after(lambda: threads.add(threading.current_thread()))
        await keeper.stored()
        expected = [value for number in range(1, 200) for value in (number, -number)]
        assert keeper.durable == expected
    assert threads == {threading.current_thread()}


async def test_what_comes_after_waits_only_if_something_is_pending(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper:
        keeper.after("at once")
        assert keeper.durable == ["at once"]
        # From inside of a callback, with others still to come, it goes behind them.
        keeper.journal.append(chat("OAK", 1), lambda: keeper.after("last"))
        keeper.append(chat("OAK", 2), "second")
        keeper.after("third")
        await keeper.until(lambda: "last" in keeper.durable)
        assert keeper.durable == ["at once", "second", "third", "last"]


async def test_it_is_committed_when_the_callback_comes(tmp_path: Path) -> None:
    seen: list[object] = []
    with Keeper(tmp_path) as keeper:
        for number in range(1, 30):
            keeper.journal.append(
                chat("OAK", number),
                lambda: seen.append(keeper.rows("SELECT last FROM rooms")[0][0]),
            )
            if number % 7 == 0:
                await keeper.stored()
        await keeper.stored()
    assert all(int(str(last)) >= number for number, last in enumerate(seen, 1))


async def test_a_callback_that_fails_takes_no_other_with_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "4 5 5 6 6"

    def fail() -> None:
        raise ValueError(secret)

    with Keeper(tmp_path) as keeper:
        keeper.journal.append(chat("OAK", 1), fail)
        keeper.append(chat("OAK", 2), "the other")
        await keeper.stored()
        assert keeper.durable == ["the other"]
    assert "ValueError" in caplog.text
    assert secret not in caplog.text


async def test_the_loop_goes_on_while_the_disk_is_slow_and_all_that_waits_shares_one_commit(
    tmp_path: Path,
) -> None:
    with Keeper(tmp_path) as keeper:
        await keeper.store(chat("OAK", 1))
        before = commits(keeper)
        with nobody_can_write(keeper):
            for number in range(1, 301):
                keeper.append(chat(f"R{number}", 1))
            assert len(keeper.journal.read("OAK")) == 1
            # The loop is free: another one of its tasks comes and goes meanwhile.
            assert await asyncio.create_task(asyncio.sleep(0, "free")) == "free"
            assert len(keeper.durable) == 1
        await keeper.stored()
        assert len(keeper.durable) == 301
        # The first of them were already being written when the rest came.
        assert commits(keeper) - before <= 2
    assert len(contents(tmp_path)) == 301


async def test_a_checkpoint_replaces_what_was_there(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper:
        await keeper.store(*(chat("OAK", number) for number in range(1, 11)), chat("ELM", 1))
        whole = chat("OAK", 11)
        await keeper.store(Batch("OAK", whole.at, whole.facts, replaces=True), chat("OAK", 12))
    with Keeper(tmp_path) as keeper:
        await keeper.store(chat("OAK", 13))
        turns = [StoredTurn(float(number), chat("OAK", number).facts) for number in (11, 12, 13)]
        assert [StoredTurn(at, list(facts)) for at, facts in keeper.journal.read("OAK")] == turns
        assert len(keeper.journal.read("ELM")) == 1


async def test_of_a_closed_room_only_its_records_stay(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper:
        played = chat("OAK", 1)
        await keeper.store(Batch("OAK", 1, played.facts, record=small_game()), chat("ELM", 1))
        await keeper.store(Batch("OAK", 50.0, closes=True))
        assert keeper.rows("SELECT DISTINCT room FROM turns") == [("ELM",)]
        ((room, text),) = keeper.rows("SELECT room, text FROM records")
    assert room == "OAK"
    assert read_record(str(text)) == small_game()
    with Keeper(tmp_path) as keeper:
        assert list(keeper.journal.codes) == ["ELM"]
        assert keeper.journal.clock == 50
        # A new room may have its code.
        await keeper.store(chat("OAK", 7))
        assert len(keeper.journal.read("OAK")) == 1


async def test_a_room_that_opens_and_closes_at_once_leaves_nothing(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper:
        await keeper.store(
            chat("OAK", 1), Batch("OAK", 2, closes=True), Batch("ELM", 2, closes=True)
        )
        await keeper.store(chat("OAK", 3))
        assert len(keeper.journal.read("OAK")) == 1
    assert list(contents(tmp_path)) == ["OAK"]


async def test_the_clock_goes_on_and_never_back(tmp_path: Path) -> None:
    for given, expected in ((5.5, 5.5), (3.0, 5.5), (9.25, 9.25)):
        with Keeper(tmp_path) as keeper:
            keeper.journal.keep_time(given)
            keeper.after("at once")
            assert keeper.durable == ["at once"]
        with Keeper(tmp_path) as keeper:
            assert keeper.journal.clock == expected
    with Keeper(tmp_path) as keeper:
        await keeper.store(chat("OAK", 1, at=20.0))
    with Keeper(tmp_path) as keeper:
        assert keeper.journal.clock == 20


# A disk that takes nothing


async def test_a_full_disk_holds_everything_back_until_there_is_space(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Keeper(tmp_path, max_pages=60) as keeper:
        number = 0
        while not keeper.stalls:
            number += 1
            keeper.append(chat("OAK", number, length=BIG), number)
            await keeper.until(lambda n=number: bool(keeper.stalls) or n in keeper.durable)  # type: ignore[misc]
        keeper.append(chat("ELM", 1), "waits")
        keeper.after("waits too")
        last = number - 1
        assert keeper.durable == list(range(1, number))
        assert keeper.rows("SELECT code, last FROM rooms") == [("OAK", last)]
        # What is stored can be read meanwhile.
        assert len(keeper.journal.read("OAK")) == last
        with closing(sqlite3.connect(keeper.path)) as other, other:
            other.execute("DELETE FROM turns WHERE key % 16777216 < 3")
        await keeper.stalled(False)
        assert keeper.durable == [*range(1, number + 1), "waits", "waits too"]
        assert keeper.stalls == [True, False]
        assert keeper.rows("SELECT code, last FROM rooms") == [("ELM", 1), ("OAK", number)]
    full, free = (record.getMessage() for record in caplog.records)
    assert "every table waits: database or disk is full" in full
    assert "every table goes on" in free


async def test_closing_does_not_wait_for_a_full_disk_and_keeps_what_was_acknowledged(
    tmp_path: Path,
) -> None:
    with Keeper(tmp_path, max_pages=30) as keeper:
        await keeper.store(chat("OAK", 1), chat("OAK", 2))
        keeper.append(chat("OAK", 3, length=10 * BIG), "never")
        await keeper.stalled(True)
        keeper.after("never")
        async with asyncio.timeout(1.9):
            await asyncio.to_thread(keeper.journal.close)
        await asyncio.sleep(0)
        assert len(keeper.durable) == 2
    (turns,) = contents(tmp_path).values()
    assert turns == [StoredTurn(float(n), tuple(chat("OAK", n).facts)) for n in (1, 2)]


async def test_nobody_else_gets_the_directory_while_the_disk_hangs(tmp_path: Path) -> None:
    with Keeper(tmp_path) as keeper:
        await keeper.store(chat("OAK", 1))
        with nobody_can_write(keeper):
            keeper.append(chat("OAK", 2))
            async with asyncio.timeout(PATIENCE):
                await asyncio.to_thread(keeper.journal.close)
            with pytest.raises(CannotOpen, match="Another sequoia-server uses"):
                open_journal(tmp_path)
    # What hung has come to its end, and it is stored.
    (turns,) = contents(tmp_path).values()
    assert isinstance(turns, list)
    assert len(turns) == 2


async def test_closing_waits_for_what_is_queued(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    for number in range(1, 2001):
        keeper.append(chat("OAK", number))
    keeper.journal.close()
    (turns,) = contents(tmp_path).values()
    assert isinstance(turns, list)
    assert len(turns) == 2000


async def test_what_is_no_trouble_of_the_disk_acknowledges_nothing_either(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Keeper(tmp_path) as keeper:
        await keeper.store(chat("OAK", 1))
        keeper.append(Batch("OAK", 2.0, [lambda: "no fact"]), "never")  # type: ignore[list-item]
        keeper.append(chat("OAK", 3), "never")
        await keeper.stalled(True)
        keeper.after("never")
        await asyncio.sleep(0)
        assert len(keeper.durable) == 1
    assert "the journal has failed" in caplog.text
    assert "encode_facts" in caplog.text
    (turns,) = contents(tmp_path).values()
    assert turns == [StoredTurn(1.0, tuple(chat("OAK", 1).facts))]


async def test_a_real_disk_that_is_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1024) as disk:
        with Keeper(disk / "data") as keeper:
            await keeper.store(chat("OAK", 1))
            ballast = fill(disk)
            for number in range(2, 12):
                keeper.append(chat("OAK", number, length=20_000), number)
            await keeper.stalled(True)
            assert len(keeper.durable) < 11
            assert keeper.rows("SELECT last FROM rooms") == [(len(keeper.durable),)]
            ballast.unlink()
            await keeper.stalled(False)
            assert keeper.durable[1:] == list(range(2, 12))
        (turns,) = contents(disk / "data").values()
        assert isinstance(turns, list)
        assert len(turns) == 11


# A process that ends at any moment


async def test_a_machine_that_stops_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with Keeper(tmp_path / "data") as keeper:
        for number in range(1, 60):
            await keeper.store(chat("OAK", number), chat("ELM", number))
            if number % 20 == 0:
                copy = pull_the_plug(tmp_path / "data", tmp_path / str(number))
                for turns in contents(copy).values():
                    assert isinstance(turns, list)
                    assert len(turns) == number


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    moment = random.Random(9)
    acknowledged: dict[str, int] = {}
    for _ in range(8):
        program = Acknowledger(tmp_path, 100_000)
        assert program.line() == "ready\n"
        lines = [program.line() for _ in range(moment.randrange(1, 400))]
        for line in lines + program.kill():
            _, code, number = line.split()
            # Nothing is given out twice and nothing is left out, over all the deaths before.
            assert int(number) >= acknowledged.get(code, 0) + 1
            acknowledged[code] = int(number)
        assert program.process.returncode == -signal.SIGKILL
        for code, turns in contents(tmp_path).items():
            assert isinstance(turns, list)
            assert len(turns) >= acknowledged.get(code, 0)
            expected = [chat(code, number).facts for number in range(1, len(turns) + 1)]
            assert [list(turn.facts) for turn in turns] == expected


@pytest.mark.skipif(strace.MISSING, reason="there is no strace on this machine")
def test_no_acknowledgement_leaves_before_its_sync_has_returned(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = Acknowledger(tmp_path / "data", 300, *strace.command(log))
    lines = program.wait()
    if not log.exists() or log.stat().st_size == 0:
        pytest.skip("strace may not look at processes here")
    assert len(lines) == 301
    steps = strace.read_trace(log)
    acknowledgements = 0
    for index, step in enumerate(steps):
        if isinstance(step, Began) and step.data.startswith(b"ack "):
            acknowledgements += 1
            turn = step.data.removeprefix(b"ack ").rstrip() + b" "
            assert strace.is_synced(steps, turn, index), f"{turn!r} was not yet synced"
    assert acknowledgements == 300
