"""Small boxes that ask one thing: a name, a code, yes or no, a colour, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sequoia_protocol.room import Colour, RoomSettings
from sequoia_protocol.text import NAME_CELLS, BadText, clean_name
from sequoia_rules.values import MAX_SEATS, MIN_PLAYERS
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input

from sequoia_tui.screens.base import Dialog, Field, Key, Line, bindings, glyphs_of
from sequoia_tui.screens.picklist import PickList, Row
from sequoia_tui.themes import ink
from sequoia_tui.widgets.facts import clock_text, next_clock

CLOSE = Key("escape", "close", "Esc", "close", "Close this")


class NameDialog(Dialog[str | None]):
    """Asks for the player's name; gives it cleaned, or None."""

    heading = "Your name"
    KEYS = (
        Key("", "submit", "Enter", "take it", "Take this name"),
        Key("escape", "close", "Esc", "back", "Go back"),
    )
    BINDINGS = bindings(KEYS)

    def __init__(self, name: str, sentence: str = "") -> None:
        super().__init__()
        self._before = name
        self._sentence = sentence or "How shall the others call you?"

    def matter(self) -> ComposeResult:
        # The sentence may be the server's reason against the last name.
        yield Line(glyphs_of(self).clean(self._sentence), classes="sentence")
        yield Field(self._before, placeholder="up to 16 letters", max_length=NAME_CELLS, all=True)
        yield Line(id="trouble")

    def on_input_changed(self, _: Input.Changed) -> None:
        self.query_one("#trouble", Line).show("")

    def on_input_submitted(self, _: Input.Submitted) -> None:
        self.action_submit()

    def action_submit(self) -> None:
        try:
            self.dismiss(clean_name(self.query_one(Field).value))
        except BadText as error:
            self.query_one("#trouble", Line).show(str(error))


class CodeDialog(Dialog[str | None]):
    """Asks for the code of a room."""

    heading = "Enter a room"
    KEYS = (
        Key("", "submit", "Enter", "enter", "Enter the room"),
        Key("escape", "close", "Esc", "back", "Go back"),
    )
    BINDINGS = bindings(KEYS)

    def matter(self) -> ComposeResult:
        yield Line("The code of the room, as its host sees it:", classes="sentence")
        yield Field(max_length=16)
        yield Line(id="trouble")

    def on_input_submitted(self, _: Input.Submitted) -> None:
        self.action_submit()

    def action_submit(self) -> None:
        code = "".join(self.query_one(Field).value.split()).upper()
        if code:
            self.dismiss(code)
        else:
            self.query_one("#trouble", Line).show("A room's code is needed.")


class ConfirmDialog(Dialog[bool | None]):
    """Asks yes or no. No is highlighted first, so that a stray Enter changes nothing."""

    KEYS = (
        Key("y", "answer(True)", "y", "yes", "Yes"),
        Key("n,escape", "answer(False)", "n", "no", "No"),
    )
    BINDINGS = bindings(KEYS)

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._question = question
        self._answers = (("no", no), ("yes", yes))

    def matter(self) -> ComposeResult:
        rows = [Row(name, Content(f"{name[0]}  {text}")) for name, text in self._answers]
        answers = PickList(glyphs_of(self), rows)
        answers.styles.height = len(rows)
        yield Line(self._question, classes="sentence")
        yield answers

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self.dismiss(event.row == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)


class MenuDialog(Dialog[str | None]):
    """A list of things to do; gives the name of the one picked."""

    heading = "Menu"
    KEYS = (
        Key("", "", "↑↓", "choose", "Choose a line"),
        Key("", "pick", "Enter", "do it", "Do it"),
        CLOSE,
    )
    BINDINGS = bindings(KEYS)

    def __init__(self, entries: Sequence[tuple[str, str, str]]) -> None:
        """Take entries as (key, name, label); the first one is what Escape does as well."""
        super().__init__()
        self._entries = tuple(entries)

    def matter(self) -> ComposeResult:
        rows = [
            Row(name, Content.assemble((f"{key}  ", "$accent-ink"), label))
            for key, name, label in self._entries
        ]
        choices = PickList(glyphs_of(self), rows)
        choices.styles.height = len(rows)
        yield choices

    def on_mount(self) -> None:
        for key, name, label in self._entries:
            self._bindings.bind(key, f"take('{name}')", label, show=False)

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self.dismiss(event.row)

    def action_pick(self) -> None:
        self.query_one(PickList).action_pick()

    def action_take(self, name: str) -> None:
        self.dismiss(name)


class ColourDialog(Dialog[Colour | None]):
    """Offers the colours that nobody has."""

    heading = "Your colour"
    KEYS = (
        Key("", "", "↑↓", "choose", "Choose a colour"),
        Key("", "pick", "Enter", "take it", "Take this colour"),
        CLOSE,
    )
    BINDINGS = bindings(KEYS)

    def __init__(self, colours: Sequence[Colour]) -> None:
        super().__init__()
        self._colours = tuple(colours)

    def matter(self) -> ComposeResult:
        signs = glyphs_of(self)
        rows = [
            Row(
                colour.value,
                Content.assemble(
                    (f"{signs.players[colour]} {colour.value}", ink(colour)),
                ),
            )
            for colour in self._colours
        ]
        colours = PickList(signs, rows)
        colours.styles.height = len(rows)
        yield colours

    def on_pick_list_picked(self, event: PickList.Picked) -> None:
        self.dismiss(Colour(event.row))

    def action_pick(self) -> None:
        self.query_one(PickList).action_pick()


class CreateDialog(Dialog[RoomSettings | None]):
    """Asks what a new room shall be like."""

    heading = "A new room"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("", "", "↑↓", "line", "Choose a line"),
        Key("left", "turn_back", "←→", "change", "Change it"),
        Key("right,space", "turn", "", "", "Change it"),
        Key("", "make", "Enter", "open the room", "Open the room"),
        Key("escape", "close", "Esc", "back", "Go back"),
    )
    BINDINGS = bindings(KEYS)

    def __init__(self) -> None:
        super().__init__()
        self._settings = RoomSettings()

    def matter(self) -> ComposeResult:
        lines = PickList(glyphs_of(self), self._lines(), eager=False)
        lines.styles.height = len(self._lines())
        yield lines

    def on_pick_list_picked(self, _: PickList.Picked) -> None:
        self.action_make()

    def action_make(self) -> None:
        self.dismiss(self._settings)

    def action_turn(self) -> None:
        self._turn(1)

    def action_turn_back(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        old = self._settings
        public, seats, spectators, clock = old.public, old.seats, old.spectators, old.clock
        match self.query_one(PickList).row:
            case "public":
                public = not public
            case "seats":
                span = MAX_SEATS - MIN_PLAYERS + 1
                seats = MIN_PLAYERS + (seats - MIN_PLAYERS + by) % span
            case "spectators":
                spectators = not spectators
            case "clock":
                clock = next_clock(clock, by)
        self._settings = RoomSettings(public, seats, spectators, clock)
        self.query_one(PickList).show_rows(self._lines())

    def _lines(self) -> list[Row]:
        settings = self._settings
        told = {
            "seats": ("Seats", str(settings.seats)),
            "public": (
                "Who finds it",
                "everybody on this server" if settings.public else "who has its code",
            ),
            "spectators": ("May others watch", "yes" if settings.spectators else "no"),
            "clock": ("Clock", clock_text(settings.clock)),
        }
        left, right = ("<", ">") if glyphs_of(self).plain else ("‹", "›")
        return [
            Row(
                name,
                Content.assemble(
                    f"{label:<18}",
                    (f"{left} ", "$dim"),
                    (value, "$accent-ink"),
                    (f" {right}", "$dim"),
                ),
            )
            for name, (label, value) in told.items()
        ]
