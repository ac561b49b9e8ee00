"""The asyncio shell around rooms: links, timers, and the way out through the journal."""

from __future__ import annotations

import asyncio
import logging
import math
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from sequoia_protocol.codec import encode_answer
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Command,
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    ListRooms,
    Refused,
    ResumeSeat,
    Rooms,
)

from sequoia_server.connection import Act, Ask, Connection, Greet, HangUp, Place, hang_up
from sequoia_server.entropy import Entropy
from sequoia_server.journal import Journal
from sequoia_server.lobby import Lobby
from sequoia_server.outbox import Outbox, Shared
from sequoia_server.room import SEAT_IS_GONE, Room
from sequoia_server.settings import Settings
from sequoia_server.turn import Delivery, Refusal, Turn

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Wire(Protocol):
    """The far side of a link: bytes out. Neither method blocks or raises.

    A wire whose reader is too slow gives itself up; then, as when the peer goes, whoever made the
    link calls :meth:`Link.lost`.
    """

    def send(self, data: bytes) -> None:
        """Send one message."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Close in good order, after what was sent."""
        ...


class Link:
    """One live connection, as the host sees it."""

    def __init__(self, host: Host, wire: Wire) -> None:
        self._host = host
        self.wire = wire
        self.connection = Connection()
        self.outbox = Outbox()
        self.is_closed = False
        self.hello_timer: asyncio.TimerHandle | None = None

    def receive(self, data: bytes) -> None:
        """Take one message of the client."""
        if not self.is_closed:
            self._host.received(self, data)

    def lost(self) -> None:
        """Note that the connection is down. Again is harmless."""
        self._host.lost(self)


class _Hosted:
    """A room, the links of its people, and its timer."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.links: dict[int, Link] = {}
        self.timer: asyncio.TimerHandle | None = None


class _RoomFailed(Exception):
    """A room's own code raised something unexpected; the room is closed already."""


class Host:
    """Runs every room of a server in one event loop.

    All calls of a room happen here, one after another, without a pause in between. Nothing is
    sent from inside of a turn: what a turn led to goes to the journal, once it is durable into
    the outboxes, and at the end of the loop's tick in one message to each link.
    """

    def __init__(self, settings: Settings, entropy: Entropy, journal: Journal) -> None:
        self._settings = settings
        self._journal = journal
        self._loop = asyncio.get_running_loop()
        self._lobby = Lobby(settings, entropy, _utc_now)
        self._hosted: dict[str, _Hosted] = {}
        self._links: set[Link] = set()
        self._due: dict[Link, None] = {}

    def open(self, wire: Wire) -> Link:
        """Take in a new connection; it has to say hello in time."""
        link = Link(self, wire)
        self._links.add(link)
        link.hello_timer = self._loop.call_later(
            self._settings.hello_timeout, self._hang_up, link, HangUp(1008, "no hello in time")
        )
        return link

    def close(self) -> None:
        """Tell everybody that the server is going away, and close every link and timer."""
        for hosted in list(self._hosted.values()):
            self._drop(hosted)
        for link in list(self._links):
            self._hang_up(link, hang_up(Code.SERVER_CLOSING, "The server is closing.", 1001))

    # From the links

    def received(self, link: Link, data: bytes) -> None:
        """Do what one message of a client asks for."""
        try:
            action = link.connection.receive(data)
        except Exception as error:  # noqa: BLE001  (it harms this link alone)
            _log.error("a connection failed and is closed\n%s", _trace(error))
            action = HangUp(1011, "internal error")
        match action:
            case Greet(welcome):
                if link.hello_timer is not None:
                    link.hello_timer.cancel()
                link.wire.send(welcome)
            case HangUp():
                self._hang_up(link, action)
            case Act():
                self._act(link, action)
            case Ask():
                self._ask(link, action)

    def lost(self, link: Link) -> None:
        """Forget a link; the person it was is away now."""
        link.is_closed = True
        self._links.discard(link)
        self._due.pop(link, None)
        if link.hello_timer is not None:
            link.hello_timer.cancel()
        place, link.connection.place = link.connection.place, None
        hosted = None if place is None else self._hosted.get(place.code)
        if place is None or hosted is None:
            return
        del hosted.links[place.person]
        with suppress(_RoomFailed):
            turn = self._guard(hosted, lambda room, now: room.disconnected(place.person, now))
            self._dispatch(hosted, turn)

    # Commands

    def _act(self, link: Link, act: Act) -> None:
        """Pass a command on to the room in which the link is."""
        person, nonce, command = act.place.person, act.nonce, act.command
        if self._lobby.recall((nonce, command.id)) is not None:
            # It was a command of the lobby when it came first, whatever it says now.
            self._ask(link, Ask(nonce, "", command))
            return
        hosted = self._hosted[act.place.code]
        with suppress(_RoomFailed):
            turn = self._guard(hosted, lambda room, now: room.receive(person, nonce, command, now))
            self._dispatch(hosted, turn)
            if isinstance(command.request, LeaveRoom):
                # Outside there is no room to ask, should the same command come once more.
                for answer in turn.to(person).answers:
                    self._lobby.remember((nonce, command.id), answer)

    def _ask(self, link: Link, ask: Ask) -> None:
        """Obey a command that needs no room, or refuse it."""
        command = ask.command
        if isinstance(command.request, ListRooms):
            self._answer(link, encode_answer(Rooms(command.id, tuple(self._lobby.lines()))))
            return
        command_id = (ask.nonce, command.id)
        known = self._lobby.recall(command_id)
        if isinstance(known, bytes):
            self._answer(link, known)
            return
        try:
            if known is None:
                place = self._enter(link, ask.name, command)
            else:
                place = self._enter_again(link, known, command)
            # A resume needs no keeping: the key it used is good until the new one is used.
            if not isinstance(command.request, ResumeSeat):
                self._lobby.remember(command_id, place)
        except Refusal as refusal:
            answer = encode_answer(Refused(command.id, refusal.code, refusal.text))
            if known is None:
                self._lobby.remember(command_id, answer)
            self._answer(link, answer)
        except _RoomFailed:
            text = "Something went wrong in the server, and the room is closed."
            self._answer(link, encode_answer(Refused(command.id, Code.NO_SUCH_ROOM, text)))

    def _enter(self, link: Link, name: str, command: Command) -> Place:
        if link.connection.place is not None:
            raise Refusal(Code.IN_A_ROOM, "You are in a room already: leave it first.")
        match command.request:
            case CreateRoom(settings):
                room = self._lobby.open(settings, self._loop.time())
                hosted = self._hosted[room.state.code] = _Hosted(room)
                watch = False
            case JoinRoom(code, watch):
                hosted = self._find(code)
            case ResumeSeat(code, person, key):
                return self._resume(link, code, person, key, command.id)
            case _:
                raise Refusal(Code.NOT_IN_A_ROOM, "You are in no room.")
        person, turn = self._guard(
            hosted, lambda room, now: room.enter(name, command.id, now, watch=watch)
        )
        return self._bind(link, hosted, person, turn)

    def _resume(self, link: Link, code: str, person: int, key: str, answer_to: int) -> Place:
        try:
            hosted = self._find(code)
        except Refusal:
            raise Refusal(Code.BAD_KEY, SEAT_IS_GONE) from None
        turn = self._guard(hosted, lambda room, now: room.resume(person, key, answer_to, now))
        return self._bind(link, hosted, person, turn)

    def _enter_again(self, link: Link, place: Place, command: Command) -> Place:
        """Answer a command that led into a room, and has come a second time."""
        here = link.connection.place
        if here is not None and here != place:
            raise Refusal(Code.IN_A_ROOM, "You are in a room already: leave it first.")
        hosted = self._find(place.code)
        turn = self._guard(
            hosted, lambda room, now: room.enter_again(place.person, command.id, now)
        )
        return self._bind(link, hosted, place.person, turn)

    def _bind(self, link: Link, hosted: _Hosted, person: int, turn: Turn) -> Place:
        """Let a link be a person from now on. The newest link wins."""
        older = hosted.links.get(person)
        if older is not None and older is not link:
            older.connection.place = None
            text = "You have come back from somewhere else: this connection ends."
            self._hang_up(older, hang_up(Code.REPLACED, text, 1000))
        place = link.connection.place = Place(hosted.room.state.code, person)
        hosted.links[person] = link
        self._dispatch(hosted, turn)
        return place

    def _find(self, code: str) -> _Hosted:
        return self._hosted[self._lobby.find(code).state.code]

    # Rooms

    def _guard(self, hosted: _Hosted, act: Callable[[Room, float], T]) -> T:
        """Call a room; if its code is broken, that room ends and the others notice nothing.

        Raises:
            Refusal: the room refuses; nothing changed.
            _RoomFailed: it is closed, and its people know.
        """
        try:
            return act(hosted.room, self._loop.time())
        except Refusal:
            raise
        except Exception as error:
            # The code of a private room is a secret, too.
            _log.error("a room failed and is closed\n%s", _trace(error))
            self._drop(hosted)
            text = "Something went wrong in this room, and the server has closed it."
            for link in list(hosted.links.values()):
                self._hang_up(link, hang_up(Code.ROOM_CLOSED, text, 1011))
            raise _RoomFailed from error

    def _dispatch(self, hosted: _Hosted, turn: Turn) -> None:
        """Send a turn on its way: into the journal, and from there to the links."""
        parcels = [
            (link, delivery)
            for person, delivery in turn.deliveries.items()
            if (link := hosted.links.get(person)) is not None
        ]
        for person in turn.unbound:
            link = hosted.links.pop(person, None)
            if link is not None:
                link.connection.place = None
        if parcels or turn.entries:
            self._journal.append(
                hosted.room.state.code, turn.entries, lambda: self._deliver(parcels)
            )
        if turn.closed:
            self._drop(hosted)
        else:
            self._set_timer(hosted)

    def _set_timer(self, hosted: _Hosted) -> None:
        deadline = hosted.room.next_deadline
        if hosted.timer is not None:
            if hosted.timer.when() == deadline:
                return
            hosted.timer.cancel()
        hosted.timer = (
            None if deadline == math.inf else self._loop.call_at(deadline, self._tick, hosted)
        )

    def _tick(self, hosted: _Hosted) -> None:
        hosted.timer = None
        with suppress(_RoomFailed):
            self._dispatch(hosted, self._guard(hosted, lambda room, now: room.tick(now)))

    def _drop(self, hosted: _Hosted) -> None:
        """Forget a room."""
        if hosted.timer is not None:
            hosted.timer.cancel()
        self._lobby.close(hosted.room)
        self._hosted.pop(hosted.room.state.code, None)

    # The way out

    def _answer(self, link: Link, answer: bytes) -> None:
        """Answer what no room was asked, behind everything that is on its way already."""
        self._journal.append("", (), lambda: self._deliver([(link, Delivery(answers=[answer]))]))

    def _deliver(self, parcels: list[tuple[Link, Delivery]]) -> None:
        for link, delivery in parcels:
            if not link.is_closed:
                link.outbox.add(delivery)
                if not self._due:
                    self._loop.call_soon(self._flush)
                self._due[link] = None

    def _flush(self) -> None:
        due, self._due = self._due, {}
        shared: Shared = {}
        for link in due:
            for data in link.outbox.take(shared):
                link.wire.send(data)

    def _hang_up(self, link: Link, why: HangUp) -> None:
        """Send what is still owed and the last word, and close a link."""
        for data in link.outbox.take({}):
            link.wire.send(data)
        if why.bye is not None:
            link.wire.send(why.bye)
        link.wire.close(why.close_code, why.reason)
        self.lost(link)


def _utc_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _trace(error: Exception) -> str:
    """Show where an exception came from, without its text: that may hold what is secret."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{frames}{type(error).__name__}"
