"""On the way to a server: while the link is being made, and when it could not be."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from sequoia_tui.screens.base import HELP, BaseScreen, Key, Line, bindings, glyphs_of


class ConnectingScreen(BaseScreen):
    """Says where one is going; and if that fails, why, what to do, and the way back."""

    NAME = "on the way to a server"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("enter,r", "retry", "Enter", "try again", "Try again"),
        Key("j", "other", "j", "another server", "Go to another server"),
        Key("escape,b", "back", "Esc", "home", "Go home"),
        HELP,
    )
    BINDINGS = bindings(KEYS)

    class RetryAsked(Message):
        """The player wants to try the same server again."""

    class OtherAsked(Message):
        """The player wants to try another server."""

    def __init__(self, server: str) -> None:
        super().__init__()
        self._server = server
        self._head = ""
        self._sentence = ""
        self._can_retry = False

    def matter(self) -> ComposeResult:
        with Vertical(id="connecting"), Vertical(classes="card"):
            yield Line(id="connecting-where")
            yield Line(id="connecting-what")

    def on_mount(self) -> None:
        self._show()

    def show_trouble(self, head: str, sentence: str, *, can_retry: bool = True) -> None:
        """Say why it did not work. The sentence may come from a server."""
        self._head = head
        self._sentence = sentence
        self._can_retry = can_retry
        if self.is_mounted:
            self._show()

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        if action == "retry":
            return self._can_retry
        return bool(self._sentence) if action == "other" else True

    def action_retry(self) -> None:
        self.post_message(self.RetryAsked())

    def action_other(self) -> None:
        self.post_message(self.OtherAsked())

    def _show(self) -> None:
        signs = glyphs_of(self)
        server = signs.clean(self._server)
        trouble = signs.clean(self._sentence)
        self.show_place(server, self._head.lower() if trouble else "connecting")
        head = self._head if trouble else f"Connecting to {server} {signs.more}"
        self.query_one("#connecting-where", Line).show(
            Content.styled(head, "bold $alert" if trouble else "bold $accent-ink")
        )
        self.query_one("#connecting-what", Line).show(trouble or "This takes a moment at most.")
        self.show_keys()
