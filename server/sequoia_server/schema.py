"""The journal's tables: how they are opened, made, brought up to date, and their rows checked."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from sequoia_server.facts import BadFacts, StoredTurn, decode_facts
from sequoia_server.journal import DamagedRoom
from sequoia_server.raw_pages import PAGE

APPLICATION_ID: Final = 0x53455155
"""Marks a SQLite file as a journal of ours: the letters SEQU."""

BUSY: Final = 5.0
"""Seconds for which somebody else, as who deletes records, may hold the database."""

MIGRATIONS: Final[Sequence[str]] = (
    # A turn's key is its room's id and its own number in one, so that the turns of a room stand
    # together and no key is ever used twice. `first` and `last` show when turns at a room's ends
    # are missing, the check sums what the disk has changed. `server` has one row.
    """
    CREATE TABLE rooms (
        code TEXT PRIMARY KEY NOT NULL,
        id INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE turns (
        key INTEGER PRIMARY KEY,
        room TEXT NOT NULL,
        at REAL NOT NULL,
        facts BLOB NOT NULL,
        checksum INTEGER NOT NULL
    );
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        ended TEXT NOT NULL,
        game TEXT NOT NULL,
        room TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE server (
        at REAL NOT NULL,
        rooms INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    );
    """,
)
"""Scripts, each of which leads from the version of its index to the next."""

_NUMBER_BITS: Final = 24

TurnRow: TypeAlias = tuple[object, object, object, object]
"""``key, at, facts, checksum`` as read, which after damage may be anything."""


class RoomRow(NamedTuple):
    """A room's id, and the numbers of the first and the last of its turns."""

    id: int
    first: int
    last: int

    @classmethod
    def read(cls, row: Sequence[object]) -> RoomRow:
        """Take a row as it was read, which after damage may be anything.

        Raises:
            DamagedRoom: it is no row of a room.
        """
        match row:
            case [int(room), int(first), int(last)] if (
                0 < room < 1 << 63 - _NUMBER_BITS and 0 < first <= last < 1 << _NUMBER_BITS
            ):
                return cls(room, first, last)
            case _:
                raise DamagedRoom("its entry is not as it was written")

    @classmethod
    def of(cls, key: int) -> RoomRow:
        """Give the room of a single turn by that turn's key."""
        number = key & (1 << _NUMBER_BITS) - 1
        return cls(key >> _NUMBER_BITS, number, number)

    def key(self, number: int) -> int:
        """Give the key of a turn."""
        return self.id << _NUMBER_BITS | number


class ServerRow(NamedTuple):
    """Where the server's clock stood (s), and how many rooms there have been."""

    at: float
    rooms: int

    @property
    def checksum(self) -> int:
        """The check sum with which it is stored."""
        return zlib.crc32(f"{self.at!r} {self.rooms}".encode())


class WrongSchema(Exception):
    """The file is no journal, or one that this version cannot use; the text says which."""


def connect(path: Path, *, is_damaged: bool = False) -> sqlite3.Connection:
    """Open a database so that a commit returns only after its fsync; it may not be ours yet.

    Of a damaged one that is read which can be read.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    database = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
    # The error about a damaged text would hold the text, and what stands here is secret.
    database.text_factory = lambda data: data.decode(errors="replace")
    if is_damaged:
        # Then SQLite minds neither a file that is too short nor a damaged table of its tables.
        database.execute("PRAGMA writable_schema = ON")
    database.execute("PRAGMA synchronous = FULL")
    # Elsewhere it is so by itself; macOS leaves data in the disk's own cache unless asked.
    database.execute("PRAGMA fullfsync = ON")
    return database


def migrate(database: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Bring a journal to today's tables, step by step, each of them wholly or not at all.

    Nothing is changed in a file that is refused.

    Raises:
        WrongSchema: it is another program's file, a newer version's, or on an unfit file system.
        sqlite3.Error: the file cannot be read or written.
    """
    version = _pragma(database, "user_version")
    application = _pragma(database, "application_id")
    (things,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or things):
        raise WrongSchema("it belongs to another program: give the server another directory")
    if version > len(migrations):
        raise WrongSchema(
            f"a newer sequoia-server has written it (format {version}, this one knows format"
            f" {len(migrations)}): start that version, or give this one another directory"
        )
    database.execute(f"PRAGMA page_size = {PAGE}")
    if database.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
        raise WrongSchema("its file system cannot share memory: use a directory on a local disk")
    for number in range(version, len(migrations)):
        try:
            database.executescript(
                f"BEGIN IMMEDIATE; {migrations[number]};"
                f"PRAGMA application_id = {APPLICATION_ID};"
                f"PRAGMA user_version = {number + 1}; COMMIT;"
            )
        except sqlite3.Error:
            if database.in_transaction:
                database.rollback()
            raise


def turn_checksum(code: str, key: int, at: float, facts: bytes) -> int:
    """Give the check sum with which a room's turn is stored."""
    return zlib.crc32(facts, zlib.crc32(f"{code} {key} {at!r}".encode()))


def read_server(database: sqlite3.Connection) -> ServerRow | None:
    """Give what is stored of the server itself, zeros in a new journal, None if it is damaged.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    rows = database.execute("SELECT at, rooms, checksum FROM server").fetchall()
    if not rows:
        return ServerRow(0.0, 0)
    at, count, stored = rows[0]
    server = ServerRow(at, count)
    return server if len(rows) == 1 and stored == server.checksum else None


def read_turns(database: sqlite3.Connection, room: RoomRow) -> list[TurnRow]:
    """Give a room's turns as they are stored, oldest first.

    Raises:
        sqlite3.Error: they cannot be read.
    """
    return database.execute(
        "SELECT key, at, facts, checksum FROM turns WHERE key BETWEEN ? AND ? ORDER BY key",
        (room.key(room.first), room.key(room.last)),
    ).fetchall()


def check_turns(code: str, room: RoomRow, rows: Iterable[TurnRow]) -> list[StoredTurn]:
    """Give what a room's turns hold if they are all there and as they were written.

    Raises:
        DamagedRoom: they are not.
    """
    turns: list[StoredTurn] = []
    number = room.first
    for key, at, facts, stored in rows:
        if key != room.key(number):
            raise DamagedRoom(f"turn {number} is missing")
        if not (
            isinstance(at, float)
            and isinstance(facts, bytes)
            and stored == turn_checksum(code, room.key(number), at, facts)
        ):
            raise DamagedRoom(f"turn {number} is not as it was written")
        try:
            turns.append(StoredTurn(at, decode_facts(facts)))
        except BadFacts as error:
            raise DamagedRoom(f"turn {number}: {error}") from None
        number += 1
    if number <= room.last:
        raise DamagedRoom(f"turn {number} is missing")
    if not turns:
        raise DamagedRoom("its turns are missing")
    return turns


def _pragma(database: sqlite3.Connection, name: str) -> int:
    value: int = database.execute(f"PRAGMA {name}").fetchone()[0]
    return value
