"""Where every numbered event goes before anybody is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from sequoia_server.turn import Entry


class Journal(Protocol):
    """An append-only log of every room's events."""

    def append(self, code: str, entries: Sequence[Entry], on_durable: Callable[[], None]) -> None:
        """Store entries of a room, and call back once they and all before them are durable.

        Callbacks come on the event loop's thread in the order of the calls, also for calls
        without entries. ``on_durable`` may be called before this returns.
        """
        ...


class MemoryJournal:
    """Keeps nothing: what the process holds in memory is all that there is."""

    def append(self, code: str, entries: Sequence[Entry], on_durable: Callable[[], None]) -> None:
        """Call back at once."""
        del code, entries
        on_durable()
