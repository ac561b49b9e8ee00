"""What all clients of a room have ever been shown, as one history: it must fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sequoia_protocol.room import AnySeenEvent, Chatted, RoomState, RoomView
from sequoia_rules.events import ChosenSeen, DealtSeen
from sequoia_rules.public import PublicState


class Broken(AssertionError):
    """A promise was broken; the text says which."""


class History:
    """Everything that was seen of one room, by number: events, and how the room was after them."""

    def __init__(self) -> None:
        self.events: dict[int, AnySeenEvent] = {}
        self.rooms: dict[int, tuple[RoomState, PublicState | None]] = {}
        self.chats: Counter[str] = Counter()

    def add(self, view: RoomView, events: Sequence[AnySeenEvent]) -> None:
        """Take in what somebody was just shown: the events that led to a view, or the view alone.

        Raises:
            Broken: somebody has seen something else under the same number.
        """
        for number, event in enumerate(events, view.number - len(events) + 1):
            public = _public(event)
            if number not in self.events:
                self.events[number] = public
                if isinstance(event, Chatted):
                    self.chats[event.text] += 1
            elif self.events[number] != public:
                raise Broken(f"event {number} was one thing and is another")
        # Whoever gets the whole view sees here what became of what others were shown one by one.
        now = view.room, None if view.game is None else view.game.public
        if self.rooms.setdefault(view.number, now) != now:
            raise Broken(f"after event {view.number} the room was different once")

    def check_chats(self, acknowledged: set[str], view: RoomView) -> None:
        """Check that every acknowledged line was said once, and no line twice."""
        shown = Counter(line.text for line in view.room.chat)
        twice = [text for text, often in (self.chats | shown).items() if often > 1]
        if twice:
            raise Broken(f"said twice: {twice}")
        # Who came back by the whole view has not seen each event of what they missed.
        lost = acknowledged - set(self.chats) - set(shown)
        missing = set(range(1, view.number + 1)) - set(self.events)
        if len(lost) > len(missing):
            raise Broken(f"acknowledged and lost: {lost}")


def _public(event: AnySeenEvent) -> AnySeenEvent:
    match event:
        case ChosenSeen():
            return replace(event, choice=None)
        case DealtSeen():
            return replace(event, dice=None)
        case _:
            return event
