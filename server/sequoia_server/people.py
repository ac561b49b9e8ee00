"""Who of a room's people is linked, who is away and since when, and what they were answered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, KeysView
from dataclasses import dataclass, field
from typing import TypeAlias

from sequoia_protocol.messages import Away, Done, Refused

from sequoia_server.facts import StoredPerson
from sequoia_server.keys import KeyRing

CommandId: TypeAlias = tuple[str, int]
"""The client's nonce and the command's number: one command for good, over any links."""


@dataclass(slots=True)
class Member:
    """What the server alone knows of a person in a room.

    ``came_by`` is the command by which they came in. ``answers`` are those to the last commands;
    None stands for the whole view, which is made anew. ``views_from`` is the number of the last
    event before which this person was somebody else to the game: what was missed further back
    cannot be told event by event.
    """

    keys: KeyRing = field(default_factory=KeyRing)
    came_by: CommandId = ("", 0)
    answers: OrderedDict[CommandId, Done | Refused | None] = field(default_factory=OrderedDict)
    views_from: int = 0

    def remember(self, command: CommandId, answer: Done | Refused | None, kept: int) -> None:
        """Keep an answer, and of all answers the last ``kept``."""
        self.answers[command] = answer
        while len(self.answers) > kept:
            self.answers.popitem(last=False)


class People:
    """The members of a room by person id, and their links. Links are not stored.

    ``away_since`` has the time at which a link went down, for everybody whose link is down.
    ``empty_since`` is when the last link went down, None while there is one. Nobody's absence
    counts before ``counts_from``: nobody was there to wait, or the game was paused.
    """

    def __init__(self, grace: float, now: float) -> None:
        self._grace = grace
        self._members: dict[int, Member] = {}
        self._linked: dict[int, None] = {}
        self.away_since: dict[int, float] = {}
        self.empty_since: float | None = now
        self.counts_from = now
        self._woken = False

    def __getitem__(self, person: int) -> Member:
        return self._members[person]

    def get(self, person: int) -> Member | None:
        """Give a member, None if there is none of this id."""
        return self._members.get(person)

    def __contains__(self, person: int) -> bool:
        return person in self._members

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[int]:
        return iter(self._members)

    @property
    def linked(self) -> KeysView[int]:
        """Persons whose link is up, in the order in which the links came up."""
        return self._linked.keys()

    def add(self, person: int, now: float) -> None:
        """Take a new person in; the link comes up in a moment."""
        self._members[person] = Member()
        self.away_since[person] = now

    def remove(self, person: int, now: float) -> None:
        """Forget a person and the keys."""
        del self._members[person]
        self.away_since.pop(person, None)
        self._unlink(person, now)

    def link_up(self, person: int, now: float) -> None:
        """Note that a person's link is up."""
        self.away_since.pop(person, None)
        self._linked[person] = None
        if self.empty_since is not None:
            self._woken = False
            self.empty_since = None
            self.counts_from = now

    def link_down(self, person: int, now: float) -> None:
        """Note that a person's link is down."""
        self.away_since[person] = now
        self._unlink(person, now)

    def wake(self, now: float) -> None:
        """Be the people of a room that was restored: all were here until now, none is linked."""
        self._woken = True
        self._linked.clear()
        self.away_since = dict.fromkeys(self._members, now)
        self.empty_since = self.counts_from = now

    def away(self, now: float) -> tuple[Away, ...]:
        """List who is away, and for how long."""
        return tuple(
            Away(person, int(now - since)) for person, since in sorted(self.away_since.items())
        )

    def is_gone(self, person: int, now: float) -> bool:
        """Tell whether somebody is away for longer than the grace."""
        return person in self.away_since and self._grace_ends(person) <= now

    def gone(self, now: float) -> list[int]:
        """List who is gone, by person id."""
        return [person for person in sorted(self.away_since) if self.is_gone(person, now)]

    def next_grace(self, now: float) -> float | None:
        """Give when the next grace is over."""
        ends = (self._grace_ends(person) for person in self.away_since)
        return min((end for end in ends if end > now), default=None)

    @property
    def empty_from(self) -> float | None:
        """When a game begins to wait for its people, None while anybody is there.

        After a restart it is at once: that nobody is linked is no player's doing.
        """
        if self.empty_since is None:
            return None
        return self.empty_since + (0.0 if self._woken else self._grace)

    def store(self) -> tuple[StoredPerson, ...]:
        """Give what a checkpoint keeps."""
        return tuple(
            StoredPerson(
                person,
                *member.came_by,
                member.views_from,
                member.keys.digests,
                tuple((nonce, number, a) for (nonce, number), a in member.answers.items()),
            )
            for person, member in sorted(self._members.items())
        )

    def load(self, stored: tuple[StoredPerson, ...]) -> None:
        """Be what :meth:`store` gave."""
        self._members = {
            one.person: Member(
                KeyRing(one.digests),
                (one.nonce, one.id),
                OrderedDict(((nonce, number), answer) for nonce, number, answer in one.answers),
                one.views_from,
            )
            for one in stored
        }

    def _grace_ends(self, person: int) -> float:
        return max(self.away_since[person], self.counts_from) + self._grace

    def _unlink(self, person: int, now: float) -> None:
        self._linked.pop(person, None)
        if not self._linked and self.empty_since is None:
            self.empty_since = now
