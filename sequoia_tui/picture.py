"""What is known here of a room: its view, who is away, and the clock of the round."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sequoia_protocol.messages import Away, Clock, Entered, Held, Resumed, Update
from sequoia_protocol.room import AnySeenEvent, RoomView, fold
from sequoia_rules.events import DealtSeen, Ended, GameStartedSeen

from sequoia_tui.link import RoundTimer


class OutOfStep(Exception):
    """The server told of events that cannot follow the view that is here."""


class Picture:
    """Follows one room by what the server tells of it.

    ``view`` is None outside of any room. ``away`` maps the id of a person whose link is down to
    the monotonic time (s) since when. ``timer`` is None while nothing is timed; ``held`` tells
    why the table stands still, None if it does not.
    """

    def __init__(self) -> None:
        self.view: RoomView | None = None
        self.away: Mapping[int, float] = {}
        self.timer: RoundTimer | None = None
        self._held: Held | None = None

    @property
    def held(self) -> Held | None:
        """Why the table stands still."""
        if self._held is None and self.view is not None and self.view.room.paused:
            return Held.PAUSED
        return self._held

    @property
    def number(self) -> int:
        """The number of the last event that is in here, 0 outside of any room."""
        return 0 if self.view is None else self.view.number

    def clear(self) -> None:
        """Be outside of any room."""
        self.view = self.timer = self._held = None
        self.away = {}

    def enter(self, entered: Entered) -> None:
        """Take a whole view."""
        before, self.view = self.view, entered.view
        self.away = _since(entered.away)
        room = entered.view.room
        if before is None or before.room.code != room.code or not room.playing:
            # What is timed elsewhere is told in the same update.
            self.timer = self._held = None

    def resume(self, resumed: Resumed) -> None:
        """Go on from the view that is here.

        Raises:
            OutOfStep: the server means another one.
        """
        if self.view is None or self.view.number != resumed.number:
            raise OutOfStep
        self.away = _since(resumed.away)
        self._held = None

    def follow(self, update: Update) -> list[AnySeenEvent]:
        """Apply what an update tells besides its answers; give the events that were new.

        Raises:
            OutOfStep: they cannot follow the view that is here.
        """
        if update.away is not None:
            self.away = _since(update.away)
        events: list[AnySeenEvent] = []
        for number, event in enumerate(update.events, update.number):
            if self.view is None:
                break
            if number <= self.view.number:
                continue
            if number != self.view.number + 1:
                raise OutOfStep
            try:
                self.view = fold(self.view, event)
            except (ValueError, LookupError, TypeError) as error:
                raise OutOfStep from error
            self._time(event, self.view)
            events.append(event)
        if update.clock is not None and self.view is not None:
            self._set(update.clock)
        return events

    def _time(self, event: AnySeenEvent, view: RoomView) -> None:
        """Start the clock with a roll, and end it with the game."""
        if isinstance(event, DealtSeen):
            seconds = view.room.settings.clock
            self.timer = RoundTimer(zero=time.monotonic() + seconds) if seconds else None
        elif isinstance(event, GameStartedSeen | Ended):
            self.timer = None

    def _set(self, clock: Clock) -> None:
        """Be as the server's clock is."""
        self._held = clock.held
        if clock.left is None:
            self.timer = None
        elif clock.held is None:
            self.timer = RoundTimer(zero=time.monotonic() + clock.left / 1000)
        else:
            self.timer = RoundTimer(left=clock.left / 1000, held=clock.held)


def _since(away: Sequence[Away]) -> Mapping[int, float]:
    now = time.monotonic()
    return {entry.person: now - entry.seconds for entry in away}
