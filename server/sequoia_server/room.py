"""One room, sans-I/O: commands, timers and links go in, turns come out.

A room never reads a clock, draws, or sends: the time is passed in with every call, chance comes
from the entropy it was given, and a :class:`~sequoia_server.turn.Turn` tells what is to be
journaled and who is owed what. Its calls must be made one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto

from sequoia_protocol.codec import encode_answer, encode_away, unpad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Answer,
    ChoosePairs,
    Command,
    CreateRoom,
    Done,
    Entered,
    GetRecord,
    HandOver,
    JoinRoom,
    LeaveRoom,
    ListRooms,
    Record,
    Refused,
    ResumeSeat,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import (
    BotSeated,
    HostChanged,
    LeaveReason,
    PersonEntered,
    PersonLeft,
    RoomEvent,
    RoomSettings,
    RoomState,
    RoomView,
    SeatTaken,
    advance,
)
from sequoia_rules.errors import InvalidCommand, RuleViolation
from sequoia_rules.events import Ended, GameStarted
from sequoia_rules.values import MIN_PLAYERS, Seat
from sequoia_rules.view import redact

from sequoia_server import seating
from sequoia_server.delivery import deliver
from sequoia_server.entropy import Entropy
from sequoia_server.people import People
from sequoia_server.settings import Settings
from sequoia_server.table import Table
from sequoia_server.turn import AnyEvent, Delivery, Entry, Refusal, Turn

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
        code: str,
        room_settings: RoomSettings,
        *,
        settings: Settings,
        entropy: Entropy,
        date: Callable[[], str],
        now: float,
    ) -> None:
        self.state = RoomState(code=code, settings=room_settings)
        self.number = 0
        self._settings = settings
        self._entropy = entropy
        self._date = date
        self._people = People(settings.grace, now)
        self._next_person = 1
        self._table = Table(settings, entropy)
        # Who has played in the running game: they may come back until it is over.
        self._participants: set[int] = set()
        self._now = now
        self._turn = Turn()
        # Since when who is away, as everybody was last told.
        self._told_away: dict[int, float] = {}

    # What comes in

    def enter(self, name: str, answer_to: int, now: float, *, watch: bool) -> tuple[int, Turn]:
        """Let somebody in under a cleaned name, and answer their command ``answer_to``.

        Raises:
            Refusal: there is no place, or the name is taken.
        """
        place = seating.placement(self.state, name, watch=watch)
        self._begin(now)
        person = self._next_person
        self._next_person += 1
        self._people.add(person)
        self._publish(PersonEntered(person, name))
        if place is not None:
            seat, colour = place
            self._publish(SeatTaken(seat, person, colour))
        return person, self._come_in(person, answer_to)

    def resume(self, person: int, key: str, answer_to: int, now: float) -> Turn:
        """Let a person come back by the seat key, and answer their command ``answer_to``.

        Raises:
            Refusal: the key is not good; nothing has changed.
        """
        if person not in self._people or not self._people[person].keys.use(key):
            raise Refusal(Code.BAD_KEY, SEAT_IS_GONE)
        self._begin(now)
        return self._come_in(person, answer_to)

    def enter_again(self, person: int, answer_to: int, now: float) -> Turn:
        """Answer once more the command ``answer_to`` by which a person has come in.

        Raises:
            Refusal: they have gone since.
        """
        if person not in self._people or self._people[person].left:
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
        turn.closed = now >= self._expiry
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
        if isinstance(answer, Done | Refused | Entered):
            kept = None if isinstance(answer, Entered) else answer
            member.remember(command_id, kept, self._settings.answers_kept)
        self._answer(person, answer)
        return turn

    # What can be seen of it

    @property
    def next_deadline(self) -> float:
        """When :meth:`tick` has to be called, unless something else happens first."""
        deadlines = [self._expiry]
        grace = self._people.next_grace(self._now)
        if grace is not None:
            deadlines.append(grace)
        moment = self._table.next_moment
        if moment is not None and self._people.linked:
            deadlines.append(moment)
        return min(deadlines)

    @property
    def is_attended(self) -> bool:
        """Whether anybody's link is up."""
        return bool(self._people.linked)

    # Commands

    def _obey(self, person: int, command: Command) -> _Reply | Record:
        match command.request:
            case LeaveRoom():
                self._leave(person)
            case Start():
                self._start(person)
            case HandOver(seat):
                self._hand_over(person, seat)
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
        plays = seating.is_playing(self.state, person)
        self._people.link_down(person, self._now, left=True)
        # Out of the room first: what follows from the leaving is for those who stay.
        self._turn.unbound.append(person)
        self._turn.to(person).fresh = True
        if not plays:
            self._publish(PersonLeft(person, LeaveReason.LEFT))

    def _start(self, person: int) -> None:
        seating.check_host(self.state, person)
        seating.check_between_games(self.state)
        if len(self.state.ready_seats) < MIN_PLAYERS:
            raise Refusal(Code.TOO_FEW_READY, "At least two seats have to be ready.")
        self._start_game()

    def _hand_over(self, person: int, seat: Seat) -> None:
        host = self.state.host
        if person != host and host is not None and host in self._people.linked:
            raise Refusal(Code.NOT_HOST, "Only the host of the room can do that.")
        if not self.state.playing:
            raise Refusal(Code.NO_GAME, "No game is running.")
        seated = self.state.seats[seat]
        owner = None if seated is None else seated.person
        if owner is None or owner in self._people.linked:
            raise Refusal(Code.NOT_AWAY, "Nobody who is away sits there.")
        left = self._people.grace_left(owner, self._now)
        if left > 0:
            seconds = int(left) + 1
            raise Refusal(Code.NOT_AWAY, f"Not yet: in {seconds} s a bot can take that seat.")
        self._publish(seating.seat_bot(self.state, seat))

    def _play(self, person: int, deal: int, request: ChoosePairs | TakeChoiceBack) -> None:
        if not self.state.playing:
            raise Refusal(Code.NO_GAME, "No game is running.")
        seat = self._viewer(person)
        if seat is None:
            raise Refusal(Code.NOT_SEATED, "You do not play in this game.")
        if seat in self._table.covered:
            raise Refusal(Code.NOT_SEATED, "A bot plays this roll for you: the next one is yours.")
        if deal != self._table.deal:
            raise Refusal(Code.STALE_DEAL, "That deal is over: look at the dice again.")
        try:
            if isinstance(request, ChoosePairs):
                events = self._table.choose(seat, unpad_choice(request.sums, request.turned))
            else:
                events = self._table.take_back(seat, self._now)
        except InvalidCommand as violation:
            raise Refusal(Code.INVALID_CHOICE, _sentence(violation)) from None
        except RuleViolation as violation:
            raise Refusal(Code.ILLEGAL_CHOICE, _sentence(violation)) from None
        self._publish_all(events)

    def _start_game(self) -> None:
        self._publish_all(self._table.start(self.state, self._date()))

    # What follows by itself

    def _settle(self) -> None:
        """Do everything that is due: by what just happened, or by the time."""
        while True:
            self._remove_gone()
            self._pass_host()
            if not self._people.linked:
                # The game waits for somebody to come back.
                break
            self._start_rematch()
            events = self._table.deal_if_due(self.state.bot_seats, self._now)
            events += self._table.play_due(self.state.bot_seats, self._now)
            if not events:
                break
            self._publish_all(events)

    def _remove_gone(self) -> None:
        """Put out who has been away for too long and does not play; the last person stays."""
        for person in self._people.gone(self._now):
            kept = self._participants if self.state.playing else ()
            if person not in kept and len(self._people) > 1:
                left = self._people[person].left
                reason = LeaveReason.LEFT if left else LeaveReason.GONE
                self._publish(PersonLeft(person, reason))

    def _pass_host(self) -> None:
        """See that somebody who is there can start, once the host is gone."""
        host = self.state.host
        if host is not None and not self._people.is_gone(host, self._now):
            return
        heirs = sorted(self._people.linked, key=lambda p: (self.state.seat_of(p) is None, p))
        if heirs:
            self._publish(HostChanged(heirs[0]))

    def _start_rematch(self) -> None:
        """Start the next game of the evening when every seated person is ready for it."""
        between_games = self._table.has_finished_a_game and not self.state.playing
        if between_games and seating.everybody_is_ready(self.state):
            self._start_game()

    @property
    def _expiry(self) -> float:
        """When the room is over, if nobody comes."""
        empty_since = self._people.empty_since
        if empty_since is None:
            return float("inf")
        unfinished = self.state.playing and len(self._people) > 0
        settings = self._settings
        return empty_since + (
            settings.unfinished_game_lifetime if unfinished else settings.empty_room_lifetime
        )

    # Turns

    def _begin(self, now: float) -> None:
        self._now = now
        self._turn = Turn()

    def _finish(self) -> Turn:
        self._settle()
        if self._people.away_since != self._told_away:
            self._told_away = dict(self._people.away_since)
            away = encode_away(self._people.away(self._now))
            for person in self._people.linked:
                self._turn.to(person).away = away
        return self._turn

    def _come_in(self, person: int, answer_to: int) -> Turn:
        """Bind a person's new link, and answer with the whole view."""
        empty_since = self._people.empty_since
        if empty_since is not None:
            self._table.postpone(self._now - empty_since)
        self._people.link_up(person)
        turn = self._finish()
        # The view holds what this turn brought.
        turn.deliveries[person] = Delivery(fresh=True)
        self._answer(person, self._entered(person, answer_to))
        return turn

    def _publish_all(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            self._publish(event)

    def _publish(self, event: AnyEvent) -> None:
        """Give a settled event its number, apply it, and render it for all who are linked."""
        self.number += 1
        self._turn.entries.append(Entry(self.number, event))
        seen = event if isinstance(event, RoomEvent) else redact(event, None)
        self.state = advance(self.state, seen)
        deliver(
            self._turn,
            self.number,
            event,
            self.state,
            self._people.linked,
            covered=self._table.covered,
        )
        self._note(event)

    def _note(self, event: AnyEvent) -> None:
        """Follow an event with what the server alone keeps."""
        match event:
            case PersonLeft(person):
                if person in self._people.linked:
                    self._turn.unbound.append(person)
                self._people.remove(person, self._now)
            case SeatTaken(seat, person) if self.state.playing:
                self._participants.add(person)
                self._table.changes_hands(seat, self._now, bot=False)
            case BotSeated(seat) if self.state.playing and self.state.player(seat) is not None:
                self._table.changes_hands(seat, self._now, bot=True)
            case GameStarted():
                self._participants = {
                    player.person for player in self.state.players if player.person is not None
                }
            case Ended():
                self._participants = set()
            case _:
                pass

    def _viewer(self, person: int) -> Seat | None:
        """Give the seat that a person plays in the current or last game."""
        return next((p.seat for p in self.state.players if p.person == person), None)

    def _entered(self, person: int, answer_to: int) -> Entered:
        """Give the whole view of a person, and a new seat key."""
        key = self._entropy.key()
        self._people[person].keys.issue(key)
        view = RoomView(person, self.number, self.state, self._table.view(self._viewer(person)))
        return Entered(answer_to, key, view, self._people.away(self._now))

    def _answer(self, person: int, answer: Answer) -> None:
        self._turn.to(person).answers.append(encode_answer(answer))


def _sentence(violation: RuleViolation) -> str:
    text = str(violation)
    return f"{text[0].upper()}{text[1:]}."
