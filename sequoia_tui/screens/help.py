"""The help of whatever screen is shown: each key that works there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.events import Resize

from sequoia_tui.screens.base import Dialog, Key, Line, bindings, glyphs_of

# A frame, a blank line, the keys of this dialog, and some lines that wrap.
_AROUND: Final = 10


class HelpDialog(Dialog[None]):
    """Lists keys with what they do."""

    KEYS = (
        Key("", "", "↑↓", "scroll", ""),
        Key("escape,enter,question_mark,f1,q", "close", "Esc", "close", ""),
    )
    BINDINGS = bindings(KEYS)

    def __init__(self, screen: str, keys: Sequence[tuple[str, str]]) -> None:
        """Take the keys as (how they are written, what they do)."""
        super().__init__()
        self._told = tuple(keys)
        self.heading = f"Keys: {screen}"

    def on_resize(self, event: Resize) -> None:
        # What does not fit fills the screen and scrolls.
        self.set_class(len(self._told) > event.size.height - _AROUND, "-page")

    def matter(self) -> ComposeResult:
        signs = glyphs_of(self)
        rows = [
            (key.replace("↑↓", signs.updown).replace("←→", signs.arrows), what)
            for key, what in self._told
        ]
        with VerticalScroll(can_focus=True):
            for key, what in rows:
                with Horizontal():
                    yield Line(key, classes="key")
                    yield Line(what, classes="does")


def told(keys: Sequence[Key]) -> list[tuple[str, str]]:
    """Write a screen's keys down for the help."""
    return [(key.shown, key.help) for key in keys if key.shown and key.help]
