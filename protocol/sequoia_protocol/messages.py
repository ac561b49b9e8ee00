"""Every message, typed and frozen; unknown fields, wrong types and wrong ranges are refused.

The client says :class:`Hello` once and :class:`Command` from then on. The server says
:class:`Welcome` once, then one :class:`Update` a tick with whatever it owes, and :class:`Bye`
before it closes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from sequoia_protocol.errors import Code
from sequoia_protocol.room import (
    AnySeenEvent,
    ClockSeconds,
    Colour,
    Number,
    RoomSettings,
    RoomView,
    SeatNumber,
)

Text = Annotated[str, Meta(max_length=400)]
Token = Annotated[str, Meta(min_length=16, max_length=64)]
"""A random secret as text: a client's nonce, a seat key."""

RoomCode = Annotated[str, Meta(min_length=1, max_length=16)]
WireForest = Annotated[int, Meta(ge=0, le=12)]
WireDie = Annotated[int, Meta(ge=0, le=6)]
WireSums = tuple[WireForest, WireForest]
"""Ascending sums, padded with 0 behind: always two numbers, so that no length tells anything."""

WireDice = tuple[WireDie, WireDie, WireDie, WireDie, WireDie]
"""Five dice, or five times 0 for none."""


class _Message(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all: frozen, strict, told apart by the key ``type``."""


class Hello(_Message, frozen=True, tag="hello"):
    """The client's first message.

    ``client`` is a nonce that the client draws when it starts; with a command's id it names that
    command for good, over any number of links. ``program`` says what is speaking.
    """

    version: int
    name: Text
    client: Token
    program: Text


class Welcome(_Message, frozen=True, tag="welcome"):
    """The server's answer to :class:`Hello`: the name as cleaned, and what the server offers."""

    version: int
    name: str
    program: str
    offers: tuple[str, ...]


class Bye(_Message, frozen=True, tag="bye"):
    """The server's last message on a link."""

    code: str
    text: str


# What a client can ask for. First what needs no room.


class ListRooms(_Message, frozen=True, tag="list_rooms"):
    """Answered by :class:`Rooms`: the public rooms."""


class CreateRoom(_Message, frozen=True, tag="create_room"):
    """Make a room, become its host and sit down; answered by :class:`Entered`."""

    settings: RoomSettings


class JoinRoom(_Message, frozen=True, tag="join_room"):
    """Enter a room; answered by :class:`Entered`.

    To play means the first free seat or else the first bot's. To watch needs a room that allows
    spectators.
    """

    code: RoomCode
    watch: bool


class ResumeSeat(_Message, frozen=True, tag="resume_seat"):
    """Come back to a room as the person one was, with a new key.

    ``number`` is that of the last event one has seen, 0 for none. The answer is
    :class:`Resumed` and what was missed, or :class:`Entered` with the whole view. The key used
    stays valid until the new one has been.
    """

    code: RoomCode
    person: Number
    key: Token
    number: Number


# In a room.


class LeaveRoom(_Message, frozen=True, tag="leave_room"):
    """Go for good. In a running game a bot takes the seat."""


class Sit(_Message, frozen=True, tag="sit"):
    """Take a free seat or a bot's; in a running game only a bot's that plays.

    Answered by :class:`Entered` in a running game, whose view is that of the seat from then on. A
    roll that lies there already is not shown: a bot plays it, and the next one is the person's.
    """

    seat: SeatNumber


class Stand(_Message, frozen=True, tag="stand"):
    """Free one's seat; between games only. Declines a rematch as well."""


class ChooseColour(_Message, frozen=True, tag="choose_colour"):
    """Take a free colour; between games only."""

    colour: Colour


class AddBot(_Message, frozen=True, tag="add_bot"):
    """The host's: seat a bot on a free seat."""

    seat: SeatNumber


class RemoveBot(_Message, frozen=True, tag="remove_bot"):
    """The host's: free a bot's seat; between games only."""

    seat: SeatNumber


class Ready(_Message, frozen=True, tag="ready"):
    """Be ready for the next game, or no longer. After a game it accepts the rematch."""

    ready: bool


class Start(_Message, frozen=True, tag="start"):
    """The host's: begin with the seats that are ready, two at least."""


class Chat(_Message, frozen=True, tag="chat"):
    """Say a line to everybody in the room."""

    text: Text


class Kick(_Message, frozen=True, tag="kick"):
    """The host's: put a person out. In a running game a bot takes their seat."""

    person: Number


class ChooseClock(_Message, frozen=True, tag="choose_clock"):
    """The host's: give rounds another length; between games only."""

    seconds: ClockSeconds


class Pause(_Message, frozen=True, tag="pause"):
    """Ask for a pause of the running game, or no longer; a player's.

    It pauses once everybody who plays and is there wants it, and goes on as soon as one of them
    does not.
    """

    wanted: bool


class ChoosePairs(_Message, frozen=True, tag="choose"):
    """Seal a choice. ``turned`` is for a Sequoia; five times 0 turns none."""

    sums: WireSums
    turned: WireDice


class TakeChoiceBack(_Message, frozen=True, tag="take_back"):
    """Take the sealed choice back."""


class GetRecord(_Message, frozen=True, tag="get_record"):
    """Answered by :class:`Record`, once the game is over."""


LobbyRequest: TypeAlias = ListRooms | CreateRoom | JoinRoom | ResumeSeat
RoomRequest: TypeAlias = (
    LeaveRoom
    | Sit
    | Stand
    | ChooseColour
    | AddBot
    | RemoveBot
    | Ready
    | Start
    | Chat
    | Kick
    | ChooseClock
    | Pause
    | ChoosePairs
    | TakeChoiceBack
    | GetRecord
)
Request: TypeAlias = LobbyRequest | RoomRequest


class Command(_Message, frozen=True, tag="command"):
    """A request with its id, counting up from 1, and the deal that was on screen.

    The deal matters for a choice and for taking it back; elsewhere it is only noted.
    """

    id: Annotated[int, Meta(ge=1, le=2**53)]
    deal: Annotated[int, Meta(ge=0, le=2**53)]
    request: Request


# What the server answers; each command gets exactly one.


class Done(_Message, frozen=True, tag="done"):
    """It is done; ``number`` is that of the last event it caused, or of the last before it."""

    id: Number
    number: Number


class Refused(_Message, frozen=True, tag="refused"):
    """It is not done and changed nothing. ``text`` is a sentence for a person."""

    id: Number
    code: Code
    text: str


class RoomLine(_Message, frozen=True):
    """One public room in the list: its host, seats in all, taken and held by bots, watchers."""

    code: str
    host: str
    seats: Number
    taken: Number
    bots: Number
    watching: Number
    playing: bool
    spectators: bool


class Rooms(_Message, frozen=True, tag="rooms"):
    """The public rooms."""

    id: Number
    rooms: tuple[RoomLine, ...]


class Away(_Message, frozen=True):
    """A person of the room whose link is down, and for how many seconds already."""

    person: Number
    seconds: Number


class Entered(_Message, frozen=True, tag="entered"):
    """One is in a room now: its whole view, the seat key to come back with, and who is away."""

    id: Number
    key: str
    view: RoomView
    away: tuple[Away, ...]


class Resumed(_Message, frozen=True, tag="resumed"):
    """One is back in the room; the events that were missed follow, from ``number`` + 1 on.

    ``key`` is the new seat key, ``number`` the last event that one has seen.
    """

    id: Number
    key: str
    number: Number
    away: tuple[Away, ...]


class Record(_Message, frozen=True, tag="record"):
    """The finished game as text (see :mod:`sequoia_rules.record`)."""

    id: Number
    text: str


Answer: TypeAlias = Done | Refused | Rooms | Entered | Resumed | Record


class Held(StrEnum):
    """Why a room's clock stands still."""

    PAUSED = "paused"
    """The players wanted a pause."""
    STORAGE = "storage"
    """The server cannot store what happens, and waits until it can."""


class Clock(_Message, frozen=True):
    """The clock of the round on the table.

    ``left`` are the milliseconds until it shows zero, None if the round has no clock; ``held``
    tells why it does not run.
    """

    left: Number | None
    held: Held | None


class Update(Struct, frozen=True):
    """All that one link is owed at the end of a tick.

    Apply ``answers`` first, then ``events``, of which the first has ``number`` and each next one
    more; events that a view already holds are passed over. ``away`` is None if nobody came or
    went since the last update. Last comes ``clock``, None if it is as before: a roll starts it at
    the seconds of the room's settings.
    """

    number: int
    answers: tuple[Answer, ...] = ()
    events: tuple[AnySeenEvent, ...] = ()
    away: tuple[Away, ...] | None = None
    clock: Clock | None = None


ClientMessage: TypeAlias = Hello | Command
ServerMessage: TypeAlias = Welcome | Update | Bye
