"""A server under watch: every turn of every room is checked before it goes to the journal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgpack
from sequoia_protocol.messages import Request
from sequoia_protocol.room import RoomSettings, RoomState
from sequoia_server.entropy import Entropy
from sequoia_server.facts import Answered, CameIn, Entry, KeyIssued, Opened
from sequoia_server.host import Host, _Hosted
from sequoia_server.links import Loop
from sequoia_server.settings import Settings
from sequoia_server.turn import Turn

from tests.simulation.board import broken
from tests.simulation.disk import Disk, SimulatedJournal, Written
from tests.simulation.truth import (
    Cause,
    RoomTruth,
    check_finished,
    follow,
)

_LATE = 1.5
"""Seconds by which the server's clock may be behind after a gap, and the one shown may be off."""


class Watch:
    """What is known of all rooms of the running server; after a crash, of what was committed.

    ``history`` has the truth of each room by number, as far back as a client can be.
    """

    def __init__(self, disk: Disk, grace: float) -> None:
        self.disk = disk
        self.acting: tuple[int | None, Request | None] = (None, None)
        self.grace = grace
        self.rooms: dict[str, RoomTruth] = {}
        self.history: dict[str, dict[int, RoomTruth]] = {}
        self.linked: dict[str, frozenset[int]] = {}
        self.away_since: dict[str, dict[int, float]] = {}
        self.finished = 0
        self._clock = 0.0
        self._since: float | None = None
        self.fuzz = 0.0

    # The server's clock, kept a second time

    def run(self, now: float, clock: float | None = None) -> None:
        """Let the clock run from now on, from where it stands or from somewhere else."""
        self._clock = self._clock if clock is None else clock
        self._since = now

    def stand(self, now: float) -> None:
        """Let it stand."""
        self._clock = self.clock(now)
        self._since = None

    def clock(self, now: float) -> float:
        return self._clock if self._since is None else self._clock + now - self._since

    def check_clock(self, at: float, now: float) -> None:
        """See that the server's clock stood while the server did, and never else."""
        mine = self.clock(now)
        if at > mine + 1e-6:
            broken("time stands still with the server", f"its clock is {at - mine:.3f} s ahead")
        runs = any(
            truth.time.zero is not None and truth.time.stopped is None
            for truth in self.rooms.values()
        )
        if runs and at < mine - _LATE - self.fuzz:
            broken("time stands still only with the server", f"{mine - at:.3f} s are missing")
        self.fuzz = 0.0
        self._clock = at
        if self._since is not None:
            self._since = now

    # Turns

    def turn(
        self, code: str, settings: RoomSettings | None, turn: Turn, linked: Iterable[int]
    ) -> Written:
        """Follow one turn of a room."""
        truth = self.rooms.get(code)
        if truth is None:
            if settings is None:
                broken("every room is opened once", code)
            truth = RoomTruth(RoomState(code=code, settings=settings))
            truth = replace(truth, time=replace(truth.time, empty_since=turn.at))
        before = self.linked.get(code, frozenset())
        after = frozenset(linked)
        away = self.away_since.setdefault(code, {})
        answered = tuple((f.nonce, f.id) for f in turn.facts if isinstance(f, Answered))
        came_in = tuple((f.nonce, f.id) for f in turn.facts if isinstance(f, CameIn))
        person, request = self.acting
        for left in before - after:
            away[left] = turn.at
        for there in after:
            away.pop(there, None)
        cause = Cause(turn.at, person, request, after, self.grace, away)
        entries = [fact for fact in turn.facts if isinstance(fact, Entry)]
        past = self.history.setdefault(code, {0: truth})
        for step in follow(truth, entries, cause):
            past[step.number] = truth = step
        self.linked[code] = after
        self.rooms[code] = truth
        if entries:
            for player in truth.state.people:
                if player.id not in after:
                    away.setdefault(player.id, turn.at)
        if turn.record is not None or self._has_ended(entries):
            check_finished(truth, turn.record)
        self._check_seats(truth, after)
        self._check_clocks(truth, turn)
        digests = tuple(f.digest for f in turn.facts if isinstance(f, KeyIssued))
        return Written(truth, answered + came_in, answered, digests)

    def closed(self, code: str) -> None:
        """Forget a room that is over."""
        for known in (self.rooms, self.history, self.linked, self.away_since):
            known.pop(code, None)

    def crashed(self) -> None:
        """Believe only what was committed."""
        self.rooms = dict(self.disk.known)
        self.linked.clear()
        self.away_since.clear()
        self.history = {code: past for code, past in self.history.items() if code in self.rooms}
        for code, past in self.history.items():
            last = self.rooms[code].number
            for number in [number for number in past if number > last]:
                del past[number]

    def restored(self, code: str, host: Host, clock: float) -> None:
        """Compare a room that was restored with what was committed of it."""
        truth = self.rooms.get(code)
        hosted = host._hosted.get(code)
        if truth is None or hosted is None:
            broken("every room comes back", code)
        room = hosted.room
        if room.number != truth.number:
            broken("nothing that was stored is lost", f"{room.number}, not {truth.number}")
        game = room._table._game
        if room.state != truth.state or (None if game is None else game.state) != truth.game:
            broken("a room comes back as it was", code)
        if frozenset(room._table.covered) != truth.covered:
            broken("a room comes back as it was", f"covered {room._table.covered}")
        self.rooms[code] = replace(
            truth, time=replace(truth.time, empty_since=clock, counts_from=clock, woken=True)
        )
        self.linked[code] = frozenset()
        self.away_since[code] = {person.id: clock for person in truth.state.people}

    def _has_ended(self, entries: list[Entry]) -> bool:
        return any(type(entry.event).__name__ == "Ended" for entry in entries)

    def _check_seats(self, truth: RoomTruth, linked: frozenset[int]) -> None:
        if truth.state.playing:
            for player in truth.state.players:
                if player.stand_in and player.person in linked:
                    broken("who is back has the seat back", f"seat {player.seat}")

    def _check_clocks(self, truth: RoomTruth, turn: Turn) -> None:
        shown = {d.clock for d in turn.deliveries.values() if d.clock is not None}
        time = truth.time
        for data in shown:
            left = msgpack.unpackb(data)["left"]
            if time.zero is None or left is None:
                if (time.zero is None) != (left is None):
                    broken("the clock shown is the clock", f"{left}, and zero is {time.zero}")
                continue
            at = turn.at if time.stopped is None else time.stopped
            mine = max(0.0, time.zero - at)
            if abs(left / 1000 - mine) > _LATE:
                broken("a deadline never moves", f"{left / 1000:.3f} s are shown of {mine:.3f}")


class WatchedHost(Host):
    """The real host, with every turn of its rooms looked at on its way to the journal."""

    def __init__(
        self,
        settings: Settings,
        entropy: Entropy,
        journal: SimulatedJournal,
        loop: Loop,
        date: Callable[[], str],
        *,
        watch: Watch,
        now: Callable[[], float],
    ) -> None:
        self._watch = watch
        self._world_now = now
        self._simulated = journal
        super().__init__(settings, entropy, journal, loop, date)

    def _dispatch(self, hosted: _Hosted, turn: Turn) -> None:
        code = hosted.room.state.code
        watch = self._watch
        watch.check_clock(turn.at, self._world_now())
        linked = set(hosted.links) - set(turn.unbound)
        opened = next((f.settings for f in turn.facts if isinstance(f, Opened)), None)
        self._simulated.written = watch.turn(code, opened, turn, linked)
        super()._dispatch(hosted, turn)
        if turn.closed:
            watch.closed(code)

    def _act(self, link: Any, act: Any) -> None:
        self._watch.acting = (act.place.person, act.command.request)
        try:
            super()._act(link, act)
        finally:
            self._watch.acting = (None, None)

    def _restore(self, code: str) -> None:
        super()._restore(code)
        self._watch.restored(code, self, self._clock.now())


class ErrorsAreBroken(logging.Handler):
    """What the server would log as an error must not happen."""

    def emit(self, record: logging.LogRecord) -> None:
        broken("no room fails", record.getMessage())


@contextmanager
def errors_are_broken() -> Iterator[None]:
    """Let what the server logs as an error break the world."""
    logger = logging.getLogger("sequoia_server")
    handler, propagate = ErrorsAreBroken(logging.ERROR), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
