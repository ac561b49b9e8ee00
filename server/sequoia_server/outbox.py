"""What waits to be sent to one link: everything that falls due in a tick becomes one message."""

from __future__ import annotations

from typing import TypeAlias

from sequoia_protocol.codec import encode_update

from sequoia_server.turn import Delivery

Shared: TypeAlias = dict[tuple[object, ...], bytes]
"""Updates without answers that were made in this tick, since many links are owed the same."""


class Outbox:
    """Gathers deliveries, and gives them as encoded updates when the tick is over."""

    def __init__(self) -> None:
        self._sealed: list[bytes] = []
        self._pending = Delivery()

    def add(self, delivery: Delivery) -> None:
        """Take a delivery in.

        A link that changes rooms gets what the one room owes it apart from what the other does:
        a message's answers are applied before its events.
        """
        pending = self._pending
        if delivery.fresh and not _only_answers(pending):
            self._seal({})
            pending = self._pending
        if delivery.events:
            if not pending.events:
                pending.number = delivery.number
            pending.events.extend(delivery.events)
        pending.answers.extend(delivery.answers)
        if delivery.away is not None:
            pending.away = delivery.away
        if delivery.clock is not None:
            pending.clock = delivery.clock

    def take(self, shared: Shared) -> list[bytes]:
        """Give the messages that are due, and be empty."""
        pending = self._pending
        if pending.answers or not _only_answers(pending):
            self._seal(shared)
        sealed, self._sealed = self._sealed, []
        return sealed

    def _seal(self, shared: Shared) -> None:
        pending, self._pending = self._pending, Delivery()
        if pending.answers:
            data = _encode(pending)
        else:
            what = (pending.number, pending.away, pending.clock, *pending.events)
            found = shared.get(what)
            if found is None:
                found = shared[what] = _encode(pending)
            data = found
        self._sealed.append(data)


def _only_answers(pending: Delivery) -> bool:
    return not pending.events and pending.away is None and pending.clock is None


def _encode(pending: Delivery) -> bytes:
    return encode_update(
        pending.number,
        answers=pending.answers,
        events=pending.events,
        away=pending.away,
        clock=pending.clock,
    )
