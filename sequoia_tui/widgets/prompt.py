"""The line to say something in; it takes the footer's place, so that nothing else moves."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.widgets import Input

from sequoia_tui.messages import ChatWritten
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas

CHAT_CELLS = 200


class ChatLine(Input):
    """An input without a blinking cursor: blinking writes to the terminal all the time."""

    def __init__(self) -> None:
        super().__init__(max_length=CHAT_CELLS, compact=True, select_on_focus=False)
        self.cursor_blink = False


class Prompt(Horizontal):
    """Takes a line of chat. What is half typed stays, whatever happens on the table."""

    DEFAULT_CSS = """
    Prompt { height: 1; width: 1fr; display: none; background: $panel; }
    Prompt Says { width: 6; height: 1; }
    Prompt ChatLine { width: 1fr; background: $surface; color: $foreground; }
    """

    class Closed(Message):
        """The line is put away."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs

    def compose(self) -> ComposeResult:
        yield Says(self.glyphs)
        yield ChatLine()

    def open(self) -> None:
        """Type into the line."""
        self.display = True
        # At once, not in its turn: what is typed right after the key belongs into the line.
        self.screen.set_focus(self.query_one(ChatLine))

    def close(self) -> None:
        """Put the line away; what is in it is there again the next time."""
        self.display = False
        self.screen.set_focus(None)
        self.post_message(self.Closed())

    def on_key(self, event: Key) -> None:
        if event.key == "escape":
            event.stop()
            self.close()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if text:
            self.post_message(ChatWritten(text))
        event.input.value = ""
        self.close()


class Says(Canvas):
    """The word before the line."""

    def draw(self, width: int, height: int) -> list[Content]:
        return [Content.styled(" Say: ", "bold $accent-ink")]
