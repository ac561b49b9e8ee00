"""The seconds that are left of the round, written anew once a second and no cell more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from sequoia_protocol.messages import Held
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from sequoia_tui.link import RoundTimer
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, centred, ends

WIDE: Final = 16
"""Cells from which on the countdown has words; with fewer, but at least `NARROW`, it is short."""

NARROW: Final = 7
"""Cells that the short form needs."""

_SOON: Final = 10
_NOW: Final = 5
_LATE: Final = 0.001
"""Seconds by which a timer may come before the second that it waits for."""


@dataclass(frozen=True, slots=True)
class CountdownState:
    """What the countdown shows.

    ``calm`` is for somebody who has chosen, or has nothing to choose. ``linked`` is false while
    the link is lost; the server's clock goes on then.
    """

    timer: RoundTimer | None = None
    held: Held | None = None
    calm: bool = False
    linked: bool = True


class Countdown(Canvas):
    """Counts down by itself; ``now`` gives the monotonic time in seconds.

    A widget of its own, and a small one: the toolkit writes a changed line from the left edge of
    its widget.
    """

    class Zero(Message):
        """The clock has come to show zero."""

    def __init__(self, glyphs: Glyphs, now: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.state = CountdownState()
        self._now = now
        self._next: Timer | None = None

    def show(self, state: CountdownState) -> None:
        """Show another state."""
        self.state = state
        self._tick()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        wide = width >= WIDE
        text = countdown_text(self.state, self._now(), self.glyphs, wide=wide)
        return [centred(text, width) if wide else ends(Content(""), text, width)]

    def _tick(self) -> None:
        self.redraw()
        if self._next is not None:
            self._next.stop()
            self._next = None
        timer = self.state.timer
        if timer is None or timer.zero is None or self.state.held is not None:
            return
        left = timer.seconds(self._now())
        if left > 0:
            self._next = self.set_timer(left - seconds_shown(left) + 1, self._went_on)

    def _went_on(self) -> None:
        self._tick()
        if self._next is None:
            self.post_message(self.Zero())


def seconds_shown(left: float) -> int:
    """Give the whole seconds that stand for some seconds: 1 until nothing is left."""
    return ceil(max(0.0, left - _LATE))


def time_is_up(timer: RoundTimer | None, now: float) -> bool:
    """Tell whether the clock has run down and the round is about to be closed."""
    return timer is not None and timer.held is None and not seconds_shown(timer.seconds(now))


def countdown_text(state: CountdownState, now: float, glyphs: Glyphs, *, wide: bool) -> Content:
    """Write the seconds left: ``43 s left``, ``! 9 s left``, ``!! 4 s left``, ``time is up``.

    Short it is at most `NARROW` cells wide, else at most `WIDE`.
    """
    if state.timer is None:
        return Content("")
    left = seconds_shown(state.timer.seconds(now))
    match state.held:
        case Held.PAUSED:
            return _line(f"paused, {left} s" if wide else "paused", "$ice")
        case Held.STORAGE:
            return _line(f"{left} s, waits" if wide else "waits", "$alert")
    width = WIDE if wide else NARROW
    if not left:
        text = "time is up" if wide else "time up"
        return _line(text, "$dim") if state.calm else _alarm(text, width)
    mark = "" if state.calm else "!! " if left <= _NOW else "! " if left <= _SOON else ""
    if wide:
        text = f"{mark}{left} s{' left' if state.linked else ', no link'}"
    else:
        text = f"{mark}{left} s" if state.linked else f"{mark.rstrip()}{glyphs.times} {left} s"
    if state.calm:
        return _line(text, "$dim")
    if left <= _NOW:
        return _alarm(text, width)
    return _line(text, "bold $alert" if mark else "bold $ink")


def _line(text: str, style: str) -> Content:
    return Content.styled(text, style)


def _alarm(text: str, width: int) -> Content:
    # It fills its place: one style costs less than two on the way to the terminal.
    return _line(text.center(width), "bold $night on $alert")
