"""`sequoia-server records`: what a host sees of finished games, and what a file gets."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sequoia_rules.record import read_record
from sequoia_server.cli import main
from sequoia_server.journal import Batch

from tests.kit import ROOT
from tests.server.journals import SMALL_GAME, Acknowledger, Keeper, small_game
from tests.server.test_data_dir import change

GAME = small_game().game_id
OTHER = "0123456789abcdef"


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    """A directory in which two rooms have played a game each."""
    game = small_game()
    with Keeper(tmp_path / "data") as keeper:
        await keeper.store(
            Batch("MOSS", 1.0, record=game, closes=True),
            Batch("FERN", 2.0, record=replace(game, game_id=OTHER), closes=True),
        )
    return tmp_path / "data"


class Said:
    """What the command printed in this process, and its status."""

    def __init__(self, capsys: pytest.CaptureFixture[str], directory: Path, *words: str) -> None:
        self.status = main(["records", *words, "--data", str(directory)])
        self.out, self.err = capsys.readouterr()


def test_the_list_tells_when_where_who_and_with_how_many_points(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Said(capsys, directory)
    assert (said.status, said.err) == (0, "")
    fern, moss = sorted(said.out.splitlines(), key=lambda line: "MOSS" in line)
    assert f"UTC  FERN      {OTHER}  Player 0 " in fern
    assert f"UTC  MOSS      {GAME}  Player 0 " in moss
    points = dict(small_game().events[-1].points)  # type: ignore[union-attr]
    assert moss.endswith(f"Player 0 {points[0]}, Player 2 {points[2]}")


@pytest.mark.parametrize("name", ["MOSS", "moss", GAME, GAME.upper()])
def test_a_rooms_record_comes_as_it_was_written(
    directory: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    said = Said(capsys, directory, name)
    assert (said.status, said.out, said.err) == (0, SMALL_GAME, "")
    assert read_record(said.out) == small_game()


def test_what_is_deleted_is_gone_and_the_rest_stays(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Said(capsys, directory, "MOSS", "--delete").out == "1 deleted.\n"
    assert Said(capsys, directory, "MOSS").err == "sequoia-server: There is no such record.\n"
    assert Said(capsys, directory, "MOSS", "--delete").out == "0 deleted.\n"
    assert Said(capsys, directory, "FERN").status == 0
    assert Said(capsys, directory, "--delete").out == "1 deleted.\n"
    said = Said(capsys, directory)
    assert (said.status, said.out) == (1, "")
    assert said.err == "sequoia-server: There is no record yet.\n"


def test_looking_for_records_makes_no_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for directory in (tmp_path / "none", tmp_path):
        said = Said(capsys, directory)
        assert (said.status, said.out) == (1, "")
        assert said.err == f"sequoia-server: No server has kept anything in {directory}.\n"
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "journal.sqlite3").write_text("Dear Bo, " * 1000, encoding="utf-8")
    said = Said(capsys, tmp_path)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith(f"sequoia-server: {tmp_path / 'journal.sqlite3'} cannot be read: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("room", [(), ("MOSS",)])
def test_nothing_but_text_reaches_the_terminal(
    directory: Path, capsys: pytest.CaptureFixture[str], room: tuple[str, ...]
) -> None:
    # Whoever has changed the file itself.
    change(directory, "UPDATE records SET text = char(27) || '[2J' || text || char(8238)")
    change(directory, "UPDATE records SET game = game || char(7)")
    said = Said(capsys, directory, *room)
    assert said.status == 0
    assert said.out.replace("\n", "").isprintable()
    assert ("cannot be read" in said.out) == (not room)


def test_a_name_that_hides_an_escape_in_quotes_stays_harmless(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(directory, "UPDATE records SET text = replace(text, 'Player 0', '\\u001b[31m')")
    said = Said(capsys, directory)
    assert said.out.replace("\n", "").isprintable()


def test_it_works_while_a_server_has_the_directory(directory: Path) -> None:
    server = Acknowledger(directory, 10**9)
    try:
        assert server.line() == "ready\n"
        arguments = [sys.executable, "-m", "sequoia_server", "records", "--data", str(directory)]

        def run(*words: str) -> str:
            done = subprocess.run(
                [*arguments, *words],
                cwd=ROOT, capture_output=True, text=True, timeout=20, check=True,
            )  # fmt: skip
            return done.stdout

        assert len(run().splitlines()) == 2
        assert run("MOSS") == SMALL_GAME
        assert run("MOSS", "--delete") == "1 deleted.\n"
        assert len(run().splitlines()) == 1
        # The server has gone on all the time.
        assert server.line().startswith("ack ")
        assert server.process.poll() is None
    finally:
        server.kill()


@pytest.mark.skipif(os.name != "posix", reason="pipes as Unix has them")
def test_a_reader_that_has_seen_enough_is_no_error(directory: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "sequoia_server", "records", "MOSS", "--data", str(directory)],
            cwd=ROOT, stdout=write, stderr=subprocess.PIPE, timeout=20, check=False,
        )  # fmt: skip
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
