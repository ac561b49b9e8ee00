"""Who of a room's people is linked, who is away and since when, and what they were answered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import KeysView
from dataclasses import dataclass, field
from typing import TypeAlias

from sequoia_protocol.messages import Away, Done, Refused

from sequoia_server.keys import KeyRing

CommandId: TypeAlias = tuple[str, int]
"""The client's nonce and the command's number: one command for good, over any links."""


@dataclass(slots=True)
class Member:
    """What the server alone knows of a person in a room.

    ``left`` tells that the person went on purpose, out of a running game. ``answers`` are those
    to the last commands; None stands for the whole view, which is made anew.
    """

    keys: KeyRing = field(default_factory=KeyRing)
    left: bool = False
    answers: OrderedDict[CommandId, Done | Refused | None] = field(default_factory=OrderedDict)

    def remember(self, command: CommandId, answer: Done | Refused | None, kept: int) -> None:
        """Keep an answer, and of all answers the last ``kept``."""
        self.answers[command] = answer
        while len(self.answers) > kept:
            self.answers.popitem(last=False)


class People:
    """The members of a room by person id, and their links.

    ``away_since`` has the time at which a link went down, for everybody whose link is down.
    ``empty_since`` is when the last link went down, None while there is one.
    """

    def __init__(self, grace: float, now: float) -> None:
        self._grace = grace
        self._members: dict[int, Member] = {}
        self._linked: dict[int, None] = {}
        self.away_since: dict[int, float] = {}
        self.empty_since: float | None = now

    def __getitem__(self, person: int) -> Member:
        return self._members[person]

    def __contains__(self, person: int) -> bool:
        return person in self._members

    def __len__(self) -> int:
        return len(self._members)

    @property
    def linked(self) -> KeysView[int]:
        """Persons whose link is up, in the order in which the links came up."""
        return self._linked.keys()

    def add(self, person: int) -> None:
        """Take a new person in; the link comes up in a moment."""
        self._members[person] = Member()

    def remove(self, person: int, now: float) -> None:
        """Forget a person and the keys."""
        del self._members[person]
        self.away_since.pop(person, None)
        self._unlink(person, now)

    def link_up(self, person: int) -> None:
        """Note that a person's link is up."""
        self._members[person].left = False
        self.away_since.pop(person, None)
        self._linked[person] = None
        self.empty_since = None

    def link_down(self, person: int, now: float, *, left: bool = False) -> None:
        """Note that a person's link is down."""
        self._members[person].left = left
        self.away_since[person] = now
        self._unlink(person, now)

    def away(self, now: float) -> tuple[Away, ...]:
        """List who is away, and for how long."""
        return tuple(
            Away(person, int(now - since)) for person, since in sorted(self.away_since.items())
        )

    def grace_left(self, person: int, now: float) -> float:
        """Give the seconds until the grace of somebody who is away is over: 0 or less after it."""
        return self.away_since[person] + self._grace - now

    def is_gone(self, person: int, now: float) -> bool:
        """Tell whether somebody left on purpose, or is away for longer than the grace."""
        return person in self.away_since and (
            self._members[person].left or self.grace_left(person, now) <= 0
        )

    def gone(self, now: float) -> list[int]:
        """List who is gone, by person id."""
        return [person for person in sorted(self.away_since) if self.is_gone(person, now)]

    def next_grace(self, now: float) -> float | None:
        """Give when the next grace is over."""
        ends = (since + self._grace for since in self.away_since.values())
        return min((end for end in ends if end > now), default=None)

    def _unlink(self, person: int, now: float) -> None:
        self._linked.pop(person, None)
        if not self._linked and self.empty_since is None:
            self.empty_since = now
