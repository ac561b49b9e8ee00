"""Who may come in, sit down, stand up, and put whom out: pure, over the open state of a room.

Each function gives the room's events that a request leads to, or raises a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import Final, TypeAlias

from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    ChooseClock,
    ChooseColour,
    Kick,
    Ready,
    RemoveBot,
    Sit,
    Stand,
)
from sequoia_protocol.room import (
    BotSeated,
    Chatted,
    ClockChosen,
    Colour,
    ColourChosen,
    GameContinued,
    LeaveReason,
    PauseWanted,
    PersonLeft,
    ReadyChanged,
    RoomEvent,
    RoomState,
    Seated,
    SeatFreed,
    SeatTaken,
)
from sequoia_protocol.text import BadText, clean_chat, same_name
from sequoia_rules.values import MIN_PLAYERS, Seat

from sequoia_server.turn import Refusal

SeatingRequest: TypeAlias = (
    Sit | Stand | ChooseColour | AddBot | RemoveBot | Ready | Chat | Kick | ChooseClock
)

BOT_NAMES: Final = ("Hazel", "Rowan", "Ash", "Willow", "Linden", "Juniper", "Alder", "Maple")

NO_SUCH_ROOM: Final = "There is no such room, or it cannot be entered."


def placement(room: RoomState, name: str, *, watch: bool) -> tuple[Seat, Colour] | None:
    """Find where a newcomer goes: a seat and its colour, or None to watch.

    A stranger learns nothing of a private room: full, forbidden and missing are refused alike.
    """
    try:
        if watch:
            _check_spectators(room)
        place = None if watch else _seat_for(room)
    except Refusal:
        if room.settings.public:
            raise
        raise Refusal(Code.NO_SUCH_ROOM, NO_SUCH_ROOM) from None
    if any(same_name(name, taken) for taken in _names(room)):
        raise Refusal(
            Code.NAME_TAKEN, f"Somebody in this room is called {name} already: take another name."
        )
    return place


def seat_bot(room: RoomState, seat: Seat) -> BotSeated:
    """Seat a bot: in the colour of the seat if it has one, under a name that is free."""
    seated = room.seats[seat]
    colour = room.free_colours[0] if seated is None else seated.colour
    candidates = chain(BOT_NAMES, (f"Bot {number}" for number in count(1)))
    taken = list(_names(room))
    name = next(
        candidate
        for candidate in candidates
        if not any(same_name(candidate, other) for other in taken)
    )
    return BotSeated(seat, name, colour)


def is_playing(room: RoomState, person: int) -> bool:
    """Tell whether a person plays in the running game."""
    return room.playing and any(player.person == person for player in room.players)


def everybody_is_ready(room: RoomState) -> bool:
    """Tell whether every seated person is ready, one at least, and two seats together."""
    persons = [seated for seated in room.seats if seated is not None and seated.person is not None]
    ready = bool(persons) and all(seated.ready for seated in persons)
    return ready and len(room.ready_seats) >= MIN_PLAYERS


def check_host(room: RoomState, person: int) -> None:
    """Refuse what only the host may do."""
    if room.host != person:
        raise Refusal(Code.NOT_HOST, "Only the host of the room can do that.")


def check_between_games(room: RoomState) -> None:
    """Refuse what cannot be done while a game runs."""
    if room.playing:
        raise Refusal(Code.GAME_RUNNING, "That has to wait until the game is over.")


def decide(room: RoomState, person: int, request: SeatingRequest) -> tuple[RoomEvent, ...]:
    """Tell what a request of a person in the room leads to.

    Raises:
        Refusal: it is not to be had; nothing changes.
    """
    match request:
        case Sit(seat):
            return _sit(room, person, seat)
        case Stand():
            check_between_games(room)
            seat, _ = _own_seat(room, person)
            return (SeatFreed(seat),)
        case ChooseColour(colour):
            return _choose_colour(room, person, colour)
        case Ready(ready):
            check_between_games(room)
            seat, seated = _own_seat(room, person)
            return () if seated.ready == ready else (ReadyChanged(seat, ready),)
        case AddBot(seat):
            check_host(room, person)
            _check_seat(room, seat)
            if room.seats[seat] is not None:
                raise Refusal(Code.SEAT_TAKEN, "Somebody sits there already.")
            return (seat_bot(room, seat),)
        case RemoveBot(seat):
            check_host(room, person)
            check_between_games(room)
            if seat not in room.bot_seats:
                raise Refusal(Code.NOT_A_BOT, "No bot sits there.")
            return (SeatFreed(seat),)
        case Kick(other):
            return _kick(room, person, other)
        case ChooseClock(seconds):
            check_host(room, person)
            check_between_games(room)
            return () if room.settings.clock == seconds else (ClockChosen(seconds),)
        case Chat(text):
            return (_chat(room, person, text),)


def put_out(room: RoomState, person: int, reason: LeaveReason) -> tuple[RoomEvent, ...]:
    """Give what happens when a person goes for good: in a running game a bot takes the seat."""
    left = PersonLeft(person, reason)
    seat = room.seat_of(person)
    if seat is None or not is_playing(room, person):
        return (left,)
    return seat_bot(room, seat), left


def pause(room: RoomState, person: int, *, wanted: bool) -> PauseWanted | GameContinued | None:
    """Tell what it leads to that a person wants a pause or none; None if nothing changes.

    Raises:
        Refusal: no game is running, or it is not this person's to say.
    """
    if not room.playing:
        raise Refusal(Code.NO_GAME, "No game is running.")
    if not is_playing(room, person):
        raise Refusal(Code.NOT_SEATED, "You do not play in this game.")
    if room.paused:
        return None if wanted else GameContinued(person)
    return None if (person in room.pause_wanted) == wanted else PauseWanted(person, wanted)


def _check_spectators(room: RoomState) -> None:
    if not room.settings.spectators:
        raise Refusal(Code.NO_SPECTATORS, "This room allows no spectators.")


def _seat_for(room: RoomState) -> tuple[Seat, Colour]:
    if not room.playing and room.free_seats:
        return room.free_seats[0], room.free_colours[0]
    for seat in _seats_to_take(room):
        seated = room.seats[seat]
        if seated is not None:
            return seat, seated.colour
    watch = " You can watch." if room.settings.spectators else ""
    if room.playing:
        raise Refusal(Code.GAME_RUNNING, f"A game is running there, and no bot plays in it.{watch}")
    raise Refusal(Code.ROOM_FULL, f"Every seat of this room is taken.{watch}")


def _seats_to_take(room: RoomState) -> tuple[Seat, ...]:
    """List the bots' seats that a person may take over now."""
    if not room.playing:
        return room.bot_seats
    return tuple(seat for seat in room.bot_seats if room.player(seat) is not None)


def _sit(room: RoomState, person: int, seat: Seat) -> tuple[RoomEvent, ...]:
    _check_seat(room, seat)
    own = room.seat_of(person)
    if own == seat:
        return ()
    if is_playing(room, person):
        raise Refusal(Code.GAME_RUNNING, "You play in this game: your seat is yours to its end.")
    seated = room.seats[seat]
    if room.playing and seat not in _seats_to_take(room):
        raise Refusal(Code.GAME_RUNNING, "While a game runs only a bot that plays can be replaced.")
    if seated is not None and seated.person is not None:
        raise Refusal(Code.SEAT_TAKEN, "Somebody sits there already.")
    mine = None if own is None else room.seats[own]
    if seated is not None and (room.playing or mine is None):
        colour = seated.colour
    elif mine is not None:
        colour = mine.colour
    else:
        colour = room.free_colours[0]
    return (SeatTaken(seat, person, colour),)


def _choose_colour(room: RoomState, person: int, colour: Colour) -> tuple[RoomEvent, ...]:
    check_between_games(room)
    seat, seated = _own_seat(room, person)
    if seated.colour == colour:
        return ()
    if colour not in room.free_colours:
        raise Refusal(Code.COLOUR_TAKEN, f"Somebody has {colour} already.")
    return (ColourChosen(seat, colour),)


def _kick(room: RoomState, person: int, other: int) -> tuple[RoomEvent, ...]:
    check_host(room, person)
    if other == person:
        raise Refusal(Code.NO_SUCH_PERSON, "You cannot put yourself out: leave the room instead.")
    if room.person(other) is None:
        raise Refusal(Code.NO_SUCH_PERSON, "That person is not in the room any more.")
    return put_out(room, other, LeaveReason.KICKED)


def _chat(room: RoomState, person: int, text: str) -> Chatted:
    try:
        line = clean_chat(text)
    except BadText as error:
        raise Refusal(Code.BAD_TEXT, str(error)) from None
    who = room.person(person)
    return Chatted(person, "" if who is None else who.name, line)


def _own_seat(room: RoomState, person: int) -> tuple[Seat, Seated]:
    seat = room.seat_of(person)
    seated = None if seat is None else room.seats[seat]
    if seat is None or seated is None:
        raise Refusal(Code.NOT_SEATED, "You have no seat: sit down first.")
    return seat, seated


def _check_seat(room: RoomState, seat: Seat) -> None:
    if seat >= room.settings.seats:
        raise Refusal(Code.SEAT_TAKEN, f"This room has only {room.settings.seats} seats.")


def _names(room: RoomState) -> Iterator[str]:
    """Give every name in use: people, seated or not, and bots."""
    yield from (person.name for person in room.people)
    yield from (seated.name for seated in room.seats if seated is not None)
