"""The journal on disk: SQLite with a write-ahead log, committed in groups on a thread of its own.

The event loop only queues; the writer takes whatever is queued, writes it in one transaction and
commits (WAL and synchronous=FULL: the commit returns after its fsync), and only then lets the
loop call everybody back who waited for it, in order.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from sequoia_rules.record import write_record

from sequoia_server.facts import StoredTurn, encode_facts
from sequoia_server.journal import Batch, DamagedRoom
from sequoia_server.schema import (
    RoomRow,
    ServerRow,
    check_turns,
    connect,
    read_server,
    read_turns,
    turn_checksum,
)
from sequoia_server.traces import trace

RETRY: Final = 0.5
"""Seconds between two tries while the disk takes nothing."""

PATIENCE: Final = 2.0
"""Seconds that closing waits for a disk that takes nothing."""

PURGE_EVERY: Final = 24 * 3600.0
"""Seconds after which records that are too old are looked for again."""

_log = logging.getLogger(__name__)


class _Job(NamedTuple):
    batch: Batch | None
    on_durable: Callable[[], None]


class _Group(NamedTuple):
    """What is stored in one transaction: jobs, the server's clock, and whether to purge."""

    jobs: Sequence[_Job]
    at: float | None
    purge: bool


class SqliteJournal:
    """A journal in a database file; see :class:`~sequoia_server.journal.Journal`.

    Make one with :func:`~sequoia_server.data_dir.open_journal`, which explains the arguments.
    """

    def __init__(
        self,
        path: Path,
        *,
        keep_days: int,
        max_pages: int | None,
        release: Callable[[], None],
    ) -> None:
        self._path = path
        self._keep_days = keep_days
        self._max_pages = max_pages
        self._release = release
        self._reader = connect(path)
        self.codes: Collection[str] = tuple(
            code for (code,) in self._reader.execute("SELECT code FROM rooms")
        )
        # The writer's alone from here on, like the three below.
        self._server = read_server(self._reader) or ServerRow(0.0, 0)
        self.clock: float = self._server.at
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_stall: Callable[[bool], None] | None = None
        # Guards the three below it; never held while something is written.
        self._wakes = threading.Condition()
        self._queue: list[_Job] = []
        self._time: float | None = None
        self._ends = False
        # Callbacks that are still owed; counted on the loop's thread alone.
        self._owed = 0
        self._rooms: dict[str, RoomRow] = {}
        self._rooms_made = self._server.rooms
        self._groups = 0
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)

    def start(self, on_stall: Callable[[bool], None]) -> None:
        """Begin to write; callbacks come on the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._on_stall = on_stall
        self._thread.start()

    def read(self, code: str) -> Sequence[StoredTurn]:
        """Give all turns of a room, oldest first, from its last checkpoint on.

        Raises:
            DamagedRoom: they cannot be read.
        """
        try:
            room = _find(self._reader, code)
            if room is None:
                raise DamagedRoom("nothing is stored of it")
            return check_turns(code, room, read_turns(self._reader, room))
        except sqlite3.Error as error:
            raise DamagedRoom(f"the database says: {error}") from None

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        """Store a batch, and call back once it and all before it are durable."""
        self._put(_Job(batch, on_durable))

    def after(self, on_durable: Callable[[], None]) -> None:
        """Call back once everything so far is durable; at once if it is."""
        if self._owed == 0:
            on_durable()
        else:
            self._put(_Job(None, on_durable))

    def keep_time(self, at: float) -> None:
        """Store the server's clock."""
        with self._wakes:
            self._time = at
            self._wakes.notify()

    def close(self) -> None:
        """Store what is queued and close the database.

        A disk that takes nothing for 2 s is given up: what waits for it was never acknowledged.
        Can be called again.
        """
        with self._wakes:
            self._ends = True
            self._wakes.notify()
        stored = -1
        while self._thread.is_alive() and stored != self._groups:
            stored = self._groups
            self._thread.join(PATIENCE)
        self._reader.close()
        # A writer that hangs may still write: then nobody else may, until this process is gone.
        if not self._thread.is_alive():
            self._release()

    # On the loop's thread

    def _put(self, job: _Job) -> None:
        self._owed += 1
        with self._wakes:
            self._queue.append(job)
            self._wakes.notify()

    def _call_back(self, jobs: Sequence[_Job]) -> None:
        for job in jobs:
            self._owed -= 1
            try:
                job.on_durable()
            except Exception as error:  # noqa: BLE001  (the others have waited as well)
                _log.error("a callback of the journal failed\n%s", trace(error))

    def _stall(self, stalled: bool) -> None:
        if self._on_stall is not None:
            self._on_stall(stalled)

    # On the writer's thread

    def _run(self) -> None:
        try:
            with closing(connect(self._path)) as database:
                if self._max_pages is not None:
                    database.execute(f"PRAGMA max_page_count = {self._max_pages}")
                self._write_all(database)
        except Exception as error:  # noqa: BLE001  (whatever it was, nothing is acknowledged)
            _log.error("the journal has failed, and every table waits\n%s", trace(error))
            self._tell(self._stall, True)

    def _write_all(self, database: sqlite3.Connection) -> None:
        purge_at = time.monotonic()
        while (group := self._take(purge_at)) is not None:
            if not self._store(database, group):
                return
            if group.purge:
                purge_at = time.monotonic() + PURGE_EVERY

    def _take(self, purge_at: float) -> _Group | None:
        """Wait for something to store; None once there will be nothing more."""

        def is_something() -> bool:
            return bool(self._queue) or self._time is not None or self._ends

        with self._wakes:
            self._wakes.wait_for(is_something, max(0.0, purge_at - time.monotonic()))
            jobs, self._queue = self._queue, []
            at, self._time = self._time, None
            is_last = self._ends
        if is_last and not jobs and at is None:
            return None
        return _Group(jobs, at, time.monotonic() >= purge_at)

    def _store(self, database: sqlite3.Connection, group: _Group) -> bool:
        """Store a group, however long that takes; False if it was given up for closing."""
        stalled = False
        while True:
            try:
                self._write(database, group)
                break
            except sqlite3.Error as error:
                self._rooms.clear()
                # It may have been rolled back already, or not be possible now either.
                with suppress(sqlite3.Error):
                    database.rollback()
                if not stalled:
                    _log.error("nothing can be stored for now, and every table waits: %s", error)
                    self._tell(self._stall, True)
                    stalled = True
            with self._wakes:
                if self._wakes.wait_for(lambda: self._ends, RETRY):
                    return False
                # What has come meanwhile has waited as well.
                queue, self._queue = self._queue, []
                at, self._time = self._time, None
            group = _Group([*group.jobs, *queue], group.at if at is None else at, group.purge)
        self._groups += 1
        self._tell(self._call_back, group.jobs)
        if stalled:
            _log.warning("what waited is stored now, and every table goes on")
            self._tell(self._stall, False)
        return True

    def _write(self, database: sqlite3.Connection, group: _Group) -> None:
        """Store a group in one transaction.

        Raises:
            sqlite3.Error: nothing of it is stored.
        """
        database.execute("BEGIN IMMEDIATE")
        at = self._server.at if group.at is None else max(self._server.at, group.at)
        for job in group.jobs:
            if job.batch is not None:
                self._write_batch(database, job.batch)
                at = max(at, job.batch.at)
        server = ServerRow(at, self._rooms_made)
        if server != self._server:
            database.execute("DELETE FROM server")
            database.execute("INSERT INTO server VALUES (?, ?, ?)", (*server, server.checksum))
        if group.purge and self._keep_days:
            limit = _iso(datetime.now(UTC) - timedelta(days=self._keep_days))
            database.execute("DELETE FROM records WHERE ended < ?", (limit,))
        database.execute("COMMIT")
        self._server = server

    def _write_batch(self, database: sqlite3.Connection, batch: Batch) -> None:
        code = batch.code
        room = self._rooms.get(code) or _find(database, code)
        if room is None:
            self._rooms_made += 1
            room = RoomRow(self._rooms_made, 1, 0)
        if batch.replaces or batch.closes:
            database.execute(
                "DELETE FROM turns WHERE key BETWEEN ? AND ?",
                (room.key(room.first), room.key(room.last)),
            )
            room = room._replace(first=room.last + 1)
        if batch.closes:
            database.execute("DELETE FROM rooms WHERE code = ?", (code,))
            self._rooms.pop(code, None)
        elif batch.facts:
            room = room._replace(last=room.last + 1)
            key, facts = room.key(room.last), encode_facts(batch.facts)
            check = turn_checksum(code, key, batch.at, facts)
            database.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?)", (key, code, batch.at, facts, check)
            )
            database.execute("INSERT OR REPLACE INTO rooms VALUES (?, ?, ?, ?)", (code, *room))
            self._rooms[code] = room
        if batch.record is not None:
            database.execute(
                "INSERT INTO records (ended, game, room, text) VALUES (?, ?, ?, ?)",
                (
                    _iso(datetime.now(UTC)),
                    batch.record.game_id,
                    code,
                    write_record(batch.record),
                ),
            )

    def _tell(self, callback: Callable[..., None], argument: object) -> None:
        if self._loop is not None:
            # The loop may be gone before what it still waited for is stored.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(callback, argument)


def _find(database: sqlite3.Connection, code: str) -> RoomRow | None:
    row = database.execute("SELECT id, first, last FROM rooms WHERE code = ?", (code,)).fetchone()
    return None if row is None else RoomRow.read(row)


def _iso(moment: datetime) -> str:
    return moment.isoformat(" ", "seconds")
