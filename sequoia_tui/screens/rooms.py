"""The rooms of a server: pick one, make one, or enter one by its code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from sequoia_protocol.messages import RoomLine
from sequoia_protocol.room import RoomSettings
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.message import Message

from sequoia_tui.link import Link, LinkState
from sequoia_tui.screens.base import HELP, BaseScreen, Key, Line, bindings, glyphs_of
from sequoia_tui.screens.dialogs import CodeDialog, CreateDialog
from sequoia_tui.screens.picklist import PickList, Row
from sequoia_tui.themes import Glyphs

LOOK_EVERY: Final = 3.0


class RoomsScreen(BaseScreen):
    """The public rooms, looked up every few seconds while this screen is the one that shows."""

    NAME = "the rooms of a server"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("", "", "↑↓", "choose", "Choose a room"),
        Key("", "enter", "Enter", "join", "Join the room; watch if you came to watch"),
        Key("w", "watch", "w", "watch", "Watch the room"),
        Key("n", "new", "n", "new room", "Open a room of your own"),
        Key("c", "code", "c", "code", "Enter a room by its code"),
        Key("b", "game", "b", "your game", "Back to the game in which your seat waits"),
        Key("escape", "back", "Esc", "home", "Leave this server"),
        HELP,
    )
    BINDINGS = bindings(KEYS)

    class LookWanted(Message):
        """The list may be out of date."""

    class RoomWanted(Message):
        """The player wants to enter a room."""

        def __init__(self, code: str, *, watch: bool) -> None:
            super().__init__()
            self.code = code
            self.watch = watch

    class NewWanted(Message):
        """The player wants a room of their own."""

        def __init__(self, settings: RoomSettings) -> None:
            super().__init__()
            self.settings = settings

    class GameWanted(Message):
        """The player wants back to the game in which their seat waits here."""

    def __init__(
        self, link: Link, *, watch: bool = False, game: bool = False, notice: str = ""
    ) -> None:
        super().__init__()
        self._link_now = link
        self._watch = watch
        self._game = game
        self._notice = notice
        self._lines: dict[str, RoomLine] = {}

    def matter(self) -> ComposeResult:
        with Vertical(id="rooms"):
            if self._notice:
                yield Line(glyphs_of(self).clean(self._notice), id="rooms-notice")
            yield Line(id="rooms-head")
            yield PickList(glyphs_of(self), id="rooms-list", eager=False)
            yield Line(id="rooms-none")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self._show_link()
        self._look()
        self.set_interval(LOOK_EVERY, self._look)

    def on_screen_resume(self) -> None:
        self._look()

    def show_link(self, link: Link) -> None:
        """Show how the link is."""
        self._link_now = link
        if self.is_mounted:
            self._show_link()

    def show_rooms(self, lines: Sequence[RoomLine]) -> None:
        """Show the rooms; the highlight stays on its room."""
        self._lines = {line.code: line for line in lines}
        signs = glyphs_of(self)
        rows = self.query_one(PickList)
        short = self.app.size.width < 80
        name = 14 if short else 18
        rows.show_rows([Row(line.code, _row(line, signs, name)) for line in lines])
        rows.display = bool(lines)
        self.query_one("#rooms-head", Line).show(
            Content.styled(f"  {'TABLE OF':<{name}}{'SEATS':<32}CODE" if lines else "", "$dim")
        )
        self.query_one("#rooms-none", Line).show(
            ""
            if lines
            else "No table stands open here. Press n to open one, or c if a friend gave you a code."
        )
        self.show_keys()

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        match action:
            case "enter":
                return bool(self._lines)
            case "watch":
                return any(line.spectators for line in self._lines.values()) and not self._watch
            case "game":
                return self._game
            case _:
                return True

    def on_resize(self, _: Resize) -> None:
        if self._lines:
            self.show_rooms(list(self._lines.values()))

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self.post_message(self.RoomWanted(event.row, watch=self._watch))

    def action_enter(self) -> None:
        self.query_one(PickList).action_pick()

    def action_watch(self) -> None:
        if code := self.query_one(PickList).row:
            self.post_message(self.RoomWanted(code, watch=True))

    def action_new(self) -> None:
        def made(settings: RoomSettings | None) -> None:
            if settings is not None:
                self.post_message(self.NewWanted(settings))

        self.app.push_screen(CreateDialog(), made)

    def action_code(self) -> None:
        def given(code: str | None) -> None:
            if code:
                self.post_message(self.RoomWanted(code, watch=self._watch))

        self.app.push_screen(CodeDialog(), given)

    def action_game(self) -> None:
        self.post_message(self.GameWanted())

    def _look(self) -> None:
        # Nobody sees the list while a dialog lies over it, and nobody answers without a link.
        if self.is_current and self._link_now.state is LinkState.ONLINE:
            self.post_message(self.LookWanted())

    def _show_link(self) -> None:
        asked = "pick a table to watch" if self._watch else "pick a table"
        self.show_place("Rooms", asked, link=self._link_now)


def _row(line: RoomLine, signs: Glyphs, name: int) -> Content:
    taken = min(line.taken, line.seats)
    seats = signs.done * taken + signs.left * (line.seats - taken)
    bots = f" {line.bots} bot{'s' if line.bots != 1 else ''}" if line.bots else ""
    state = "playing" if line.playing else "waiting" if taken < line.seats else "full"
    if line.watching:
        state += f", {line.watching} watch"
    return Content.assemble(
        f"{signs.clip(signs.clean(line.host), name - 2):<{name}}",
        (f"{seats:<6}", "$accent-ink"),
        (f"{bots:<8}", "$dim"),
        (f"{state:<18}", "$good" if state.startswith("waiting") else "$dim"),
        (signs.clean(line.code), "$ink"),
    )
