"""What a table says, worked out for drawing; nothing here knows a widget.

Everything comes from the view alone, so that whoever comes back sees the very same screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from rich.cells import cell_len
from sequoia_protocol.messages import Held
from sequoia_protocol.room import ClockSeconds, Colour, RoomView
from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.public import PublicState
from sequoia_rules.scoring import standings
from sequoia_rules.values import Forest, Seat, Sums, forest_index

from sequoia_tui.link import LinkState, Table
from sequoia_tui.themes import Glyphs, ink

_ORDINALS: Final = ("", "1st", "2nd", "3rd", "4th", "5th")


@dataclass(frozen=True, slots=True)
class Who:
    """A player as everything on the screen shows them: cleaned name, sign and colour."""

    seat: Seat
    name: str
    sign: str
    ink: str
    you: bool
    bot: bool
    person: int | None
    stand_in: bool = False
    """Whether a bot plays for this person, until they are back."""

    def does(self, verb: str) -> str:
        """Say that this player does something: "You take", "Bo takes"."""
        return f"{self.name} {verb}" if self.you else f"{self.name} {verb}s"

    @property
    def is_(self) -> str:
        """Begin a sentence about what this player is: "You are", "Bo is"."""
        return f"{self.name} {'are' if self.you else 'is'}"


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays: the viewer first, then the others by seat."""

    everyone: tuple[Who, ...]
    viewer: Seat | None

    def __getitem__(self, seat: Seat) -> Who:
        return next(who for who in self.everyone if who.seat == seat)

    def __iter__(self) -> Iterator[Who]:
        return iter(self.everyone)

    def __len__(self) -> int:
        return len(self.everyone)

    def of(self, seats: Collection[Seat]) -> tuple[Who, ...]:
        """Pick some, in this order."""
        return tuple(who for who in self.everyone if who.seat in seats)


NO_GAME: Final = PublicState()
"""The open part of no game."""

NOBODY: Final = Cast((), None)
"""Before the first game."""


def cast_of(view: RoomView, glyphs: Glyphs) -> Cast:
    """Find out who plays the current or last game."""
    game = view.game
    if game is None:
        return NOBODY
    found = []
    for seat in game.public.seats:
        player = view.room.player(seat)
        colour = list(Colour)[seat] if player is None else player.colour
        you = seat == game.viewer
        found.append(
            Who(
                seat=seat,
                name="You" if you else glyphs.clean("" if player is None else player.name),
                sign=glyphs.players[colour],
                ink=ink(colour),
                you=you,
                bot=player is not None and player.person is None,
                person=None if player is None else player.person,
                stand_in=player is not None and player.stand_in,
            )
        )
    return Cast(tuple(sorted(found, key=lambda who: (not who.you, who.seat))), game.viewer)


def ordinal(place: int) -> str:
    """Write a place: 1st to 5th."""
    return _ORDINALS[place]


def leaders(row: Sequence[int]) -> tuple[Seat, ...]:
    """Seats with the most trees on a forest; nobody leads an empty one."""
    most = max(row)
    return tuple(seat for seat, count in enumerate(row) if count == most) if most else ()


def ranks(row: Sequence[int]) -> tuple[tuple[Seat, ...], tuple[Seat, ...]]:
    """Who is first and who second on a forest by trees; a tie for first leaves no second."""
    first = leaders(row)
    if len(first) != 1:
        return first, ()
    rest = [0 if seat in first else count for seat, count in enumerate(row)]
    return first, leaders(rest)


def planted(row: Sequence[int], seat: Seat, plus: int) -> tuple[int, ...]:
    """Give the trees of a forest with some more of one seat."""
    return tuple(count + plus if other == seat else count for other, count in enumerate(row))


def place_at(public: PublicState, forest: Forest, seat: Seat, plus: int) -> tuple[int, bool]:
    """Tell a seat's place on a forest if it planted more there, and whether it shares it."""
    row = planted(public.row(forest), seat, plus)
    mine = row[seat]
    tie = public.tie_at(forest)
    place = 1 if tie is None or tie.for_first else 2
    place += sum(count > mine for count in row)
    return place, sum(count == mine for count in row) > 1


def standing(public: PublicState, sums: Sums, seat: Seat) -> str:
    """Say what a choice does to a seat's standing by public counts: ``6 =1st  7 2nd``."""
    parts = []
    for forest in sorted(set(sums)):
        place, shared = place_at(public, forest, seat, sums.count(forest))
        parts.append(f"{forest} {'=' if shared else ''}{ordinal(place)}")
    return "  ".join(parts)


def worth(public: PublicState, sums: Sums, seat: Seat) -> float:
    """Guess how much a choice is worth now: the change in tokens held if the game ended here."""
    return sum(
        _held(public, forest, seat, sums.count(forest)) - _held(public, forest, seat, 0)
        for forest in set(sums)
    )


def _held(public: PublicState, forest: Forest, seat: Seat, plus: int) -> float:
    """Average tokens (first 4, second 1), shared among those level, with a bit for each tree."""
    row = planted(public.row(forest), seat, plus)
    if not row[seat]:
        return 0.0
    place, shared = place_at(public, forest, seat, plus)
    level = sum(count == row[seat] for count in row)
    tokens = {1: (4.0 + 1.0) / level if shared else 4.0, 2: 1.0 / level}.get(place, 0.0)
    return tokens + 0.1 * row[seat]


def sealed(table: Table) -> bool:
    """Tell whether the viewer's choice lies sealed."""
    return table.view.game is not None and table.view.game.choice is not None


def online(table: Table) -> bool:
    """Tell whether a request would reach the server."""
    return table.link.state is LinkState.ONLINE


def held(table: Table) -> Held | None:
    """Tell why the table stands still, if it does."""
    known = table.held or (table.timer and table.timer.held)
    return known or (Held.PAUSED if table.view.room.paused else None)


def clock_text(seconds: int) -> str:
    """Say how long a round may take: ``60 s a round``, ``no clock``."""
    return f"{seconds} s a round" if seconds else "no clock"


def next_clock(seconds: ClockSeconds, by: int = 1) -> ClockSeconds:
    """Give the clock that is offered after this one, round the end; before it if ``by`` is -1."""
    offered: tuple[ClockSeconds, ...] = get_args(ClockSeconds)
    return offered[(offered.index(seconds) + by) % len(offered)]


def names(people: Sequence[Who], width: int, glyphs: Glyphs) -> str:
    """List players by name if that fits, else count them."""
    text = ", ".join("you" if who.you else who.name for who in people)
    return text if cell_len(text) <= width else glyphs.clip(f"{len(people)} players", width)


def phase_line(table: Table) -> str:
    """Name the phase."""
    game = table.view.game
    public = PublicState() if game is None else game.public
    match public.phase:
        case Phase.SETUP | Phase.DEALING:
            return "New game"
        case Phase.CHOOSING | Phase.REVEALED:
            return f"Round {public.round} of 10"
        case Phase.TIEBREAK | Phase.TIEBREAK_REVEALED:
            return f"Tie-break {public.tiebreak}"
        case Phase.SCORED:
            return f"Tie-break {public.tiebreak}" if public.tiebreak else "Scoring"
        case Phase.OVER:
            return "Game over"


def asked_line(
    table: Table,
    cast: Cast,
    *,
    turning: bool = False,
    forced: bool = False,
    time_up: bool = False,
) -> str:
    """Say what is asked of the viewer, or what they wait for."""
    game = table.view.game
    if game is None:
        return "no game has begun"
    public = game.public
    if public.phase is Phase.OVER:
        return outcome(public, cast)
    match held(table):
        case Held.STORAGE:
            return "the server waits for its disk"
        case Held.PAUSED:
            return "paused" if game.viewer is None else "paused: p goes on"
    if public.phase is Phase.SCORED:
        return "ties are about to be broken"
    if public.phase not in CHOICE_PHASES:
        return "the dice are about to roll"
    if time_up:
        return "time is up"
    if table.timer is not None and not online(table):
        return "the clock runs on"
    waiting = len(public.awaited)
    players = "1 player" if waiting == 1 else f"{waiting} players"
    if game.dice is None:
        return f"watching: {players} to choose"
    if table.sending:
        return "sending"
    if game.choice is not None:
        return f"sealed: waiting for {players}"
    if forced:
        return "no pair fits: none is chosen"
    if turning:
        return "SEQUOIA! turn your dice"
    if public.phase is Phase.TIEBREAK:
        return "up to two open forests"
    return "choose your two pairs"


def outcome(public: PublicState, cast: Cast) -> str:
    """Say who won, and by how much."""
    order = standings(dict(public.points or ()))
    winners = [cast[line.seat] for line in order if line.place == 1]
    if len(winners) > 1:
        return f"{' and '.join(who.name for who in winners)} share the win"
    if len(order) == 1:
        return winners[0].does("win")
    margin = order[0].points - order[1].points
    return f"{winners[0].does('win')} by {margin}"


@dataclass(frozen=True, slots=True)
class Token:
    """One token as it lies: whose it is, its value once turned, whether it can still be won.

    ``at_stake`` is true while a tie-break is about it.
    """

    owner: Who | None
    value: int | None
    open: bool
    at_stake: bool


def tokens_at(
    public: PublicState, cast: Cast, forest: Forest, *, turned: bool
) -> tuple[Token, ...]:
    """Give both tokens of a forest; their values only where they are turned over."""
    index = forest_index(forest)
    scored = public.phase in (Phase.TIEBREAK, Phase.TIEBREAK_REVEALED, Phase.SCORED, Phase.OVER)
    tie = public.tie_at(forest)
    found = []
    for place, owners, values in (
        (1, public.first_owners, public.first_tokens),
        (2, public.second_owners, public.second_tokens),
    ):
        owner = owners[index]
        at_stake = tie is not None and (place == 2 or tie.for_first)
        found.append(
            Token(
                None if owner is None else cast[owner],
                values[index] if values is not None and turned else None,
                open=not scored or at_stake,
                at_stake=at_stake,
            )
        )
    return tuple(found)
