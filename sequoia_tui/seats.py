"""The seats to come back to, kept on disk from one start of the program to the next.

One small file for each seat, for this user alone; a seat that a running program uses is locked,
so that a second window neither offers nor takes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sequoia_protocol.text import BadText, clean_name

from sequoia_tui.address import BadAddress, parse_address
from sequoia_tui.listener import SeatKey

KEPT_FOR: Final = 7 * 24 * 3600.0
"""Seconds after which a seat that nobody has come back to is forgotten."""

_LONGEST_FILE: Final = 4096


class Where(StrEnum):
    """What kind of server a seat is at."""

    SERVER = "server"
    """One that was gone to by its address."""
    TABLE = "table"
    """The one inside this program, open to friends."""
    SOLO = "solo"
    """The one inside this program, against bots alone."""


@dataclass(frozen=True, slots=True)
class KeptSeat:
    """A seat that waits: at which server, whose, and its key.

    ``host`` is the address as it can be typed again, empty for the server inside this program.
    ``name`` is the player's. ``saved`` is when it was last saved, in seconds of the wall clock.
    """

    where: Where
    host: str
    name: str
    seat: SeatKey
    saved: float = 0.0

    @property
    def told(self) -> str:
        """Say in a few words which game it is."""
        match self.where:
            case Where.SERVER:
                return f"room {self.seat.code} at {self.host}"
            case Where.TABLE:
                return f"your table here, room {self.seat.code}"
            case Where.SOLO:
                return "against the bots"

    @property
    def file(self) -> str:
        """Name the file: always the same for one person in one room, and telling nothing."""
        parts = (self.where, self.host.lower(), self.seat.code, str(self.seat.person))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


class Hold:
    """One seat that is this program's: locked until it is released or dropped."""

    def __init__(self, path: Path, release: Callable[[], None]) -> None:
        self.path = path
        self._release = release

    def save(self, kept: KeptSeat) -> bool:
        """Write the seat so that it is on the disk, and never half; tell whether it worked."""
        seat = kept.seat
        text = json.dumps(
            {
                "where": kept.where,
                "host": kept.host,
                "name": kept.name,
                "code": seat.code,
                "person": seat.person,
                "key": seat.key,
                "saved": time.time(),
            },
            ensure_ascii=False,
        )
        new = self.path.with_suffix(".new")
        try:
            new.unlink(missing_ok=True)
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.path)
            _sync(self.path.parent)
        except OSError:
            return False
        return True

    def drop(self) -> None:
        """Forget the seat for good."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        # Under the lock still: who waits for it finds no seat behind it.
        with suppress(OSError):
            self.path.with_suffix(".lock").unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Leave the seat to whoever wants it next."""
        self._release()


class Seats:
    """The seats kept in a directory. What cannot be read or written there is passed over."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def offered(self) -> list[KeptSeat]:
        """Give the seats that nobody uses, the newest first; forget those that are too old."""
        try:
            paths = list(self._directory.glob("*.json"))
        except OSError:
            return []
        found = []
        for path in paths:
            kept = _read(path)
            hold = None if kept is None else self.hold(kept)
            if kept is None or hold is None:
                continue
            if abs(time.time() - kept.saved) > KEPT_FOR:
                hold.drop()
            else:
                hold.release()
                found.append(kept)
        return sorted(found, key=lambda kept: kept.saved, reverse=True)

    def hold(self, kept: KeptSeat) -> Hold | None:
        """Take a seat for this program; None if another one has it, or nothing can be kept."""
        path = self._directory / f"{kept.file}.json"
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._directory.chmod(0o700)
            file = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            _grab(file)
        except OSError:
            os.close(file)
            return None
        return Hold(path, _once(lambda: os.close(file)))

    def latest(self, kept: KeptSeat) -> KeptSeat | None:
        """Read a seat again under its hold; None if it is gone."""
        return _read(self._directory / f"{kept.file}.json")


class SeatKeeper:
    """Keeps the seat of one stay at a server, from entering a room to leaving it.

    Without ``seats`` it keeps none: what such a server holds is gone when this program ends.
    """

    def __init__(self, seats: Seats | None, where: Where, host: str = "") -> None:
        self.where = where
        self._seats = seats
        self._host = host
        self._kept: KeptSeat | None = None
        self._hold: Hold | None = None
        self._over = False

    @property
    def keeps(self) -> bool:
        """Whether the way back is on disk now."""
        return self._kept is not None

    def take(self, kept: KeptSeat) -> KeptSeat | None:
        """Take a kept seat for this stay, as it is on disk now.

        None if another program has it, or it is gone.
        """
        self._hold = None if self._seats is None else self._seats.hold(kept)
        if self._seats is not None and self._hold is not None:
            self._kept = self._seats.latest(kept)
            if self._kept is None:
                self._let_go()
        return self._kept

    def keep(self, seat: SeatKey, name: str) -> bool:
        """Put a seat and its key on disk.

        False if that failed and an older key of the seat is there: that one has to be used on.
        """
        if self._over:
            return False
        kept = KeptSeat(self.where, self._host, name, seat)
        if self._kept is not None and self._kept.file != kept.file:
            self._let_go()
        if self._hold is None and self._seats is not None:
            self._hold = self._seats.hold(kept)
        if self._hold is not None and self._hold.save(kept):
            self._kept = kept
            return True
        return self._kept is None

    def drop(self) -> None:
        """Forget the seat: it is given up, or gone."""
        hold, self._hold, self._kept = self._hold, None, None
        if hold is not None:
            hold.drop()

    def release(self) -> None:
        """End: what is kept stays on disk, and another program may use it."""
        self._over = True
        self._let_go()

    def _let_go(self) -> None:
        hold, self._hold, self._kept = self._hold, None, None
        if hold is not None:
            hold.release()


def _read(path: Path) -> KeptSeat | None:
    """Read a file; None if it is missing, unreadable or odd."""
    try:
        if path.stat().st_size > _LONGEST_FILE:
            return None
        kept = _seat_of(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError, BadText, BadAddress):
        return None
    return kept if kept.file == path.stem else None


def _seat_of(raw: Any) -> KeptSeat:
    where = Where(raw["where"])
    host, name, code, key = (raw[field] for field in ("host", "name", "code", "key"))
    person, saved = raw["person"], raw["saved"]
    if not (isinstance(code, str) and code.isascii() and code.isalnum() and len(code) <= 16):
        raise ValueError("no code of a room")
    if not (isinstance(key, str) and key.isascii() and 16 <= len(key) <= 64):
        raise ValueError("no seat key")
    if type(person) is not int or person < 0 or type(saved) not in (int, float):
        raise ValueError("no numbers")
    if not isinstance(name, str) or not isinstance(host, str):
        raise TypeError("no text")
    if where is Where.SERVER:
        parse_address(host)
    return KeptSeat(where, host, clean_name(name), SeatKey(code, person, key), float(saved))


def _once(release: Callable[[], None]) -> Callable[[], None]:
    """Make something that must not happen twice safe to call again."""
    left = [release]

    def call() -> None:
        if left:
            left.pop()()

    return call


def _sync(directory: Path) -> None:
    """Make the name of a file in there as durable as what is in it."""
    if sys.platform != "win32":
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _grab(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _grab(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
