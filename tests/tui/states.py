"""Tables in every phase, each reached by playing a real game with the rules' own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from sequoia_protocol.messages import Held, Request
from sequoia_protocol.room import (
    AnySeenEvent,
    Chatted,
    Colour,
    GamePaused,
    PauseWanted,
    Person,
    RoomEvent,
    RoomSettings,
    RoomState,
    RoomView,
    Seated,
    StandInLeft,
    StandInSeated,
    advance,
)
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.game import choices_for, decide, evolve, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.state import GameState
from sequoia_rules.values import FIRST_TOKENS, ROUNDS, SECOND_TOKENS, Dice, Seat, Sums
from sequoia_rules.view import redact, view_for
from textual.app import App

from sequoia_tui.link import Link, LinkState, RoundTimer, Table
from sequoia_tui.messages import RequestMade
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.themes import SEQUOIA

NAMES = ("Ana", "Bo", "Chen", "Dee", "Eli")
COLOURS = (Colour.GOLD, Colour.BLUE, Colour.GREY, Colour.PINK, Colour.GREEN)
LINK = Link(LinkState.ONLINE, "oak.local", latency=3)


@dataclass
class Play:
    """A room in which a game is played; it remembers what every seat saw of every event.

    People have ids one above their seat; a spectator is person 99. Rounds have no clock but for
    ``timer``; ``held`` tells why the table stands still.
    """

    names: tuple[str, ...] = NAMES
    bots: tuple[Seat, ...] = ()
    link: Link = LINK
    state: GameState = field(default_factory=new_game)
    events: list[Callable[[Seat | None], AnySeenEvent]] = field(default_factory=list)
    away: dict[int, float] = field(default_factory=dict)
    timer: RoundTimer | None = None
    held: Held | None = None

    def __post_init__(self) -> None:
        people = [
            Person(seat + 1, name) for seat, name in enumerate(self.names) if seat not in self.bots
        ]
        seats = [
            Seated(name, COLOURS[seat], None if seat in self.bots else seat + 1, ready=True)
            for seat, name in enumerate(self.names)
        ]
        self.room = RoomState(
            "FERN",
            RoomSettings(clock=0),
            people=(*people, Person(99, "Zoe")),
            host=1,
            seats=(*seats, *[None] * (5 - len(seats))),
        )
        self.start()

    def start(self) -> None:
        """Begin a game, the first one or another."""
        last = self.state.public.deal
        self.state = new_game()
        self.do(
            StartGame(
                tuple(range(len(self.names))),
                # Dealt out so that neighbouring forests are worth different amounts.
                tuple(FIRST_TOKENS[at * 4 % 11] for at in range(11)),
                SECOND_TOKENS,
                last,
            )
        )

    def do(self, command: Command) -> None:
        for event in decide(self.state, command):
            self.state = evolve(self.state, event)
            self.events.append(lambda seat, event=event: redact(event, seat))  # type: ignore[misc]
            self.room = advance(self.room, redact(event, None))

    def say(self, seat: Seat, text: str) -> None:
        self.happen(Chatted(seat + 1, self.names[seat], text))

    def happen(self, event: RoomEvent) -> None:
        """Let something happen in the room."""
        self.events.append(lambda _: event)
        self.room = advance(self.room, event)

    def deal(self, rolls: Mapping[Seat, Dice] | None = None) -> None:
        """Roll for everybody who has to; who is not named rolls 1 2 3 4 6."""
        given = rolls or {}
        due = self.state.public.next_to_roll
        self.do(Deal(tuple((seat, given.get(seat, (1, 2, 3, 4, 6))) for seat in due)))

    def choose(self, seat: Seat, sums: Sums, turned: Dice | None = None) -> None:
        self.do(Choose(seat, sums, turned))

    def take_back(self, seat: Seat) -> None:
        self.do(TakeBack(seat))

    def round(self, sums: Mapping[Seat, Sums]) -> None:
        """Play a whole round or tie-break round in which everybody plants what is said."""
        due = self.state.public.next_to_roll
        self.deal({seat: dice_for(sums.get(seat, ())) for seat in due})
        for seat in due:
            self.choose(seat, sums.get(seat, ()))

    def rounds(self, *rounds: Mapping[Seat, Sums]) -> None:
        for sums in rounds:
            self.round(sums)

    def any_choice(self, seat: Seat) -> Sums:
        dice = self.state.rolls[seat]
        assert dice is not None
        return choices_for(self.state.public, seat, dice)[0].sums

    def view(self, seat: Seat | None) -> RoomView:
        you = 99 if seat is None else seat + 1
        return RoomView(you, len(self.events), self.room, view_for(self.state, seat))

    def table(self, seat: Seat | None = 0, *, sending: bool = False) -> Table:
        return Table(self.view(seat), self.link, dict(self.away), sending, self.timer, self.held)

    def seen(self, seat: Seat | None, since: int) -> list[AnySeenEvent]:
        """What a seat saw of the events after so many."""
        return [event(seat) for event in self.events[since:]]


def dice_for(sums: Sums, spare: int = 5) -> Dice:
    """Dice that make these sums with their first pairs; tie-break rests are ones."""
    dice: list[int] = []
    for total in sums:
        low = max(1, total - 6)
        dice += [low, total - low]
    while len(dice) < 5:
        dice.append(spare if len(dice) == 4 else 1)
    return (dice[0], dice[1], dice[2], dice[3], dice[4])


def started() -> Play:
    """The very first roll lies on the table."""
    play = Play()
    play.deal({0: (3, 3, 6, 1, 5)})
    return play


THREE_ROUNDS: tuple[dict[Seat, Sums], ...] = (
    {0: (3, 7), 1: (2, 8), 2: (9, 11), 3: (3, 7), 4: (8, 11)},
    {0: (7, 12), 1: (7, 8), 2: (4, 7), 3: (3, 7), 4: (6, 10)},
    {0: (6, 7), 1: (5, 8), 2: (4, 11), 3: (7, 7), 4: (6, 10)},
)


def choosing() -> Play:
    """Round 4: Bo and Dee have sealed, the viewer has nine choices."""
    play = Play(bots=(2,))
    play.rounds(*THREE_ROUNDS[:2])
    last = THREE_ROUNDS[2]
    play.deal({**{seat: dice_for(last[seat]) for seat in last}, 2: (4, 4, 4, 4, 4)})
    for seat in last:
        play.choose(seat, last[seat], (1, 3, 5, 6, 4) if seat == 2 else None)
    play.deal({0: (3, 3, 6, 1, 5)})
    play.choose(1, play.any_choice(1))
    play.choose(3, play.any_choice(3))
    return play


def sealed() -> Play:
    """The viewer has sealed 6 and 7, three of five have."""
    play = choosing()
    play.choose(0, (6, 7))
    return play


def revealed() -> tuple[Play, int]:
    """All have chosen and the next roll lies there; with the number of events before that."""
    play = sealed()
    before = len(play.events)
    for seat in (2, 4):
        play.choose(seat, play.any_choice(seat))
    play.deal({0: (1, 2, 2, 5, 6)})
    return play, before


def sequoia() -> Play:
    """The viewer has rolled five equal dice."""
    play = Play()
    play.round(THREE_ROUNDS[0])
    play.deal({0: (4, 4, 4, 4, 4), 2: (2, 2, 2, 2, 2)})
    play.choose(1, play.any_choice(1))
    return play


TEN_ROUNDS: tuple[dict[Seat, Sums], ...] = (
    {0: (7, 8), 1: (2, 5), 2: (11, 12), 3: (7, 9), 4: (8, 10)},
    {0: (7, 8), 1: (2, 5), 2: (11, 12), 3: (7, 9), 4: (8, 10)},
    {0: (7, 8), 1: (4, 5), 2: (4, 11), 3: (7, 9), 4: (8, 10)},
    {0: (7, 8), 1: (4, 8), 2: (4, 11), 3: (3, 7), 4: (6, 10)},
    {0: (6, 7), 1: (8, 9), 2: (4, 9), 3: (3, 7), 4: (6, 11)},
    {0: (6, 10), 1: (8, 9), 2: (4, 9), 3: (3, 3), 4: (6, 11)},
    {0: (6, 10), 1: (8, 9), 2: (6, 6), 3: (3, 3), 4: (6, 6)},
    {0: (3, 3), 1: (3, 8), 2: (2, 12), 3: (6, 6), 4: (4, 4)},
    {0: (5, 5), 1: (10, 11), 2: (3, 9), 3: (5, 5), 4: (2, 6)},
    {0: (6, 12), 1: (7, 12), 2: (2, 5), 3: (11, 12), 4: (9, 12)},
)


def watching() -> Play:
    """What a spectator sees of round 4; take the table of seat None."""
    return choosing()


def many_ties() -> Play:
    """A tie-break with so many ties that the list has to scroll: two players equal everywhere."""
    play = Play(names=("Ana", "Bo"))
    both = ((2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (6, 12), (6, 7), (7, 8), (5, 9), (4, 10))
    play.rounds(*({0: sums, 1: sums} for sums in both))
    play.deal({0: (1, 2, 4, 6, 3), 1: (1, 1, 1, 1, 1)})
    return play


def scored() -> Play:
    """Ten rounds are over; several forests are tied, the viewer's among them."""
    play = Play()
    play.rounds(*TEN_ROUNDS)
    assert play.state.public.phase is Phase.SCORED
    return play


def tiebreak() -> Play:
    """The first tie-break round: the viewer has rolled, one rival has chosen."""
    play = scored()
    play.deal({0: (1, 6, 2, 6, 1)})
    rival = next(seat for seat in play.state.public.rolling if seat != 0)
    play.choose(rival, ())
    return play


def forced() -> Play:
    """A tie-break roll with which the viewer can plant nothing."""
    play = scored()
    play.deal({0: (1, 1, 1, 1, 2)})
    return play


def finish(play: Play) -> None:
    """Play the tie-breaks out: in each round one player places all they can."""
    while play.state.public.phase is not Phase.OVER:
        public = play.state.public
        first = min(public.tied_seats)
        play.round({first: public.tied_forests(first)[:2]})


def finished() -> Play:
    """The game is over."""
    play = scored()
    finish(play)
    return play


def worst() -> Play:
    """Everything at its widest: long names, two digits, fifteen choices, all in trouble."""
    play = Play(
        names=(
            "Bartholomew Cubb",
            "[true, false]",
            "[/not markup]x",
            "漢字漢字漢字漢字",
            "Maximilian-Georg",
        ),
        bots=(1, 3),
        link=Link(LinkState.RECONNECTING, "a-very-long-host.example.org", retry_in=12),
    )
    both: dict[Seat, Sums] = dict.fromkeys(range(5), (7, 8))
    for _ in range(ROUNDS - 1):
        play.round(dict.fromkeys(range(5), (7, 7)) if play.state.public.round < 6 else both)
    play.deal({0: (1, 2, 4, 6, 3), 2: (5, 5, 5, 5, 5), 4: (2, 2, 2, 2, 2)})
    play.choose(1, play.any_choice(1))
    play.away[5] = 0.0
    play.say(2, "[/] [bold]not bold[/bold] " + "\x1b[2J")
    return play


def timed(build: Callable[[], Play], left: float) -> Callable[[], Play]:
    """Give a state a clock that shows these seconds on a clock that stands at 0."""

    def made() -> Play:
        play = build()
        play.timer = RoundTimer(zero=left)
        return play

    return made


def pause_asked() -> Play:
    """Bo and Dee would like a pause, with a clock that runs."""
    play = timed(choosing, 43.0)()
    play.happen(PauseWanted(2, wanted=True))
    play.happen(PauseWanted(4, wanted=True))
    return play


def paused() -> Play:
    """All have wanted a pause; the clock stands at 43 seconds."""
    play = choosing()
    play.happen(GamePaused())
    play.timer = RoundTimer(left=42.5, held=Held.PAUSED)
    play.held = Held.PAUSED
    return play


def no_storage() -> Play:
    """The server's disk is full."""
    play = choosing()
    play.timer = RoundTimer(left=42.5, held=Held.STORAGE)
    play.held = Held.STORAGE
    return play


def stood_in() -> Play:
    """Bots play for Dee, who has a choice by now, and for Eli; the viewer has sealed."""
    play = timed(sealed, 4.0)()
    play.happen(StandInSeated(3))
    play.happen(StandInSeated(4))
    play.away = {4: -60.0, 5: -60.0}
    return play


def awaited() -> Play:
    """The viewer has sealed; Eli is away, and a bot comes in 12 seconds."""
    play = timed(sealed, 9.0)()
    play.away = {5: -18.0}
    return play


def returned() -> tuple[Play, int]:
    """The viewer is back; a bot has chosen. With the number of events before they were away."""
    play = timed(choosing, 30.0)()
    before = len(play.events)
    play.happen(StandInSeated(0))
    play.choose(0, (4, 8))
    play.happen(StandInLeft(0))
    return play, before


class GameApp(App[None]):
    """Nothing but the game's screen; it remembers what the screen asked for."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        table: Table,
        *,
        plain: bool = False,
        moving: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__()
        self.game = GameScreen(table, ascii=plain, clock=clock)
        self.requests: list[tuple[Request, int]] = []
        self.asked: list[str] = []
        self.animation_level = "full" if moving else "none"

    def on_mount(self) -> None:
        self.register_theme(SEQUOIA)
        self.theme = SEQUOIA.name
        self.push_screen(self.game)

    def on_request_made(self, message: RequestMade) -> None:
        self.requests.append((message.request, message.deal))

    def on_menu_asked(self) -> None:
        self.asked.append("menu")

    def on_help_asked(self) -> None:
        self.asked.append("help")

    def on_room_asked(self) -> None:
        self.asked.append("room")

    async def action_quit(self) -> None:
        self.asked.append("quit")


def grid(app: App[None]) -> list[str]:
    """The text on the screen, line by line, as the toolkit would write it to a terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]
