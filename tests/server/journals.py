"""What the tests of the journal on disk share: batches, a keeper that waits, whole directories."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

import pytest
from sequoia_protocol.room import Chatted
from sequoia_rules.record import GameRecord, read_record
from sequoia_server.data_dir import JOURNAL, open_journal
from sequoia_server.facts import Entry
from sequoia_server.journal import Batch

from tests.kit import PATIENCE, ROOT

SMALL_GAME = (ROOT / "tests" / "rules" / "small_game.txt").read_text(encoding="utf-8")


def small_game() -> GameRecord:
    return read_record(SMALL_GAME)


def chat(code: str, number: int, *, length: int = 5, at: float | None = None) -> Batch:
    """One turn of a room, told apart from all others by its room and its number."""
    text = f"{code} {number} ".ljust(length, "x")
    moment = float(number) if at is None else at
    return Batch(code, moment, [Entry(number, Chatted(0, "Ana", text))])


class Keeper:
    """A journal in a directory, and what it has called back so far.

    ``stalls`` is what it said about the disk, in order.
    """

    def __init__(self, directory: Path, *, max_pages: int | None = None) -> None:
        self.path = directory / JOURNAL
        self.journal = open_journal(directory, max_pages=max_pages)
        self.durable: list[object] = []
        self.stalls: list[bool] = []
        self._happened = asyncio.Event()
        self.journal.start(self._stall)

    def append(self, batch: Batch, name: object = None) -> None:
        self.journal.append(batch, lambda: self._note(batch if name is None else name))

    def after(self, name: object) -> None:
        self.journal.after(lambda: self._note(name))

    async def stored(self) -> None:
        """Wait until everything so far is durable."""
        done = asyncio.Event()
        self.journal.after(done.set)
        async with asyncio.timeout(PATIENCE):
            await done.wait()

    async def store(self, *batches: Batch) -> None:
        for batch in batches:
            self.append(batch)
        await self.stored()

    async def stalled(self, stalled: bool) -> None:
        """Wait until it has said whether the disk takes nothing."""
        await self.until(lambda: self.stalls[-1:] == [stalled])

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until what it calls back makes something true."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._happened.clear()
                await self._happened.wait()

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Ask the database as somebody else would who may look into it."""
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute(query).fetchall()

    def _note(self, name: object) -> None:
        self.durable.append(name)
        self._happened.set()

    def _stall(self, stalled: bool) -> None:
        self.stalls.append(stalled)
        self._happened.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.journal.close()


def contents(directory: Path, codes: Collection[str] = ()) -> dict[str, object]:
    """Give what a new server would read: the turns of each room, or why it cannot have them."""
    journal = open_journal(directory)
    found: dict[str, object] = {}
    try:
        for code in codes or journal.codes:
            try:
                found[code] = list(journal.read(code))
            except Exception as error:  # noqa: BLE001  (the tests ask which one it is)
                found[code] = error
    finally:
        journal.close()
    return found


@contextmanager
def small_disk(directory: Path, kilobytes: int) -> Iterator[Path]:
    """Mount a disk that is soon full."""
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(directory)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount on this machine")
    if done.returncode:
        pytest.skip(f"only who may mount a disk can fill one: {done.stderr.strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def fill(disk: Path) -> Path:
    """Leave no space on a small disk, and give what has to be deleted to have it back."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))
    return ballast


def pull_the_plug(directory: Path, to: Path) -> Path:
    """Copy a directory while its server runs, as a machine that stops now would leave it."""
    shutil.copytree(directory, to, ignore=shutil.ignore_patterns("*-shm"))
    return to


class Acknowledger:
    """A process that stores turns and writes a line for each that is durable.

    See :mod:`tests.server.acknowledger`.
    """

    def __init__(self, directory: Path, turns: int, *before: str) -> None:
        self.process = subprocess.Popen(
            [
                *before,
                sys.executable,
                "-m",
                "tests.server.acknowledger",
                str(directory),
                str(turns),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """Wait for a line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def kill(self) -> list[str]:
        """End it as a power failure does, and give the whole lines that were still to be read."""
        self.process.kill()
        out, _ = self.process.communicate(timeout=PATIENCE)
        return [line for line in out.splitlines(keepends=True) if line.endswith("\n")]

    def wait(self) -> list[str]:
        out, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0
        return out.splitlines(keepends=True)
