"""The game at a room's table: its state, the dealer, and the moments at which bots seal."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from sequoia_protocol.room import RoomState, Seated
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.events import Event
from sequoia_rules.game import decide, evolve, forced_none, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.record import Chooser, GameRecord, RecordPlayer, write_record
from sequoia_rules.state import GameState
from sequoia_rules.values import Choice, Seat
from sequoia_rules.view import GameView, view_for

from sequoia_server.bots import play
from sequoia_server.entropy import Entropy
from sequoia_server.settings import Settings

Bot: TypeAlias = Callable[[GameView, int], Choose]
"""How a bot chooses: by what a person in its seat would see, and a seed."""


_BOT: Final = "bot"
_PERSON: Final = "person"


@dataclass(slots=True)
class _Game:
    """A game and what its record will need."""

    id: str
    started: str
    players: tuple[RecordPlayer, ...]
    state: GameState = field(default_factory=new_game)
    events: list[Event] = field(default_factory=list)
    choosers: list[Chooser] = field(default_factory=list)


class Table:
    """Runs one game after another; the room says who sits where and what time it is.

    ``moments`` holds, for seats that nobody asks (bots, and persons who can plant nothing), when
    they seal. Every moment is drawn before the dice it belongs to and whether or not it will be
    needed, so that neither a delay nor the order of draws depends on a roll.
    """

    def __init__(self, settings: Settings, entropy: Entropy, bot: Bot = play) -> None:
        self._settings = settings
        self._entropy = entropy
        self._bot = bot
        self._game: _Game | None = None
        self._finished: _Game | None = None
        self._record: str | None = None
        self._moments: dict[Seat, float] = {}
        self._covered: set[Seat] = set()

    @property
    def public(self) -> PublicState | None:
        """The open part of the current or last game, None before the first."""
        return None if self._game is None else self._game.state.public

    @property
    def deal(self) -> int:
        """The number of the last deal in this room."""
        return 0 if self._game is None else self._game.state.public.deal

    @property
    def has_finished_a_game(self) -> bool:
        """Whether a game was played to its end at this table."""
        return self._finished is not None

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

    def start(self, room: RoomState, started: str) -> tuple[Event, ...]:
        """Begin a game of the seats that are ready: shuffle the tokens."""
        deal = self.deal
        players = tuple(
            RecordPlayer(seat, seated.name, seated.colour.value, _kind(seated))
            for seat in room.ready_seats
            if (seated := room.seats[seat]) is not None
        )
        self._game = _Game(self._entropy.game_id(), started, players)
        first, second = self._entropy.tokens()
        return self._apply(self._game, StartGame(room.ready_seats, first, second, deal))

    def deal_if_due(self, bots: Collection[Seat], now: float) -> tuple[Event, ...]:
        """Roll for the seats whose turn it is, if the game waits for that."""
        game = self._game
        seats = () if game is None else game.state.public.next_to_roll
        if game is None or not seats:
            return ()
        tiebreak = game.state.public.phase is Phase.SCORED
        drawn = {
            seat: self._draw_moment(now, bot=seat in bots)
            for seat in seats
            if tiebreak or seat in bots
        }
        rolls = tuple((seat, self._entropy.dice()) for seat in seats)
        events = self._apply(game, Deal(rolls))
        self._covered.clear()
        self._moments = {
            seat: moment
            for seat, moment in drawn.items()
            if seat in bots or self._is_forced(game, seat)
        }
        return events

    def choose(self, seat: Seat, choice: Choice) -> tuple[Event, ...]:
        """Seal a person's choice.

        Raises:
            RuleViolation: the rules refuse it.
        """
        command = Choose(seat, choice.sums, choice.turned)
        return self._choose(self._running(), command, Chooser.PERSON)

    def take_back(self, seat: Seat, now: float) -> tuple[Event, ...]:
        """Take a person's choice back.

        Raises:
            RuleViolation: the rules refuse it.
        """
        game = self._running()
        events = self._apply(game, TakeBack(seat))
        if game.state.public.phase is Phase.TIEBREAK:
            moment = self._draw_moment(now, bot=False)
            if self._is_forced(game, seat):
                self._moments[seat] = moment
        return events

    def changes_hands(self, seat: Seat, now: float, *, bot: bool) -> None:
        """Note that a bot or a person has taken over a seat that plays."""
        game = self._running()
        if bot:
            self._covered.discard(seat)
        elif seat in game.state.public.rolling:
            self._covered.add(seat)
        if bot and seat in game.state.public.awaited:
            self._moments[seat] = self._draw_moment(now, bot=True)

    def play_due(self, bots: Collection[Seat], now: float) -> tuple[Event, ...]:
        """Seal for the next seat whose moment has come, if there is one."""
        game = self._game
        due = self._next_moment()
        if game is None or due is None or due[0] > now:
            return ()
        seat = due[1]
        del self._moments[seat]
        if seat not in bots and seat not in self._covered:
            return self._choose(game, Choose(seat, ()), Chooser.RULE)
        choice = self._bot(view_for(game.state, seat), self._entropy.bot_seed())
        began = next(player for player in game.players if player.seat == seat)
        return self._choose(game, choice, Chooser.BOT if began.kind == _BOT else Chooser.STAND_IN)

    @property
    def next_moment(self) -> float | None:
        """When the next seat seals that nobody asks, None if none will."""
        due = self._next_moment()
        return None if due is None else due[0]

    def postpone(self, seconds: float) -> None:
        """Move every moment: nobody was there for so long."""
        self._moments = {seat: moment + seconds for seat, moment in self._moments.items()}

    def record(self) -> str | None:
        """Give the last finished game as text, None before the first has ended."""
        game = self._finished
        if self._record is None and game is not None:
            self._record = write_record(
                GameRecord(
                    game.id,
                    game.started,
                    game.players,
                    tuple(game.events),
                    tuple(game.choosers),
                )
            )
        return self._record

    def _running(self) -> _Game:
        if self._game is None:
            raise ValueError("no game was started at this table")
        return self._game

    def _choose(self, game: _Game, command: Choose, by: Chooser) -> tuple[Event, ...]:
        events = self._apply(game, command)
        game.choosers.append(by)
        return events

    def _apply(self, game: _Game, command: Command) -> tuple[Event, ...]:
        events = decide(game.state, command)
        for event in events:
            game.state = evolve(game.state, event)
        game.events.extend(events)
        if game.state.public.phase is Phase.OVER:
            self._finished, self._record = game, None
        return events

    def _draw_moment(self, now: float, *, bot: bool) -> float:
        low, high = self._settings.bot_delay if bot else self._settings.forced_none_delay
        return now + self._entropy.delay(low, high)

    def _is_forced(self, game: _Game, seat: Seat) -> bool:
        dice = game.state.rolls[seat]
        return dice is not None and forced_none(game.state.public, seat, dice)

    def _next_moment(self) -> tuple[float, Seat] | None:
        public = self.public
        if public is None:
            return None
        awaited = public.awaited
        return min(
            ((moment, seat) for seat, moment in self._moments.items() if seat in awaited),
            default=None,
        )


def _kind(seated: Seated) -> str:
    return _BOT if seated.person is None else _PERSON
