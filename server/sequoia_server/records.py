"""The command `sequoia-server records`: the finished games that a server keeps."""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sequoia_rules.events import Ended
from sequoia_rules.notation import UNSAFE
from sequoia_rules.record import RecordError, read_record

from sequoia_server.data_dir import JOURNAL, default_directory
from sequoia_server.schema import BUSY


def main(arguments: Sequence[str]) -> int:
    """List, print or delete records; give the status to exit with."""
    options = _parser().parse_args(arguments)
    path: Path = (options.data or default_directory()) / JOURNAL
    try:
        # Looking for something must not make it.
        if not path.is_file():
            return _complain(f"No server has kept anything in {path.parent}.")
        # Even to read, SQLite has to write beside a database with a write-ahead log.
        address = f"{path.resolve().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, timeout=BUSY, uri=True)) as database:
            status = _run(database, options.room, delete=options.delete)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read this has seen enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _complain(f"{path} cannot be read: {error.strerror}.")
    except sqlite3.Error as error:
        return _complain(f"{path} cannot be read: {error}.")
    return status


def _run(database: sqlite3.Connection, room: str | None, *, delete: bool) -> int:
    where = ""
    wanted: tuple[str, ...] = ()
    if room is not None:
        where, wanted = " WHERE room = ? OR game = ?", (room.upper(), room.lower())
    if delete:
        with database:
            deleted = database.execute(f"DELETE FROM records{where}", wanted).rowcount
        print(f"{deleted} deleted.")
        return 0
    found = database.execute(
        f"SELECT room, game, ended, text FROM records{where} ORDER BY id", wanted
    ).fetchall()
    if not found:
        return _complain("There is no such record." if room else "There is no record yet.")
    for row in found:
        if room is None:
            print(_tame(_line(*row)))
        else:
            # Line by line: the ends of its lines are all that a record has besides text.
            print("\n".join(map(_tame, row[3].split("\n"))), end="")
    return 0


def _line(room: str, game: str, ended: str, text: str) -> str:
    """Show one game in a line: when it ended, where, which, and who had how many points."""
    start = f"{ended[:16]} UTC  {room:8}  {game}"
    try:
        record = read_record(text)
    except RecordError as error:
        return f"{start}  cannot be read: {error}"
    last = record.events[-1]
    points = dict(last.points) if isinstance(last, Ended) else {}
    scores = (f"{player.name} {points.get(player.seat, '?')}" for player in record.players)
    return f"{start}  {', '.join(scores)}"


def _tame(text: str) -> str:
    """Take out what would not be text on a terminal, whoever put it there."""
    return UNSAFE.sub("?", text)


def _complain(sentence: str) -> int:
    print(f"sequoia-server: {sentence}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sequoia-server records",
        description="List the finished games that a server keeps, or print those of one room.",
    )
    parser.add_argument(
        "room",
        nargs="?",
        metavar="ROOM",
        help="print the records of the room with this code, or of the game with this id",
    )
    parser.add_argument(
        "--delete",
        action="store_true",
        help="delete them instead: those of ROOM, or without ROOM all",
    )
    parser.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help=f"the server's data directory (default: {default_directory()})",
    )
    return parser
