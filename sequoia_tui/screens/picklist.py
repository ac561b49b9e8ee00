"""A list from which one row is picked, by arrows and Enter or by the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.message import Message

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class Row:
    """A row: a name for the program, and what the player reads."""

    name: str
    content: Content


class PickList(Canvas, can_focus=True):
    """Rows of which one is highlighted; it scrolls if there are more than fit.

    With ``eager`` a click picks a row at once; without, the first click highlights it and the
    next one picks it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-10000)", show=False),
        Binding("end", "move(10000)", show=False),
        Binding("enter", "pick", show=False),
    ]

    class Highlighted(Message):
        """Another row is highlighted."""

        def __init__(self, row: str) -> None:
            super().__init__()
            self.row = row

    class Picked(Message):
        """A row was picked."""

        def __init__(self, row: str) -> None:
            super().__init__()
            self.row = row

    def __init__(
        self,
        glyphs: Glyphs,
        rows: Sequence[Row] = (),
        *,
        start: str = "",
        eager: bool = True,
        id: str | None = None,
    ) -> None:
        super().__init__(glyphs, id=id)
        self._rows = tuple(rows)
        self._index = max(0, self._position(start))
        self._top = 0
        self._eager = eager

    @property
    def row(self) -> str:
        """The name of the highlighted row; empty if there are no rows."""
        return self._rows[self._index].name if self._rows else ""

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; the highlight stays on the row of the same name."""
        name = self.row
        self._rows = tuple(rows)
        position = self._position(name)
        self._index = position if position >= 0 else min(self._index, max(0, len(rows) - 1))
        self._scroll()
        self.redraw()
        if self.row != name:
            self.post_message(self.Highlighted(self.row))

    def draw(self, width: int, height: int) -> Sequence[Content]:
        lines = []
        for index in range(self._top, min(len(self._rows), self._top + height)):
            here = index == self._index
            sign = self.glyphs.pointer if here else " "
            line = Content.assemble((f"{sign} ", "bold $accent-ink"), self._rows[index].content)
            if here:
                line = line.pad_right(max(0, width - line.cell_length))
                line = line.stylize("bold on $bar" if self.has_focus else "on $card")
            lines.append(line)
        if self._top > 0:
            lines[0] = _more(lines[0], width, self.glyphs)
        if self._top + height < len(self._rows):
            lines[-1] = _more(lines[-1], width, self.glyphs)
        return lines

    def action_move(self, by: int) -> None:
        index = max(0, min(len(self._rows) - 1, self._index + by))
        if not self._rows or index == self._index:
            # At its end the list has no use for the key; perhaps the screen has.
            raise SkipAction
        self.highlight(index)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self.size.height - 1))

    def action_pick(self) -> None:
        if self._rows:
            self.post_message(self.Picked(self.row))

    def highlight(self, index: int) -> None:
        """Highlight a row."""
        if self._rows and index != self._index:
            self._index = index
            self._scroll()
            self.redraw()
            self.post_message(self.Highlighted(self.row))

    def on_click(self, event: Click) -> None:
        index = self._top + event.y
        if 0 <= index < len(self._rows):
            again = index == self._index
            self.highlight(index)
            if again or self._eager:
                self.action_pick()

    def on_mouse_scroll_down(self, _: MouseScrollDown) -> None:
        self.highlight(min(len(self._rows) - 1, self._index + 1))

    def on_mouse_scroll_up(self, _: MouseScrollUp) -> None:
        self.highlight(max(0, self._index - 1))

    def on_resize(self, _: Resize) -> None:
        self._scroll()

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()

    def _position(self, name: str) -> int:
        return next((i for i, row in enumerate(self._rows) if row.name == name), -1)

    def _scroll(self) -> None:
        height = max(1, self.size.height)
        self._top = min(self._top, self._index, max(0, len(self._rows) - height))
        self._top = max(self._top, self._index - height + 1)


def _more(line: Content, width: int, signs: Glyphs) -> Content:
    """Mark at its end that rows are hidden next to a line."""
    line = line.pad_right(max(0, width - line.cell_length))
    return Content.assemble(line[: max(0, width - 1)], (signs.more, "bold $accent-ink"))
