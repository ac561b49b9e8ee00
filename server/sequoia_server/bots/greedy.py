"""A bot that plants where a tree adds the most now.

A forest is worth what its tokens are expected to bring: 4 points for the first place, 12/11 for
the second. How likely each place is follows from the trees that lie between the seat and each
rival: level with a rival is a chance of one half, and a lead is safer the fewer rounds are left
to lose it in.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Final

from sequoia_rules.commands import Choose
from sequoia_rules.game import choices_for
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.values import FIRST_TOKENS, FORESTS, ROUNDS, SECOND_TOKENS, Forest, Seat, Sums
from sequoia_rules.view import GameView

FIRST: Final = sum(FIRST_TOKENS) / len(FORESTS)
"""What a first-place token is worth while it lies face down."""

SECOND: Final = sum(SECOND_TOKENS) / len(FORESTS)
"""What a second-place token is worth."""


def choose(view: GameView, rng: random.Random) -> Choose:
    """Choose for the viewer's seat; ``rng`` decides between choices of equal worth.

    Raises:
        ValueError: the viewer is not asked.
    """
    seat, dice = view.viewer, view.dice
    if seat is None or dice is None:
        raise ValueError("a bot can choose only for a seat that has a roll")
    gains = {
        choice: _gain(view.public, seat, choice.sums)
        for choice in choices_for(view.public, seat, dice)
    }
    best = max(gains.values())
    choice = rng.choice([choice for choice, gain in gains.items() if math.isclose(gain, best)])
    return Choose(seat, choice.sums, choice.turned)


def _gain(public: PublicState, seat: Seat, sums: Sums) -> float:
    """Give what the trees of a choice add to the worth of their forests."""
    return sum(
        _worth(public, seat, forest, trees) - _worth(public, seat, forest, 0)
        for forest, trees in Counter(sums).items()
    )


def _worth(public: PublicState, seat: Seat, forest: Forest, more: int) -> float:
    """Give the points to be expected of a forest with some more trees of the seat on it."""
    row = public.row(forest)
    own = row[seat] + more
    if own == 0:
        return 0.0
    tie = public.tie_at(forest)
    rivals = public.seats if tie is None else tie.seats
    looseness = 0.4 + 0.3 * math.sqrt(ROUNDS - public.round)
    ahead = [
        1 / (1 + math.exp((row[rival] - own) / looseness)) for rival in rivals if rival != seat
    ]
    first = math.prod(ahead)
    second = sum(first / chance * (1 - chance) for chance in ahead)
    if public.phase is Phase.TIEBREAK and tie is not None and not tie.for_first:
        return SECOND * first
    return FIRST * first + SECOND * second
