"""A client's program: the real codec and the real fold, and links that come and go."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import encode
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Answer,
    Bye,
    Clock,
    Command,
    CreateRoom,
    Entered,
    Hello,
    JoinRoom,
    LeaveRoom,
    Refused,
    Request,
    Resumed,
    ResumeSeat,
    ServerMessage,
    Update,
    Welcome,
)
from sequoia_protocol.room import PersonLeft, RoomView, fold

from tests.simulation.board import broken
from tests.simulation.loop import Handle, Process, Timeline

ANSWER_TIMEOUT = 8.0
"""Seconds that a server may take to welcome, or to give a seat back."""


@dataclass
class Pocket:
    """What a person has on disk, whatever happens to the program: who they are, and the key."""

    code: str = ""
    person: int = 0
    key: str = ""


class Cable(Protocol):
    """One link, as a client sees it."""

    def send(self, data: bytes, request: Request | None) -> None: ...

    def drop(self) -> None: ...


class Client:
    """One run of a program. ``dial`` gives a link that calls :meth:`receive` and :meth:`lost`."""

    def __init__(
        self,
        name: str,
        nonce: str,
        pocket: Pocket,
        timeline: Timeline,
        *,
        rng: random.Random,
        dial: Callable[[Client], Cable | None],
    ) -> None:
        self.name = name
        self.nonce = nonce
        self.pocket = pocket
        self.process = Process()
        self.view: RoomView | None = None
        self.clock: Clock | None = None
        self.is_online = False
        self.is_replaced = False
        self.hears_nothing_until = 0.0
        self.may_dial_from = 0.0
        self.forgets_next_key = False
        self.asked: dict[int, tuple[Request, bytes]] = {}
        self.answers: dict[int, Answer] = {}
        self.on_change: Callable[[], None] = lambda: None
        self.on_death: Callable[[], None] = lambda: None
        self.on_refused: Callable[[Client], None] = lambda client: None
        self.on_update: Callable[[Client], None] = lambda client: None
        self._timeline = timeline
        self._rng = rng
        self._dial = dial
        self._last_id = 0
        self._cable: Cable | None = None
        self._attempt = 0
        self._resume_id = 0
        self._timer: Handle | None = None

    @property
    def cable(self) -> Cable | None:
        return self._cable

    def request(self, request: Request) -> None:
        """Ask for something; it is sent now, or when the link is up again."""
        number, data = self._command(request)
        self.asked[number] = (request, data)
        if self.is_online and self._cable is not None:
            self._cable.send(data, request)

    def connect(self) -> None:
        """Make a link, unless it is not the time for that."""
        self._cancel_timer()
        if self.is_replaced or self._cable is not None:
            return
        if self._timeline.now < self.may_dial_from:
            self._later(self.may_dial_from - self._timeline.now, self.connect)
            return
        self._cable = self._dial(self)
        if self._cable is None:
            self._try_again()
            return
        hello = Hello(PROTOCOL_VERSION, self.name, self.nonce, "simulation")
        self._cable.send(encode(hello), None)
        self._later(ANSWER_TIMEOUT, self._give_up)

    def lost(self, cable: Cable) -> None:
        """Notice that a link is down."""
        if cable is self._cable:
            self._cable = None
            self.is_online = False
            self._try_again()

    def stop(self) -> None:
        """End the program at once; what it has in memory is gone."""
        self.process.is_alive = False
        cable, self._cable = self._cable, None
        if cable is not None:
            cable.drop()

    def receive(self, cable: Cable, message: ServerMessage) -> None:
        """Take a message of the server."""
        if cable is not self._cable:
            return
        match message:
            case Welcome():
                self._welcomed(cable)
            case Bye(code):
                if code == Code.REPLACED:
                    self.is_replaced = True
            case Update():
                self._take(message)
        if self.process.is_alive:
            self.on_change()

    def _welcomed(self, cable: Cable) -> None:
        pocket = self.pocket
        if not pocket.key:
            # Another window has left the room for good, and the seat with it.
            self._out()
            self._go_online()
            return
        view = self.view
        same = view is not None and (view.room.code, view.you) == (pocket.code, pocket.person)
        number = view.number if view is not None and same else 0
        request = ResumeSeat(pocket.code, pocket.person, pocket.key, number)
        self._resume_id, data = self._command(request)
        cable.send(data, request)

    def _go_online(self) -> None:
        """Send again, in order, what has no answer yet."""
        self._cancel_timer()
        self.is_online = True
        self._attempt = 0
        cable = self._cable
        for request, data in list(self.asked.values()):
            if cable is not None:
                cable.send(data, request)

    def _take(self, update: Update) -> None:
        for answer in update.answers:
            self._answered(answer)
            if not self.process.is_alive:
                return
        for number, event in enumerate(update.events, update.number):
            if self.view is None or number <= self.view.number:
                continue
            if number != self.view.number + 1:
                broken("gapless numbers", f"{self.name} misses event {self.view.number + 1}")
            self.view = fold(self.view, event)
            if isinstance(event, PersonLeft) and event.person == self.view.you:
                self._out()
        if update.clock is not None:
            self.clock = update.clock
        self.on_update(self)

    def _answered(self, answer: Answer) -> None:
        self._check_again(answer)
        if isinstance(answer, Entered | Resumed):
            self._came_in(answer)
            if not self.process.is_alive:
                return
        if answer.id == self._resume_id:
            if isinstance(answer, Refused):
                self.on_refused(self)
                # Nothing that was asked in that room can be done any more.
                self.asked = {
                    number: (request, data)
                    for number, (request, data) in self.asked.items()
                    if isinstance(request, CreateRoom | JoinRoom)
                }
                self._out()
            self._go_online()
            return
        asked = self.asked.pop(answer.id, None)
        if asked is not None and isinstance(asked[0], LeaveRoom):
            self._out()

    def _came_in(self, answer: Entered | Resumed) -> None:
        if self.forgets_next_key:
            # It ends between the arrival of the key and its way to the disk.
            self.stop()
            self.on_death()
            return
        if isinstance(answer, Entered):
            self.view = answer.view
            self.pocket.code, self.pocket.person = answer.view.room.code, answer.view.you
        elif self.view is None or self.view.number != answer.number:
            broken("what was missed is told", f"{self.name} is resumed at {answer.number}")
        self.pocket.key = answer.key

    def _check_again(self, answer: Answer) -> None:
        """A command that is answered twice gets the same answer; a whole view is made anew."""
        first = self.answers.setdefault(answer.id, answer)
        came_in = isinstance(first, Entered | Resumed) and isinstance(answer, Entered)
        # Who was put out in the meantime is told just that.
        out = isinstance(answer, Refused) and answer.code == Code.NOT_IN_A_ROOM
        same = first == answer or came_in or out
        if not same:
            broken("one answer a command", f"{self.name} got {first} and {answer}")

    def _out(self) -> None:
        self.view = None
        self.clock = None
        self.pocket.key = ""

    def _command(self, request: Request) -> tuple[int, bytes]:
        self._last_id += 1
        deal = 0 if self.view is None else self.view.deal
        return self._last_id, encode(Command(self._last_id, deal, request))

    def _give_up(self) -> None:
        cable = self._cable
        if cable is not None and not self.is_online:
            cable.drop()
            self.lost(cable)

    def _try_again(self) -> None:
        if self.is_replaced:
            return
        self._later(self._rng.uniform(0.3, min(8.0, 0.45 * 2.0**self._attempt)), self.connect)
        self._attempt = min(self._attempt + 1, 6)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self._cancel_timer()
        self._timer = self._timeline.at(self._timeline.now + seconds, call, process=self.process)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
