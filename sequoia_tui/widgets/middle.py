"""The middle of the table: the roll, what it allows, and what the player waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from sequoia_rules.values import Pairing
from textual.containers import Container
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.countdown import NARROW, WIDE, Countdown
from sequoia_tui.widgets.dice import DiceRow
from sequoia_tui.widgets.notes import Notes
from sequoia_tui.widgets.pairing_list import PairingList, columns_for
from sequoia_tui.widgets.standings import Standings

_DICE: Final = 5
_ROOMY: Final = 12
"""Lines from which on dice are blocks; with fewer they are one line of text."""

_LIVE: Final = 20
"""Cells at the end of that line for what a choice does."""

BESIDE: Final = NARROW + 1
"""Cells for a countdown beside something else."""


class Matter(StrEnum):
    """What the middle is about."""

    PICKING = "picking"
    DUELLING = "duelling"
    TURNING = "turning"
    SEALED = "sealed"
    FORCED = "forced"
    PAUSED = "paused"
    WATCHING = "watching"
    FINAL = "final"


class Head(StrEnum):
    """What is above the dice."""

    PLAIN = "plain"
    """Nothing, or the call of a Sequoia."""
    TIMED = "timed"
    """The countdown."""
    CALLED = "called"
    """Both."""


class Middle(Container):
    """Holds the parts of the middle and gives each its lines."""

    def __init__(self, glyphs: Glyphs, now: Callable[[], float], *, id: str | None = None) -> None:
        self.banner = Notes(glyphs, id="banner")
        self.dice = DiceRow(glyphs, id="dice")
        self.pairings = PairingList(glyphs, id="pairings")
        self.live = Notes(glyphs, id="live")
        self.notes = Notes(glyphs, id="notes")
        self.standings = Standings(glyphs, id="standings")
        self.countdown = Countdown(glyphs, now, id="countdown")
        self.matter = Matter.WATCHING
        self.head = Head.PLAIN
        self._entries: tuple[Pairing, ...] = ()
        self._arranged = _MiddleLayout()
        super().__init__(
            self.banner,
            self.dice,
            self.pairings,
            self.live,
            self.notes,
            self.standings,
            self.countdown,
            id=id,
        )

    @property
    def layout(self) -> Layout:
        return self._arranged

    def show(self, matter: Matter, head: Head) -> None:
        """Make room for another matter; parts that do not belong to it are put away."""
        entries = self.pairings.state.entries
        if (matter, head, entries) != (self.matter, self.head, self._entries):
            self.matter, self.head, self._entries = matter, head, entries
            # The toolkit forgets a container's arrangement only when one of its children asks.
            self.notes.refresh(layout=True)


def middle_slots(
    matter: Matter, width: int, height: int, entries: Sequence[Pairing], head: Head = Head.PLAIN
) -> dict[str, Region]:
    """Give the parts their lines.

    The banner, the dice and the list keep their places from round to round. In a tie-break the
    list is mostly short, and what it leaves goes to the duels below it.
    """
    if matter is Matter.FINAL:
        return {"standings": Region(0, 0, width, height)}
    if height < _ROOMY:
        return _narrow_slots(matter, width, height, entries, head)
    if matter is Matter.WATCHING:
        return {**_head_slots(width, head), "notes": Region(0, 2, width, height - 2)}
    air = int(height >= 18)
    dice = 1 + air + (height >= 26)
    after = dice + _DICE + air
    slots = {**_head_slots(width, head), "dice": Region(0, dice, width, _DICE)}
    if matter in (Matter.PICKING, Matter.DUELLING):
        most = 15 if height >= 24 else 7 if air else 5
        rows = min(most, height - after - 1)
        if matter is Matter.DUELLING:
            rows = min(rows, max(1, -(-len(entries) // columns_for(width, most, entries))))
        slots["pairings"] = Region(0, after, width, rows)
        after += rows
        if columns_for(width, rows, entries) > 1:
            # A list with details says for every entry what it does.
            slots["live"] = Region(0, after, width, 1)
            after += 1
        if matter is Matter.DUELLING and height - after > 5:
            after += 1
    slots["notes"] = Region(0, after, width, height - after)
    return {name: region for name, region in slots.items() if region}


def _head_slots(width: int, head: Head) -> dict[str, Region]:
    """Share the line above the dice: the countdown stands over them, or beside a call."""
    match head:
        case Head.TIMED:
            return {"countdown": Region((width - WIDE) // 2, 0, WIDE, 1)}
        case Head.CALLED:
            return {
                "banner": Region(0, 0, width - BESIDE, 1),
                "countdown": Region(width - BESIDE, 0, NARROW, 1),
            }
        case Head.PLAIN:
            return {"banner": Region(0, 0, width, 1)}


def _narrow_slots(
    matter: Matter, width: int, height: int, entries: Sequence[Pairing], head: Head
) -> dict[str, Region]:
    """Below the table of rows: the dice and what a choice does share a line.

    Where there is no line above them, the countdown stands on that one as well.
    """
    above = height >= 6
    slots = _head_slots(width, head) if above else {}
    clock = 0 if above or head is Head.PLAIN else BESIDE
    if matter is Matter.WATCHING:
        if clock:
            slots["countdown"] = Region(width - clock, 0, NARROW, 1)
        slots["notes"] = Region(0, int(above), width - clock, height - above)
        return slots
    live = _LIVE if not clock else _LIVE - 3
    slots["dice"] = Region(0, int(above), width - live - clock, 1)
    slots["live"] = Region(width - live, int(above), live, 1)
    if clock:
        slots["countdown"] = Region(width - live - clock, 0, NARROW, 1)
    after = 1 + above
    if matter in (Matter.PICKING, Matter.DUELLING):
        most = min(5, height - after)
        rows = min(most, max(1, -(-len(entries) // columns_for(width, most, entries))))
        slots["pairings"] = Region(0, after, width, rows)
        after += slots["pairings"].height
    slots["notes"] = Region(0, after, width, height - after)
    return {name: region for name, region in slots.items() if region}


class _MiddleLayout(Layout):
    name = "middle"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        parent.pre_layout(self)
        if not isinstance(parent, Middle):
            return []
        entries = parent.pairings.state.entries
        slots = middle_slots(parent.matter, size.width, size.height, entries, parent.head)
        return [
            WidgetPlacement(slots[child.id], NULL_OFFSET, Spacing(), child)
            for child in children
            if child.id in slots
        ]
