"""The list of what the roll allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from sequoia_rules.public import PublicState
from sequoia_rules.values import Dice, Pairing, Seat
from textual.content import Content
from textual.events import Click
from textual.message import Message

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, put
from sequoia_tui.widgets.facts import NO_GAME, standing
from sequoia_tui.widgets.picker import ENTRY_KEYS

_DETAILS: Final = 44
"""Cells from which on one line has room for the pairs and what they do."""

_COLUMN: Final = 10


@dataclass(frozen=True, slots=True)
class ListState:
    """What the list shows: the entries for these dice, and which is highlighted.

    ``public`` and ``seat`` are there for the standing that each entry leads to.
    """

    entries: tuple[Pairing, ...] = ()
    shown: int | None = None
    dice: Dice | None = None
    public: PublicState = NO_GAME
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """How a list is laid out: rows and columns on show, and the first entry of the top row."""

    rows: int
    columns: int
    across: int
    left: int
    first: int = 0
    details: bool = False

    def place(self, position: int) -> tuple[int, int]:
        """Give row and column of an entry."""
        position -= self.first
        return position % self.rows, position // self.rows


class PairingList(Canvas):
    """Entries in columns, or one a line where there is room; a click shows, another seals."""

    class Clicked(Message):
        """An entry was clicked."""

        def __init__(self, position: int, time: float) -> None:
            super().__init__()
            self.position = position
            self.pressed = time

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.state = ListState()

    def show(self, state: ListState) -> None:
        """Show another state."""
        if state != self.state:
            self.state = state
            self.redraw()

    @property
    def rows(self) -> int:
        """Rows of the list as it is laid out now; the arrows step by it."""
        return shape_of(self.state, self.size.width, self.size.height).rows

    def draw(self, width: int, height: int) -> Sequence[Content]:
        return list_lines(self.state, width, height, self.glyphs)

    def on_click(self, event: Click) -> None:
        shape = shape_of(self.state, self.size.width, self.size.height)
        top = _top(shape, self.size.height)
        row, column = event.y - top, (event.x - shape.left) // shape.across
        position = shape.first + column * shape.rows + row
        if (
            0 <= row < shape.rows
            and 0 <= column < shape.columns
            and 0 <= position < len(self.state.entries)
        ):
            event.stop()
            self.post_message(self.Clicked(position, event.time))


def columns_for(width: int, height: int, entries: Sequence[Pairing]) -> int:
    """Tell in how many columns entries are listed: one where it can hold details."""
    if _DETAILS + 2 <= width < 2 * _DETAILS and height >= len(entries):
        return 1
    return max(1, min(width // _across(entries), 5 if height < 5 else 3))


def _across(entries: Sequence[Pairing]) -> int:
    """Tell how wide a column is: pointer, key, text, and a cell between."""
    longest = max((len(entry_text(way)) for way in entries), default=0)
    return max(_COLUMN, longest + 5)


def shape_of(state: ListState, width: int, height: int) -> Shape:
    """Work out the layout of the list in a space."""
    count = len(state.entries)
    columns = columns_for(width, height, state.entries)
    if columns == 1 and width >= _DETAILS + 2:
        return Shape(max(1, count), 1, _DETAILS + 2, (width - _DETAILS - 2) // 2, details=True)
    rows = max(1, min(height, -(-count // columns)))
    used = min(columns, max(1, -(-count // rows)))
    across = max(_across(state.entries), min(12, width // columns))
    left = max(0, (width - used * across) // 2)
    first = 0
    if count > rows * columns and state.shown is not None:
        # More than fit: scroll by whole columns, so that entries keep their row.
        first = max(0, state.shown // rows - (columns - 1)) * rows
    return Shape(rows, columns, across, left, first)


def list_lines(state: ListState, width: int, height: int, glyphs: Glyphs) -> list[Content]:
    """Draw the list into a space, in its middle."""
    shape = shape_of(state, width, height)
    last = min(len(state.entries), shape.first + shape.rows * shape.columns)
    rows: list[list[tuple[int, Content | str]]] = [[] for _ in range(shape.rows)]
    for position in range(shape.first, last):
        row, column = shape.place(position)
        draw = _detailed if shape.details else _short
        rows[row].append((shape.left + column * shape.across, draw(state, position, glyphs)))
    lines = [put(*row) for row in rows]
    if shape.first and lines:
        lines[0] = Content.assemble((glyphs.arrows[0], "$dim"), lines[0][1:])
    if last < len(state.entries) and lines:
        end = put((0, lines[-1]), (width - 1, Content.styled(glyphs.arrows[-1], "$dim")))
        lines[-1] = end
    return [*([Content("")] * _top(shape, height)), *lines]


def entry_text(way: Pairing) -> str:
    """Name an entry: ``6+7``; in a tie-break also ``7 only`` and ``none``."""
    if not way.sums:
        return "none"
    if len(way.sums) == 1:
        return f"{way.sums[0]} only"
    return f"{way.sums[0]}+{way.sums[1]}"


def key_of(state: ListState, position: int) -> str:
    """Give the key of an entry; entries past the last key are reached by the arrows alone."""
    if position < len(ENTRY_KEYS):
        return ENTRY_KEYS[position]
    return "n" if not state.entries[position].sums else " "


def _top(shape: Shape, height: int) -> int:
    return 0 if shape.details else max(0, (height - shape.rows) // 2)


def _short(state: ListState, position: int, glyphs: Glyphs) -> Content:
    text = entry_text(state.entries[position])
    key = key_of(state, position)
    if position == state.shown:
        shown = f" {key}  {text} "
        return Content.assemble((glyphs.pointer, "$accent-ink"), (shown, _SHOWN))
    return Content.assemble("  ", (key, "bold $accent-ink"), "  ", (text, "$ink"))


def _detailed(state: ListState, position: int, glyphs: Glyphs) -> Content:
    way = state.entries[position]
    parts = []
    for (one, other), total in zip(way.pairs, way.sums, strict=True):
        dice = state.dice or (0,) * 5
        parts.append(f"{dice[one]}+{dice[other]} = {total}")
    does = "" if state.seat is None else standing(state.public, way.sums, state.seat)
    left = "  ".join(f"{part:<9}" for part in parts) if parts else "none: plant nothing"
    if len(parts) == 1:
        left = f"{left}  only"
    key = key_of(state, position)
    if position == state.shown:
        text = f" {key}  {left:<22}{does}"
        text += " " * (_DETAILS - cell_len(text))
        return Content.assemble((glyphs.pointer, "$accent-ink"), (text, _SHOWN))
    return Content.assemble(
        "  ", (key, "bold $accent-ink"), "  ", (f"{left:<22}", "$ink"), (does, "$dim")
    )


_SHOWN: Final = "bold $night on $accent-ink"
