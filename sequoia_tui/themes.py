"""Colours and signs: what the table looks like, and how a player is told from another.

Every player has a colour and a sign, always both. Colours are variables of a theme, so that
another theme can replace them; signs come in two sets, one of them plain ASCII.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from sequoia_protocol.room import Colour
from textual.theme import Theme

from sequoia_tui.safe_text import safe_str

PALETTE: Final[Mapping[str, str]] = {
    # The players. Measured: at least 15.7 delta E apart in simulated protan, deutan and tritan
    # sight, contrast at least 6.1 on the background, five different colours at 256 and at 16.
    "pink": "#E76BB0",
    "green": "#3DDC97",
    "blue": "#56B4E9",
    "grey": "#D0D4CE",
    "gold": "#FFB000",
    # The table.
    "ink": "#E8EFE6",
    "dim": "#8FA596",
    "faint": "#3E6B4A",
    "night": "#0F1A12",
    "card": "#16261A",
    "bar": "#1C3323",
    "chip": "#3A5443",
    "accent-ink": "#FFE08A",
    "good": "#8FD18F",
    "alert": "#FF9B85",
    # The dice: two pairs and the spare one.
    "ivory": "#F7F1DC",
    "ice": "#CFE6F5",
    "spare": "#33463A",
    "pip": "#16261A",
    "spare-pip": "#8FA596",
}
"""What the widgets paint with; a theme may give any of it another value in ``variables``."""

SEQUOIA: Final = Theme(
    name="sequoia",
    primary="#FFE08A",
    secondary="#56B4E9",
    accent="#FFB000",
    warning="#FFB000",
    error="#FF9B85",
    success="#8FD18F",
    foreground="#E8EFE6",
    background="#0F1A12",
    surface="#16261A",
    panel="#1C3323",
    dark=True,
    variables=dict(PALETTE),
)
"""The forest at night; the app registers it and starts with it."""


@dataclass(frozen=True, slots=True)
class Box:
    """The six signs a frame is drawn with: corners from top left, clockwise, then the lines."""

    top_left: str
    top_right: str
    bottom_right: str
    bottom_left: str
    across: str
    down: str


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A set of signs. ``plain`` is true where every cell has to stay below 0x80."""

    players: Mapping[Colour, str]
    light: Box
    heavy: Box
    pair: Box
    dot: str
    more: str
    tick: str
    pointer: str
    rule: str
    bar: str
    first: str
    second: str
    done: str
    left: str
    pip: str
    link: str
    arrows: str
    updown: str
    up: str
    times: str
    wait: str
    stand_in: str
    plain: bool = False

    def clean(self, text: str) -> str:
        """Make foreign text harmless, and plain where that is asked for."""
        text = safe_str(text)
        if not self.plain or text.isascii():
            return text
        parts = unicodedata.normalize("NFKD", text)
        return "".join(c if c.isascii() else "?" for c in parts if not unicodedata.combining(c))

    def clip(self, text: str, width: int) -> str:
        """Cut text to a number of cells, with a sign that there was more."""
        if cell_len(text) <= width:
            return text
        return set_cell_size(text, width - 1).rstrip() + self.more if width > 0 else ""


UNICODE: Final = Glyphs(
    players={
        Colour.PINK: "◆",
        Colour.GREEN: "★",
        Colour.BLUE: "●",
        Colour.GREY: "■",
        Colour.GOLD: "▲",
    },
    light=Box("╭", "╮", "╯", "╰", "─", "│"),
    heavy=Box("┏", "┓", "┛", "┗", "━", "┃"),
    pair=Box("╭", "╮", "╯", "╰", "─", "│"),
    dot="·",
    more="…",
    tick="✓",
    pointer="▶",
    rule="─",
    bar="│",
    first="█",
    second="▒",
    done="■",
    left="□",
    pip="●",
    link="●",
    arrows="←→",
    updown="↑↓",
    up="▲",
    times="×",
    wait="…",
    stand_in="⇄",
)

ASCII: Final = Glyphs(
    players={
        Colour.PINK: "A",
        Colour.GREEN: "B",
        Colour.BLUE: "C",
        Colour.GREY: "D",
        Colour.GOLD: "E",
    },
    light=Box("+", "+", "+", "+", "-", "|"),
    heavy=Box("+", "+", "+", "+", "=", "|"),
    pair=Box(",", ".", "'", "`", "-", "|"),
    dot=".",
    more="~",
    tick="*",
    pointer=">",
    rule="-",
    bar="|",
    first="#",
    second="=",
    done="#",
    left=".",
    pip="o",
    link="*",
    arrows="<>",
    updown="^v",
    up="^",
    times="x",
    wait="~",
    stand_in="&",
    plain=True,
)


def plain_terminal(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether this terminal is known to lack the signs of :data:`UNICODE`."""
    return environ.get("TERM") == "linux"


def glyphs(*, ascii: bool) -> Glyphs:
    """Give the set of signs for a terminal."""
    return ASCII if ascii else UNICODE


def ink(colour: Colour) -> str:
    """Name the palette's variable of a player's colour, as it stands in a style."""
    return f"${colour.value}"
