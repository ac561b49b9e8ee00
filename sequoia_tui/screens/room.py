"""A room between games: who sits where, who is ready, how the evening goes, and talk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from sequoia_protocol.messages import (
    AddBot,
    Chat,
    ChooseClock,
    ChooseColour,
    Kick,
    Ready,
    RemoveBot,
    Request,
    Sit,
    Stand,
    Start,
)
from sequoia_protocol.room import Colour
from sequoia_protocol.text import CHAT_CELLS
from sequoia_rules.values import MIN_PLAYERS
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.widgets import Input

from sequoia_tui.link import Table
from sequoia_tui.messages import LeaveAsked, RequestMade
from sequoia_tui.screens import room_text
from sequoia_tui.screens.base import HELP, BaseScreen, Field, Key, Line, bindings, glyphs_of
from sequoia_tui.screens.dialogs import ColourDialog, ConfirmDialog
from sequoia_tui.screens.picklist import PickList
from sequoia_tui.widgets.facts import clock_text, next_clock
from sequoia_tui.widgets.footer import FooterBar, KeyHint

_TALKING: Final = (KeyHint("Enter", "send"), KeyHint("Esc", "end the talk", "leave"))


class RoomScreen(BaseScreen):
    """The room that a table shows while no game is on it."""

    NAME = "the room"
    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("r", "ready", "r", "ready", "Be ready for the next game, or not yet"),
        Key("g", "start", "g", "start", "Start the game with all who are ready (the host)"),
        Key("plus,equals_sign", "add_bot", "+", "bot", "Seat a bot (the host)"),
        Key("minus", "remove_bot", "-", "bot", "Send a bot away (the host)"),
        Key("", "pick", "Enter", "sit", "Sit down on the highlighted seat"),
        Key("c", "colour", "c", "colour", "Choose another colour"),
        Key("l", "clock", "l", "clock", "Change how long a round may take (the host)"),
        Key("t", "talk", "t", "chat", "Say something; Enter sends it, Esc ends it", first=True),
        Key("s", "stand", "s", "stand up", "Stand up, and watch"),
        Key("k", "kick", "k", "put out", "Put the highlighted person out (the host)"),
        Key("", "", "↑↓", "", "Highlight a seat or a person"),
        Key("escape", "leave", "Esc", "leave", "Leave the room"),
        HELP,
    )
    BINDINGS = bindings(KEYS)

    def __init__(
        self, table: Table, *, invitations: Sequence[str] = (), alone: bool = False
    ) -> None:
        super().__init__()
        self._table = table
        self._invitations = tuple(invitations)
        self._alone = alone
        self._bots_asked: set[int] = set()
        self._news: list[room_text.News] = []
        self._clock_shown = ""

    def matter(self) -> ComposeResult:
        signs = glyphs_of(self)
        with Vertical(id="room"):
            yield Line(id="room-invite", classes="card")
            with Horizontal(id="room-body"):
                with Vertical(id="room-left"):
                    with Vertical(id="room-people", classes="card"):
                        yield PickList(signs, self._rows(), id="room-seats", eager=False)
                    yield Line(id="room-scores", classes="card")
                with Vertical(id="room-chat", classes="card"):
                    with VerticalScroll(can_focus=False, id="room-said"):
                        yield Line(id="room-lines")
                    yield Field(
                        placeholder="t to say something", max_length=CHAT_CELLS, id="room-say"
                    )

    def on_mount(self) -> None:
        # Titles are painted anew whenever they are set, even to the same; these never change.
        invite = self.query_one("#room-invite", Line)
        invite.border_title = "Friends type" if self._invitations else "The room"
        if not self._alone:
            invite.border_subtitle = room_text.kind(self._table.view.room)
        self.query_one("#room-people").border_title = "Seats"
        self.query_one("#room-scores").border_title = "The evening"
        self.query_one("#room-chat").border_title = "Chat"
        self.query_one("#room-said", VerticalScroll).anchor()
        self.query_one(PickList).focus()
        self._show()

    def show(self, table: Table) -> None:
        """Show another state of the table."""
        news = room_text.clock_news(self._table.view.room, table.view.room)
        if news is not None:
            self._news.append(news)
        self._table = table
        self._bots_asked.intersection_update(table.view.room.free_seats)
        if self.is_mounted:
            self._show()

    def show_keys(self) -> None:
        if self.query_one("#room-say").has_focus:
            self.query_one(FooterBar).show(_TALKING)
        else:
            super().show_keys()

    # What works now.

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        view = self._table.view
        room = view.room
        match action:
            case "ready":
                return view.seat is not None
            case "start":
                # Who starts a game while seated means to play it.
                return view.is_host and len({*room.ready_seats, *self._own()}) >= MIN_PLAYERS
            case "clock":
                return view.is_host and not room.playing
            case "add_bot":
                return view.is_host and bool(room.free_seats)
            case "remove_bot":
                return view.is_host and bool(room.bot_seats)
            case "pick":
                seat = self._seat()
                seated = None if seat is None else room.seats[seat]
                return seat is not None and (seated is None or seated.person is None)
            case "talk":
                return not self.query_one("#room-say").has_focus
            case "colour":
                return view.seat is not None and bool(room.free_colours)
            case "stand":
                return view.seat is not None
            case "kick":
                return view.is_host and self._person() not in (None, view.you)
            case _:
                return True

    # What the player does.

    def on_pick_list_highlighted(self, _: PickList.Highlighted) -> None:
        self.show_keys()

    def on_pick_list_picked(self, _: PickList.Picked) -> None:
        if self.check_action("pick", ()) and (seat := self._seat()) is not None:
            self._ask(Sit(seat))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self._ask(Chat(event.value))
        event.input.clear()

    def action_pick(self) -> None:
        self.query_one(PickList).action_pick()

    def action_ready(self) -> None:
        seat = self._table.view.seat
        seated = None if seat is None else self._table.view.room.seats[seat]
        if seated is not None:
            self._ask(Ready(not seated.ready))

    def action_start(self) -> None:
        if not set(self._own()) <= set(self._table.view.room.ready_seats):
            self._ask(Ready(True))
        self._ask(Start())

    def action_stand(self) -> None:
        self._ask(Stand())

    def action_add_bot(self) -> None:
        # Two quick presses are two bots, whether or not the first one sits already.
        free = self._table.view.room.free_seats
        free = tuple(seat for seat in free if seat not in self._bots_asked) or free
        if free:
            here = self._seat()
            seat = here if here in free else free[0]
            self._bots_asked.add(seat)
            self._ask(AddBot(seat))

    def action_remove_bot(self) -> None:
        bots = self._table.view.room.bot_seats
        if bots:
            here = self._seat()
            self._ask(RemoveBot(here if here in bots else bots[-1]))

    def action_clock(self) -> None:
        seconds = self._table.view.room.settings.clock
        self._ask(ChooseClock(next_clock(seconds)))

    def action_colour(self) -> None:
        def chosen(colour: Colour | None) -> None:
            if colour is not None:
                self._ask(ChooseColour(colour))

        self.app.push_screen(ColourDialog(self._table.view.room.free_colours), chosen)

    def action_kick(self) -> None:
        number = self._person()
        person = None if number is None else self._table.view.room.person(number)
        if person is None:
            return

        def sure(yes: bool | None) -> None:
            if yes:
                self._ask(Kick(person.id))

        name = glyphs_of(self).clean(person.name)
        self.app.push_screen(
            ConfirmDialog(f"Put {name} out of this room?", "put out", "let stay"), sure
        )

    def action_talk(self) -> None:
        # At once, not in its turn: what is typed right after the key belongs into the line.
        self.set_focus(self.query_one("#room-say"))

    def on_resize(self, _: Resize) -> None:
        self.query_one(PickList).show_rows(self._rows())

    def on_descendant_focus(self, _: DescendantFocus) -> None:
        self.show_keys()

    def action_leave(self) -> None:
        if self.query_one("#room-say").has_focus:
            self.query_one(PickList).focus()
        else:
            self.post_message(LeaveAsked())

    def _ask(self, request: Request) -> None:
        self.post_message(RequestMade(request, self._table.view.deal))

    # What is shown.

    def _show(self) -> None:
        signs = glyphs_of(self)
        table = self._table
        room = table.view.room
        self.show_place(f"Room {signs.clean(room.code)}", room_text.asked(table), link=table.link)
        seats = self.query_one(PickList)
        seats.show_rows(self._rows())
        seats.styles.height = len(self._rows())
        clock = clock_text(room.settings.clock)
        if clock != self._clock_shown:
            self._clock_shown = clock
            self.query_one("#room-people").border_subtitle = clock
        self.query_one("#room-invite", Line).show(
            Content("You and the bots: press r for the next game.")
            if self._alone
            else room_text.invitation(room, self._invitations, signs)
        )
        scores = self.query_one("#room-scores", Line)
        scores.show(room_text.scores(room, signs))
        self.query_one("#room-lines", Line).show(room_text.chat(table.view, signs, self._news))
        self.show_keys()

    def _rows(self) -> list[room_text.Row]:
        return room_text.rows(self._table, glyphs_of(self), short=self.app.size.width < 80)

    def _own(self) -> tuple[int, ...]:
        """Give the player's own seat, if there is one."""
        seat = self._table.view.seat
        return () if seat is None else (seat,)

    def _seat(self) -> int | None:
        """Give the highlighted seat."""
        kind, _, number = self.query_one(PickList).row.partition(" ")
        return int(number) if kind == "seat" else None

    def _person(self) -> int | None:
        """Give the highlighted person, seated or not."""
        kind, _, number = self.query_one(PickList).row.partition(" ")
        if kind == "seat":
            seated = self._table.view.room.seats[int(number)]
            return None if seated is None else seated.person
        return int(number) if kind == "person" else None
