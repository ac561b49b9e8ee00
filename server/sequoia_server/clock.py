"""The server's clock, which only runs while the server does, and the clock of one round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sequoia_server.facts import ClockSet

GAP: Final = 1.0
"""Seconds without a look at the clock after which the process must have been suspended."""

GRACE: Final = 0.3
"""Seconds for which a choice still counts after the zero that was shown: the way it travels."""


class ServerClock:
    """Seconds since the journal was new, without those in which the server could not act.

    It starts from where the journal left it, stands still while it is held, and leaves out every
    gap of more than a second between two looks; while anything depends on it, somebody has to
    look at least four times a second. Wall clocks have no part in it.
    """

    def __init__(self, monotonic: Callable[[], float], start: float) -> None:
        self._monotonic = monotonic
        self._seen = monotonic()
        # What this clock is behind the monotonic one.
        self._behind = self._seen - start
        self._held_at: float | None = None

    def now(self) -> float:
        """Look at the clock."""
        if self._held_at is not None:
            return self._held_at
        seen, self._seen = self._seen, self._monotonic()
        gap = self._seen - seen
        if gap > GAP:
            self._behind += gap
        return self._seen - self._behind

    def look_again(self) -> None:
        """Begin to look after a time in which nothing depended on the clock: that is no gap."""
        self._seen = self._monotonic()

    def hold(self) -> None:
        """Stand still."""
        self._held_at = self.now()

    def release(self) -> None:
        """Run on from where it stands."""
        if self._held_at is not None:
            self._seen = self._monotonic()
            self._behind = self._seen - self._held_at
            self._held_at = None

    def monotonic(self, at: float) -> float:
        """Tell when the monotonic clock will show what this one calls ``at``, as things stand."""
        return at + self._behind


class RoundClock:
    """When the round on the table closes.

    ``deadline`` is when the clock on the screens shows zero, None if the round may take as long
    as it likes. ``stopped`` is since when the clock stands still, None while it runs; it can
    stand still without a deadline, too, for bots wait as well.
    """

    def __init__(self) -> None:
        self.deadline: float | None = None
        self.stopped: float | None = None

    def start(self, now: float, seconds: int) -> None:
        """Begin a round that may take so many seconds; 0 for as long as it likes."""
        self.deadline = now + seconds if seconds else None

    def clear(self) -> None:
        """End the round."""
        self.deadline = None

    def when_stopped(self, now: float) -> ClockSet:
        """Give how it stands once it stands still."""
        return ClockSet(self.deadline, now)

    def when_going_on(self, now: float) -> ClockSet:
        """Give how it stands once it runs again: what was left is left."""
        stood = 0.0 if self.stopped is None else now - self.stopped
        return ClockSet(None if self.deadline is None else self.deadline + stood, None)

    @property
    def closes(self) -> float | None:
        """When the round is closed, None if no time is set or the clock stands still."""
        if self.deadline is None or self.stopped is not None:
            return None
        return self.deadline + GRACE

    def left(self, now: float) -> int | None:
        """Give the milliseconds that the screens show, None without a deadline."""
        if self.deadline is None:
            return None
        at = now if self.stopped is None else self.stopped
        return max(0, round(1000 * (self.deadline - at)))
