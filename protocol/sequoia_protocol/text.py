"""Names and chat lines: what is allowed, and what cleaning does to them.

The server cleans what arrives and sends nothing else on; a client cleans again before it
shows anything.
"""

from __future__ import annotations

import unicodedata
from typing import Final

NAME_CELLS: Final = 16
CHAT_CELLS: Final = 200

_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories that are never text: controls, formats (bidi, zero width), surrogates, private."""

_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Characters of other categories that show nothing: fillers, joiners, variation selectors."""

_WIDE: Final = frozenset({"W", "F"})


class BadText(ValueError):
    """A name or a line that is refused; the message is a sentence for a person."""


def cells(text: str) -> int:
    """Count the terminal cells of cleaned text."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in _WIDE)
        for c in text
    )


def clean_name(name: str) -> str:
    """Normalise a name (NFKC, single spaces, none outside).

    Raises:
        BadText: it is empty, wider than 16 cells, or holds a character that is no text.
    """
    return _clean(name, NAME_CELLS, "A name")


def clean_chat(line: str) -> str:
    """Normalise a chat line.

    Raises:
        BadText: it is empty, wider than 200 cells, or holds a character that is no text.
    """
    return _clean(line, CHAT_CELLS, "A chat line")


def same_name(one: str, other: str) -> bool:
    """Tell whether two cleaned names would be taken for each other."""
    return one.casefold() == other.casefold()


def _clean(text: str, limit: int, what: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    if any(unicodedata.category(c) in _REFUSED or c in _BLANK for c in text):
        raise BadText(f"{what} may hold letters, digits, signs and spaces only.")
    text = " ".join(text.split())
    if not text:
        raise BadText(f"{what} needs at least one character.")
    if unicodedata.combining(text[0]):
        raise BadText(f"{what} cannot begin with an accent.")
    # Accents take no cell of their own, but a heap of them fills a line and a list.
    if cells(text) > limit or len(text) > 2 * limit:
        raise BadText(f"{what} may be {limit} cells wide at most.")
    return text
