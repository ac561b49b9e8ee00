"""Where every settled fact goes before anybody is told of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from sequoia_rules.record import GameRecord

from sequoia_server.facts import Fact, StoredTurn


class DamagedRoom(Exception):
    """What is stored of a room cannot be read; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one turn of a room leaves to the journal: all of it becomes durable, or none.

    ``at`` is the server's clock (s). With ``replaces`` the facts begin with a checkpoint, and
    what was stored of the room before is not needed any more. ``record`` is a game that has come
    to its end. With ``closes`` the room is over: nothing of it is kept but its records.
    """

    code: str
    at: float
    facts: Sequence[Fact] = ()
    replaces: bool = False
    record: GameRecord | None = None
    closes: bool = False


class Journal(Protocol):
    """An append-only log of every room."""

    @property
    def clock(self) -> float:
        """Where the server's clock stood when the journal was last written, 0 in a new one."""
        ...

    @property
    def codes(self) -> Collection[str]:
        """The rooms that were open then."""
        ...

    def start(self, on_stall: Callable[[bool], None]) -> None:
        """Begin to write.

        ``on_stall`` is called, on the thread of this call, with True when nothing can be stored
        for now, and with False once everything that waited is.
        """
        ...

    def read(self, code: str) -> Sequence[StoredTurn]:
        """Give all turns of a room, oldest first, from its last checkpoint on.

        Raises:
            DamagedRoom: they cannot be read.
        """
        ...

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        """Store a batch, and call back once it and all before it are durable.

        Callbacks come on the event loop's thread in the order of the calls.
        """
        ...

    def after(self, on_durable: Callable[[], None]) -> None:
        """Call back once everything so far is durable, in the same order; maybe at once."""
        ...

    def keep_time(self, at: float) -> None:
        """Store the server's clock, so that a crash gives back no more than it took."""
        ...


class MemoryJournal:
    """Keeps nothing: what the process holds in memory is all that there is."""

    clock = 0.0
    codes: Collection[str] = ()

    def start(self, on_stall: Callable[[bool], None]) -> None:
        """Begin; it never stalls."""
        del on_stall

    def read(self, code: str) -> Sequence[StoredTurn]:
        """Refuse: there is nothing.

        Raises:
            DamagedRoom: always.
        """
        raise DamagedRoom(f"nothing is stored of room {code}")

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        """Call back at once."""
        del batch
        on_durable()

    def after(self, on_durable: Callable[[], None]) -> None:
        """Call back at once."""
        on_durable()

    def keep_time(self, at: float) -> None:
        """Keep nothing."""
        del at
