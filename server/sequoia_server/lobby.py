"""The rooms by their codes, and the answers to commands that need no room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from sequoia_protocol.errors import Code
from sequoia_protocol.messages import RoomLine
from sequoia_protocol.room import RoomSettings

from sequoia_server.connection import Place
from sequoia_server.entropy import Entropy
from sequoia_server.facts import StoredTurn
from sequoia_server.people import CommandId
from sequoia_server.room import Room
from sequoia_server.seating import NO_SUCH_ROOM
from sequoia_server.settings import Settings
from sequoia_server.turn import Refusal


class Lobby:
    """Opens and finds rooms. ``date`` gives the time of day as text, for the record of a game."""

    def __init__(self, settings: Settings, entropy: Entropy, date: Callable[[], str]) -> None:
        self._settings = settings
        self._entropy = entropy
        self._date = date
        self._rooms: dict[str, Room] = {}
        self._reserved: set[str] = set()
        self._answers: OrderedDict[CommandId, Place | bytes] = OrderedDict()

    def open(self, room_settings: RoomSettings, now: float) -> Room:
        """Open a room under a code that is free.

        Raises:
            Refusal: there are too many rooms.
        """
        if len(self._rooms) + len(self._reserved) >= self._settings.rooms:
            raise Refusal(
                Code.TOO_MANY_ROOMS, "This server has no place for another room: try again later."
            )
        length = (
            self._settings.public_code_length
            if room_settings.public
            else self._settings.private_code_length
        )
        code = self._entropy.code(length)
        while code in self._rooms or code in self._reserved:
            code = self._entropy.code(length)
        room = self._rooms[code] = Room.open(
            code,
            room_settings,
            settings=self._settings,
            entropy=self._entropy,
            date=self._date,
            now=now,
        )
        return room

    def reserve(self, codes: Iterable[str]) -> None:
        """Give none of these codes to a new room: they are those of rooms yet to be restored."""
        self._reserved.update(codes)

    def restore(self, code: str, turns: Sequence[StoredTurn], now: float) -> Room:
        """Bring a room back from what the journal has of it.

        Raises:
            BadFacts, ValueError, LookupError: that is no room.
        """
        room = Room.restore(
            code,
            turns,
            settings=self._settings,
            entropy=self._entropy,
            date=self._date,
            now=now,
        )
        self._rooms[code] = room
        self._reserved.discard(code)
        for command, person in room.entrances:
            self.remember(command, Place(code, person))
        return room

    def find(self, code: str) -> Room:
        """Find a room by its code, in upper or lower case.

        Raises:
            Refusal: there is none.
        """
        room = self._rooms.get(code.upper())
        if room is None:
            raise Refusal(Code.NO_SUCH_ROOM, NO_SUCH_ROOM)
        return room

    def close(self, room: Room) -> None:
        """Forget a room."""
        self._rooms.pop(room.state.code, None)

    def lines(self) -> list[RoomLine]:
        """List the public rooms in which somebody is: those between games first, then the newest.

        No more than a list may hold, so that it always fits what may wait for one link.
        """
        lines = []
        for room in self._rooms.values():
            state = room.state
            host = None if state.host is None else state.person(state.host)
            if state.settings.public and room.is_attended and host is not None:
                lines.append(
                    RoomLine(
                        code=state.code,
                        host=host.name,
                        seats=state.settings.seats,
                        taken=sum(seated is not None for seated in state.seats),
                        bots=len(state.bot_seats),
                        watching=sum(state.seat_of(person.id) is None for person in state.people),
                        playing=state.playing,
                        spectators=state.settings.spectators,
                    )
                )
        lines.reverse()
        lines.sort(key=lambda line: line.playing)
        return lines[: self._settings.rooms_listed]

    def remember(self, command: CommandId, answer: Place | bytes) -> None:
        """Keep an answer in case the command comes again: an encoded one, or where it led."""
        self._answers[command] = answer
        self._answers.move_to_end(command)
        while len(self._answers) > self._settings.lobby_answers_kept:
            self._answers.popitem(last=False)

    def recall(self, command: CommandId) -> Place | bytes | None:
        """Give the answer that a command got, None if it has not come before."""
        return self._answers.get(command)
