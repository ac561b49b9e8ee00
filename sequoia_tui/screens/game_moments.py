"""What moves for a moment: the dice tumbling, the trees just planted, the count.

A moment only adds to what the view says, ends by itself, and is over at once at any key. The
game never waits for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sequoia_rules.values import FORESTS, Dice, Forest, Seat, Sums
from textual.dom import DOMNode
from textual.timer import Timer

_FRAME: Final = 0.08
_FRAMES: Final = 6
_REVEAL: Final = 2.0
_COUNT: Final = 0.35


class Moments:
    """The moments of one screen. ``changed`` is called whenever there is something to redraw."""

    def __init__(self, node: DOMNode, changed: Callable[[], None]) -> None:
        self._node = node
        self._changed = changed
        self._dice: Dice | None = None
        self._frame = 0
        self._grown: dict[Forest, dict[Seat, int]] = {}
        self._counted = len(FORESTS)
        self._timers: dict[str, Timer] = {}

    @property
    def dice(self) -> Dice | None:
        """The faces shown while the dice tumble; None once they lie."""
        if self._dice is None:
            return None
        # A die comes to rest with every frame, the first one first.
        faces = [
            face if at < self._frame - 1 else (face + self._frame * (at + 2)) % 6 + 1
            for at, face in enumerate(self._dice)
        ]
        return (faces[0], faces[1], faces[2], faces[3], faces[4])

    @property
    def grown(self) -> Mapping[Forest, Mapping[Seat, int]]:
        """The trees of the last reveal, by forest and seat, while they are to be noticed."""
        return self._grown

    @property
    def counted(self) -> int:
        """How many forests have turned over their tokens; all of them outside the count."""
        return self._counted

    @property
    def counting(self) -> bool:
        """Whether the tokens are being turned over."""
        return self._counted < len(FORESTS)

    def tumble(self, dice: Dice) -> None:
        """Let fresh dice tumble to rest."""
        if self._still:
            return
        self._dice, self._frame = dice, 0
        self._start("dice", _FRAME, self._next_frame)

    def reveal(self, sums: tuple[tuple[Seat, Sums], ...]) -> None:
        """Point out what everybody has just planted."""
        self._grown = {}
        for seat, forests in sums:
            for forest in forests:
                here = self._grown.setdefault(forest, {})
                here[seat] = here.get(seat, 0) + 1
        self._start("grown", _REVEAL, self._settle)

    def count(self) -> None:
        """Turn the tokens over forest by forest."""
        if self._still:
            return
        self._counted = 0
        self._start("count", _COUNT, self._next_forest)

    def skip(self) -> bool:
        """End everything that moves, and tell whether anything did."""
        moving = bool(self._timers)
        for timer in self._timers.values():
            timer.stop()
        self._timers.clear()
        self._dice, self._grown, self._counted = None, {}, len(FORESTS)
        return moving

    @property
    def _still(self) -> bool:
        return self._node.app.animation_level == "none"

    def _start(self, name: str, seconds: float, step: Callable[[], None]) -> None:
        self._stop(name)
        self._timers[name] = self._node.set_interval(seconds, step)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.stop()

    def _next_frame(self) -> None:
        self._frame += 1
        if self._frame >= _FRAMES:
            self._dice = None
            self._stop("dice")
        self._changed()

    def _settle(self) -> None:
        self._grown = {}
        self._stop("grown")
        self._changed()

    def _next_forest(self) -> None:
        self._counted += 1
        if self._counted >= len(FORESTS):
            self._stop("count")
        self._changed()
