"""The one gate through which text from others reaches a widget.

Terminals obey what they are sent, and a widget's ``markup=False`` does not keep an escape
sequence from them. So every name, chat line and sentence of a server passes here, where
controls, bidi overrides and their like become a visible mark. What comes out goes into Content,
which no widget parses as markup.
"""

from __future__ import annotations

import unicodedata

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARK = "?"


def safe_str(text: str) -> str:
    """Replace each character that is no text by a question mark."""
    return "".join(_MARK if unicodedata.category(c) in _REFUSED else c for c in text)
