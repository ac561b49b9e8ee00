"""Hears what a connection tells, and passes it on to a journey in the app's own turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from sequoia_protocol.room import AnySeenEvent, RoomView

from sequoia_tui.link import Link
from sequoia_tui.listener import Ending, SeatKey
from sequoia_tui.visit import Visit

if TYPE_CHECKING:
    from sequoia_tui.journey import Journey


class Ear:
    """Listens to a connection, and passes on what it hears in the app's own turn."""

    def __init__(self, journey: Journey) -> None:
        self._journey = journey
        self.visit: Visit | None = None

    def on_link(self, link: Link) -> None:
        """Hear that the link is different now."""
        if self.visit is not None:
            self._later(self._journey.link_changed, self.visit, link)

    def on_view(
        self, view: RoomView, events: Sequence[AnySeenEvent], away: Mapping[int, float]
    ) -> None:
        """Hear that there is a new view; by the time it is shown there may be a newer one."""
        del view, away
        if self.visit is not None and (table := self.visit.table) is not None:
            self._later(self._journey.viewed, self.visit, table, self.visit.look(), tuple(events))

    def on_seat(self, seat: SeatKey | None) -> bool:
        """Keep a seat key, or forget the seat: at once, for the next link may need it."""
        return self.visit is None or self.visit.keep(seat)

    def on_out(self, sentence: str) -> None:
        """Hear that one is in no room any more."""
        if self.visit is not None:
            self._later(self._journey.put_out, self.visit, sentence)

    def on_end(self, ending: Ending, sentence: str) -> None:
        """Hear that the connection is over for good."""
        if self.visit is not None:
            self._later(self._journey.ended, self.visit, ending, sentence)

    def _later(self, tell: Callable[..., None], *what: object) -> None:
        self._journey.later(tell, *what)
