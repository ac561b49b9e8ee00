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

from sequoia_tui.connection import Connection
from sequoia_tui.ear import Ear
from sequoia_tui.link import Link, LinkState, Table
from sequoia_tui.listener import Ending, Place
from sequoia_tui.plans import GoToServer, HostTable, Plan, PlaySolo, ReturnToGame
from sequoia_tui.settings import login_name
from sequoia_tui.solo import CannotHost, LocalServer, begin_solo
from sequoia_tui.transports import Transport
from sequoia_tui.transports.websocket import WebSocketTransport
from sequoia_tui.visit import Left, Shows, Visit

if TYPE_CHECKING:
    from sequoia_tui.app import SequoiaApp

GOODBYE: Final = 1.5
"""Seconds that leaving a table may take."""


class Journey:
    """Goes where the player wants, and tells the app what to show."""

    def __init__(self, app: SequoiaApp) -> None:
        self.visit: Visit | None = None
        self.left: Left | None = None
        self._app = app
        self._server = LocalServer()
        self._plan: Plan | None = None
        self._table: Table | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def address_typed(self) -> str:
        """The server of the present plan, as it was typed."""
        return self._plan.address.shown if isinstance(self._plan, GoToServer) else ""

    def left_here(self, visit: Visit) -> bool:
        """Tell whether the game that was left is at this server."""
        return self.left is not None and self.left.place.name == visit.connection.place.name

    # Going.

    def set_out(self, plan: Plan) -> None:
        """Go somewhere; whatever goes on now ends."""
        self._plan = plan
        self._work(self._carry_out(plan), "plan")

    def set_out_again(self) -> None:
        """Try the same once more."""
        if self._plan is not None:
            self.set_out(self._plan)

    def go_back_to_game(self) -> None:
        """Go back to the game that was left."""
        if self.left is not None:
            self.set_out(ReturnToGame(self.left))

    def end(self) -> None:
        """End the visit, without a word to the player."""
        self._app.workers.cancel_group(self._app, "plan")
        visit = self.visit
        self.visit = self._table = None
        if visit is not None:
            closing = asyncio.ensure_future(visit.connection.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End everything, as the program ends."""
        self.end()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self._server.stop()

    async def _carry_out(self, plan: Plan) -> None:
        app = self._app
        name = await self._name_for(plan)
        if name is None:
            app.show_home()
            return
        before = self.visit
        self.visit = self._table = None
        if before is not None:
            await before.connection.close()
        try:
            visit = await self._visit_for(plan, name)
        except CannotHost as trouble:
            app.show_trouble("This machine", "No table here", str(trouble), can_retry=True)
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
        if (known := self._app.remembered.name) is not None:
            return known
        if isinstance(plan, PlaySolo) or (isinstance(plan, ReturnToGame) and plan.left.solo):
            # Nobody else will read it; so do not ask.
            return login_name()
        return await self._app.ask_name()

    async def _visit_for(self, plan: Plan, name: str) -> Visit:
        ear = Ear(self)
        visit: Visit
        match plan:
            case PlaySolo():
                place = await self._server.place("solo")
                visit = Visit(Connection(place, name, ear), solo=True)
            case HostTable():
                hosting = await self._server.open_to_network()
                place = await self._server.place("this machine")
                if hosting.moved:
                    self._app.say(f"The usual port is taken; this table is at {hosting.port}.")
                visit = Visit(Connection(place, name, ear), hosts=hosting.hosts)
            case GoToServer(address, _, watch):

                def dial() -> Transport:
                    return WebSocketTransport(address)

                place = Place(address.shown, dial)
                visit = Visit(Connection(place, name, ear), watch=watch, hosts=(address.shown,))
            case ReturnToGame(left):
                connection = Connection(left.place, name, ear, seat=left.seat)
                visit = Visit(connection, solo=left.solo, hosts=left.hosts, returns=True)
        ear.visit = visit
        return visit

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
        """Say what ends if the program ends now; nothing if nothing is lost."""
        visit = self.visit
        hosting = self._server.hosting is not None
        if visit is None and hosting:
            return "This machine still hosts a table: if you quit, it ends for everybody. Quit?"
        if visit is not None and hosting and visit.with_others and not self.address_typed:
            return "This machine hosts the table: if you quit, it ends for everybody. Quit?"
        if visit is not None and visit.left() is not None:
            if visit.solo:
                return "Quit in the middle of the game? It will be lost."
            return "Quit in the middle of the game? You cannot come back to your seat."
        if self.left is not None and self.left.solo:
            return "A game still waits for you, and would be lost. Quit?"
        return ""

    async def _leave(self, visit: Visit) -> None:
        left = visit.left()
        if left is not None and visit.solo:
            question = "Leave this game? It waits for you at home until you quit."
        elif left is not None:
            question = "Leave this game? You can come back, unless a bot has your seat by then."
        else:
            question = "Leave this room?" if visit.with_others else ""
        if question and not await self._app.ask(question, "leave", "stay"):
            return
        if self.visit is not visit:
            return
        self.left = left or self.left
        connection = visit.connection
        if connection.link.state is LinkState.ONLINE:
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE):
                    # What follows from the answer is shown as it comes.
                    await connection.request(LeaveRoom())
                    return
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
            self._app.show_link(link)
            self._show_pending(visit)

    def viewed(
        self, visit: Visit, table: Table, shows: Shows, events: Sequence[AnySeenEvent]
    ) -> None:
        """Show another view."""
        if visit is not self.visit:
            return
        self._table = table
        if self.left is not None and self.left.seat.code == table.view.room.code:
            self.left = None
        self._show(visit, shows, events)

    def put_out(self, visit: Visit, sentence: str) -> None:
        """Show where one is without a room."""
        if visit is not self.visit:
            return
        self._table = None
        if sentence and self.left_here(visit):
            self.left = None
        visit.arrived = True
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
        if ending in (Ending.BROKEN, Ending.VERSION):
            self.left = visit.left() or self.left
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
