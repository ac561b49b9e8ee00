"""A room without a server: commands and time go in, and every person's picture is checked."""

from collections import defaultdict
from dataclasses import replace
from itertools import count

from sequoia_protocol.codec import decode_server, pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Answer,
    Away,
    ChoosePairs,
    Clock,
    Command,
    Done,
    Entered,
    Ready,
    Refused,
    Request,
    Resumed,
    Start,
    Update,
)
from sequoia_protocol.room import (
    AnySeenEvent,
    BotSeated,
    RoomEvent,
    RoomSettings,
    RoomState,
    RoomView,
    SeatTaken,
    advance,
    fold,
)
from sequoia_rules.events import Dealt, GameStarted
from sequoia_rules.game import choices_for, evolve, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.state import GameState
from sequoia_rules.values import Choice, Seat
from sequoia_rules.view import redact, view_for
from sequoia_server.facts import Entry, StoredTurn, decode_facts, encode_facts
from sequoia_server.memory import RoomMemory
from sequoia_server.outbox import Outbox
from sequoia_server.room import Room
from sequoia_server.settings import Settings
from sequoia_server.turn import Turn

from tests.kit import FakeClock, FixedEntropy

NONCE = "the-nonce-of-everybody"


class Driver:
    """Drives one room.

    After every turn each linked person's folded view is compared with what the journal's
    entries alone lead to, so that every test of a room is also a test of its deliveries.
    """

    def __init__(
        self,
        room: RoomSettings | None = None,
        *,
        settings: Settings | None = None,
        entropy: FixedEntropy | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.entropy = entropy or FixedEntropy()
        self.room = Room.open(
            "ROOM",
            room or RoomSettings(),
            settings=settings or Settings(),
            entropy=self.entropy,
            date=lambda: "2026-11-30 23:15 UTC",
            now=self.clock(),
        )
        self.settings = settings or Settings()
        # What a restart would make of the journal so far.
        self.mirror = RoomMemory(
            "ROOM",
            RoomSettings(),
            settings=self.settings,
            entropy=FixedEntropy(),
            now=self.clock(),
        )
        self.turns: list[StoredTurn] = []
        self.truth = self.room.state
        self.game: GameState | None = None
        self.entries: list[Entry] = []
        # Seats whose roll fell before their player sat down.
        self.covered: set[int] = set()
        self.views: dict[int, RoomView] = {}
        self.keys: dict[int, str] = {}
        self.away: dict[int, tuple[Away, ...]] = {}
        self.frames: defaultdict[int, list[bytes]] = defaultdict(list)
        self.seen: defaultdict[int, list[AnySeenEvent]] = defaultdict(list)
        self.clocks: dict[int, Clock] = {}
        self.answers: dict[int, Answer] = {}
        self.linked: set[int] = set()
        self.unbound: list[int] = []
        self._closed = False
        self.ids = count(1)

    # What can be done to it

    def enter(self, name: str, *, watch: bool = False) -> int:
        number = next(self.ids)
        person, turn = self.room.enter(name, (NONCE, number), self.clock(), watch=watch)
        self.linked.add(person)
        self._take(turn)
        return person

    def resume(self, person: int, key: str | None = None, *, seen: int = 0) -> Entered | Resumed:
        number = next(self.ids)
        turn = self.room.resume(person, key or self.keys[person], seen, number, self.clock())
        self.linked.add(person)
        self._take(turn)
        answer = self.answers[number]
        assert isinstance(answer, Entered | Resumed)
        return answer

    def restart(self) -> None:
        """Be a new process that has only the journal; the server's clock stood meanwhile."""
        self.room = Room.restore(
            "ROOM",
            self.turns,
            settings=self.settings,
            entropy=self.entropy,
            date=lambda: "2026-11-30 23:15 UTC",
            now=self.clock(),
        )
        self.linked.clear()
        # A host wakes a restored room as soon as it wants to be woken: at once.
        self._take(self.room.tick(self.clock()))

    def lose(self, person: int) -> None:
        self.linked.discard(person)
        self._take(self.room.disconnected(person, self.clock()))

    def do(
        self,
        person: int,
        request: Request,
        *,
        deal: int | None = None,
        command_id: int | None = None,
    ) -> Answer:
        number = next(self.ids) if command_id is None else command_id
        deal = self.views[person].deal if deal is None else deal
        before = self.room.number
        self.answers.pop(number, None)
        command = Command(number, deal, request)
        self._take(self.room.receive(person, NONCE, command, self.clock()))
        answer = self.answers[number]
        if isinstance(answer, Refused):
            assert self.room.number == before, "a refusal changed something"
        return answer

    def ok(self, person: int, request: Request) -> Done:
        answer = self.do(person, request)
        assert isinstance(answer, Done), answer
        assert answer.number == self.room.number
        return answer

    def refuse(self, person: int, request: Request, code: Code, *, deal: int | None = None) -> str:
        answer = self.do(person, request, deal=deal)
        assert isinstance(answer, Refused), answer
        assert answer.code == code
        assert not answer.text[0].islower()
        assert answer.text.endswith(".")
        return answer.text

    def advance(self, seconds: float) -> None:
        """Let time pass, and wake the room whenever it asked for it."""
        end = self.clock.now + seconds
        while not self._closed and self.room.next_deadline <= end:
            assert self.room.next_deadline > self.clock.now, "the room wants to be woken for ever"
            self.clock.now = self.room.next_deadline
            self._take(self.room.tick(self.clock()))
        self.clock.now = end

    # Short ways

    def begin(self, people: int = 2, bots: int = 0, *, watchers: int = 0) -> list[int]:
        """Seat people and bots and start a game; the first person hosts."""
        names = ("Ana", "Bo", "Cleo", "Dan", "Eve", "Fay")
        persons = [self.enter(name) for name in names[:people]]
        for _ in range(bots):
            self.ok(persons[0], AddBot(self.room.state.free_seats[0]))
        persons += [self.enter(f"Watcher {i}", watch=True) for i in range(watchers)]
        for person in persons[:people]:
            self.ok(person, Ready(True))
        self.ok(persons[0], Start())
        return persons

    def options(self, person: int) -> tuple[Choice, ...]:
        """What a person may seal now."""
        game = self.views[person].game
        if game is None or game.dice is None or game.viewer not in game.public.awaited:
            return ()
        return choices_for(game.public, game.viewer, game.dice)

    def choose(self, person: int, choice: Choice | None = None) -> None:
        self.ok(person, ChoosePairs(*pad_choice(choice or self.options(person)[0])))

    def play(self) -> None:
        """Play the running game to its end: everybody who is asked plants the first choice."""
        while self.playing():
            asked = [person for person in sorted(self.linked) if self.options(person)]
            for person in asked:
                if self.options(person):
                    self.choose(person)
            if not asked:
                self.advance(5)

    def to_tiebreak(self) -> None:
        """Play until a tie-break round has been dealt."""
        while self.phase() is not Phase.TIEBREAK:
            assert self.playing(), "this game had no tie-break: take another seed"
            for person in sorted(self.linked):
                if self.phase() is not Phase.TIEBREAK and self.options(person):
                    self.choose(person)
            if self.phase() is not Phase.TIEBREAK:
                self.advance(5)

    @property
    def state(self) -> RoomState:
        return self.room.state

    # Calls and not attributes, since what they give changes from one call to the next.

    def phase(self) -> Phase:
        assert self.game is not None
        return self.game.public.phase

    def closed(self) -> bool:
        """Whether the room is over."""
        return self._closed

    def playing(self) -> bool:
        return self.state.playing

    def stand_ins(self) -> tuple[Seat, ...]:
        return self.state.stand_in_seats

    def paused(self) -> bool:
        return self.state.paused

    def chosen(self) -> tuple[Seat, ...]:
        """The seats that have sealed in the deal on the table."""
        assert self.game is not None
        return self.game.public.chosen

    def seat(self, person: int) -> Seat:
        seat = self.state.seat_of(person)
        assert seat is not None
        return seat

    def events(self, since: int = 0) -> list[object]:
        """The full events after a number."""
        return [entry.event for entry in self.entries if entry.number > since]

    # What is checked after every turn

    def _take(self, turn: Turn) -> None:
        stored = StoredTurn(turn.at, decode_facts(encode_facts(turn.facts)))
        assert list(stored.facts) == turn.facts
        self.turns.append(stored)
        for fact in stored.facts:
            self.mirror.apply(fact, stored.at)
        assert self.mirror.checkpoint() == self.room.checkpoint()
        for entry in turn.facts:
            if not isinstance(entry, Entry):
                continue
            assert entry.number == len(self.entries) + 1
            self.entries.append(entry)
            event = entry.event
            if isinstance(event, RoomEvent):
                self.truth = advance(self.truth, event)
            else:
                self.truth = advance(self.truth, redact(event, None))
                before = new_game() if isinstance(event, GameStarted) else self.game
                assert before is not None
                self.game = evolve(before, event)
            match event:
                case SeatTaken(seat) if self.game and seat in self.game.public.rolling:
                    self.covered.add(seat)
                case BotSeated(seat):
                    self.covered.discard(seat)
                case Dealt():
                    self.covered.clear()
                case _:
                    pass
        for person, delivery in turn.deliveries.items():
            assert person in self.linked, f"something is owed to {person}, who has no link"
            outbox = Outbox()
            outbox.add(delivery)
            (frame,) = outbox.take({})
            self.frames[person].append(frame)
            update = decode_server(frame)
            assert isinstance(update, Update)
            self._take_update(person, update)
        for person in turn.unbound:
            self.linked.discard(person)
            self.views.pop(person, None)
        self.unbound += turn.unbound
        self._closed = turn.closed
        self._check()

    def _take_update(self, person: int, update: Update) -> None:
        for answer in update.answers:
            self.answers[answer.id] = answer
            if isinstance(answer, Entered):
                self.views[person] = answer.view
                self.keys[person] = answer.key
                self.away[person] = answer.away
            if isinstance(answer, Resumed):
                self.keys[person] = answer.key
                self.away[person] = answer.away
        for number, event in enumerate(update.events, update.number):
            if number > self.views[person].number:
                assert number == self.views[person].number + 1
                self.views[person] = fold(self.views[person], event)
                self.seen[person].append(event)
        if update.away is not None:
            self.away[person] = update.away
        if update.clock is not None:
            self.clocks[person] = update.clock

    def _check(self) -> None:
        assert self.truth == self.room.state
        for person in self.linked:
            seat = next((p.seat for p in self.truth.players if p.person == person), None)
            game = None if self.game is None else view_for(self.game, seat)
            if game is not None and seat in self.covered:
                game = replace(game, dice=None, choice=None)
            assert self.views[person] == RoomView(person, len(self.entries), self.truth, game)
