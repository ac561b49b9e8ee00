"""What can be saved of a damaged journal: all but the rooms that the damage has met."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sequoia_server.journal import DamagedRoom
from sequoia_server.raw_pages import PAGE, rows_in
from sequoia_server.schema import (
    RoomRow,
    ServerRow,
    TurnRow,
    check_turns,
    connect,
    migrate,
    read_server,
    turn_checksum,
)

_TABLES: Final = ("rooms", "turns", "records", "server")

_PAGES: Final = slice(28, 32)
"""Where the first page tells how many there are."""

_log = logging.getLogger(__name__)


def salvage(path: Path) -> None:
    """Replace a damaged journal by a new one with all that can be read, and keep a copy of it.

    The code of a room that has lost something stays taken. May be killed at any moment, and
    done again.

    Raises:
        OSError, sqlite3.Error: there is no space for two more journals, or nothing can be written.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"damaged-{stamp}-{path.name}")
    for suffix in ("", "-wal"):
        part = _beside(path, suffix)
        if part.exists() and part.stat().st_size:
            touch_private(_beside(aside, suffix))
            shutil.copyfile(part, _beside(aside, suffix))
    fresh = path.with_name(f"new-{path.name}")
    for suffix in ("", "-wal", "-shm"):
        _beside(fresh, suffix).unlink(missing_ok=True)
    touch_private(fresh)
    with closing(connect(fresh)) as new:
        migrate(new)
    _mend_first_page(path, fresh)
    with closing(connect(path, is_damaged=True)) as old, closing(connect(fresh)) as new:
        new.execute("BEGIN")
        lost, is_complete = _copy(old, _read_turns(path.read_bytes()), new)
        new.execute("COMMIT")
    # Closing has brought the log into the database; where that failed it must not stay either.
    for suffix in ("-wal", "-shm"):
        _beside(path, suffix).unlink(missing_ok=True)
    fresh.replace(path)
    _log.error("the journal was damaged: what could be read is in use, all of it is in %s", aside)
    if lost:
        _log.error("rooms that are lost: %s", ", ".join(lost))
    if not is_complete:
        _log.error("there may have been more rooms or records, which cannot even be named")


def _mend_first_page(path: Path, fresh: Path) -> None:
    """Make the tables known again, if the page that lists them is damaged.

    It says of every journal the same, since all have been made in the same way.
    """
    try:
        with closing(connect(path, is_damaged=True)) as old:
            for table in _TABLES:
                old.execute(f"SELECT 1 FROM {table} WHERE 0")
            return
    except sqlite3.DatabaseError:
        pass
    page = bytearray(fresh.read_bytes()[:PAGE])
    page[_PAGES] = (path.stat().st_size // PAGE).to_bytes(4, "big")
    with path.open("r+b") as file:
        file.write(page)


def touch_private(path: Path) -> None:
    """Make a file, if it is not there, and let nobody but this user read it.

    Raises:
        OSError: that is not possible.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.close(file)
    path.chmod(0o600)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _copy(
    old: sqlite3.Connection, turns: dict[int, tuple[str, TurnRow]], new: sqlite3.Connection
) -> tuple[list[str], bool]:
    """Copy what is whole; give the codes of lost rooms, and whether every table could be read."""
    records, has_all_records = _read(old, "id, ended, game, room, text", "records", "id")
    new.executemany("INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?)", records)
    found, has_all_rooms = _read(old, "code, id, first, last", "rooms", "code")
    lost: list[str] = []
    rooms: dict[str, RoomRow] = {}
    for code, *row in found:
        try:
            room = RoomRow.read(row)
        except DamagedRoom:
            lost.append(code)
            continue
        # What a turn says of its room has a check sum.
        known = turns.get(room.key(room.last))
        rooms[known[0] if known else code] = room
    if not has_all_rooms and _is_sound(old, "turns"):
        # In a sound table no turn is missing: it tells as well which rooms there were.
        ids = {room.id for room in rooms.values()}
        for (key,) in old.execute("SELECT key FROM turns ORDER BY key"):
            room = RoomRow.of(key)
            if room.id not in ids and key in turns:
                first = rooms.setdefault(turns[key][0], room).first
                rooms[turns[key][0]] = room._replace(first=first)
    at, rooms_made = 0.0, max((RoomRow.of(key).id for key in turns), default=0)
    with suppress(sqlite3.DatabaseError):
        server = read_server(old) or ServerRow(at, 0)
        at, rooms_made = server.at, max(server.rooms, rooms_made)
    for code, room in rooms.items():
        keys = range(room.key(room.first), room.key(room.last) + 1)
        rows = [turns[key][1] for key in keys if key in turns]
        try:
            at = max(at, *(turn.at for turn in check_turns(code, room, rows)))
        except DamagedRoom:
            lost.append(code)
            continue
        new.execute("INSERT INTO rooms VALUES (?, ?, ?, ?)", (code, *room))
        new.executemany(
            "INSERT INTO turns VALUES (?, ?, ?, ?, ?)",
            [(key, code, *others) for key, *others in rows],
        )
    # Nobody may take the code of a room for which somebody may still come.
    new.executemany("INSERT OR IGNORE INTO rooms VALUES (?, 0, 0, 0)", [(code,) for code in lost])
    server = ServerRow(at, rooms_made)
    new.execute("INSERT INTO server VALUES (?, ?, ?)", (*server, server.checksum))
    return sorted(lost), has_all_records and has_all_rooms


def _read_turns(data: bytes) -> dict[int, tuple[str, TurnRow]]:
    """Give every turn in a file that is as it was written, with its room, by its key.

    Deleted ones are among them. Since no key is used twice, none of them is wrong.
    """
    turns: dict[int, tuple[str, TurnRow]] = {}
    for key, columns in rows_in(data):
        match columns:
            case [None, bytes(room), int() | float() as at, bytes(facts), int(check)]:
                # A whole number of seconds is stored as an integer.
                code, at = room.decode(errors="replace"), float(at)
                if check == turn_checksum(code, key, at, facts):
                    turns[key] = code, (key, at, facts, check)
            case _:
                pass
    return turns


def _is_sound(database: sqlite3.Connection, table: str) -> bool:
    try:
        verdict: list[tuple[str]] = database.execute(f"PRAGMA quick_check({table})").fetchall()
    except sqlite3.DatabaseError:
        return False
    return verdict == [("ok",)]


def _read(
    database: sqlite3.Connection, what: str, table: str, key: str
) -> tuple[list[tuple[Any, ...]], bool]:
    """Read a table from both ends up to the damage; tell whether there was none."""
    rows: dict[tuple[Any, ...], None] = {}
    for direction in ("ASC", "DESC"):
        try:
            # One by one, since what came before the damage is to be kept.
            for row in database.execute(f"SELECT {what} FROM {table} ORDER BY {key} {direction}"):
                rows[row] = None
        except sqlite3.DatabaseError:
            continue
        return list(rows), True
    return list(rows), False
