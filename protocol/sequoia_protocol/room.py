"""What everybody in a room sees of it, the events that change it, and how they do.

The server's room and every client's picture of it hold the same :class:`RoomState` and let
:func:`advance` change it. A :class:`RoomView` adds what is one viewer's own: who they are, and
their view of the game.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace
from sequoia_rules.events import Ended, GameStartedSeen, SeenEvent
from sequoia_rules.values import MAX_SEATS, MIN_PLAYERS, Seat
from sequoia_rules.view import GameView
from sequoia_rules.view import fold as fold_game

CHAT_LINES: Final = 50
"""How many chat lines a room keeps."""

SeatNumber = Annotated[int, Meta(ge=0, lt=MAX_SEATS)]
SeatCount = Annotated[int, Meta(ge=MIN_PLAYERS, le=MAX_SEATS)]
Number = Annotated[int, Meta(ge=0)]
ClockSeconds = Literal[0, 15, 30, 60, 120]
"""How long a round may take; 0 for as long as it likes."""

CLOCKS: Final[tuple[int, ...]] = get_args(ClockSeconds)


class Colour(StrEnum):
    """C1: the colours of the trees, in the order in which they are offered."""

    PINK = "pink"
    GREEN = "green"
    BLUE = "blue"
    GREY = "grey"
    GOLD = "gold"


class LeaveReason(StrEnum):
    """Why a person is no longer in a room."""

    LEFT = "left"
    KICKED = "kicked"
    GONE = "gone"


class RoomSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a room's maker chooses. ``seats`` is 2 to 5; a public room is listed.

    ``clock`` are the seconds for each round; the host can change it between games.
    """

    public: bool = True
    seats: SeatCount = MAX_SEATS
    spectators: bool = True
    clock: ClockSeconds = 60


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody in the room, seated or not. Ids count up from 1 and are never used again."""

    id: Number
    name: str


class Seated(Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits on a seat: a person by id, or a bot if ``person`` is None. Bots are ready.

    With ``stand_in`` a bot plays until the person, whose seat it stays, is back.
    """

    name: str
    colour: Colour
    person: Number | None
    ready: bool
    stand_in: bool = False


class Player(Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays a seat of the current or last game; it stays when they leave after the end."""

    seat: SeatNumber
    name: str
    colour: Colour
    person: Number | None
    stand_in: bool = False


class Score(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the evening's running score; ``person`` is None for a bot."""

    name: str
    person: Number | None
    games: Number
    wins: Number
    points: Number


class ChatLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line somebody said."""

    person: Number
    name: str
    text: str


class RoomState(Struct, frozen=True, forbid_unknown_fields=True):
    """The open part of a room.

    ``people`` ascend by id. ``host`` is a person's id, or None in a room without people.
    ``seats`` always has five entries; those at or past ``settings.seats`` are None. ``playing``
    is true from a game's start to its end. ``players`` are those of the current or last game.
    ``pause_wanted`` has the persons who would like the game to pause, ascending; once everybody
    who plays and is there does, it is ``paused``.
    """

    code: str
    settings: RoomSettings
    people: tuple[Person, ...] = ()
    host: Number | None = None
    seats: tuple[Seated | None, ...] = (None,) * MAX_SEATS
    playing: bool = False
    players: tuple[Player, ...] = ()
    pause_wanted: tuple[Number, ...] = ()
    paused: bool = False
    scores: tuple[Score, ...] = ()
    chat: tuple[ChatLine, ...] = ()

    def person(self, person: int) -> Person | None:
        """Find a person by id."""
        return next((other for other in self.people if other.id == person), None)

    def seat_of(self, person: int) -> Seat | None:
        """Find the seat on which a person sits."""
        for seat, seated in enumerate(self.seats):
            if seated is not None and seated.person == person:
                return seat
        return None

    def player(self, seat: Seat) -> Player | None:
        """Find who plays a seat in the current or last game."""
        return next((player for player in self.players if player.seat == seat), None)

    @property
    def ready_seats(self) -> tuple[Seat, ...]:
        """Seats that would play if a game started now."""
        return tuple(
            seat for seat, seated in enumerate(self.seats) if seated is not None and seated.ready
        )

    @property
    def free_seats(self) -> tuple[Seat, ...]:
        """Seats on which nobody sits."""
        return tuple(seat for seat in range(self.settings.seats) if self.seats[seat] is None)

    @property
    def bot_seats(self) -> tuple[Seat, ...]:
        """Seats on which a bot sits."""
        return tuple(
            seat
            for seat, seated in enumerate(self.seats)
            if seated is not None and seated.person is None
        )

    @property
    def stand_in_seats(self) -> tuple[Seat, ...]:
        """Seats that a bot plays until their person is back."""
        return tuple(
            seat for seat, seated in enumerate(self.seats) if seated is not None and seated.stand_in
        )

    @property
    def free_colours(self) -> tuple[Colour, ...]:
        """Colours that nobody has, in the order in which they are offered."""
        taken = {seated.colour for seated in self.seats if seated is not None}
        return tuple(colour for colour in Colour if colour not in taken)


class _Event(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the room's own events; each is public."""


class PersonEntered(_Event, frozen=True, tag="person_entered"):
    """Somebody came in, without a seat yet."""

    person: Number
    name: str


class PersonLeft(_Event, frozen=True, tag="person_left"):
    """Somebody is gone; a seat of theirs is free."""

    person: Number
    reason: LeaveReason


class SeatTaken(_Event, frozen=True, tag="seat_taken"):
    """A person sits down; on a bot's seat the bot goes. A seat they had before is free."""

    seat: SeatNumber
    person: Number
    colour: Colour


class SeatFreed(_Event, frozen=True, tag="seat_freed"):
    """A person stands up, or a bot is removed."""

    seat: SeatNumber


class BotSeated(_Event, frozen=True, tag="bot_seated"):
    """A bot sits down; on a person's seat that person now watches."""

    seat: SeatNumber
    name: str
    colour: Colour


class ColourChosen(_Event, frozen=True, tag="colour_chosen"):
    """A seat has another colour; only between games."""

    seat: SeatNumber
    colour: Colour


class ReadyChanged(_Event, frozen=True, tag="ready_changed"):
    """A seat is ready for the next game, or no longer."""

    seat: SeatNumber
    ready: bool


class HostChanged(_Event, frozen=True, tag="host_changed"):
    """Another person is the room's host."""

    person: Number


class ClockChosen(_Event, frozen=True, tag="clock_chosen"):
    """Rounds have another length from now on; only between games."""

    seconds: ClockSeconds


class StandInSeated(_Event, frozen=True, tag="stand_in_seated"):
    """A bot plays this seat from now on, until its person is back."""

    seat: SeatNumber


class StandInLeft(_Event, frozen=True, tag="stand_in_left"):
    """The person is back, and plays this seat again."""

    seat: SeatNumber


class PauseWanted(_Event, frozen=True, tag="pause_wanted"):
    """A player would like the game to pause, or no longer."""

    person: Number
    wanted: bool


class GamePaused(_Event, frozen=True, tag="game_paused"):
    """Everybody who plays and is there wanted it: the game stands still, and its clock."""


class GameContinued(_Event, frozen=True, tag="game_continued"):
    """The pause is over; a player wanted to go on."""

    person: Number


class Chatted(_Event, frozen=True, tag="chatted"):
    """Somebody said something; stamped by the server."""

    person: Number
    name: str
    text: str


RoomEvent: TypeAlias = (
    PersonEntered
    | PersonLeft
    | SeatTaken
    | SeatFreed
    | BotSeated
    | ColourChosen
    | ReadyChanged
    | HostChanged
    | ClockChosen
    | StandInSeated
    | StandInLeft
    | PauseWanted
    | GamePaused
    | GameContinued
    | Chatted
)

AnySeenEvent: TypeAlias = RoomEvent | SeenEvent
"""Every numbered event as it goes over the wire."""


class RoomView(Struct, frozen=True, forbid_unknown_fields=True):
    """A room as one person sees it.

    ``you`` is that person's id, ``number`` the last event in it. ``game`` is the current or last
    game as their seat sees it, or as a spectator does, or None before the first.
    """

    you: Number
    number: Number
    room: RoomState
    game: GameView | None

    @property
    def seat(self) -> Seat | None:
        """The seat on which this person sits."""
        return self.room.seat_of(self.you)

    @property
    def is_host(self) -> bool:
        """Whether this person is the room's host."""
        return self.room.host == self.you

    @property
    def deal(self) -> int:
        """The deal that a command sent now is for; 0 before the room's first game."""
        return 0 if self.game is None else self.game.public.deal


def fold(view: RoomView, event: AnySeenEvent) -> RoomView:
    """Apply the next numbered event to a person's view.

    A person who takes over a bot's seat in a game becomes its viewer by the whole view that
    answers the command; folding keeps the spectator's view they had.

    Raises:
        ValueError: the event cannot follow here.
    """
    room = advance(view.room, event)
    game = view.game
    if isinstance(event, SeenEvent):
        if isinstance(event, GameStartedSeen):
            seat = room.seat_of(view.you)
            game = GameView(viewer=seat if seat in event.seats else None)
        elif game is None:
            raise ValueError(f"{type(event).__name__} before any game")
        game = fold_game(game, event)
    elif (
        isinstance(event, BotSeated)
        and view.room.playing
        and game is not None
        and game.viewer == event.seat
    ):
        game = GameView(None, game.public)
    return RoomView(view.you, view.number + 1, room, game)


def advance(room: RoomState, event: AnySeenEvent) -> RoomState:
    """Apply what everybody sees of an event to the room itself."""
    match event:
        case PersonEntered(person, name):
            return replace(room, people=(*room.people, Person(person, name)))
        case PersonLeft(person):
            people = tuple(other for other in room.people if other.id != person)
            host = None if room.host == person else room.host
            room = _wanting(room, person, wanted=False)
            return replace(_without(room, person), people=people, host=host)
        case SeatTaken(seat, person, colour):
            who = room.person(person)
            name = "" if who is None else who.name
            return _seated(_without(room, person), seat, Seated(name, colour, person, ready=False))
        case SeatFreed(seat):
            return _seated(room, seat, None)
        case BotSeated(seat, name, colour):
            return _seated(room, seat, Seated(name, colour, None, ready=True))
        case ColourChosen(seat, colour):
            return _changed(room, seat, colour=colour)
        case ReadyChanged(seat, ready):
            return _changed(room, seat, ready=ready)
        case HostChanged(person):
            return replace(room, host=person)
        case ClockChosen(seconds):
            return replace(room, settings=replace(room.settings, clock=seconds))
        case StandInSeated(seat):
            return _changed(room, seat, stand_in=True)
        case StandInLeft(seat):
            return _changed(room, seat, stand_in=False)
        case PauseWanted(person, wanted):
            return _wanting(room, person, wanted=wanted)
        case GamePaused():
            return replace(room, paused=True, pause_wanted=())
        case GameContinued():
            return replace(room, paused=False)
        case Chatted(person, name, text):
            return replace(room, chat=(*room.chat, ChatLine(person, name, text))[-CHAT_LINES:])
        case GameStartedSeen(seats):
            players = tuple(
                Player(seat, seated.name, seated.colour, seated.person)
                for seat in seats
                if (seated := room.seats[seat]) is not None
            )
            return replace(room, playing=True, players=players)
        case Ended():
            return _ended(room, event)
        case _:
            return room


def _seated(room: RoomState, seat: Seat, seated: Seated | None) -> RoomState:
    seats = (*room.seats[:seat], seated, *room.seats[seat + 1 :])
    players = room.players
    if room.playing and seated is not None:
        players = tuple(
            Player(seat, seated.name, seated.colour, seated.person, seated.stand_in)
            if player.seat == seat
            else player
            for player in players
        )
    return replace(room, seats=seats, players=players)


def _without(room: RoomState, person: int) -> RoomState:
    seat = room.seat_of(person)
    return room if seat is None else _seated(room, seat, None)


def _wanting(room: RoomState, person: int, *, wanted: bool) -> RoomState:
    others = {other for other in room.pause_wanted if other != person}
    return replace(room, pause_wanted=tuple(sorted(others | {person} if wanted else others)))


def _changed(
    room: RoomState,
    seat: Seat,
    *,
    colour: Colour | None = None,
    ready: bool | None = None,
    stand_in: bool | None = None,
) -> RoomState:
    seated = room.seats[seat]
    if seated is None:
        raise ValueError(f"nobody sits on seat {seat}")
    return _seated(
        room,
        seat,
        replace(
            seated,
            colour=seated.colour if colour is None else colour,
            ready=seated.ready if ready is None else ready,
            stand_in=seated.stand_in if stand_in is None else stand_in,
        ),
    )


def _ended(room: RoomState, event: Ended) -> RoomState:
    """Close the game: persons are asked again whether they are ready, the score goes on."""
    points = dict(event.points)
    best = max(points.values())
    scores = {(score.person, score.name): score for score in room.scores}
    for player in room.players:
        key = (player.person, player.name)
        old = scores.get(key, Score(player.name, player.person, 0, 0, 0))
        scores[key] = Score(
            player.name,
            player.person,
            old.games + 1,
            old.wins + (points[player.seat] == best),
            old.points + points[player.seat],
        )
    seats = tuple(
        None if seated is None else replace(seated, ready=seated.person is None, stand_in=False)
        for seated in room.seats
    )
    return replace(
        room,
        playing=False,
        paused=False,
        pause_wanted=(),
        seats=seats,
        scores=tuple(scores.values()),
    )
