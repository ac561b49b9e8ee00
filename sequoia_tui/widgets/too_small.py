"""The notice where not even the table of rows finds room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from sequoia_tui.widgets.canvas import Canvas, centred

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 18


class TooSmall(Canvas):
    """Says how large the terminal is and has to be; the game goes on behind it."""

    def draw(self, width: int, height: int) -> Sequence[Content]:
        lines = [
            Content.styled("Too small for the table", "bold $ink"),
            Content.styled(f"this is {width}x{height}", "$alert"),
            Content.styled(f"it needs {LEAST_WIDTH}x{LEAST_HEIGHT}", "$ink"),
            Content.assemble(("q", "bold $accent-ink"), (" quits", "$ink")),
        ]
        if width < 24:
            lines[0] = Content.styled("Too small", "bold $ink")
        above = max(0, (height - len(lines)) // 2)
        return [Content("")] * above + [centred(line, width) for line in lines]
