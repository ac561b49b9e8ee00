"""Events as bytes, each encoded once for every kind of recipient; the last ones are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from sequoia_protocol.codec import encode_event
from sequoia_protocol.room import RoomEvent, RoomState
from sequoia_rules.events import Chosen, Dealt
from sequoia_rules.values import Seat
from sequoia_rules.view import redact

from sequoia_server.facts import AnyEvent

_NOBODY: Final[Mapping[int, bytes]] = MappingProxyType({})
_KEPT: Final = 40
"""Events that somebody can miss and still be told one by one: six rounds of four seats."""


class Rendered(NamedTuple):
    """A numbered event as bytes: for everybody, and for those who may see more, by person."""

    number: int
    shared: bytes
    private: Mapping[int, bytes] = _NOBODY

    def to(self, person: int) -> bytes:
        """Give what a person may see."""
        return self.private.get(person, self.shared)


def render(number: int, event: AnyEvent, room: RoomState, *, covered: Collection[Seat]) -> Rendered:
    """Encode a numbered event for all who may see it.

    ``room`` is the state after the event. Who plays sees with the eyes of the seat; everybody
    else, seated or not, is a spectator, and so is the player of a ``covered`` seat in this deal.
    """
    if isinstance(event, RoomEvent):
        return Rendered(number, encode_event(event))
    shared = encode_event(redact(event, None))
    match event:
        case Dealt(_, rolls):
            seats = tuple(seat for seat, _ in rolls)
        case Chosen(seat):
            seats = (seat,)
        case _:
            return Rendered(number, shared)
    private = {}
    for seat in seats:
        player = None if seat in covered else room.player(seat)
        if player is not None and player.person is not None:
            private[player.person] = encode_event(redact(event, seat))
    return Rendered(number, shared, private)


class Recent:
    """The last numbered events of a room, for those who have missed them."""

    def __init__(self) -> None:
        self._events: deque[Rendered] = deque(maxlen=_KEPT)

    def add(self, rendered: Rendered) -> None:
        """Keep the next event."""
        self._events.append(rendered)

    def after(self, number: int, person: int) -> list[bytes] | None:
        """Give what a person has missed since an event; None if not all of it is kept."""
        if number < 1:
            return None
        missed = [event for event in self._events if event.number > number]
        first = self._events[0].number if self._events else None
        if first is None or first > number + 1:
            return None
        return [event.to(person) for event in missed]
