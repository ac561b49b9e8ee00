"""The app: which screen shows, and what becomes of what the player asks for.

What happens at a server is :mod:`~sequoia_tui.journey`'s; here are only screens and wiring.
"""

from __future__ import annotations

import asyncio
import signal
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from rich.text import Text
from sequoia_protocol.messages import RoomLine
from sequoia_protocol.room import AnySeenEvent
from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from sequoia_tui import DEFAULT_BOTS, messages, sentences, terminal
from sequoia_tui.journey import Journey
from sequoia_tui.link import Link, Table
from sequoia_tui.plain import PlainFilter
from sequoia_tui.plans import GoToServer, HostTable, Plan, PlaySolo
from sequoia_tui.safe_text import safe_str
from sequoia_tui.screens.base import BackAsked, BaseScreen
from sequoia_tui.screens.connecting import ConnectingScreen
from sequoia_tui.screens.dialogs import ConfirmDialog, MenuDialog, NameDialog
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.help import HelpDialog, told
from sequoia_tui.screens.home import Choice, HomeScreen
from sequoia_tui.screens.join import JoinScreen
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.screens.rooms import RoomsScreen
from sequoia_tui.screens.rules import RulesDialog
from sequoia_tui.seats import Seats
from sequoia_tui.settings import (
    Remembered,
    data_directory,
    login_name,
    memory_file,
    recall,
    remember,
)
from sequoia_tui.solo import LocalServer
from sequoia_tui.themes import SEQUOIA, plain_terminal
from sequoia_tui.visit import Shows, Visit
from sequoia_tui.widgets.too_small import LEAST_HEIGHT, LEAST_WIDTH

_FAREWELL: Final = 3.0
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class SequoiaApp(App[int]):
    """Sequoia in the terminal.

    ``plan`` is what to do at once; without one it opens home. ``name`` is the player's, if it is
    known better than from the file ``memory``; the seats to come back to are kept beside that
    file. ``data`` is where the games are kept that this program itself serves.
    """

    CSS_PATH = "app.tcss"
    TITLE = "Sequoia"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        plan: Plan | None = None,
        *,
        name: str | None = None,
        ascii: bool = False,
        memory: Path | None = None,
        data: Path | None = None,
    ) -> None:
        super().__init__(driver_class=terminal.driver(self._terminal_gone))
        self.ascii = ascii or plain_terminal()
        self._memory = memory or memory_file()
        self.remembered: Remembered = recall(self._memory)
        if name is not None:
            self.remembered = self.remembered.with_name(name)
        self._first_plan = plan
        self._filter = PlainFilter()
        self.journey = Journey(
            self, Seats(self._memory.parent / "seats"), LocalServer(data or data_directory())
        )
        self.register_theme(SEQUOIA)
        self.theme = SEQUOIA.name

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return [*filters, self._filter] if self.ascii else filters

    def on_load(self) -> None:
        # Before the terminal is touched.
        loop = asyncio.get_running_loop()
        for name in _SIGNALS:
            # Windows has not all of them; and only the main thread may listen.
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                number = getattr(signal, name)
                loop.add_signal_handler(number, self._signalled, number)

    def on_mount(self) -> None:
        if self._first_plan is None:
            self.show_home()
        else:
            self.journey.set_out(self._first_plan)

    # Which screen shows.

    @property
    def base(self) -> Screen[Any] | None:
        """The screen under whatever dialogs are open."""
        stack = self.screen_stack
        return stack[1] if len(stack) > 1 else None

    def show_base(self, screen: Screen[None]) -> None:
        """Replace the screen, and close whatever dialog is open over the old one."""
        while len(self.screen_stack) > 2:
            self.pop_screen()
        if self.base is None:
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def show_home(self) -> None:
        """Go home."""
        self.show_base(HomeScreen(player=self.remembered.name, game=self.journey.game_told()))

    def show_connecting(self, server: str) -> None:
        """Show that a link is being made."""
        self.show_base(ConnectingScreen(server))

    def show_trouble(self, server: str, head: str, sentence: str, *, can_retry: bool) -> None:
        """Show why there is no link, and the ways from here."""
        base = self.base
        if not isinstance(base, ConnectingScreen):
            base = ConnectingScreen(server)
            self.show_base(base)
        base.show_trouble(head, sentence, can_retry=can_retry)

    def show_rooms(
        self, visit: Visit, lines: Sequence[RoomLine] | None = None, *, notice: str = ""
    ) -> None:
        """Show the rooms of a server; a notice stays until another screen shows."""
        base = self.base
        if not isinstance(base, RoomsScreen):
            waits = self.journey.kept_here(visit)
            base = RoomsScreen(
                visit.connection.link,
                watch=visit.watch,
                game=waits is not None,
                notice=notice or ("" if waits is None else sentences.seat_waits(waits.seat.code)),
            )
            self.show_base(base)
        if lines is not None:
            base.call_later(base.show_rooms, lines)

    def show_table(
        self,
        visit: Visit,
        shows: Shows,
        table: Table,
        events: Sequence[AnySeenEvent] = (),
    ) -> None:
        """Show a table, on the screen where the player is."""
        base = self.base
        if shows is Shows.GAME:
            if isinstance(base, GameScreen):
                # By its own queue: a screen that is still being mounted gets it afterwards.
                base.call_later(base.show, table, events)
            else:
                self.show_base(GameScreen(table, ascii=self.ascii))
        elif isinstance(base, RoomScreen):
            base.show(table)
        else:
            self.show_base(RoomScreen(table, invitations=visit.invitations(), alone=visit.solo))

    def show_link(self, link: Link) -> None:
        """Show how the link is, on the screens that show no table."""
        if isinstance(self.base, RoomsScreen):
            self.base.show_link(link)

    def say(self, sentence: str, *, warning: bool = True) -> None:
        """Tell something that may come from a server, in a box that goes away by itself."""
        self.notify(
            safe_str(sentence), severity="warning" if warning else "information", markup=False
        )

    async def ask(self, question: str, yes: str, no: str) -> bool:
        """Ask yes or no; only from a worker."""
        answer: bool | None = await self.push_screen_wait(ConfirmDialog(question, yes, no))
        return answer is True

    async def ask_name(self, sentence: str = "") -> str | None:
        """Ask for the player's name and remember it; only from a worker. None if none is given."""
        if self.base is None:
            self.show_home()
        before = self.remembered.name or login_name()
        name = await self.push_screen_wait(NameDialog(before, sentence))
        if name is not None:
            self.remember(self.remembered.with_name(name))
        return name

    def remember(self, remembered: Remembered) -> None:
        """Remember something for the next start."""
        self.remembered = remembered
        remember(self._memory, remembered)
        if isinstance(self.base, HomeScreen):
            self.base.show_state(player=remembered.name, game=self.journey.game_told())

    # What the player asks for.

    def on_home_screen_chosen(self, event: HomeScreen.Chosen) -> None:
        match event.choice:
            case Choice.BACK:
                self.journey.go_back_to_game()
            case Choice.PLAY:
                self.journey.set_out(PlaySolo(DEFAULT_BOTS))
            case Choice.HOST:
                self.journey.set_out(HostTable())
            case Choice.JOIN:
                self.show_base(JoinScreen(self.remembered.hosts))
            case Choice.RULES:
                self.push_screen(RulesDialog())
            case Choice.NAME:
                self.run_worker(self.ask_name(), group="name", exclusive=True)
            case Choice.QUIT:
                self.quit()

    def on_join_screen_given(self, event: JoinScreen.Given) -> None:
        self.journey.set_out(GoToServer(event.address))

    def on_connecting_screen_retry_asked(self, _: ConnectingScreen.RetryAsked) -> None:
        self.journey.set_out_again()

    def on_connecting_screen_other_asked(self, _: ConnectingScreen.OtherAsked) -> None:
        self.journey.end()
        typed = self.journey.address_typed
        self.show_base(JoinScreen(self.remembered.hosts, typed=typed))

    def on_back_asked(self, _: BackAsked) -> None:
        self.journey.end()
        self.show_home()

    def on_rooms_screen_look_wanted(self, _: RoomsScreen.LookWanted) -> None:
        self.journey.look_for_rooms()

    def on_rooms_screen_room_wanted(self, event: RoomsScreen.RoomWanted) -> None:
        self.journey.enter(event.code, watch=event.watch)

    def on_rooms_screen_new_wanted(self, event: RoomsScreen.NewWanted) -> None:
        self.journey.create(event.settings)

    def on_rooms_screen_game_wanted(self, _: RoomsScreen.GameWanted) -> None:
        self.journey.go_back_to_game(here=True)

    def on_request_made(self, event: messages.RequestMade) -> None:
        self.journey.request(event.request, event.deal)

    def on_room_asked(self, _: messages.RoomAsked) -> None:
        self.journey.leave_standings()

    def on_leave_asked(self, _: messages.LeaveAsked) -> None:
        self.journey.leave()

    def on_help_asked(self, _: messages.HelpAsked) -> None:
        base = self.base
        if isinstance(base, GameScreen | BaseScreen):
            self.push_screen(HelpDialog(base.NAME, told(base.KEYS)))

    def on_menu_asked(self, _: messages.MenuAsked) -> None:
        def picked(name: str | None) -> None:
            match name:
                case "rules":
                    self.push_screen(RulesDialog())
                case "keys":
                    self.on_help_asked(messages.HelpAsked())
                case "leave":
                    self.journey.leave()
                case "quit":
                    self.quit()

        self.push_screen(
            MenuDialog(
                [
                    ("r", "resume", "Resume"),
                    ("u", "rules", "Rules"),
                    ("k", "keys", "Keys"),
                    ("l", "leave", "Leave the table"),
                    ("q", "quit", "Quit Sequoia"),
                ]
            ),
            picked,
        )

    # The end.

    async def action_quit(self) -> None:
        self.quit()

    def quit(self) -> None:
        """End the program, after asking if that costs the player or friends something."""
        question = self.journey.price_of_quitting()
        if question and self.size.width >= LEAST_WIDTH and self.size.height >= LEAST_HEIGHT:

            def sure(yes: bool | None) -> None:
                if yes:
                    self.exit(0)

            self.push_screen(ConfirmDialog(question, "quit", "stay"), sure)
        else:
            self.exit(0)

    async def farewell(self) -> None:
        """Close what is open to the network; after the screen is gone."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self.journey.close()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        # A failure outside of the screens costs a sentence, not the evening.
        if event.state is WorkerState.ERROR:
            self.say("Something went wrong in this program. You are back at home.")
            self.journey.end()
            self.show_home()

    def _signalled(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _terminal_gone(self) -> None:
        self.call_later(self.exit, None, 128 + getattr(signal, "SIGHUP", 1))

    def _handle_exception(self, error: Exception) -> None:
        """Apologise instead of printing a traceback with everybody's dice in it."""
        self._return_code = 1
        if self._exception is None:
            # What the toolkit keeps for its own tests.
            self._exception = error
            self._exception_event.set()
        if not self._exit_renderables:
            self._exit_renderables.append(Text(apology(error)))
        self._close_messages_no_wait()


def apology(error: Exception) -> str:
    """Say what a person needs to know of a fault, and what a report needs: places, no values."""
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    return "\n".join(
        [
            "Sequoia has hit a fault of its own and had to stop. Sorry!",
            "Start it again the same way.",
            "",
            f"For a report: {type(error).__name__}",
            *(f"  {Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames),
        ]
    )
