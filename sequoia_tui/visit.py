"""One stay at one server, as the screens need it: which of them shows, and what is on it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import StrEnum

from sequoia_protocol.messages import ChoosePairs, TakeChoiceBack
from sequoia_protocol.room import RoomView
from sequoia_rules.phases import Phase

from sequoia_tui.connection import Connection
from sequoia_tui.link import Table
from sequoia_tui.listener import SeatKey
from sequoia_tui.seats import SeatKeeper, Where


class Shows(StrEnum):
    """What a visitor looks at."""

    LOBBY = "lobby"
    """No table: the rooms of the server."""
    ROOM = "room"
    GAME = "game"


class Visit:
    """One stay at one server.

    ``keeper`` keeps the seat on disk. ``hosts`` are what friends type behind ``--host`` to come
    as well. ``returns`` is for a visit that leads back to a game. ``arrived`` is false until what
    the player came for is settled.
    """

    def __init__(
        self,
        connection: Connection,
        keeper: SeatKeeper,
        *,
        watch: bool = False,
        hosts: Sequence[str] = (),
        returns: bool = False,
    ) -> None:
        self.connection = connection
        self.keeper = keeper
        self.solo = keeper.where is Where.SOLO
        self.watch = watch
        self.hosts = tuple(hosts)
        self.arrived = False
        self._attends = False
        self._returns = returns

    @property
    def view(self) -> RoomView | None:
        """The room as it is now."""
        return self.connection.view

    @property
    def table(self) -> Table | None:
        """The table as it is now; None while one is in no room."""
        connection = self.connection
        if connection.view is None:
            return None
        sending = any(
            isinstance(request, ChoosePairs | TakeChoiceBack) for request in connection.waiting
        )
        picture = connection.picture
        return Table(
            connection.view,
            connection.link,
            picture.away,
            sending,
            picture.timer,
            picture.held,
        )

    def look(self) -> Shows:
        """Tell where one is: a game as long as it runs, and until its standings are left."""
        view = self.connection.view
        if view is None:
            self._attends = False
            return Shows.LOBBY
        if view.room.playing or (self._returns and _is_over(view)):
            # Who comes back to a game that has ended in the meantime sees its standings.
            self._attends = True
        self._returns = False
        return Shows.GAME if self._attends and view.game is not None else Shows.ROOM

    def leave_standings(self) -> None:
        """Go back to the room from a game that is over."""
        self._attends = False

    def invitations(self) -> list[str]:
        """Give the commands that bring friends into this room; none where nobody can come."""
        if self.view is None or self.solo:
            return []
        room = shlex.quote(self.view.room.code)
        return [f"sequoia-tui --host {shlex.quote(host)} --room {room}" for host in self.hosts]

    def keep(self, seat: SeatKey | None) -> bool:
        """Keep a seat key on disk, or forget the seat.

        False if the older key that is there has to be used on.
        """
        if seat is None:
            self.keeper.drop()
            return True
        return self.keeper.keep(seat, self.connection.name)

    @property
    def plays(self) -> bool:
        """Whether a game is running in which the player has a seat."""
        view = self.connection.view
        return view is not None and view.room.playing and view.seat is not None

    @property
    def with_others(self) -> bool:
        """Whether other people are in the room."""
        return self.view is not None and len(self.view.room.people) > 1


def _is_over(view: RoomView) -> bool:
    return view.game is not None and view.game.public.phase is Phase.OVER
