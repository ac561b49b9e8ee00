"""The shell around rooms: links, timers, and the way out through the journal."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from typing import Final, TypeVar

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

from sequoia_server.clock import ServerClock
from sequoia_server.connection import Act, Ask, Greet, HangUp, Place, hang_up
from sequoia_server.entropy import Entropy
from sequoia_server.facts import BadFacts
from sequoia_server.journal import Batch, DamagedRoom, Journal
from sequoia_server.links import Link, Loop, Post, Timer, Wire
from sequoia_server.lobby import Lobby
from sequoia_server.room import SEAT_IS_GONE, Room
from sequoia_server.settings import Settings
from sequoia_server.traces import trace
from sequoia_server.turn import Delivery, Refusal, Turn

T = TypeVar("T")

BEAT: Final = 0.25
"""Seconds between two looks at the clock while a room depends on it."""

_BEATS_A_SECOND: Final = round(1 / BEAT)

_log = logging.getLogger(__name__)


class _Hosted:
    """A room, the links of its people, its timer, and its turns since the last checkpoint."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.links: dict[int, Link] = {}
        self.timer: Timer | None = None
        self.turns = 0


class _RoomFailed(Exception):
    """A room's own code raised something unexpected; the room is closed already."""


class Host:
    """Runs every room of a server in one event loop.

    All calls of a room happen here, one after another, without a pause in between. Nothing is
    sent from inside of a turn: what a turn led to goes to the journal, once it is durable into
    the outboxes, and at the end of the loop's tick in one message to each link.

    Rooms that the journal holds are restored one by one while others play already, and at once
    when somebody comes for one. While nothing can be stored, time stands still and commands wait.
    """

    def __init__(
        self,
        settings: Settings,
        entropy: Entropy,
        journal: Journal,
        loop: Loop,
        date: Callable[[], str] | None = None,
    ) -> None:
        self._settings = settings
        self._journal = journal
        self._loop = loop
        self._lobby = Lobby(settings, entropy, date or _utc_now)
        self._hosted: dict[str, _Hosted] = {}
        self._links: dict[Link, None] = {}
        self._numbers = count(1)
        self._post = Post(loop)
        self._held: deque[tuple[Link, bytes]] = deque()
        self._stalled = False
        self._closing = False
        self._beats = 0
        self._is_beating = False
        journal.start(self._stall)
        self._clock = ServerClock(loop.time, journal.clock)
        self._told_clock = self._clock.monotonic(0.0)
        self._unrestored = dict.fromkeys(journal.codes)
        self._lobby.reserve(self._unrestored)
        if self._unrestored:
            loop.call_soon(self._restore_next)

    def open(self, wire: Wire) -> Link:
        """Take in a new connection; it has to say hello in time."""
        link = Link(self, wire, next(self._numbers))
        self._links[link] = None
        link.hello_timer = self._loop.call_at(
            self._loop.time() + self._settings.hello_timeout,
            self._hang_up,
            link,
            HangUp(1008, "no hello in time"),
        )
        return link

    def close(self, on_stored: Callable[[], None]) -> None:
        """Take nothing in any more, and say goodbye once all that happened is stored."""
        self._closing = True
        self._journal.keep_time(self._clock.now())
        for hosted in self._hosted.values():
            if hosted.timer is not None:
                hosted.timer.cancel()

        def stored() -> None:
            self.say_goodbye()
            on_stored()

        self._journal.after(stored)

    def say_goodbye(self) -> None:
        """Tell everybody that the server is going away, and close every link."""
        self._closing = True
        goodbye = hang_up(
            Code.SERVER_CLOSING, "The server is closing: your seat is kept, if it comes back.", 1001
        )
        for link in list(self._links):
            self._hang_up(link, goodbye)

    # From the links

    def received(self, link: Link, data: bytes) -> None:
        """Do what one message of a client asks for."""
        if self._closing:
            return
        if link.held or (self._stalled and link.connection.is_greeted):
            self._hold(link, data)
            return
        try:
            action = link.connection.receive(data)
        except Exception as error:  # noqa: BLE001  (it harms this link alone)
            _log.error("a connection failed and is closed\n%s", trace(error))
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
            case Ask(command=Command(request=CreateRoom())) if self._unrestored:
                # One of the rooms to come may be what this very command has led to already.
                self._hold(link, data)
            case Ask():
                self._ask(link, action)

    def lost(self, link: Link) -> None:
        """Forget a link; the person it was is away now."""
        link.is_closed = True
        self._links.pop(link, None)
        self._post.forget(link)
        if link.hello_timer is not None:
            link.hello_timer.cancel()
        place, link.connection.place = link.connection.place, None
        hosted = None if place is None else self._hosted.get(place.code)
        if place is None or hosted is None:
            return
        del hosted.links[place.person]
        if self._closing:
            return
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
        if isinstance(command.request, JoinRoom):
            # A room that has to be restored first knows who came in by this command already.
            self._wake(command.request.code)
        command_id = (ask.nonce, command.id)
        known = self._lobby.recall(command_id)
        if isinstance(known, bytes):
            self._answer(link, known)
            return
        try:
            if known is None:
                place = self._enter(link, ask, command)
            else:
                place = self._enter_again(link, known, command)
            self._lobby.remember(command_id, place)
        except Refusal as refusal:
            answer = encode_answer(Refused(command.id, refusal.code, refusal.text))
            if known is None:
                self._lobby.remember(command_id, answer)
            self._answer(link, answer)
        except _RoomFailed:
            text = "Something went wrong in the server, and the room is closed."
            self._answer(link, encode_answer(Refused(command.id, Code.NO_SUCH_ROOM, text)))

    def _enter(self, link: Link, ask: Ask, command: Command) -> Place:
        if link.connection.place is not None:
            raise Refusal(Code.IN_A_ROOM, "You are in a room already: leave it first.")
        match command.request:
            case CreateRoom(settings):
                room = self._lobby.open(settings, self._clock.now())
                hosted = self._hosted[room.state.code] = _Hosted(room)
                watch = False
            case JoinRoom(code, watch):
                hosted = self._find(code)
            case ResumeSeat() as request:
                return self._resume(link, request, command.id)
            case _:
                raise Refusal(Code.NOT_IN_A_ROOM, "You are in no room.")
        person, turn = self._guard(
            hosted,
            lambda room, now: room.enter(ask.name, (ask.nonce, command.id), now, watch=watch),
        )
        return self._bind(link, hosted, person, turn)

    def _resume(self, link: Link, request: ResumeSeat, answer_to: int) -> Place:
        try:
            hosted = self._find(request.code)
        except Refusal:
            raise Refusal(Code.BAD_KEY, SEAT_IS_GONE) from None
        person, key, number = request.person, request.key, request.number
        self._check_newest(link, hosted, person)
        turn = self._guard(
            hosted, lambda room, now: room.resume(person, key, number, answer_to, now)
        )
        return self._bind(link, hosted, person, turn)

    def _enter_again(self, link: Link, place: Place, command: Command) -> Place:
        """Answer a command that led into a room, and has come a second time."""
        here = link.connection.place
        if here is not None and here != place:
            raise Refusal(Code.IN_A_ROOM, "You are in a room already: leave it first.")
        hosted = self._find(place.code)
        self._check_newest(link, hosted, place.person)
        turn = self._guard(
            hosted, lambda room, now: room.enter_again(place.person, command.id, now)
        )
        return self._bind(link, hosted, place.person, turn)

    def _check_newest(self, link: Link, hosted: _Hosted, person: int) -> None:
        """Refuse what a program has sent on a link before its present one, and comes only now.

        Two programs for one seat are another matter: there the one that asks last has it.
        """
        present = hosted.links.get(person)
        if (
            present is not None
            and present.number > link.number
            and present.connection.nonce == link.connection.nonce
        ):
            raise Refusal(Code.IN_A_ROOM, "You are there already, on a newer connection.")

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
        self._wake(code)
        return self._hosted[self._lobby.find(code).state.code]

    # Rooms

    def _guard(self, hosted: _Hosted, act: Callable[[Room, float], T]) -> T:
        """Call a room; if its code is broken, that room ends and the others notice nothing.

        Raises:
            Refusal: the room refuses; nothing changed.
            _RoomFailed: it is closed, and its people know.
        """
        try:
            return act(hosted.room, self._clock.now())
        except Refusal:
            raise
        except Exception as error:
            # The code of a private room is a secret, too.
            _log.error("a room failed and is closed\n%s", trace(error))
            self._drop(hosted)
            # What is stored of it is sound, and comes back with the next start.
            self._lobby.reserve([hosted.room.state.code])
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
        if turn.facts or turn.closed:
            self._journal.append(self._batch(hosted, turn), lambda: self._post.deliver(parcels))
        elif parcels:
            self._journal.after(lambda: self._post.deliver(parcels))
        if turn.closed:
            self._drop(hosted)
        else:
            self._set_timer(hosted)

    def _batch(self, hosted: _Hosted, turn: Turn) -> Batch:
        """Give what the journal stores of a turn: its facts, or from time to time everything."""
        code = hosted.room.state.code
        hosted.turns += 1
        if turn.closed or (turn.record is None and hosted.turns < self._settings.checkpoint_after):
            return Batch(code, turn.at, turn.facts, record=turn.record, closes=turn.closed)
        hosted.turns = 0
        facts = [hosted.room.checkpoint()]
        return Batch(code, turn.at, facts, replaces=True, record=turn.record)

    def _set_timer(self, hosted: _Hosted) -> None:
        # While the clock is held nothing falls due: a timer would come again and again.
        deadline = math.inf if self._stalled else self._clock.monotonic(hosted.room.next_deadline)
        if deadline != math.inf and not self._is_beating:
            self._is_beating = True
            self._clock.look_again()
            self._loop.call_at(self._loop.time() + BEAT, self._beat)
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

    def _beat(self) -> None:
        """Look at the clock, so that it notices gaps, and once a second store where it stands."""
        if self._closing:
            return
        now = self._clock.now()
        if self._clock.monotonic(0.0) != self._told_clock:
            # The process was suspended: the clocks on the screens have run on meanwhile.
            self._tell_clocks(now)
        self._beats += 1
        rooms = self._hosted.values()
        due = self._beats % _BEATS_A_SECOND == 0 and not self._stalled
        if due and any(hosted.room.is_timed for hosted in rooms):
            self._journal.keep_time(now)
        self._is_beating = any(hosted.timer is not None for hosted in rooms)
        if self._is_beating:
            self._loop.call_at(self._loop.time() + BEAT, self._beat)

    def _drop(self, hosted: _Hosted) -> None:
        """Forget a room."""
        if hosted.timer is not None:
            hosted.timer.cancel()
        self._lobby.close(hosted.room)
        self._hosted.pop(hosted.room.state.code, None)

    # What the journal holds

    def _wake(self, code: str) -> None:
        """Restore a room now, if it still has to be."""
        code = code.upper()
        if code in self._unrestored:
            self._restore(code)

    def _restore_next(self) -> None:
        """Restore one room after another, with room for everything else in between."""
        if self._closing:
            return
        for code in self._unrestored:
            self._restore(code)
            break
        if self._unrestored:
            self._loop.call_soon(self._restore_next)
        else:
            self._go_on_with_held()

    def _restore(self, code: str) -> None:
        del self._unrestored[code]
        try:
            room = self._lobby.restore(code, self._journal.read(code), self._clock.now())
        except (DamagedRoom, BadFacts) as error:
            _log.error("room %s cannot be restored: %s", code, error)
        except (ValueError, LookupError, TypeError) as error:
            # Their texts may hold what is secret.
            _log.error("room %s cannot be restored\n%s", code, trace(error))
        else:
            hosted = self._hosted[code] = _Hosted(room)
            self._set_timer(hosted)

    def _stall(self, stalled: bool) -> None:
        """Let everything wait while nothing can be stored, and go on afterwards."""
        if self._closing or stalled == self._stalled:
            return
        self._stalled = stalled
        if stalled:
            self._clock.hold()
        else:
            self._clock.release()
        self._tell_clocks(self._clock.now())
        if not stalled:
            self._go_on_with_held()

    def _tell_clocks(self, now: float) -> None:
        """Tell everybody who plays how the clock stands, after a time in which it did not run."""
        self._told_clock = self._clock.monotonic(0.0)
        for hosted in self._hosted.values():
            if hosted.room.state.playing:
                clock = hosted.room.clock_message(now, stalled=self._stalled)
                self._post.deliver(
                    [(link, Delivery(clock=clock)) for link in hosted.links.values()]
                )
            self._set_timer(hosted)

    def _hold(self, link: Link, data: bytes) -> None:
        """Keep a command for later; who sends too many is asked to come again."""
        link.held += 1
        if link.held > self._settings.commands_held:
            self._hang_up(link, HangUp(1013, "the server cannot store anything now"))
        else:
            self._held.append((link, data))

    def _go_on_with_held(self) -> None:
        held, self._held = self._held, deque()
        for link, _ in held:
            link.held = 0
        for link, data in held:
            link.receive(data)

    # The way out

    def _answer(self, link: Link, answer: bytes) -> None:
        """Answer what no room was asked, behind everything that is on its way already."""
        self._journal.after(lambda: self._post.deliver([(link, Delivery(answers=[answer]))]))

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
