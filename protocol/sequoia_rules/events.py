"""What happened, and what is left of it for a pair of eyes.

An *event* is a settled fact with every secret in it; only the server and the record of a
finished game hold events. A *seen* event is what one seat or a spectator may know of it. Events
without a secret are the same for everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sequoia_rules.values import Choice, Dice, Forest, Seat, Sums


@dataclass(frozen=True, slots=True)
class Award:
    """A token is won: ``place`` 1 or 2 of ``forest`` goes to ``seat`` (T1)."""

    forest: Forest
    place: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Tie:
    """An open forest: who is tied there, and whether both tokens or the second are at stake."""

    forest: Forest
    seats: tuple[Seat, ...]
    for_first: bool


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The tokens lie face down (S1). Secret: their values."""

    seats: tuple[Seat, ...]
    first_tokens: tuple[int, ...]
    second_tokens: tuple[int, ...]
    deal: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round or tie-break round begins; ``deal`` numbers the rolls. Secret: the dice."""

    deal: int
    rolls: tuple[tuple[Seat, Dice], ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A seat has sealed a choice. Secret: the choice."""

    seat: Seat
    choice: Choice


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A seat has taken its sealed choice back (R5)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Revealed:
    """All choices of a deal at once, by ascending seat: every tree is planted (R4, T5)."""

    sums: tuple[tuple[Seat, Sums], ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """Forests were scored after round 10 or a tie-break round (T1 to T6).

    ``awards`` are the tokens won now. ``ties`` are all forests open from now on, ascending; the
    trees of everybody else leave those. ``expired`` are forests given up for good (T8).
    """

    awards: tuple[Award, ...]
    ties: tuple[Tie, ...]
    expired: tuple[Forest, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """Every token is turned over, and the points are counted (F1).

    Tokens lie on forests 2 to 12 in this order; ``points`` are by ascending seat.
    """

    first_tokens: tuple[int, ...]
    second_tokens: tuple[int, ...]
    points: tuple[tuple[Seat, int], ...]


@dataclass(frozen=True, slots=True)
class GameStartedSeen:
    """What everybody sees of :class:`GameStarted`."""

    seats: tuple[Seat, ...]
    deal: int


@dataclass(frozen=True, slots=True)
class DealtSeen:
    """What one seat sees of :class:`Dealt`: who rolls, who calls a Sequoia (R2), its own dice.

    ``dice`` is None for a spectator and for a seat that does not roll.
    """

    deal: int
    seats: tuple[Seat, ...]
    sequoias: tuple[Seat, ...]
    dice: Dice | None


@dataclass(frozen=True, slots=True)
class ChosenSeen:
    """What one seat sees of :class:`Chosen`: the choice is None unless it is its own."""

    seat: Seat
    choice: Choice | None


PublicEvent: TypeAlias = TakenBack | Revealed | Scored | Ended
Event: TypeAlias = GameStarted | Dealt | Chosen | PublicEvent
SeenEvent: TypeAlias = GameStartedSeen | DealtSeen | ChosenSeen | PublicEvent
