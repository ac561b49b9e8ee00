"""What a room must not forget, and the one way in which it changes: by facts.

A running room applies each fact as it settles it, and a restored one applies the same facts from
the journal; so both are the same. Who is linked at the moment is not part of it.
"""

from __future__ import annotations

from sequoia_protocol.room import (
    BotSeated,
    PersonEntered,
    PersonLeft,
    RoomEvent,
    RoomSettings,
    RoomState,
    SeatTaken,
    advance,
)
from sequoia_rules.events import Dealt, Ended, Revealed
from sequoia_rules.view import redact

from sequoia_server.clock import RoundClock
from sequoia_server.entropy import Entropy
from sequoia_server.facts import (
    Answered,
    BadFacts,
    CameIn,
    Checkpoint,
    ClockSet,
    Entry,
    Fact,
    GameBegun,
    KeyIssued,
    KeyUsed,
    Opened,
)
from sequoia_server.people import People
from sequoia_server.settings import Settings
from sequoia_server.table import Table


class RoomMemory:
    """A room as its facts tell it."""

    def __init__(
        self,
        code: str,
        room_settings: RoomSettings,
        *,
        settings: Settings,
        entropy: Entropy,
        now: float,
    ) -> None:
        self.state = RoomState(code=code, settings=room_settings)
        self.number = 0
        self.people = People(settings.grace, now)
        self.table = Table(settings, entropy)
        self.clock = RoundClock()
        self.next_person = 1
        self._answers_kept = settings.answers_kept

    def apply(self, fact: Fact, at: float) -> None:
        """Change by a fact that was settled at a time of the server's clock.

        Raises:
            BadFacts, ValueError, LookupError: it cannot follow here.
        """
        match fact:
            case Entry():
                self._apply_entry(fact, at)
            case KeyIssued(person, digest):
                self.people[person].keys.issue(digest)
            case KeyUsed(person, digest):
                self.people[person].keys.use(digest)
            case CameIn(person, nonce, number):
                self.people[person].came_by = (nonce, number)
            case Answered(person, nonce, number, answer):
                self.people[person].remember((nonce, number), answer, self._answers_kept)
            case ClockSet(deadline, stopped):
                if stopped is None and self.clock.stopped is not None:
                    # Nobody's absence counts in which the game waited, and bots have waited, too.
                    self.table.postpone(at - self.clock.stopped)
                    self.people.counts_from = at
                self.clock.deadline, self.clock.stopped = deadline, stopped
            case GameBegun():
                self.table.begin(fact)
            case Opened(room_settings):
                self.state = RoomState(code=self.state.code, settings=room_settings)
            case Checkpoint():
                self._load(fact)

    def checkpoint(self) -> Checkpoint:
        """Give all of it as one fact."""
        game, events = self.table.store()
        return Checkpoint(
            number=self.number,
            next_person=self.next_person,
            room=self.state,
            people=self.people.store(),
            covered=tuple(sorted(self.table.covered)),
            clock=ClockSet(self.clock.deadline, self.clock.stopped),
            game=game,
            events=events,
            record=self.table.earlier_record(),
        )

    def _load(self, checkpoint: Checkpoint) -> None:
        self.number = checkpoint.number
        self.next_person = checkpoint.next_person
        self.state = checkpoint.room
        self.people.load(checkpoint.people)
        self.table.load(checkpoint.game, checkpoint.events, checkpoint.covered, checkpoint.record)
        self.clock.deadline = checkpoint.clock.deadline
        self.clock.stopped = checkpoint.clock.stopped

    def _apply_entry(self, entry: Entry, at: float) -> None:
        event = entry.event
        if entry.number != self.number + 1:
            raise BadFacts(f"event {self.number + 1} is missing")
        self.number = entry.number
        if not isinstance(event, RoomEvent):
            self.table.follow(event, entry.by)
            self.state = advance(self.state, redact(event, None))
            match event:
                case Dealt():
                    self.clock.start(at, self.state.settings.clock)
                case Revealed() | Ended():
                    self.clock.clear()
                case _:
                    pass
            return
        playing = self.state.playing
        self.state = advance(self.state, event)
        match event:
            case PersonEntered(person):
                self.next_person = max(self.next_person, person + 1)
                self.people.add(person, at)
            case PersonLeft(person):
                self.people.remove(person, at)
            case SeatTaken(seat, person) if playing:
                self.people[person].views_from = entry.number
                self.table.changes_hands(seat, bot=False)
            case BotSeated(seat) if playing and self.state.player(seat) is not None:
                self.table.changes_hands(seat, bot=True)
            case _:
                pass
