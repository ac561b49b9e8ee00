"""The base of the table's widgets: lines of text, of which only changed cells are written.

The toolkit repaints a whole widget whenever anything in it changes, and every repainted cell is
written to the terminal. A canvas compares what it drew with what it draws now and asks for a
repaint of just the cells that differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.content import Content
from textual.geometry import Region, Size
from textual.markup import parse_style
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from sequoia_tui.themes import PALETTE, Glyphs


class Canvas(Widget):
    """A widget that draws itself as lines; subclasses give :meth:`draw`."""

    ALLOW_SELECT = False

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.glyphs = glyphs
        self._key: tuple[Size, Style, str] | None = None
        self._strips: list[Strip] = []

    def draw(self, width: int, height: int) -> Sequence[Content]:
        """Give the lines for a size, top down; missing lines and cells stay empty."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw again after what is shown has changed, and repaint the cells that differ."""
        if self._key is None or self._key != self._current_key():
            # Nothing is on the screen yet, or a layout is due that paints everything anyway.
            self._key = None
            if self.size:
                self.refresh()
            return
        before, self._strips = self._strips, self._rendered(self.size)
        changed = [
            Region(start, y, end - start, 1)
            for y, (old, new) in enumerate(zip(before, self._strips, strict=True))
            if old != new
            for start, end in [_difference(old, new)]
            if end
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        key = self._current_key()
        if key != self._key:
            self._strips = self._rendered(self.size)
            self._key = key
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width)

    def _current_key(self) -> tuple[Size, Style, str]:
        return self.size, self.visual_style, self.app.theme

    def _rendered(self, size: Size) -> list[Strip]:
        base = self.visual_style
        variables = self.app.theme_variables
        palette = tuple((name, variables.get(name, ours)) for name, ours in PALETTE.items())
        blank = base.rich_style

        def parse(style: str | Style) -> Style:
            return _parsed(style, palette) if isinstance(style, str) else style

        strips = []
        for line in self.draw(size.width, size.height)[: size.height]:
            segments = [
                Segment(text, style.rich_style)
                for text, style in line.render(base, end="", parse_style=parse)
                if text
            ]
            strip = Strip(segments).adjust_cell_length(size.width, blank)
            strips.append(Strip(_calmed(list(strip))).simplify())
        missing = size.height - len(strips)
        return strips + [Strip.blank(size.width, blank)] * missing


def put(*placed: tuple[int, Content | str]) -> Content:
    """Lay pieces on one line, each at its column; they have to come from left to right."""
    parts: list[Content | str] = []
    at = 0
    for column, piece in placed:
        parts += [" " * (column - at), piece]
        at = max(at, column) + (cell_len(piece) if isinstance(piece, str) else piece.cell_length)
    return Content.assemble(*parts)


def centred(piece: Content, width: int) -> Content:
    """Lay a piece in the middle of a line."""
    return put(((width - piece.cell_length) // 2, piece))


def ends(left: Content, right: Content, width: int) -> Content:
    """Lay one piece at the start of a line and another at its end."""
    return put((0, left), (width - right.cell_length, right))


def wrapped(text: str, width: int) -> list[str]:
    """Break text into lines of a width, between words if that is possible."""
    lines = [""]
    for word in text.split(" "):
        fits = cell_len(lines[-1]) + 1 + cell_len(word) <= width
        if lines[-1] and fits:
            lines[-1] += f" {word}"
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if cell_len(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return lines


@lru_cache(maxsize=2048)
def _parsed(style: str, palette: tuple[tuple[str, str], ...]) -> Style:
    return parse_style(style, dict(palette))


def _calmed(segments: list[Segment]) -> list[Segment]:
    """Let blanks take the style of a neighbour on the same background.

    They look the same, and every change of style costs some 25 bytes on the way to a terminal.
    """
    for at, (text, style, _) in enumerate(segments):
        if text.isspace():
            for beside in (at - 1, at + 1):
                if 0 <= beside < len(segments) and _plain_beside(style, segments[beside].style):
                    segments[at] = Segment(text, segments[beside].style)
                    break
    return segments


def _plain_beside(blank: RichStyle | None, other: RichStyle | None) -> bool:
    if blank is None or other is None or other.underline or other.reverse or other.strike:
        return False
    return blank.bgcolor == other.bgcolor and blank.meta == other.meta


def _difference(old: Strip, new: Strip) -> tuple[int, int]:
    """Give the columns, as start and end, between which two lines of equal width differ.

    One span a line: the toolkit writes a span from the left edge of its widget anyway, so two
    of them would write the first one twice.
    """
    changed = [
        column
        for column, (one, other) in enumerate(zip(_cells(old), _cells(new), strict=True))
        if one != other
    ]
    return (changed[0], changed[-1] + 1) if changed else (0, 0)


def _cells(strip: Strip) -> list[tuple[str, int, object]]:
    """Take a line apart; both halves of a wide character name it, so that both differ with it."""
    cells: list[tuple[str, int, object]] = []
    for text, style, _ in strip:
        for character in text:
            width = cell_len(character)
            if width == 0 and cells:
                base, part, base_style = cells[-1]
                cells[-1] = (base + character, part, base_style)
            cells += [(character, part, style) for part in range(width)]
    return cells
