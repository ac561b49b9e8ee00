"""One room, sans-I/O: commands, timers and links go in, turns come out.

A room never reads a clock, draws, or sends: the time is passed in with every call, chance comes
from the entropy it was given, and a :class:`~sequoia_server.turn.Turn` tells what is to be
journaled and who is owed what. Its calls must be made one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import Self

from sequoia_protocol.codec import encode_answer, encode_away, encode_clock, unpad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Answer,
    ChoosePairs,
    Clock,
    Command,
    CreateRoom,
    Done,
    Entered,
    GetRecord,
    Held,
    JoinRoom,
    LeaveRoom,
    ListRooms,
    Pause,
    Record,
    Refused,
    Resumed,
    ResumeSeat,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import (
    BotSeated,
    LeaveReason,
    PersonEntered,
    PersonLeft,
    RoomEvent,
    RoomSettings,
    RoomState,
    RoomView,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from sequoia_rules.errors import InvalidCommand, RuleViolation
from sequoia_rules.events import Chosen, Ended
from sequoia_rules.record import Chooser
from sequoia_rules.values import MIN_PLAYERS, Seat

from sequoia_server import course, seating
from sequoia_server.delivery import Recent, render
from sequoia_server.entropy import Entropy
from sequoia_server.facts import (
    Answered,
    AnyEvent,
    BadFacts,
    CameIn,
    Checkpoint,
    Entry,
    Fact,
    KeyIssued,
    KeyUsed,
    Opened,
    StoredTurn,
)
from sequoia_server.keys import digest_of
from sequoia_server.memory import RoomMemory
from sequoia_server.people import CommandId
from sequoia_server.settings import Settings
from sequoia_server.table import Settled
from sequoia_server.turn import Delivery, Refusal, Turn

SEAT_IS_GONE = (
    "This seat cannot be taken back: the room is over, or the seat key is not good any more."
)
"""Why nobody can come back; the same for every reason, so that a stranger learns nothing."""


class _Reply(Enum):
    """What kind of answer a command gets; it is made when its turn is over."""

    DONE = auto()
    ENTERED = auto()


class Room:
    """A place with a code where people sit down, play one game after another, and talk.

    ``date`` gives the time of day as text, for the record of a game.
    """

    def __init__(
        self,
        memory: RoomMemory,
        *,
        settings: Settings,
        entropy: Entropy,
        date: Callable[[], str],
        now: float,
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._entropy = entropy
        self._date = date
        self._people = memory.people
        self._table = memory.table
        self._clock = memory.clock
        self._recent = Recent()
        self._opening: list[Fact] = []
        self._now = now
        self._turn = Turn()
        # Since when who is away, as everybody was last told.
        self._told_away: dict[int, float] = {}

    @classmethod
    def open(
        cls,
        code: str,
        room_settings: RoomSettings,
        *,
        settings: Settings,
        entropy: Entropy,
        date: Callable[[], str],
        now: float,
    ) -> Self:
        """Open a new room. Its first turn holds what the journal has to know of it."""
        memory = RoomMemory(code, room_settings, settings=settings, entropy=entropy, now=now)
        room = cls(memory, settings=settings, entropy=entropy, date=date, now=now)
        room._opening.append(Opened(room_settings))
        return room

    @classmethod
    def restore(
        cls,
        code: str,
        turns: Sequence[StoredTurn],
        *,
        settings: Settings,
        entropy: Entropy,
        date: Callable[[], str],
        now: float,
    ) -> Self:
        """Be the room that left these turns: nobody is linked, nobody was away before now.

        Raises:
            BadFacts, ValueError, LookupError: the turns cannot follow each other.
        """
        memory = RoomMemory(code, RoomSettings(), settings=settings, entropy=entropy, now=now)
        first = next((fact for turn in turns for fact in turn.facts), None)
        if not isinstance(first, Opened | Checkpoint):
            raise BadFacts("the beginning of the room is missing")
        for turn in turns:
            for fact in turn.facts:
                memory.apply(fact, turn.at)
        memory.people.wake(now)
        room = cls(memory, settings=settings, entropy=entropy, date=date, now=now)
        memory.table.draw_again(course.bot_seats(memory), now)
        return room

    # What comes in

    def enter(self, name: str, command: CommandId, now: float, *, watch: bool) -> tuple[int, Turn]:
        """Let somebody in under a cleaned name, and answer their command.

        Raises:
            Refusal: there is no place, or the name is taken.
        """
        place = seating.placement(self.state, name, watch=watch)
        self._begin(now)
        person = self._memory.next_person
        self._publish(PersonEntered(person, name))
        self._settle_fact(CameIn(person, *command))
        if place is not None:
            seat, colour = place
            self._publish(SeatTaken(seat, person, colour))
        return person, self._come_in(person, command[1])

    def resume(self, person: int, key: str, number: int, answer_to: int, now: float) -> Turn:
        """Let a person come back by the seat key, and answer their command ``answer_to``.

        ``number`` is that of the last event they have seen, 0 for none.

        Raises:
            Refusal: the key is not good; nothing has changed.
        """
        member = self._people.get(person)
        digest = None if member is None else member.keys.find(key)
        if member is None or digest is None:
            raise Refusal(Code.BAD_KEY, SEAT_IS_GONE)
        self._begin(now)
        if member.keys.digests != (digest,):
            self._settle_fact(KeyUsed(person, digest))
        missed = number if number > member.views_from else 0
        return self._come_in(person, answer_to, missed)

    def enter_again(self, person: int, answer_to: int, now: float) -> Turn:
        """Answer once more the command ``answer_to`` by which a person has come in.

        Raises:
            Refusal: they have gone since.
        """
        if person not in self._people:
            raise Refusal(Code.NOT_IN_A_ROOM, "You have left that room.")
        self._begin(now)
        return self._come_in(person, answer_to)

    def disconnected(self, person: int, now: float) -> Turn:
        """Note that a person's link is down."""
        self._begin(now)
        self._people.link_down(person, now)
        return self._finish()

    def tick(self, now: float) -> Turn:
        """Do what is due by now (see :attr:`next_deadline`)."""
        self._begin(now)
        turn = self._finish()
        turn.closed = now >= course.expiry(self._memory, self._settings)
        return turn

    def receive(self, person: int, nonce: str, command: Command, now: float) -> Turn:
        """Obey a command of a linked person, or refuse it; either way it is answered once.

        ``nonce`` and the command's id name it for good: the second time it has no effect and
        gets the answer of the first.
        """
        self._begin(now)
        member = self._people[person]
        command_id = (nonce, command.id)
        if command_id in member.answers:
            stored = member.answers[command_id]
            turn = self._finish()
            self._answer(person, self._entered(person, command.id) if stored is None else stored)
            return turn
        reply: _Reply | Record | Refused
        try:
            reply = self._obey(person, command)
        except Refusal as refusal:
            reply = Refused(command.id, refusal.code, refusal.text)
        turn = self._finish()
        match reply:
            case _Reply.DONE:
                answer: Answer = Done(command.id, self.number)
            case _Reply.ENTERED:
                answer = self._entered(person, command.id)
            case _:
                answer = reply
        if isinstance(answer, Done | Refused | Entered) and person in self._people:
            kept = None if isinstance(answer, Entered) else answer
            self._settle_fact(Answered(person, *command_id, kept))
        self._answer(person, answer)
        return turn

    # What can be seen of it

    @property
    def state(self) -> RoomState:
        """The open part of the room."""
        return self._memory.state

    @property
    def number(self) -> int:
        """The number of the last event."""
        return self._memory.number

    @property
    def next_deadline(self) -> float:
        """When :meth:`tick` has to be called, unless something else happens first."""
        return course.next_deadline(self._memory, self._settings, self._now)

    @property
    def is_attended(self) -> bool:
        """Whether anybody's link is up."""
        return bool(self._people.linked)

    @property
    def is_timed(self) -> bool:
        """Whether a round's clock runs."""
        return course.round_closes(self._memory) is not None

    @property
    def entrances(self) -> list[tuple[CommandId, int]]:
        """The commands by which the people of this room came in."""
        return [(self._people[person].came_by, person) for person in self._people]

    def checkpoint(self) -> Checkpoint:
        """Give the whole room as one fact."""
        return self._memory.checkpoint()

    def clock_message(self, now: float, *, stalled: bool = False) -> bytes:
        """Tell how the round's clock stands; ``stalled`` if the server can store nothing."""
        held = Held.STORAGE if stalled else Held.PAUSED if self.state.paused else None
        return encode_clock(Clock(self._clock.left(now), held))

    # Commands

    def _obey(self, person: int, command: Command) -> _Reply | Record:
        match command.request:
            case LeaveRoom():
                self._leave(person)
            case Start():
                self._start(person)
            case Pause(wanted):
                self._pause(person, wanted=wanted)
            case ChoosePairs() | TakeChoiceBack() as request:
                self._play(person, command.deal, request)
            case GetRecord():
                record = self._table.record()
                if record is None:
                    raise Refusal(Code.NO_RECORD, "No game has been played to its end here.")
                return Record(command.id, record)
            case ListRooms() | CreateRoom() | JoinRoom() | ResumeSeat():
                raise Refusal(Code.IN_A_ROOM, "You are in a room already: leave it first.")
            case request:
                events = seating.decide(self.state, person, request)
                self._publish_all(events)
                if self.state.playing and any(isinstance(event, SeatTaken) for event in events):
                    return _Reply.ENTERED
        return _Reply.DONE

    def _leave(self, person: int) -> None:
        # Out of the room first: what follows from the leaving is for those who stay.
        self._people.link_down(person, self._now)
        self._turn.unbound.append(person)
        self._turn.to(person).fresh = True
        self._publish_all(seating.put_out(self.state, person, LeaveReason.LEFT))

    def _start(self, person: int) -> None:
        seating.check_host(self.state, person)
        seating.check_between_games(self.state)
        if len(self.state.ready_seats) < MIN_PLAYERS:
            raise Refusal(Code.TOO_FEW_READY, "At least two seats have to be ready.")
        self._start_game()

    def _pause(self, person: int, *, wanted: bool) -> None:
        event = seating.pause(self.state, person, wanted=wanted)
        if event is not None:
            self._publish(event)

    def _play(self, person: int, deal: int, request: ChoosePairs | TakeChoiceBack) -> None:
        if not self.state.playing:
            raise Refusal(Code.NO_GAME, "No game is running.")
        seat = self._viewer(person)
        if seat is None:
            raise Refusal(Code.NOT_SEATED, "You do not play in this game.")
        if self.state.paused:
            raise Refusal(Code.PAUSED, "The game is paused.")
        if seat in self._table.covered:
            raise Refusal(Code.NOT_SEATED, "A bot plays this roll for you: the next one is yours.")
        if deal != self._table.deal:
            raise Refusal(Code.STALE_DEAL, "That deal is over: look at the dice again.")
        try:
            if isinstance(request, ChoosePairs):
                settled = self._table.choose(seat, unpad_choice(request.sums, request.turned))
            else:
                settled = self._table.take_back(seat, self._now)
        except InvalidCommand as violation:
            raise Refusal(Code.INVALID_CHOICE, _sentence(violation)) from None
        except RuleViolation as violation:
            raise Refusal(Code.ILLEGAL_CHOICE, _sentence(violation)) from None
        self._publish_game(settled)

    def _start_game(self) -> None:
        begun, settled = self._table.start(self.state, self._date())
        self._settle_fact(begun)
        self._publish_game(settled)

    # Turns

    def _begin(self, now: float) -> None:
        self._now = now
        self._turn = Turn(at=now, facts=self._opening)
        self._opening = []

    def _finish(self) -> Turn:
        while self._follow_on():
            pass
        if self._people.away_since != self._told_away:
            self._told_away = dict(self._people.away_since)
            away = encode_away(self._people.away(self._now))
            for person in self._people.linked:
                self._turn.to(person).away = away
        return self._turn

    def _follow_on(self) -> bool:
        """Settle the next thing that follows by itself; tell whether there was one."""
        clock = course.clock_change(self._memory, self._now)
        if clock is not None:
            self._settle_fact(clock)
            if self.state.playing:
                message = self.clock_message(self._now)
                for person in self._people.linked:
                    self._turn.to(person).clock = message
            return True
        events = course.due_events(self._memory, self._now)
        if events:
            self._publish_all(events)
            return True
        if course.rematch_is_due(self._memory):
            self._start_game()
            return True
        settled = course.next_move(self._memory, self._now)
        self._publish_game(settled)
        return bool(settled.events)

    def _come_in(self, person: int, answer_to: int, number: int = 0) -> Turn:
        """Bind a person's new link, and answer with what was missed or with the whole view."""
        self._people.link_up(person, self._now)
        turn = self._finish()
        # What is told here holds what this turn brought.
        delivery = turn.deliveries[person] = Delivery(fresh=True)
        missed = [] if number == self.number else self._recent.after(number, person)
        if missed is None or not 0 < number <= self.number:
            self._answer(person, self._entered(person, answer_to))
        else:
            away = self._people.away(self._now)
            self._answer(person, Resumed(answer_to, self._new_key(person), number, away))
            delivery.number, delivery.events = number + 1, missed
        if self.state.playing:
            delivery.clock = self.clock_message(self._now)
        return turn

    def _publish_all(self, events: Iterable[RoomEvent]) -> None:
        for event in events:
            self._publish(event)

    def _publish_game(self, settled: Settled) -> None:
        for event in settled.events:
            self._publish(event, settled.by)
            if isinstance(event, Ended):
                self._turn.record = self._table.finished()

    def _publish(self, event: AnyEvent, by: Chooser | None = None) -> None:
        """Give a settled event its number, apply it, and render it for all who are linked."""
        number = self.number + 1
        by = by if isinstance(event, Chosen) else None
        linked = tuple(self._people.linked)
        self._settle_fact(Entry(number, event, by))
        rendered = render(number, event, self.state, covered=self._table.covered)
        self._recent.add(rendered)
        for person in linked:
            delivery = self._turn.to(person)
            if not delivery.events:
                delivery.number = number
            delivery.events.append(rendered.to(person))
        match event:
            case PersonLeft(person) if person in linked:
                self._turn.unbound.append(person)
            case BotSeated(seat) | StandInSeated(seat) if self.state.playing:
                self._table.relieve(seat, self._now)
            case StandInLeft(seat):
                self._table.returns(seat, self._now)
            case _:
                pass

    def _settle_fact(self, fact: Fact) -> None:
        self._turn.facts.append(fact)
        self._memory.apply(fact, self._now)

    def _viewer(self, person: int) -> Seat | None:
        """Give the seat that a person plays in the current or last game."""
        return next((p.seat for p in self.state.players if p.person == person), None)

    def _new_key(self, person: int) -> str:
        key = self._entropy.key()
        self._settle_fact(KeyIssued(person, digest_of(key)))
        return key

    def _entered(self, person: int, answer_to: int) -> Entered:
        """Give the whole view of a person, and a new seat key."""
        view = RoomView(person, self.number, self.state, self._table.view(self._viewer(person)))
        away = self._people.away(self._now)
        return Entered(answer_to, self._new_key(person), view, away)

    def _answer(self, person: int, answer: Answer) -> None:
        self._turn.to(person).answers.append(encode_answer(answer))


def _sentence(violation: RuleViolation) -> str:
    text = str(violation)
    return f"{text[0].upper()}{text[1:]}."
