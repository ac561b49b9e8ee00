"""The box's constants and the small values that everything else is made of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

Seat: TypeAlias = int
"""0 to 4. A game may leave seats empty, so the seats of a game need not be consecutive."""

Die: TypeAlias = int
"""A face, 1 to 6."""

Dice: TypeAlias = tuple[Die, Die, Die, Die, Die]
"""One player's five dice, in the order in which they fell."""

Forest: TypeAlias = int
"""A forest is named by its number, 2 to 12."""

Sums: TypeAlias = tuple[Forest, ...]
"""What a choice plants: forests in ascending order, two in a round, up to two in a tie-break."""

MAX_SEATS: Final = 5
MIN_PLAYERS: Final = 2
ROUNDS: Final = 10
"""R: a game has ten rounds."""

TREES: Final = 20
"""C1: tree tokens of a player, all of them placed after ten rounds (R6)."""

MAX_TIEBREAKS: Final = 100
"""T8: forests still tied after this many tie-break rounds keep their tokens."""

FORESTS: Final[tuple[Forest, ...]] = tuple(range(2, 13))
"""C2: the eleven forests. Per-forest tuples are indexed by ``forest - 2``."""

FIRST_TOKENS: Final = (2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6)
"""C3: the first-place tokens, ascending; 44 points."""

SECOND_TOKENS: Final = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
"""C3: the second-place tokens, ascending; 12 points."""

_TWO_OF_FIVE: Final = tuple(combinations(range(5), 2))
_FOUR_OF_FIVE: Final = tuple(
    (first, second, tuple({0, 1, 2, 3, 4}.difference(first, second)))
    for first, second in combinations(_TWO_OF_FIVE, 2)
    if not {*first} & {*second}
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seat seals: the forests it plants on, and after a Sequoia the dice as turned.

    ``turned`` is None when no die was turned, whether or not the roll was a Sequoia (R2).
    """

    sums: Sums
    turned: Dice | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """One way to use a roll: its sums and, for each sum, the positions (0 to 4) of its two dice.

    ``spare`` holds the positions left out: one in a round, one, three or five in a tie-break.
    """

    sums: Sums
    pairs: tuple[tuple[int, int], ...]
    spare: tuple[int, ...]


def is_sequoia(dice: Dice) -> bool:
    """Tell whether the five dice are equal (R2)."""
    return len(set(dice)) == 1


def forest_index(forest: Forest) -> int:
    """Give the position of a forest in every per-forest tuple."""
    return forest - FORESTS[0]


def pairings(dice: Dice) -> tuple[Pairing, ...]:
    """List the distinct choices of a round (R3), ascending by their sums; at most 15.

    Equal sums are allowed and mean two trees on one forest (R4). Where several ways give the
    same sums, the first in the order of the dice stands for all of them.

    >>> [p.sums for p in pairings((1, 1, 1, 1, 6))]
    [(2, 2), (2, 7)]
    """
    found: dict[Sums, Pairing] = {}
    for a, b, spare in _FOUR_OF_FIVE:
        low, high = dice[a[0]] + dice[a[1]], dice[b[0]] + dice[b[1]]
        sums, pairs = ((low, high), (a, b)) if low <= high else ((high, low), (b, a))
        if sums not in found:
            found[sums] = Pairing(sums, pairs, spare)
    return tuple(found[sums] for sums in sorted(found))


def placements(dice: Dice, tied: Collection[Forest]) -> tuple[Pairing, ...]:
    """List the distinct choices of a tie-break round (T5), "none" last.

    ``tied`` are the forests in which this player is tied. Two trees go to two different
    forests, by pairs that share no die. The order is: two trees, one tree, none; ascending.

    >>> [p.sums for p in placements((1, 1, 1, 1, 6), {2, 7})]
    [(2, 7), (2,), (7,), ()]
    """
    found: dict[Sums, Pairing] = {}
    for i, j in _TWO_OF_FIVE:
        forest = dice[i] + dice[j]
        if forest in tied:
            spare = tuple(other for other in range(5) if other not in (i, j))
            found.setdefault((forest,), Pairing((forest,), ((i, j),), spare))
    for way in pairings(dice):
        low, high = way.sums
        if low != high and low in tied and high in tied:
            found[way.sums] = way
    order = sorted(found, key=lambda sums: (-len(sums), sums))
    return (*(found[sums] for sums in order), Pairing((), (), (0, 1, 2, 3, 4)))


def turns_for(sums: Sums, face: Die) -> Dice | None:
    """Give five dice that make ``sums``, with as few as possible turned away from ``face``.

    A Sequoia reaches every sum (R2). The answer is None if no die needs to be turned.
    Dice are laid out pair by pair, so it is one way of several.
    """
    dice: list[Die] = []
    for total in sums:
        keeps_one = 1 <= total - face <= 6
        low = face if keeps_one else max(1, total - 6)
        dice += [low, total - low]
    dice += [face] * (5 - len(dice))
    turned: Dice = (dice[0], dice[1], dice[2], dice[3], dice[4])
    return None if set(turned) == {face} else turned
