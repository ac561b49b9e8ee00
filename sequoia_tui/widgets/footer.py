"""The last line: exactly the keys that work now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key, what it does in a word, and the action that a click on it runs."""

    key: str
    label: str
    action: str = ""


class FooterBar(Canvas):
    """Keys and what they do; where it is narrow, the last words go first, never a key."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.hints: tuple[KeyHint, ...] = ()

    def show(self, hints: Sequence[KeyHint]) -> None:
        """Show the keys that work now."""
        self.hints = tuple(hints)
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        hints = [
            KeyHint(_sign(hint.key, self.glyphs), hint.label, hint.action) for hint in self.hints
        ]
        apart, labels = _fit(hints, width)
        parts: list[Content | str] = [" "]
        for at, hint in enumerate(hints):
            text = Content.styled(hint.key, "bold $accent-ink")
            if at < labels:
                text = Content.assemble(text, (f" {hint.label}", "$ink"))
            if hint.action:
                text = text.stylize(f"@click=screen.{hint.action}")
            parts += [text, " " * apart]
        return [Content.assemble(*parts[:-1])]


def _fit(hints: Sequence[KeyHint], width: int) -> tuple[int, int]:
    """Find how far apart the hints can stand, and how many of them can keep their words."""
    keys = sum(cell_len(hint.key) for hint in hints)
    words = [1 + cell_len(hint.label) for hint in hints]
    for apart in (2, 1):
        if 1 + keys + sum(words) + apart * (len(hints) - 1) <= width:
            return apart, len(hints)
    labels = len(hints)
    while labels and 1 + keys + sum(words[:labels]) + len(hints) - 1 > width:
        labels -= 1
    return 1, labels


def _sign(key: str, glyphs: Glyphs) -> str:
    return key.replace("←→", glyphs.arrows).replace("↑↓", glyphs.updown)
