"""Who wins a forest, who is tied there, and who wins the game (T1 to T6, F1, F2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sequoia_rules.values import Seat


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the trees on one forest decide.

    ``tied`` are the seats of a tie-break, ascending, and empty if there is none; they are tied
    for both tokens if ``tied_for_first``, else for the second alone.
    """

    first: Seat | None = None
    second: Seat | None = None
    tied: tuple[Seat, ...] = ()
    tied_for_first: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the final table: the place, shared by equal points (F2)."""

    place: int
    seat: Seat
    points: int


def settle(trees: Sequence[int], *, first_open: bool) -> Settlement:
    """Score one forest by its trees, indexed by seat (T1 to T4, T6).

    Only seats with a tree there can win anything (T2). With ``first_open`` false the
    first-place token is gone, and the most trees win the second.

    >>> settle([3, 2, 2], first_open=True)
    Settlement(first=0, second=None, tied=(1, 2), tied_for_first=False)
    """
    first: Seat | None = None
    rivals = _leaders(trees, range(len(trees)))
    if first_open:
        if len(rivals) != 1:
            return Settlement(tied=rivals, tied_for_first=bool(rivals))
        first = rivals[0]
        rivals = _leaders(trees, (seat for seat in range(len(trees)) if seat != first))
    if len(rivals) > 1:
        return Settlement(first, None, rivals, tied_for_first=False)
    return Settlement(first, rivals[0] if rivals else None)


def standings(points: Mapping[Seat, int]) -> tuple[Standing, ...]:
    """Rank the seats by points, best first; equal points share a place, the next is skipped (F2).

    >>> [(s.place, s.seat) for s in standings({0: 9, 1: 12, 2: 12})]
    [(1, 1), (1, 2), (3, 0)]
    """
    order = sorted(points, key=lambda seat: (-points[seat], seat))
    return tuple(
        Standing(1 + sum(other > points[seat] for other in points.values()), seat, points[seat])
        for seat in order
    )


def _leaders(trees: Sequence[int], among: Iterable[Seat]) -> tuple[Seat, ...]:
    seats = [seat for seat in among if trees[seat] > 0]
    most = max((trees[seat] for seat in seats), default=0)
    return tuple(seat for seat in seats if trees[seat] == most)
