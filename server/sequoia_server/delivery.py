"""Events as bytes, each encoded once for every kind of recipient."""

from __future__ import annotations

from collections.abc import Collection

from sequoia_protocol.codec import encode_event
from sequoia_protocol.room import RoomEvent, RoomState
from sequoia_rules.events import Chosen, Dealt
from sequoia_rules.values import Seat
from sequoia_rules.view import redact

from sequoia_server.turn import AnyEvent, Turn


def deliver(
    turn: Turn,
    number: int,
    event: AnyEvent,
    room: RoomState,
    recipients: Collection[int],
    *,
    covered: Collection[Seat],
) -> None:
    """Put a numbered event into what each recipient is owed, as this person may see it.

    ``room`` is the state after the event. Who plays sees with the eyes of the seat; everybody
    else, seated or not, is a spectator, and so is the player of a ``covered`` seat in this deal.
    """
    rendered = _render(event, room, recipients, covered)
    for person, data in rendered.items():
        delivery = turn.to(person)
        if not delivery.events:
            delivery.number = number
        delivery.events.append(data)


def _render(
    event: AnyEvent, room: RoomState, recipients: Collection[int], covered: Collection[Seat]
) -> dict[int, bytes]:
    if isinstance(event, RoomEvent):
        return dict.fromkeys(recipients, encode_event(event))
    rendered = dict.fromkeys(recipients, encode_event(redact(event, None)))
    match event:
        case Dealt(_, rolls):
            private = tuple(seat for seat, _ in rolls)
        case Chosen(seat):
            private = (seat,)
        case _:
            private = ()
    for seat in private:
        player = None if seat in covered else room.player(seat)
        if player is not None and player.person is not None and player.person in rendered:
            rendered[player.person] = encode_event(redact(event, seat))
    return rendered
