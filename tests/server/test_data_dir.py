"""The data directory: one server at a time, for one user's eyes, and mended when it is damaged."""

import asyncio
import os
import random
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sequoia_server import schema
from sequoia_server.data_dir import JOURNAL, CannotOpen, default_directory, open_journal
from sequoia_server.journal import Batch, DamagedRoom

from tests.server.journals import (
    Acknowledger,
    Keeper,
    chat,
    contents,
    pull_the_plug,
    small_game,
)

VERSION = len(schema.MIGRATIONS)
ROOMS = [f"R{number:02}" for number in range(40)]
TURNS = 12
PAGE = 4096


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with many rooms, cleanly closed; some turns are larger than a page."""

    async def write() -> Path:
        directory = tmp_path_factory.mktemp("written") / "data"
        with Keeper(directory) as keeper:
            for number in range(1, TURNS + 1):
                for code in ROOMS:
                    length = 6000 if (number, code) in {(3, "R07"), (9, "R21")} else 300
                    keeper.append(chat(code, number, length=length))
            keeper.append(Batch("GONE", 100.0, record=small_game(), closes=True))
            await keeper.stored()
        return directory

    return asyncio.run(write())


@pytest.fixture(scope="session")
def truth(written: Path) -> dict[str, object]:
    return contents(written)


@pytest.fixture
def directory(written: Path, tmp_path: Path) -> Path:
    """A copy of it to be damaged."""
    return Path(shutil.copytree(written, tmp_path / "data"))


def change(directory: Path, *statements: str) -> None:
    """Change a journal behind the server's back."""
    with closing(sqlite3.connect(directory / JOURNAL)) as database, database:
        for statement in statements:
            database.execute(statement)


def lost(found: dict[str, object]) -> list[str]:
    return [code for code, turns in found.items() if isinstance(turns, DamagedRoom)]


def refusal(directory: Path) -> str:
    """Give the sentence with which a directory is refused."""
    with pytest.raises(CannotOpen) as refused:
        open_journal(directory).close()
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "Error" not in sentence
    return sentence


# Whose it is


@pytest.mark.skipif(os.name != "posix", reason="rights as Unix has them")
@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
async def test_nobody_else_can_read_any_of_it(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with Keeper(tmp_path / "new") as keeper:
            await keeper.store(chat("OAK", 1))
            rights = {
                path.name: stat.S_IMODE(path.stat().st_mode)
                for path in (tmp_path / "new", *(tmp_path / "new").iterdir())
            }
    finally:
        os.umask(before)
    assert rights == {
        "new": 0o700,
        "lock": 0o600,
        JOURNAL: 0o600,
        f"{JOURNAL}-wal": 0o600,
        f"{JOURNAL}-shm": 0o600,
    }


@pytest.mark.skipif(os.name != "posix", reason="rights as Unix has them")
def test_a_journal_that_others_could_read_is_closed_to_them(directory: Path) -> None:
    (directory / JOURNAL).chmod(0o644)
    open_journal(directory).close()
    assert stat.S_IMODE((directory / JOURNAL).stat().st_mode) == 0o600


def test_the_usual_directory_is_where_the_system_keeps_a_users_data() -> None:
    assert default_directory().name == "sequoia-server"
    assert default_directory().is_absolute()


def test_a_second_server_is_kept_out_until_the_first_is_gone(tmp_path: Path) -> None:
    first = Acknowledger(tmp_path, 10**9)
    try:
        assert first.line() == "ready\n"
        assert f"Another sequoia-server uses {tmp_path}" in (sentence := refusal(tmp_path))
        assert "--data" in sentence
    finally:
        first.kill()
    # Nothing has to be cleaned up after a process that was killed.
    open_journal(tmp_path).close()


def test_what_is_closed_can_be_opened_again_in_the_same_process(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    assert "Another" in refusal(tmp_path)
    journal.close()
    journal.close()
    open_journal(tmp_path).close()


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        assert f"{path} is not a directory" in refusal(path)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has a place where nobody can write")
def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    assert "cannot hold the server's data" in refusal(Path("/proc/sequoia"))
    (tmp_path / JOURNAL).mkdir()
    assert f"{tmp_path / JOURNAL} cannot be opened: Is a directory." in refusal(tmp_path)


# Whose journal it is, and how old


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (f"PRAGMA user_version = {VERSION + 1}", "a newer sequoia-server has written it"),
        ("PRAGMA application_id = 7", "it belongs to another program"),
    ],
)
def test_what_is_not_for_us_is_refused_and_stays_as_it_is(
    directory: Path, statement: str, words: str
) -> None:
    change(directory, statement)
    before = (directory / JOURNAL).read_bytes()
    assert words in refusal(directory)
    assert (directory / JOURNAL).read_bytes() == before
    change(directory, f"PRAGMA user_version = {VERSION}")
    change(directory, f"PRAGMA application_id = {schema.APPLICATION_ID}")
    assert len(contents(directory)) == len(ROOMS)


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    change(tmp_path, "CREATE TABLE recipes (name)", "INSERT INTO recipes VALUES ('soup')")
    before = (tmp_path / JOURNAL).read_bytes()
    assert "it belongs to another program" in refusal(tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_a_file_that_is_no_database_is_not_touched(tmp_path: Path) -> None:
    letter = b"Dear Bo, here is how the evening went. " * 300
    (tmp_path / JOURNAL).write_bytes(letter)
    assert "is no journal: put it aside and start again" in refusal(tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == letter


def test_an_older_journal_is_brought_up_to_date_or_stays_wholly_as_it_was(
    directory: Path,
) -> None:
    better = "ALTER TABLE rooms ADD COLUMN opened TEXT"
    with closing(schema.connect(directory / JOURNAL)) as database:

        def version() -> object:
            return database.execute("PRAGMA user_version").fetchone()[0]

        worse = "DROP TABLE records; INSERT INTO nowhere VALUES (1)"
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            schema.migrate(database, (*schema.MIGRATIONS, f"{better}; {worse}"))
        assert version() == VERSION
        assert database.execute("SELECT count(*) FROM records").fetchone() == (1,)
        assert len(database.execute("SELECT * FROM rooms").fetchone()) == 4

        # The steps before one that fails stay done.
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            schema.migrate(database, (*schema.MIGRATIONS, better, worse))
        assert version() == VERSION + 1

        schema.migrate(database, (*schema.MIGRATIONS, better, "DROP TABLE records"))
        assert version() == VERSION + 2
        assert len(database.execute("SELECT * FROM rooms").fetchall()) == len(ROOMS)


# Damage


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE turns SET facts = CAST(facts || 'x' AS BLOB)", "turn 5 is not as it was written"),
        ("UPDATE turns SET facts = CAST(facts AS TEXT)", "turn 5 is not as it was written"),
        ("UPDATE turns SET at = at + 1", "turn 5 is not as it was written"),
        ("UPDATE turns SET key = key + 90", "turn 5 is missing"),
        ("DELETE FROM turns", "turn 5 is missing"),
    ],
)
def test_a_damaged_turn_costs_its_room_and_no_other(
    directory: Path, truth: dict[str, object], statement: str, words: str
) -> None:
    change(directory, f"{statement} WHERE room = 'R03' AND key % 16777216 = 5")
    found = contents(directory)
    assert words in str(found.pop("R03"))
    assert found == {code: truth[code] for code in found}
    assert len(found) == len(ROOMS) - 1


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM turns WHERE room = 'R03' AND key % 16777216 = 1", "turn 1 is missing"),
        ("DELETE FROM turns WHERE room = 'R03' AND key % 16777216 = 12", "turn 12 is missing"),
        ("DELETE FROM turns WHERE room = 'R03'", "turn 1 is missing"),
        ("UPDATE rooms SET last = 13 WHERE code = 'R03'", "turn 13 is missing"),
        ("UPDATE rooms SET id = 5 WHERE code = 'R03'", "turn 1 is not as it was written"),
        ("UPDATE rooms SET id = 'R' WHERE code = 'R03'", "its entry is not as it was written"),
        ("UPDATE rooms SET id = 1 << 40 WHERE code = 'R03'", "its entry is not as it was written"),
        ("UPDATE rooms SET last = 1 << 30 WHERE code = 'R03'", "its entry is not as it was"),
    ],
)
def test_a_room_without_its_beginning_or_its_end_is_not_restored(
    directory: Path, truth: dict[str, object], statement: str, words: str
) -> None:
    change(directory, statement)
    found = contents(directory)
    assert words in str(found.pop("R03"))
    assert found == {code: truth[code] for code in found}
    assert len(found) == len(ROOMS) - 1


def test_a_turn_that_says_nothing_we_know_costs_its_room(directory: Path) -> None:
    garbage = b"\x91\x81\xa4type\xa3odd"
    with closing(sqlite3.connect(directory / JOURNAL)) as database:
        ((key,),) = database.execute(
            "SELECT key FROM turns WHERE room = 'R03' AND key % 16777216 = 5"
        ).fetchall()
    check = schema.turn_checksum("R03", key, 5.0, garbage)
    change(
        directory,
        f"UPDATE turns SET facts = x'{garbage.hex()}', checksum = {check} WHERE key = {key}",
    )
    found = contents(directory)
    assert "turn 5: the facts cannot be read" in str(found["R03"])
    assert lost(found) == ["R03"]


def test_whatever_page_is_damaged_every_other_room_goes_on(
    written: Path,
    truth: dict[str, object],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    chance = random.Random(3)
    whole = (written / JOURNAL).read_bytes()
    pages = len(whole) // PAGE
    assert pages > 40
    most = 0
    for page in range(pages):
        directory = tmp_path / str(page)
        directory.mkdir()
        damaged = bytearray(whole)
        # Without the first hundred bytes of all it would be no database of ours.
        start, end = max(page * PAGE, 100), (page + 1) * PAGE
        size = end - start
        damaged[start:end] = chance.choice([bytes(size), chance.randbytes(size)])
        (directory / JOURNAL).write_bytes(damaged)
        caplog.clear()
        found = contents(directory)
        gone = lost(found)
        assert {code: found[code] for code in found if code not in gone} == {
            code: truth[code] for code in truth if code not in gone
        }
        most = max(most, len(gone))
        copies = list(directory.glob("damaged-*"))
        if copies:
            assert [copy.read_bytes() for copy in copies] == [damaged]
            assert stat.S_IMODE(copies[0].stat().st_mode) == 0o600
            assert str(copies[0]) in caplog.text
            assert ("rooms that are lost" in caplog.text) == bool(gone)
            assert ", ".join(gone) in caplog.text
        else:
            # The page held a part of one turn or record alone, and its check sum tells.
            assert len(gone) <= 1
        # It is sound from now on, and the lost rooms' codes are still taken.
        again = contents(directory)
        assert lost(again) == gone
        assert set(again) == set(truth)
        assert list(directory.glob("damaged-*")) == copies
    # A page holds turns of two rooms, if they are as short as these.
    assert most == 2


@pytest.mark.parametrize("seed", range(40))
def test_single_flipped_bytes_never_make_a_room_other_than_it_was(
    directory: Path, truth: dict[str, object], seed: int
) -> None:
    chance = random.Random(seed)
    data = bytearray((directory / JOURNAL).read_bytes())
    for _ in range(20):
        # Not in the header of the file: without that it is no database of ours.
        data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
    (directory / JOURNAL).write_bytes(data)
    try:
        found = contents(directory)
    except CannotOpen:
        pytest.fail("the other rooms are lost")
    for code, turns in found.items():
        assert isinstance(turns, DamagedRoom) or turns == truth[code]


def test_a_journal_that_was_cut_off_keeps_what_is_before_the_cut(
    directory: Path, truth: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    data = (directory / JOURNAL).read_bytes()
    (directory / JOURNAL).write_bytes(data[: len(data) * 2 // 3])
    found = contents(directory)
    gone = lost(found)
    assert 0 < len(gone) < len(ROOMS)
    assert all(turns == truth[code] for code, turns in found.items() if code not in gone)
    assert f"rooms that are lost: {', '.join(gone)}" in caplog.text


async def test_what_is_still_in_the_log_is_saved_as_well(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Keeper(tmp_path / "data") as keeper:
        await keeper.store(*(chat(code, 1, length=900) for code in ROOMS))
    with Keeper(tmp_path / "data") as keeper:
        await keeper.store(*(chat("R20", number) for number in range(2, 5)), chat("NEW", 1))
        copy = pull_the_plug(tmp_path / "data", tmp_path / "copy")
    data = bytearray((copy / JOURNAL).read_bytes())
    data[8 * PAGE : 9 * PAGE] = bytes(PAGE)
    (copy / JOURNAL).write_bytes(data)
    found = contents(copy)
    assert "the journal was damaged" in caplog.text
    assert 0 < len(lost(found)) <= 4
    assert [len(turns) for turns in (found["R20"], found["NEW"]) if isinstance(turns, list)] == [
        4,
        1,
    ]


def test_a_damaged_clock_is_set_by_the_turns(directory: Path, truth: dict[str, object]) -> None:
    change(directory, "UPDATE server SET at = 1e300")
    journal = open_journal(directory)
    assert journal.clock == TURNS
    journal.close()
    assert contents(directory) == truth


def test_mending_that_was_cut_short_is_done_again(
    directory: Path, truth: dict[str, object]
) -> None:
    change(directory, "UPDATE server SET at = 1e300")
    (directory / f"new-{JOURNAL}").write_bytes(b"half")
    (directory / f"new-{JOURNAL}-wal").write_bytes(b"half")
    assert contents(directory) == truth
    assert not list(directory.glob("new-*"))


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    changed[chance.randrange(len(data))] ^= 0x10
    return bytes(changed)


@pytest.mark.parametrize("damage", [cut, flip])
async def test_a_half_written_log_leaves_every_room_as_it_once_was(
    tmp_path: Path, damage: Callable[[bytes, random.Random], bytes]
) -> None:
    chance = random.Random(5)
    with Keeper(tmp_path / "data") as keeper:
        for number in range(1, 9):
            await keeper.store(*(chat(code, number) for code in ROOMS[:6]))
        for attempt in range(12):
            copy = pull_the_plug(tmp_path / "data", tmp_path / str(attempt))
            log = copy / f"{JOURNAL}-wal"
            log.write_bytes(damage(log.read_bytes(), chance))
            for code, turns in contents(copy).items():
                assert isinstance(turns, list)
                expected = [chat(code, number).facts for number in range(1, len(turns) + 1)]
                assert [list(turn.facts) for turn in turns] == expected


async def test_what_a_lost_room_has_left_is_not_in_the_way_of_a_new_one(directory: Path) -> None:
    change(directory, "DELETE FROM rooms WHERE code = 'R03'")
    with Keeper(directory) as keeper:
        assert "R03" not in keeper.journal.codes
        await keeper.store(chat("R03", 1))
        assert len(keeper.journal.read("R03")) == 1
        assert keeper.stalls == []


# Records


async def test_records_are_kept_for_as_long_as_is_set(directory: Path) -> None:
    for days, others, left in ((30, "-29 days", 2), (30, "-31 days", 1), (0, "-9999 days", 2)):
        change(
            directory,
            "DELETE FROM records WHERE game <> 'c3aa7655c5918dc4'",
            "INSERT INTO records VALUES"
            f" (NULL, strftime('%Y-%m-%d %H:%M:%S+00:00', 'now', '{others}'), 'old', 'OAK', '')",
        )
        journal = open_journal(directory, keep_days=days)
        journal.start(lambda _: None)
        # What is stored together with this comes after the first look for old ones.
        done = asyncio.Event()
        journal.append(chat("ELM", 1), done.set)
        await done.wait()
        journal.close()
        with closing(sqlite3.connect(directory / JOURNAL)) as database:
            assert database.execute("SELECT count(*) FROM records").fetchone() == (left,)
