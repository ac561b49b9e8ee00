"""Time in a simulated world: one heap of calls, and what belongs to a process dies with it."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

Call = Callable[..., object]

EPOCH = 1000.0
"""What a server's monotonic clock shows when the world begins; no zero may be relied upon."""

LATE = 0.00005
"""Seconds by which every timer comes late, as it does in any real loop: never too early."""


class Process:
    """What runs somewhere, and can be stopped or killed. Its own calls stop with it."""

    def __init__(self) -> None:
        self.is_alive = True
        self.suspended_until = -10.0
        self.ready: deque[tuple[Call, tuple[Any, ...]]] = deque()


class Handle:
    """A call that is to come; it can be cancelled, like that of asyncio."""

    __slots__ = ("args", "at", "call", "process")

    def __init__(
        self, at: float, process: Process | None, call: Call | None, args: tuple[Any, ...]
    ) -> None:
        self.at = at
        self.process = process
        self.call = call
        self.args = args

    def cancel(self) -> None:
        self.call = None

    def when(self) -> float:
        return self.at


class Timeline:
    """The world's time in seconds, and everything that is still to come.

    Calls that are due at the same moment come in an order that the seed draws, since real life
    promises none. What a process calls "soon" comes before anything later, in the order of the
    calls, as in asyncio. ``after_step`` is called with a process after each call of its own.
    """

    def __init__(self, rng: random.Random) -> None:
        self.now = 0.0
        self.steps = 0
        self.after_step: Callable[[Process], None] = lambda process: None
        self._rng = rng
        self._heap: list[tuple[float, float, int, Handle]] = []
        self._count = 0
        self._ready: deque[Process] = deque()

    def at(self, when: float, call: Call, *args: Any, process: Process | None = None) -> Handle:
        """Call at a time, in a process or as the world itself."""
        handle = Handle(when, process, call, args)
        self._push(max(when, self.now), handle)
        return handle

    def soon(self, process: Process, call: Call, args: tuple[Any, ...]) -> None:
        """Call when the process has done what it is doing."""
        if not process.ready:
            self._ready.append(process)
        process.ready.append((call, args))

    def step(self) -> bool:
        """Make the next call; tell whether there was one."""
        while self._ready:
            process = self._ready[0]
            if not process.is_alive or not process.ready:
                process.ready.clear()
                self._ready.popleft()
            elif process.suspended_until > self.now:
                self._ready.popleft()
                self.at(process.suspended_until, self._ready.append, process)
            else:
                call, args = process.ready.popleft()
                if not process.ready:
                    self._ready.popleft()
                self._run(process, call, args)
                return True
        while self._heap:
            when, _, _, handle = heappop(self._heap)
            due, owner = handle.call, handle.process
            if due is None or (owner is not None and not owner.is_alive):
                continue
            if owner is not None and owner.suspended_until > when:
                # Everything that fell due in the meantime comes at once, in its order.
                self._push(owner.suspended_until, handle, when - owner.suspended_until)
                continue
            self.now = max(self.now, when)
            self._run(owner, due, handle.args)
            return True
        return False

    def _push(self, when: float, handle: Handle, tie: float | None = None) -> None:
        self._count += 1
        order = self._rng.random() if tie is None else tie
        heappush(self._heap, (when, order, self._count, handle))

    def _run(self, process: Process | None, call: Call, args: tuple[Any, ...]) -> None:
        self.steps += 1
        call(*args)
        if process is not None and process.is_alive:
            self.after_step(process)


class ServerLoop:
    """As much of an event loop as the server needs, in one process."""

    def __init__(self, timeline: Timeline, process: Process) -> None:
        self._timeline = timeline
        self._process = process

    def time(self) -> float:
        return self._timeline.now + EPOCH

    def call_soon(self, callback: Call, *args: Any) -> object:
        self._timeline.soon(self._process, callback, args)
        return None

    def call_at(self, when: float, callback: Call, *args: Any) -> Handle:
        due = when - EPOCH + LATE
        handle = self._timeline.at(due, callback, *args, process=self._process)
        # A timer says when it comes in the time of whoever set it.
        handle.at = when
        return handle
