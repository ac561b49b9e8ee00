"""Home: where one starts, and where every way back ends."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

from sequoia_protocol.room import Colour
from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.content import Content
from textual.message import Message

from sequoia_tui import version
from sequoia_tui.screens.base import HELP, BaseScreen, Key, Line, bindings, glyphs_of
from sequoia_tui.screens.picklist import PickList, Row
from sequoia_tui.themes import Glyphs, ink

_TITLE: Final = """\
███████╗███████╗ ██████╗ ██╗   ██╗ ██████╗ ██╗ █████╗
██╔════╝██╔════╝██╔═══██╗██║   ██║██╔═══██╗██║██╔══██╗
███████╗█████╗  ██║   ██║██║   ██║██║   ██║██║███████║
╚════██║██╔══╝  ██║▄▄ ██║██║   ██║██║   ██║██║██╔══██║
███████║███████╗╚██████╔╝╚██████╔╝╚██████╔╝██║██║  ██║
╚══════╝╚══════╝ ╚══▀▀═╝  ╚═════╝  ╚═════╝ ╚═╝╚═╝  ╚═╝"""

_PLAIN_TITLE: Final = r"""
 ____  _____ ___  _   _  ___ ___    _
/ ___|| ____/ _ \| | | |/ _ \_ _|  / \
\___ \|  _|| | | | | | | | | | |  / _ \
 ___) | |__| |_| | |_| | |_| | | / ___ \
|____/|_____\__\_\\___/ \___/___/_/   \_\ """[1:]

# From the sunlit tops of the trees down to their roots.
_LIGHT: Final = ("#C8F2B0", "#9FE39A", "#74D086", "#4DB876", "#3A9A62", "#2C7A4E")


# The cells that a line has for telling which game waits, where the terminal is as small as can be.
_GAME: Final = 30


class Choice(StrEnum):
    """What can be chosen here."""

    BACK = "back"
    PLAY = "play"
    HOST = "host"
    JOIN = "join"
    RULES = "rules"
    NAME = "name"
    QUIT = "quit"


_CHOICES: Final = {
    Choice.BACK: ("b", "Back to your game", ""),
    Choice.PLAY: ("p", "Play now", "against bots, at once"),
    Choice.HOST: ("h", "Host a table", "for friends on this network"),
    Choice.JOIN: ("j", "Join a server", "somebody else's table"),
    Choice.RULES: ("r", "Rules", "how it is played"),
    Choice.NAME: ("n", "Your name", ""),
    Choice.QUIT: ("q", "Quit", ""),
}


class HomeScreen(BaseScreen):
    """The big title and the ways from here."""

    NAME = "home"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("", "", "↑↓", "choose", "Choose a line"),
        Key("", "pick", "Enter", "go", "Go there"),
        Key("b", "choose('back')", "b", "", "Back to the game in which your seat waits"),
        Key("p", "choose('play')", "p", "play", "Play against bots at once"),
        Key("h", "choose('host')", "h", "host", "Host a table for friends on this network"),
        Key("j", "choose('join')", "j", "join", "Join a server"),
        Key("r", "choose('rules')", "r", "rules", "Read the rules"),
        Key("n", "choose('name')", "n", "", "Play under another name"),
        Key("q", "choose('quit')", "q", "quit", "Quit"),
        HELP,
    )
    BINDINGS = bindings(KEYS)

    class Chosen(Message):
        """The player chose where to go."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, *, player: str | None, game: str) -> None:
        """Take the player's name, and the game that waits in a few words; empty if none does."""
        super().__init__()
        self._player = player
        self._game = game

    def matter(self) -> ComposeResult:
        signs = glyphs_of(self)
        with Vertical(id="home"):
            yield Line(_title(signs), id="home-title")
            yield Line(_forest(signs), id="home-trees")
            with Center():
                yield PickList(signs, self._rows(), id="home-list")

    def on_mount(self) -> None:
        choices = self.query_one(PickList)
        choices.styles.height = len(self._rows())
        choices.focus()

    def show_state(self, *, player: str | None, game: str) -> None:
        """Show another name, and which game waits."""
        self._player, self._game = player, game
        choices = self.query_one(PickList)
        choices.styles.height = len(self._rows())
        choices.show_rows(self._rows())
        self.show_keys()

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        return bool(self._game) if (action, parameters) == ("choose", ("back",)) else True

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self.post_message(self.Chosen(Choice(event.row)))

    def action_choose(self, choice: str) -> None:
        self.post_message(self.Chosen(Choice(choice)))

    def action_pick(self) -> None:
        self.query_one(PickList).action_pick()

    def _rows(self) -> list[Row]:
        signs = glyphs_of(self)
        rows = []
        for choice, (key, label, hint) in _CHOICES.items():
            if choice is Choice.BACK and not self._game:
                continue
            told = hint
            if choice is Choice.BACK:
                told = signs.clip(signs.clean(self._game), _GAME)
            if choice is Choice.NAME:
                told = signs.clean(self._player) if self._player else "nobody has told it yet"
            if choice is Choice.QUIT:
                told = f"version {version()}"
            rows.append(
                Row(
                    choice.value,
                    Content.assemble(
                        (f" {key} ", "$accent-ink"), f" {label:<20}", (f"{told}", "$dim")
                    ),
                )
            )
        return rows


def _title(signs: Glyphs) -> Content:
    lines = (_PLAIN_TITLE if signs.plain else _TITLE).split("\n")
    width = max(len(line) for line in lines)
    return Content("\n").join(
        Content.styled(f"{line:<{width}}", f"bold {_LIGHT[index]}")
        for index, line in enumerate(lines)
    )


def _forest(signs: Glyphs) -> Content:
    """Say what the game is, between trees of every colour."""
    trees = [(signs.players[colour], ink(colour)) for colour in Colour]
    words = f" {signs.dot} ".join(("five dice", "eleven forests", "ten rounds"))
    return Content.assemble(*trees, (f"  {words}  ", "$dim"), *reversed(trees))
