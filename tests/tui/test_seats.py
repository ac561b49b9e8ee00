"""Seats on disk: who may read them, what is offered, and what two windows do to each other."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sequoia_tui.listener import SeatKey
from sequoia_tui.seats import KEPT_FOR, KeptSeat, SeatKeeper, Seats, Where
from tests.kit import ROOT
from tests.tui.people import mode_of

KEY = "a-very-secret-key"
LATER = "another-secret-key"


def keeper(seats: Seats, host: str = "oak.local") -> SeatKeeper:
    return SeatKeeper(seats, Where.SERVER, host)


def kept_by_another_start(directory: Path, code: str = "K7MQ", *, host: str = "oak.local") -> None:
    """Keep a seat, as a program does that has ended since."""
    gone = keeper(Seats(directory), host)
    assert gone.keep(SeatKey(code, 2, KEY), "Ana")
    gone.release()


def test_a_seat_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    kept_by_another_start(tmp_path / "seats")
    (kept,) = Seats(tmp_path / "seats").offered()
    assert (kept.where, kept.host, kept.name) == (Where.SERVER, "oak.local", "Ana")
    assert kept.seat == SeatKey("K7MQ", 2, KEY)
    assert kept.told == "room K7MQ at oak.local"


def test_only_this_user_can_read_it(tmp_path: Path) -> None:
    directory = tmp_path / "seats"
    directory.mkdir(mode=0o755)
    kept_by_another_start(directory)
    assert mode_of(directory) == 0o700
    assert [mode_of(path) for path in directory.iterdir()] == [0o600] * 2


def test_no_repr_and_no_file_name_shows_what_is_secret(tmp_path: Path) -> None:
    kept = KeptSeat(Where.SERVER, "oak.local", "Ana", SeatKey("K7MQ", 2, KEY))
    assert KEY not in repr(kept)
    kept_by_another_start(tmp_path)
    for path in tmp_path.iterdir():
        assert KEY not in path.name
        assert "K7MQ" not in path.name


def test_a_new_key_replaces_the_old_one_whole(tmp_path: Path) -> None:
    seats = Seats(tmp_path)
    ana = keeper(seats)
    assert ana.keep(SeatKey("K7MQ", 2, KEY), "Ana")
    assert ana.keep(SeatKey("K7MQ", 2, LATER), "Ana")
    ana.release()
    (kept,) = seats.offered()
    assert kept.seat.key == LATER
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".lock"]


def test_a_key_that_cannot_be_written_leaves_the_old_one_and_says_so(tmp_path: Path) -> None:
    seats = Seats(tmp_path)
    ana = keeper(seats)
    assert ana.keep(SeatKey("K7MQ", 2, KEY), "Ana")
    # What is to become the new file cannot even be made: there is a directory in its way.
    (path,) = tmp_path.glob("*.json")
    path.with_suffix(".new").mkdir()
    assert not ana.keep(SeatKey("K7MQ", 2, LATER), "Ana")
    ana.release()
    (kept,) = seats.offered()
    assert kept.seat.key == KEY


def test_where_nothing_can_be_kept_the_game_goes_on_without(tmp_path: Path) -> None:
    (tmp_path / "seats").write_text("a file is in the way")
    ana = keeper(Seats(tmp_path / "seats"))
    assert ana.keep(SeatKey("K7MQ", 2, KEY), "Ana")
    assert ana.keep(SeatKey("K7MQ", 2, LATER), "Ana")
    assert not ana.keeps
    assert Seats(tmp_path / "seats").offered() == []


def test_what_is_dropped_is_gone_without_a_trace(tmp_path: Path) -> None:
    ana = keeper(Seats(tmp_path))
    assert ana.keep(SeatKey("K7MQ", 2, KEY), "Ana")
    ana.drop()
    assert list(tmp_path.iterdir()) == []


def test_a_seat_in_another_room_takes_the_place_of_none(tmp_path: Path) -> None:
    seats = Seats(tmp_path)
    ana = keeper(seats)
    assert ana.keep(SeatKey("K7MQ", 2, KEY), "Ana")
    assert ana.keep(SeatKey("ABCD", 1, LATER), "Ana")
    # The first one is free for another window, the second one is in use.
    assert [kept.seat.code for kept in seats.offered()] == ["K7MQ"]
    ana.release()
    assert [kept.seat.code for kept in seats.offered()] == ["ABCD", "K7MQ"]


def test_what_is_in_use_is_neither_offered_nor_taken(tmp_path: Path) -> None:
    seats = Seats(tmp_path)
    kept_by_another_start(tmp_path)
    (kept,) = seats.offered()
    first, second = keeper(seats), keeper(seats)
    assert first.take(kept) is not None
    assert seats.offered() == []
    assert second.take(kept) is None
    first.release()
    assert second.take(kept) is not None


def test_a_seat_is_taken_with_the_key_that_is_there_now(tmp_path: Path) -> None:
    seats = Seats(tmp_path)
    kept_by_another_start(tmp_path)
    (seen_long_ago,) = seats.offered()
    first = keeper(seats)
    assert first.take(seen_long_ago) is not None
    assert first.keep(SeatKey("K7MQ", 2, LATER), "Ana")
    first.release()
    second = keeper(seats)
    now = second.take(seen_long_ago)
    assert now is not None
    assert now.seat.key == LATER
    second.drop()
    assert keeper(seats).take(seen_long_ago) is None


HOLDER = """
import sys
from pathlib import Path
from sequoia_tui.listener import SeatKey
from sequoia_tui.seats import SeatKeeper, Seats, Where
keeper = SeatKeeper(Seats(Path(sys.argv[1])), Where.SERVER, "oak.local")
print(keeper.keep(SeatKey("K7MQ", 2, "a-very-secret-key"), "Ana"), flush=True)
sys.stdin.read()
"""


def test_the_seat_of_a_program_that_was_killed_is_free(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert Seats(tmp_path).offered() == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert [kept.seat.key for kept in Seats(tmp_path).offered()] == [KEY]


def changed(path: Path, **fields: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_after_a_week_a_seat_is_forgotten(tmp_path: Path) -> None:
    kept_by_another_start(tmp_path)
    (path,) = tmp_path.glob("*.json")
    changed(path, saved=time.time() - KEPT_FOR + 60)
    assert len(Seats(tmp_path).offered()) == 1
    changed(path, saved=time.time() - KEPT_FOR - 60)
    assert Seats(tmp_path).offered() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 3000,
        "x" * 5000,
        '{"where": "server"}',
        "\ud800",
    ],
    ids=["empty", "half", "list", "null", "deep", "long", "little", "no text"],
)
def test_what_cannot_be_understood_is_passed_over(tmp_path: Path, text: str) -> None:
    kept_by_another_start(tmp_path, "K7MQ")
    (path,) = tmp_path.glob("*.json")
    kept_by_another_start(tmp_path, "ABCD")
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / "directory.json").mkdir()
    assert [kept.seat.code for kept in Seats(tmp_path).offered()] == ["ABCD"]


@pytest.mark.parametrize(
    "odd",
    [
        {"where": "moon"},
        {"host": "oak/local"},
        {"host": "elsewhere.local"},
        {"name": "\x1b[2J"},
        {"name": 7},
        {"code": "../.."},
        {"key": "short"},
        {"key": "\u00e9" * 20},
        {"person": "2"},
        {"person": True},
        {"person": -1},
        {"saved": None},
    ],
    ids=str,
)
def test_a_seat_with_anything_odd_is_passed_over(tmp_path: Path, odd: dict[str, object]) -> None:
    kept_by_another_start(tmp_path)
    (path,) = tmp_path.glob("*.json")
    changed(path, **odd)
    assert Seats(tmp_path).offered() == []
