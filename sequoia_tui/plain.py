"""A last gate for terminals that show plain ASCII alone: every cell that would not fit is replaced.

Screens and widgets draw with signs that fit the terminal; this sees to borders, to text from
others, and to whatever the toolkit draws by itself.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("─━═╌╍┄┅▔▁▂▃▄▀", "-"),
        **dict.fromkeys("│┃║╎╏┆┇▏▎▍▌▐▕▊▉", "|"),
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛╔╗╚╝", "+"),
        **dict.fromkeys("█▓■", "#"),
        **dict.fromkeys("·•▪", "."),
        **dict.fromkeys("●◉✓★", "*"),
        **dict.fromkeys("▶›→", ">"),
        **dict.fromkeys("◀‹←", "<"),
        **dict.fromkeys("↑▲", "^"),
        **dict.fromkeys("↓▼", "v"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("‘’", "'"),
        "×": "x",
        "…": "~",
        "–": "-",
        "—": "-",
        "▒": "=",
        "░": ".",
        "□": ".",
    }
)


@lru_cache(4096)
def plain(text: str) -> str:
    """Replace what is not ASCII by ASCII that fills exactly as many cells."""
    if text.isascii():
        return text
    cells = []
    for character in text.translate(_SIGNS):
        if character.isascii():
            cells.append(character)
            continue
        base = unicodedata.normalize("NFKD", character)[0]
        width = cell_len(character)
        cells.append(base if base.isascii() and width == 1 else "?" * width)
    return "".join(cells)


class PlainFilter(LineFilter):
    """Applies :func:`plain` to every line on its way to the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Replace the text of segments; their styles stay."""
        return [
            segment if segment.control else Segment(plain(segment.text), segment.style)
            for segment in segments
        ]
