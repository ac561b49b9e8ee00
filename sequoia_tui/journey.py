"""What a player sets out to do, and what comes of it: going to servers, tables, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Answer,
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    ListRooms,
    Refused,
    Request,
    Rooms,
)
from sequoia_protocol.room import AnySeenEvent, RoomSettings

from sequoia_tui import sentences
from sequoia_tui.address import parse_address
from sequoia_tui.ear import Ear
from sequoia_tui.link import Link, LinkState, Table
from sequoia_tui.listener import Ending
from sequoia_tui.plans import GoToServer, HostTable, Plan, PlaySolo, ReturnToGame
from sequoia_tui.seats import KeptSeat, Seats, Where
from sequoia_tui.settings import login_name
from sequoia_tui.solo import CannotHost, LocalServer, begin_solo
from sequoia_tui.visit import Shows, Visit
from sequoia_tui.ways import Ways

if TYPE_CHECKING:
    from sequoia_tui.app import SequoiaApp

GOODBYE: Final = 1.5
"""Seconds that leaving a table may take."""

_TOLD: Final = (sentences.SERVER_CLOSING, sentences.SEAT_IS_KEPT)


class Journey:
    """Goes where the player wants, and tells the app what to show."""

    def __init__(self, app: SequoiaApp, seats: Seats, server: LocalServer) -> None:
        self.visit: Visit | None = None
        self._app = app
        self._seats = seats
        self._server = server
        self._ways = Ways(seats, server, app.say)
        self._plan: Plan | None = None
        self._table: Table | None = None
        self._told = ""
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def address_typed(self) -> str:
        """The server of the present plan, as it can be typed; empty for the one in here."""
        match self._plan:
            case GoToServer(address):
                return address.shown
            case ReturnToGame(kept):
                return kept.host
            case _:
                return ""

    def game_told(self) -> str:
        """Say in a few words which game waits for the player; nothing if none does."""
        offered = self._seats.offered()
        return offered[0].told if offered else ""

    def kept_here(self, visit: Visit) -> KeptSeat | None:
        """Give the seat that waits at this server."""
        if visit.keeper.where is not Where.SERVER:
            return None
        return self._ways.kept_at(visit.connection.place.name)

    # Going.

    def set_out(self, plan: Plan) -> None:
        """Go somewhere; whatever goes on now ends."""
        self._plan = plan
        self._work(self._carry_out(plan), "plan")

    def set_out_again(self) -> None:
        """Try the same once more."""
        if self._plan is not None:
            self.set_out(self._plan)

    def go_back_to_game(self, *, here: bool = False) -> None:
        """Go back to the game that waits; with ``here`` to the one at the present server."""
        if not here:
            kept = next(iter(self._seats.offered()), None)
        else:
            kept = None if self.visit is None else self.kept_here(self.visit)
        if kept is not None:
            self.set_out(ReturnToGame(kept))
        elif not here:
            # Another window has just taken it.
            self._app.show_home()

    def end(self) -> None:
        """End the visit, without a word to the player."""
        self._app.workers.cancel_group(self._app, "plan")
        visit = self.visit
        self.visit = self._table = None
        if visit is not None:
            visit.keeper.release()
            closing = asyncio.ensure_future(visit.connection.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End everything, as the program ends."""
        visit = self.visit
        if visit is not None and visit.solo and not visit.plays:
            # Nobody wants back to the standings of a game against bots.
            visit.keeper.drop()
        self.end()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self._server.stop()

    async def _carry_out(self, plan: Plan) -> None:
        app = self._app
        plan = self._ways.by_kept_seat(plan, app.remembered.name)
        name = await self._name_for(plan)
        if name is None:
            app.show_home()
            return
        before = self.visit
        self.visit = self._table = None
        if before is not None:
            before.keeper.release()
            await before.connection.close()
        try:
            visit = await self._ways.visit(plan, name, Ear(self))
        except CannotHost as trouble:
            app.show_trouble("This machine", "No table here", str(trouble), can_retry=True)
            return
        if visit is None:
            app.say(sentences.OPEN_ELSEWHERE)
            app.show_home()
            return
        self.visit = visit
        connection = visit.connection
        if not visit.solo:
            app.show_connecting(connection.place.name)
        app.run_worker(connection.run(), group="network", exit_on_error=False)
        answer = await self._begin(plan, visit)
        if self.visit is not visit or connection.link.state is LinkState.CLOSED:
            return
        visit.arrived = True
        if isinstance(plan, GoToServer):
            app.remember(app.remembered.with_host(plan.address.shown))
        if isinstance(answer, Rooms):
            app.show_rooms(visit, answer.rooms)
        elif isinstance(answer, Refused):
            self._refused(answer)
            self._show(visit)
        elif visit.view is not None:
            self._show(visit)

    async def _name_for(self, plan: Plan) -> str | None:
        if isinstance(plan, ReturnToGame):
            return plan.kept.name
        if (known := self._app.remembered.name) is not None:
            return known
        if isinstance(plan, PlaySolo):
            # Nobody else will read it; so do not ask.
            return login_name()
        return await self._app.ask_name()

    async def _begin(self, plan: Plan, visit: Visit) -> Answer | None:
        """Ask for what the plan is about."""
        connection = visit.connection
        match plan:
            case PlaySolo(bots):
                return await begin_solo(connection, bots)
            case HostTable():
                return await connection.request(CreateRoom(RoomSettings()))
            case GoToServer(_, "", _):
                return await connection.request(ListRooms())
            case GoToServer(_, code, watch):
                return await connection.request(JoinRoom(code, watch))
            case ReturnToGame():
                # The connection comes back by itself, or is told that it cannot.
                return None

    # At a server.

    def look_for_rooms(self) -> None:
        """Ask which rooms there are, unless that is being asked already."""
        visit = self.visit
        if visit is None or any(isinstance(r, ListRooms) for r in visit.connection.waiting):
            return

        def listed(answer: Answer) -> None:
            if isinstance(answer, Rooms) and self.visit is visit and visit.view is None:
                self._app.show_rooms(visit, answer.rooms)

        self._ask(ListRooms(), listed)

    def enter(self, code: str, *, watch: bool) -> None:
        """Enter a room of this server."""
        if isinstance(self._plan, GoToServer):
            # So that another name, or another try, leads right there.
            self._plan = replace(self._plan, code=code, watch=watch)
            if self._ways.by_kept_seat(self._plan, self._app.remembered.name) != self._plan:
                self.set_out_again()
                return
        self._ask(JoinRoom(code, watch), self._refused)

    def create(self, settings: RoomSettings) -> None:
        """Open a room at this server."""
        self._ask(CreateRoom(settings), self._refused)

    def request(self, request: Request, deal: int) -> None:
        """Ask for what a table's screen wants."""
        visit = self.visit
        if visit is None:
            return
        self._ask(request, self._refused, deal)
        self._show_pending(visit)

    def leave_standings(self) -> None:
        """Go from a game that is over to the room."""
        if self.visit is not None:
            self.visit.leave_standings()
            self._show(self.visit)

    def leave(self) -> None:
        """Leave the table, after asking if that matters to anybody."""
        if self.visit is not None:
            self._work(self._leave(self.visit), "leave")

    def price_of_quitting(self) -> str:
        """Say what quitting means for the game and for others; nothing if nothing is going on."""
        visit, server = self.visit, self._server
        is_here = visit is None or visit.keeper.where is not Where.SERVER
        if server.hosting is not None and is_here and (visit is None or visit.with_others):
            if not server.keeps:
                return "This machine hosts a table: if you quit, it ends for everybody. Quit?"
            return "This machine hosts a table: everybody waits until you are back. Quit?"
        if visit is None or not visit.plays:
            return ""
        if not visit.keeper.keeps:
            return "Quit in the middle of the game? It ends with this window."
        if is_here:
            return "Quit? The game is kept, and waits for you at home."
        return (
            "Quit? Your seat is kept: a bot plays it from half a minute on, until you come back "
            "with sequoia-tui."
        )

    async def _leave(self, visit: Visit) -> None:
        stays = visit.solo and visit.plays and visit.keeper.keeps
        if stays:
            question = "Leave this game? It waits for you at home."
        elif visit.solo and visit.plays:
            question = "Leave this game for good? It cannot be kept."
        elif visit.plays:
            question = "Leave this game for good? A bot takes your seat."
        else:
            question = "Leave this room?" if visit.with_others else ""
        if question and not await self._app.ask(question, "leave", "stay"):
            return
        if self.visit is not visit:
            return
        connection = visit.connection
        if not stays:
            if connection.link.state is LinkState.ONLINE:
                with suppress(TimeoutError):
                    async with asyncio.timeout(GOODBYE):
                        # What follows from the answer is shown as it comes.
                        await connection.request(LeaveRoom())
                        return
            visit.keeper.drop()
        self._go_home()

    def _ask(self, request: Request, then: Callable[[Answer], None], deal: int = 0) -> None:
        visit = self.visit
        if visit is not None:
            answer = visit.connection.request(request, deal)
            answer.add_done_callback(lambda done: self._app.call_later(then, done.result()))

    def _refused(self, answer: Answer) -> None:
        """Tell a refusal; one that says that the link is closed is told elsewhere."""
        if not isinstance(answer, Refused) or answer.code is Code.SERVER_CLOSING:
            return
        if answer.code is Code.NAME_TAKEN and isinstance(self._plan, GoToServer):
            self._work(self._take_other_name(answer.text), "name")
        else:
            self._app.say(answer.text)

    async def _take_other_name(self, sentence: str) -> None:
        if await self._app.ask_name(sentence) is not None:
            self.set_out_again()
        elif self.visit is None:
            self._app.show_home()

    # What the connection tells, each in the app's own turn.

    def link_changed(self, visit: Visit, link: Link) -> None:
        """Show another state of the link."""
        if visit is self.visit:
            if link.reason in _TOLD and link.reason != self._told:
                # The first line has no room for more than that the link is lost.
                self._app.say(link.reason)
            self._told = link.reason
            self._app.show_link(link)
            self._show_pending(visit)

    def viewed(
        self, visit: Visit, table: Table, shows: Shows, events: Sequence[AnySeenEvent]
    ) -> None:
        """Show another view."""
        if visit is not self.visit:
            return
        self._table = table
        self._show(visit, shows, events)

    def put_out(self, visit: Visit, sentence: str) -> None:
        """Show where one is without a room."""
        if visit is not self.visit:
            return
        self._table = None
        visit.arrived = True
        if isinstance(self._plan, ReturnToGame) and self._plan.kept.where is Where.SERVER:
            # There is nothing to go back to any more; but one is at that server.
            self._plan = GoToServer(parse_address(self._plan.kept.host))
        if visit.solo:
            if sentence:
                self._app.say(sentence)
            self._go_home()
        else:
            self._app.show_rooms(visit, notice=sentence)

    def ended(self, visit: Visit, ending: Ending, sentence: str) -> None:
        """Show why a connection is over for good, and the way from here."""
        if visit is not self.visit:
            return
        visit.keeper.release()
        self.visit = self._table = None
        server = visit.connection.place.name
        match ending:
            case Ending.BAD_NAME:
                self._work(self._take_other_name(sentence), "name")
            case Ending.FAILED:
                self._app.show_trouble(server, "No link", sentence, can_retry=True)
            case Ending.VERSION:
                self._app.show_trouble(
                    server, "Two versions that do not fit", sentence, can_retry=True
                )
            case Ending.REPLACED:
                self._app.show_trouble(server, "Open in another window", sentence, can_retry=False)
            case Ending.BROKEN:
                self._app.show_trouble(server, "The link broke", sentence, can_retry=True)

    # Showing.

    def _show(
        self,
        visit: Visit,
        shows: Shows | None = None,
        events: Sequence[AnySeenEvent] = (),
    ) -> None:
        shows = shows or visit.look()
        if shows is Shows.LOBBY:
            if visit.arrived and visit.solo:
                self._go_home()
            elif visit.arrived:
                self._app.show_rooms(visit)
        elif self._table is not None and (
            # A solo game begins with its first roll, not with the making of a room.
            visit.arrived or not visit.solo or shows is Shows.GAME
        ):
            self._app.show_table(visit, shows, self._table, events)

    def _show_pending(self, visit: Visit) -> None:
        """Show the same view again, because of the link or of what waits for an answer."""
        now = visit.table
        if self._table is not None and now is not None:
            table = replace(self._table, link=now.link, sending=now.sending)
            if table != self._table:
                self._table = table
                self._show(visit)

    def _go_home(self) -> None:
        self.end()
        self._app.show_home()

    def later(self, tell: Callable[..., None], *what: object) -> None:
        """Do something in the app's own turn."""
        self._app.call_later(tell, *what)

    def _work(self, work: Coroutine[None, None, None], group: str) -> None:
        self._app.run_worker(work, group=group, exclusive=True, exit_on_error=False)
