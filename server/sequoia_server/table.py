"""The game at a room's table: its state, the dealer, and the moments at which bots seal.

What a table decides is only given back; the room settles it, and lets the table
:meth:`~Table.follow`. A table that is restored follows the same events from the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from sequoia_protocol.room import RoomState, Seated
from sequoia_rules.commands import Choose, Deal, StartGame, TakeBack
from sequoia_rules.events import Chosen, Dealt, Event, GameStarted
from sequoia_rules.game import decide, evolve, forced_none, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.record import Chooser, GameRecord, RecordPlayer, write_record
from sequoia_rules.state import GameState
from sequoia_rules.values import Choice, Seat
from sequoia_rules.view import GameView, view_for

from sequoia_server.bots import play
from sequoia_server.entropy import Entropy
from sequoia_server.facts import BadFacts, GameBegun, StoredEvent, load_event, store_event
from sequoia_server.settings import Settings

Bot: TypeAlias = Callable[[GameView, int], Choose]
"""How a bot chooses: by what a person in its seat would see, and a seed."""


_BOT: Final = "bot"
_PERSON: Final = "person"


class Settled(NamedTuple):
    """Events that follow from one decision; ``by`` is who made the choice among them."""

    events: Sequence[Event] = ()
    by: Chooser | None = None


class _Sealed(NamedTuple):
    choice: Choice
    by: Chooser


@dataclass(slots=True)
class _Game:
    """A game and what its record will need."""

    begun: GameBegun
    state: GameState = field(default_factory=new_game)
    events: list[Event] = field(default_factory=list)
    choosers: list[Chooser] = field(default_factory=list)

    def record(self) -> GameRecord:
        return GameRecord(
            self.begun.id,
            self.begun.started,
            self.begun.players,
            tuple(self.events),
            tuple(self.choosers),
        )


class Table:
    """Runs one game after another; the room says who sits where and what time it is.

    ``moments`` holds, for seats that nobody asks (bots, and persons who can plant nothing), when
    they seal. Every moment is drawn before the dice it belongs to and whether or not it will be
    needed, so that neither a delay nor the order of draws depends on a roll. Moments are not
    stored: after a restart they are drawn again, for all alike.
    """

    def __init__(self, settings: Settings, entropy: Entropy, bot: Bot = play) -> None:
        self._settings = settings
        self._entropy = entropy
        self._bot = bot
        self._begun: GameBegun | None = None
        self._game: _Game | None = None
        self._finished: _Game | None = None
        self._record: str | None = None
        self._moments: dict[Seat, float] = {}
        # Drawn for the deal that comes next, and whether a bot plays the seat.
        self._drawn: dict[Seat, tuple[float, bool]] = {}
        self._covered: set[Seat] = set()
        # The last choice that each seat has sealed in this deal, taken back or not.
        self._sealed: dict[Seat, _Sealed] = {}

    @property
    def public(self) -> PublicState | None:
        """The open part of the current or last game, None before the first."""
        return None if self._game is None else self._game.state.public

    @property
    def deal(self) -> int:
        """The number of the last deal in this room."""
        return 0 if self._game is None else self._game.state.public.deal

    @property
    def awaited(self) -> Collection[Seat]:
        """The seats that have not chosen yet in the deal on the table."""
        return () if self._game is None else self._game.state.public.awaited

    @property
    def has_finished_a_game(self) -> bool:
        """Whether a game was played to its end at this table."""
        return self._finished is not None or self._record is not None

    @property
    def covered(self) -> Collection[Seat]:
        """Seats whose roll in this deal their new player may not see.

        It was a bot's, or that of somebody who had the seat before: whoever sits down on a roll
        that lies already begins with the next one, and a bot plays this one to its end.
        """
        return self._covered

    def view(self, seat: Seat | None) -> GameView | None:
        """Show the current or last game to a seat, or to a spectator."""
        if self._game is None:
            return None
        view = view_for(self._game.state, seat)
        return replace(view, dice=None, choice=None) if seat in self._covered else view

    # What happens next; nothing of it has happened yet.

    def start(self, room: RoomState, started: str) -> tuple[GameBegun, Settled]:
        """Begin a game of the seats that are ready: shuffle the tokens."""
        players = tuple(
            RecordPlayer(seat, seated.name, seated.colour.value, _kind(seated))
            for seat in room.ready_seats
            if (seated := room.seats[seat]) is not None
        )
        begun = GameBegun(self._entropy.game_id(), started, players)
        first, second = self._entropy.tokens()
        command = StartGame(room.ready_seats, first, second, self.deal)
        return begun, Settled(decide(new_game(), command))

    def deal_if_due(self, bots: Collection[Seat], now: float) -> Settled:
        """Roll for the seats whose turn it is, if the game waits for that."""
        game = self._game
        seats = () if game is None else game.state.public.next_to_roll
        if game is None or not seats:
            return Settled()
        tiebreak = game.state.public.phase is Phase.SCORED
        self._drawn = {
            seat: (self._draw_moment(now, bot=seat in bots), seat in bots)
            for seat in seats
            if tiebreak or seat in bots
        }
        rolls = tuple((seat, self._entropy.dice()) for seat in seats)
        return Settled(decide(game.state, Deal(rolls)))

    def choose(self, seat: Seat, choice: Choice) -> Settled:
        """Seal a person's choice.

        Raises:
            RuleViolation: the rules refuse it.
        """
        return self._choose(Choose(seat, choice.sums, choice.turned), Chooser.PERSON)

    def take_back(self, seat: Seat, now: float) -> Settled:
        """Take a person's choice back.

        Raises:
            RuleViolation: the rules refuse it.
        """
        settled = Settled(decide(self._running().state, TakeBack(seat)))
        self.returns(seat, now)
        return settled

    def play_due(self, bots: Collection[Seat], now: float) -> Settled:
        """Seal for the next seat whose moment has come, if there is one."""
        due = self._next_moment()
        if due is None or due[0] > now:
            return Settled()
        seat = due[1]
        del self._moments[seat]
        if seat not in bots and seat not in self._covered:
            return self._choose(Choose(seat, ()), Chooser.RULE)
        return self._choose_for(seat)

    def close(self) -> Settled:
        """Choose for the next seat that has not chosen in time.

        What it sealed last in this deal counts, taken back or not; else a stand-in chooses.
        """
        seat = min(self.awaited)
        sealed = self._sealed.get(seat)
        if sealed is None or seat in self._covered:
            return self._choose_for(seat)
        choice = sealed.choice
        return self._choose(Choose(seat, choice.sums, choice.turned), sealed.by)

    # What has happened

    def begin(self, begun: GameBegun) -> None:
        """Note what the record of the game that starts next will say."""
        self._begun = begun

    def follow(self, event: Event, by: Chooser | None) -> None:
        """Apply a settled event of the game.

        Raises:
            BadFacts, ValueError: it cannot follow here.
        """
        if isinstance(event, GameStarted):
            if self._begun is None:
                raise BadFacts("a game starts that was never begun")
            self._game, self._begun = _Game(self._begun), None
        game = self._running()
        game.state = evolve(game.state, event)
        game.events.append(event)
        match event:
            case Dealt():
                self._covered.clear()
                self._sealed.clear()
                self._moments = {
                    seat: moment
                    for seat, (moment, bot) in self._drawn.items()
                    if bot or self._is_forced(game, seat)
                }
                self._drawn = {}
            case Chosen(seat, choice):
                if by is None:
                    raise BadFacts("nobody made a choice")
                game.choosers.append(by)
                self._sealed[seat] = _Sealed(choice, by)
            case _:
                pass
        if game.state.public.phase is Phase.OVER:
            self._finished, self._record = game, None

    def changes_hands(self, seat: Seat, *, bot: bool) -> None:
        """Note that a bot or a person has taken over a seat that plays."""
        if bot:
            self._covered.discard(seat)
        elif seat in self._running().state.public.rolling:
            self._covered.add(seat)

    def relieve(self, seat: Seat, now: float) -> None:
        """Draw when a bot seals that has taken over a seat, if it still has to."""
        if seat in self.awaited:
            self._moments[seat] = self._draw_moment(now, bot=True)

    def returns(self, seat: Seat, now: float) -> None:
        """Draw when "none" is sealed for a person who is asked again, if it is all there is."""
        game = self._running()
        if seat in self._covered:
            # A bot plays this roll to its end.
            return
        if self._moments.pop(seat, None) is not None or game.state.public.phase is Phase.TIEBREAK:
            moment = self._draw_moment(now, bot=False)
            if self._is_forced(game, seat):
                self._moments[seat] = moment

    def draw_again(self, bots: Collection[Seat], now: float) -> None:
        """Draw every moment anew, after a restart."""
        game = self._game
        if game is None:
            return
        tiebreak = game.state.public.phase is Phase.TIEBREAK
        for seat in sorted(self.awaited):
            bot = seat in bots or seat in self._covered
            if bot or tiebreak:
                moment = self._draw_moment(now, bot=bot)
                if bot or self._is_forced(game, seat):
                    self._moments[seat] = moment

    @property
    def next_moment(self) -> float | None:
        """When the next seat seals that nobody asks, None if none will."""
        due = self._next_moment()
        return None if due is None else due[0]

    def postpone(self, seconds: float) -> None:
        """Move every moment: the game stood still for so long."""
        self._moments = {seat: moment + seconds for seat, moment in self._moments.items()}

    # What is kept

    def finished(self) -> GameRecord | None:
        """Give the last finished game, None before the first has ended in this process."""
        return None if self._finished is None else self._finished.record()

    def record(self) -> str | None:
        """Give the last finished game as text, None before the first has ended."""
        if self._record is None and self._finished is not None:
            self._record = write_record(self._finished.record())
        return self._record

    def earlier_record(self) -> str | None:
        """Give the last finished game as text, unless it is the one that :meth:`store` gives."""
        is_stored = self._finished is not None and self._finished is self._game
        return None if is_stored else self.record()

    def store(self) -> tuple[GameBegun | None, tuple[StoredEvent, ...]]:
        """Give the current or last game for a checkpoint."""
        game = self._game
        if game is None:
            return self._begun, ()
        choosers = iter(game.choosers)
        return game.begun, tuple(
            store_event(event, next(choosers) if isinstance(event, Chosen) else None)
            for event in game.events
        )

    def load(
        self,
        begun: GameBegun | None,
        events: Sequence[StoredEvent],
        covered: Collection[Seat],
        record: str | None,
    ) -> None:
        """Be what :meth:`store` gave, with the seats that are covered, and the earlier record.

        Raises:
            BadFacts, ValueError: this is no game.
        """
        self._begun = begun
        for stored in events:
            self.follow(load_event(stored), stored.by)
        self._covered = set(covered)
        if record is not None:
            self._record = record

    def _running(self) -> _Game:
        if self._game is None:
            raise ValueError("no game was started at this table")
        return self._game

    def _choose(self, command: Choose, by: Chooser) -> Settled:
        return Settled(decide(self._running().state, command), by)

    def _choose_for(self, seat: Seat) -> Settled:
        """Let a bot choose for a seat, by what its player would see."""
        game = self._running()
        choice = self._bot(view_for(game.state, seat), self._entropy.bot_seed())
        began = next(player for player in game.begun.players if player.seat == seat)
        return self._choose(choice, Chooser.BOT if began.kind == _BOT else Chooser.STAND_IN)

    def _draw_moment(self, now: float, *, bot: bool) -> float:
        low, high = self._settings.bot_delay if bot else self._settings.forced_none_delay
        return now + self._entropy.delay(low, high)

    def _is_forced(self, game: _Game, seat: Seat) -> bool:
        dice = game.state.rolls[seat]
        return dice is not None and forced_none(game.state.public, seat, dice)

    def _next_moment(self) -> tuple[float, Seat] | None:
        awaited = self.awaited
        return min(
            ((moment, seat) for seat, moment in self._moments.items() if seat in awaited),
            default=None,
        )


def _kind(seated: Seated) -> str:
    return _BOT if seated.person is None else _PERSON
