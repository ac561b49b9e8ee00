"""Which server to go to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from sequoia_tui.address import Address, BadAddress, parse_address
from sequoia_tui.screens.base import BaseScreen, Field, Key, Line, bindings, glyphs_of
from sequoia_tui.screens.picklist import PickList, Row


class JoinScreen(BaseScreen):
    """A line to type an address into, and the servers that were visited last."""

    NAME = "join a server"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("down,up", "swap", "↑↓", "visited before", "Go between the line and the list"),
        Key("", "go", "Enter", "connect", "Connect to that server"),
        Key("escape", "back", "Esc", "home", "Go home"),
        Key("f1", "help", "F1", "help", "This help"),
    )
    BINDINGS = bindings(KEYS)

    class Given(Message):
        """The player named a server."""

        def __init__(self, address: Address) -> None:
            super().__init__()
            self.address = address

    def __init__(self, hosts: Sequence[str], *, typed: str = "") -> None:
        super().__init__()
        self._hosts = tuple(hosts)
        self._typed = typed or (hosts[0] if hosts else "")

    def matter(self) -> ComposeResult:
        signs = glyphs_of(self)
        with Vertical(id="join"), Vertical(classes="card"):
            yield Line(Content.styled("Where is the table?", "bold $accent-ink"))
            yield Line(
                "The name or number of the machine that runs sequoia-server, as in oak.local "
                "or 192.168.1.5:7378",
                classes="hint",
            )
            yield Field(self._typed, placeholder="oak.local", all=True, id="join-address")
            yield Line(id="trouble")
            if self._hosts:
                yield Line(Content.styled("Visited before", "$dim"))
                hosts = PickList(
                    signs, [Row(host, Content(signs.clean(host))) for host in self._hosts]
                )
                hosts.styles.height = len(self._hosts)
                yield hosts

    def on_mount(self) -> None:
        self.show_place("Join a server")
        self.query_one(Field).focus()

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        return bool(self._hosts) if action == "swap" else True

    def on_input_changed(self, _: Input.Changed) -> None:
        self.query_one("#trouble", Line).show("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._give(event.value)

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self._give(event.row)

    def action_go(self) -> None:
        lists = self.query(PickList)
        self._give(
            lists.first().row if lists and lists.first().has_focus else self.query_one(Field).value
        )

    def action_swap(self) -> None:
        field = self.query_one(Field)
        (self.query_one(PickList) if field.has_focus else field).focus()

    def _give(self, text: str) -> None:
        try:
            self.post_message(self.Given(parse_address(text)))
        except BadAddress as error:
            self.query_one("#trouble", Line).show(str(error))
