"""The data directory of a server: its lock, and its journal, opened, migrated, and mended."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import platformdirs

from sequoia_server.salvage import salvage, touch_private
from sequoia_server.schema import WrongSchema, connect, migrate, read_server
from sequoia_server.sqlite_journal import SqliteJournal

JOURNAL: Final = "journal.sqlite3"
"""The journal's file in a data directory."""

KEEP_DAYS: Final = 90
"""For how many days the records of finished games are kept unless told otherwise."""

_LOCK: Final = "lock"


class CannotOpen(Exception):
    """The data directory cannot be used; the text is a sentence that says why."""


def default_directory() -> Path:
    """Tell where a server keeps its data unless told otherwise."""
    return platformdirs.user_data_path("sequoia-server", appauthor=False)


def open_journal(
    directory: Path, *, keep_days: int = KEEP_DAYS, max_pages: int | None = None
) -> SqliteJournal:
    """Open the journal of a data directory, and keep every other server out until it is closed.

    What is not there is made, for this user alone. A damaged journal is mended as far as it can
    be, and the log tells what is lost. Records are kept for ``keep_days``, for ever if that is 0.
    ``max_pages`` limits the size of the database, in pages of 4 KiB: past it, it is as if the
    disk were full.

    Raises:
        CannotOpen: another server has the directory, it cannot be written, or the journal in it
            cannot be used.
    """
    path = directory / JOURNAL
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        release = _lock(directory)
    except (FileExistsError, NotADirectoryError):
        raise CannotOpen(f"{directory} is not a directory: name another with --data.") from None
    except OSError as error:
        raise CannotOpen(
            f"{directory} cannot hold the server's data ({error.strerror}): name another"
            " directory with --data."
        ) from None
    try:
        # SQLite gives the files beside it the same rights.
        touch_private(path)
        _prepare(path)
        return SqliteJournal(path, keep_days=keep_days, max_pages=max_pages, release=release)
    except OSError as error:
        release()
        raise CannotOpen(f"{path} cannot be opened: {error.strerror}.") from None
    except sqlite3.Error as error:
        release()
        if "not a database" in str(error):
            raise CannotOpen(f"{path} is no journal: put it aside and start again.") from None
        raise CannotOpen(f"{path} cannot be opened: {error}.") from None
    except WrongSchema as error:
        release()
        raise CannotOpen(f"{path} cannot be used: {error}.") from None


def _prepare(path: Path) -> None:
    """Bring the journal to today's tables, and save what can be saved of a damaged one."""
    try:
        with closing(connect(path)) as database:
            migrate(database)
            (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if verdict == "ok" and read_server(database) is not None:
                return
    except sqlite3.DatabaseError as error:
        if "malformed" not in str(error):
            raise
    salvage(path)


if sys.platform == "win32":
    import msvcrt

    def _grab(file: int) -> None:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None

else:
    import fcntl

    def _grab(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock(directory: Path) -> Callable[[], None]:
    """Take the directory for this process; the system gives it back even if we are killed."""
    file = os.fdopen(os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        _grab(file.fileno())
    except BlockingIOError:
        file.close()
        raise CannotOpen(
            f"Another sequoia-server uses {directory}: stop that one, or give this one a directory"
            " of its own with --data."
        ) from None
    except OSError:
        file.close()
        raise
    return file.close
