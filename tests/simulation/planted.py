"""Bugs as somebody could make them, each a small patch of the real code, and the search for them.

``python -m tests.simulation.planted`` looks for every one, and prints which promise it broke.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

from sequoia_protocol.room import Chatted, StandInLeft
from sequoia_rules.record import Chooser
from sequoia_server import clock, course
from sequoia_server.delivery import Recent
from sequoia_server.facts import Answered, Checkpoint, Entry, Fact
from sequoia_server.host import Host
from sequoia_server.keys import KeyRing
from sequoia_server.memory import RoomMemory
from sequoia_server.people import Member, People
from sequoia_server.room import Room
from sequoia_server.table import Settled, Table

from tests.simulation.loop import EPOCH
from tests.simulation.report import DEFAULT_SEED
from tests.simulation.world import Outcome, games_of, play

Patch = AbstractContextManager[Any]

GAMES = 500
"""Games within which every planted bug has to be found: as many as in a run by default."""


def _around(owner: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    """Put something around a function of the real code."""
    return patch.object(owner, name, make(getattr(owner, name)))


def _not_stored(is_lost: Callable[[Fact], bool]) -> Patch:
    """Leave some facts out of what goes to the journal."""

    def make(batch: Any) -> Any:
        def poorer(self: Host, hosted: Any, turn: Any) -> Any:
            whole = batch(self, hosted, turn)
            return replace(whole, facts=[fact for fact in whole.facts if not is_lost(fact)])

        return poorer

    return _around(Host, "_batch", make)


class _Eager:
    """A journal that calls back before anything is stored."""

    def __init__(self, journal: Any) -> None:
        self._journal = journal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, batch: Any, on_durable: Callable[[], None]) -> None:
        self._journal.append(batch, lambda: None)
        on_durable()


def _acknowledged_before_commit() -> Patch:
    def make(init: Any) -> Any:
        def eager(self: Host, settings: Any, entropy: Any, journal: Any, *rest: Any) -> None:
            init(self, settings, entropy, _Eager(journal), *rest)

        return eager

    return _around(Host, "__init__", make)


def _deadline_moves_at_reconnect() -> Patch:
    def make(come_in: Any) -> Any:
        def generous(self: Room, *arguments: Any) -> Any:
            if self._clock.deadline is not None:
                self._clock.deadline = self._now + self.state.settings.clock
            return come_in(self, *arguments)

        return generous

    return _around(Room, "_come_in", make)


def _downtime_counts() -> Patch:
    def make(init: Any) -> Any:
        return lambda self, monotonic, start: init(self, monotonic, monotonic() - EPOCH)

    return _around(clock.ServerClock, "__init__", make)


def _stand_in_keeps_the_seat() -> Patch:
    def make(stand_ins: Any) -> Any:
        return lambda memory, now: (
            event for event in stand_ins(memory, now) if not isinstance(event, StandInLeft)
        )

    return _around(course, "_stand_ins", make)


def _gap_in_what_was_missed() -> Patch:
    def make(after: Any) -> Any:
        return lambda self, number, person: (after(self, number, person) or [None])[1:] or None

    return _around(Recent, "after", make)


def _last_sealed_choice_is_ignored() -> Patch:
    return patch.object(Table, "close", lambda self: self._choose_for(min(self.awaited)))


def _absence_counts_while_nobody_waits() -> Patch:
    return patch.object(
        People, "_grace_ends", lambda self, person: self.away_since[person] + self._grace
    )


def _covered_rolls_are_forgotten() -> Patch:
    def make(load: Any) -> Any:
        def forgetful(self: RoomMemory, checkpoint: Checkpoint) -> None:
            load(self, checkpoint)
            self.table._covered.clear()

        return forgetful

    return _around(RoomMemory, "_load", make)


def _record_names_another_chooser() -> Patch:
    def make(choose: Any) -> Any:
        return lambda self, seat: Settled(choose(self, seat).events, Chooser.BOT)

    return _around(Table, "_choose_for", make)


def _paused_game_goes_on() -> Patch:
    def make(change: Any) -> Any:
        return lambda memory, now: None if memory.state.paused else change(memory, now)

    return _around(course, "clock_change", make)


def _full_disk_keeps_the_loop_busy() -> Patch:
    def make(set_timer: Any) -> Any:
        def busy(self: Host, hosted: Any) -> None:
            stalled, self._stalled = self._stalled, False
            set_timer(self, hosted)
            self._stalled = stalled

        return busy

    return _around(Host, "_set_timer", make)


def _stand_in_chooses_for_who_is_back() -> Patch:
    def make(play_due: Any) -> Any:
        def hasty(self: Table, bots: Any, now: float) -> Any:
            return play_due(self, range(5), now)

        return hasty

    return _around(Table, "play_due", make)


PLANTED: Final[Mapping[str, Callable[[], Patch]]] = {
    "acknowledged before the commit": _acknowledged_before_commit,
    "commands are not recognised": lambda: patch.object(Member, "remember", lambda *given: None),
    "answers are lost at a restart": lambda: _not_stored(lambda f: isinstance(f, Answered)),
    "a deadline moves at a reconnect": _deadline_moves_at_reconnect,
    "downtime counts": _downtime_counts,
    "a suspended machine's time counts": lambda: patch.object(clock, "GAP", 1e9),
    "time runs on while the disk is full": lambda: patch.object(
        clock.ServerClock, "hold", lambda self: None
    ),
    "a full disk keeps the loop busy": _full_disk_keeps_the_loop_busy,
    "a round closes at the zero": lambda: patch.object(clock, "GRACE", 0.0),
    "a stand-in keeps the seat": _stand_in_keeps_the_seat,
    "a gap in what was missed": _gap_in_what_was_missed,
    "an event is shown but not stored": lambda: _not_stored(
        lambda f: isinstance(f, Entry) and isinstance(f.event, Chatted)
    ),
    "an old key is void at once": lambda: patch.object(
        KeyRing, "issue", lambda self, digest: self.use(digest)
    ),
    "the last sealed choice is ignored": _last_sealed_choice_is_ignored,
    "absence counts while nobody waits": _absence_counts_while_nobody_waits,
    "covered rolls are forgotten at a restart": _covered_rolls_are_forgotten,
    "a record names another chooser": _record_names_another_chooser,
    "a paused game goes on": _paused_game_goes_on,
    "a bot chooses for who is not asked": _stand_in_chooses_for_who_is_back,
}


def find(name: str, games: int = GAMES, seed: int = DEFAULT_SEED) -> tuple[int, Outcome] | None:
    """Plant a bug, and give the games that were played until it was found, and where it was."""
    played = 0
    with PLANTED[name]():
        while played < games:
            outcome = play(seed)
            played += games_of(seed)
            if outcome.broken:
                return played, outcome
            seed += 1
    return None


def main() -> int:
    """Look for every planted bug; 0 if each is found."""
    missed = 0
    for name in PLANTED:
        found = find(name)
        if found is None:
            missed += 1
            print(f"{name:42} NOT FOUND in {GAMES} games")
        else:
            games, outcome = found
            print(f"{name:42} game {games:3}: {outcome.broken[:110]}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
