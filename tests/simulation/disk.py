"""A disk that keeps what was committed and nothing else, and a journal that writes to it."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from sequoia_rules.record import GameRecord
from sequoia_server.facts import (
    Entry,
    StoredTurn,
    decode_facts,
    encode_facts,
)
from sequoia_server.journal import Batch, DamagedRoom

from tests.simulation.board import broken
from tests.simulation.loop import Process, Timeline
from tests.simulation.truth import RoomTruth

RETRY = 0.4
"""Seconds between two tries to store something on a disk that is full."""


@dataclass
class Disk:
    """What survives a crash: encoded turns by room, the server's clock, finished games.

    ``known`` is the truth about each room as of its last committed turn, for the checks alone.
    """

    clock: float = 0.0
    rooms: dict[str, list[tuple[float, bytes]]] = field(default_factory=dict)
    records: list[tuple[str, GameRecord]] = field(default_factory=list)
    known: dict[str, RoomTruth] = field(default_factory=dict)
    answered: set[tuple[str, int]] = field(default_factory=set)
    full_until: float = 0.0
    latency: tuple[float, float] = (0.001, 0.02)


@dataclass
class _Waiting:
    """A batch on its way, or a call alone, or the clock alone."""

    on_durable: Callable[[], None] | None
    at: float = 0.0
    batch: Batch | None = None
    data: bytes = b""
    written: Written | None = None


class Written(NamedTuple):
    """What a turn leaves to the journal, as the checks see it."""

    truth: RoomTruth
    commands: tuple[tuple[str, int], ...]
    answered: tuple[tuple[str, int], ...]
    digests: tuple[bytes, ...]


class SimulatedJournal:
    """The journal of one process: groups of batches become durable together, after a while.

    ``written`` tells the checks what the batch that is handed over next is about.
    """

    def __init__(
        self,
        disk: Disk,
        timeline: Timeline,
        process: Process,
        rng: random.Random,
    ) -> None:
        self.written: Written | None = None
        self.pending_commands: set[tuple[str, int]] = set()
        self.pending_digests: set[bytes] = set()
        self.is_stalled = False
        self.has_room = True
        self.on_stall: Callable[[bool], None] = lambda stalled: None
        self.on_finished: Callable[[str], None] = lambda code: None
        self._disk = disk
        self._timeline = timeline
        self._process = process
        self._rng = rng
        self._on_stall: Callable[[bool], None] = lambda stalled: None
        self._queue: deque[_Waiting] = deque()
        self._group: list[_Waiting] = []
        self._is_stored = False

    @property
    def clock(self) -> float:
        return self._disk.clock

    @property
    def codes(self) -> Collection[str]:
        return tuple(self._disk.rooms)

    def start(self, on_stall: Callable[[bool], None]) -> None:
        self._on_stall = on_stall

    def read(self, code: str) -> Sequence[StoredTurn]:
        try:
            turns = self._disk.rooms[code]
        except KeyError:
            raise DamagedRoom(f"nothing is stored of room {code}") from None
        return [StoredTurn(at, decode_facts(data)) for at, data in turns]

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        waiting = _Waiting(on_durable, batch.at, batch, encode_facts(batch.facts))
        waiting.written, self.written = self.written, None
        if waiting.written is not None:
            self.pending_commands.update(waiting.written.commands)
            self.pending_digests.update(waiting.written.digests)
        self._put(waiting)

    def after(self, on_durable: Callable[[], None]) -> None:
        if self._queue or self._group:
            self._put(_Waiting(on_durable))
        else:
            on_durable()

    def keep_time(self, at: float) -> None:
        self._put(_Waiting(None, at))

    # What only the world asks

    def waiting_of(self, code: str) -> list[type[object]]:
        """Give the kinds of events of a room that are not told to anybody yet."""
        return [
            type(fact.event)
            for waiting in (*self._group, *self._queue)
            if waiting.batch is not None and waiting.batch.code == code
            for fact in waiting.batch.facts
            if isinstance(fact, Entry)
        ]

    def crash(self) -> None:
        """Lose what is not committed; the group that is just being written is, or is not."""
        if self._group and not self._is_stored and self._rng.random() < 0.5:
            self._store()

    def _put(self, waiting: _Waiting) -> None:
        self._queue.append(waiting)
        if not self._group:
            self._begin()

    def _begin(self) -> None:
        self._group, self._queue = list(self._queue), deque()
        self._is_stored = False
        self._later(self._rng.uniform(*self._disk.latency), self._commit)

    def _commit(self) -> None:
        # The disk does not stop with the process: a stopped one hears of it when it goes on.
        if self._disk.full_until > self._timeline.now:
            if not self.is_stalled:
                self.is_stalled = True
                self._tell(self._stall, True)
            self._later(RETRY, self._commit)
            return
        self._store()
        for waiting in self._group:
            self._tell(self._durable, waiting)
        self._group = []
        if self._queue:
            self._begin()
        elif self.is_stalled:
            self.is_stalled = False
            self._tell(self._stall, False)

    def _store(self) -> None:
        disk = self._disk
        self._is_stored = True
        for waiting in self._group:
            disk.clock = max(disk.clock, waiting.at)
            batch = waiting.batch
            if batch is None:
                continue
            if waiting.written is not None:
                self._know(batch.code, waiting.written)
            if batch.record is not None:
                disk.records.append((batch.code, batch.record))
                self.on_finished(batch.code)
            if batch.closes:
                disk.rooms.pop(batch.code, None)
                disk.known.pop(batch.code, None)
                continue
            turns = disk.rooms.setdefault(batch.code, [])
            if batch.replaces:
                turns.clear()
            turns.append((waiting.at, waiting.data))

    def _know(self, code: str, written: Written) -> None:
        """Note for the checks what is committed now."""
        disk = self._disk
        self.pending_commands.difference_update(written.commands)
        self.pending_digests.difference_update(written.digests)
        for command in written.answered:
            if command in disk.answered:
                broken("one effect a command", f"{command} was obeyed twice")
            disk.answered.add(command)
        disk.known[code] = written.truth

    def _durable(self, waiting: _Waiting) -> None:
        if waiting.on_durable is not None:
            waiting.on_durable()

    def _stall(self, stalled: bool) -> None:
        self.has_room = not stalled
        self.on_stall(stalled)
        self._on_stall(stalled)

    def _tell(self, call: Callable[..., object], *args: object) -> None:
        """Call back on the thread of the event loop."""
        self._timeline.soon(self._process, call, args)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self._timeline.at(self._timeline.now + seconds, self._if_alive, call)

    def _if_alive(self, call: Callable[[], None]) -> None:
        if self._process.is_alive:
            call()


def digest(key: str) -> bytes:
    """Give what the journal keeps of a seat key."""
    return sha256(key.encode()).digest()
