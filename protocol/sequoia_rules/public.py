"""What everybody at the table sees of a game, and how a seen event changes it.

Both the full state and every view hold a :class:`PublicState`, and both let :func:`advance`
change it, so that a player's picture cannot drift away from the server's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from sequoia_rules.events import (
    ChosenSeen,
    DealtSeen,
    Ended,
    GameStartedSeen,
    Revealed,
    Scored,
    SeenEvent,
    TakenBack,
    Tie,
)
from sequoia_rules.phases import CHOICE_PHASES, Phase, next_phase
from sequoia_rules.values import (
    FORESTS,
    MAX_SEATS,
    ROUNDS,
    TREES,
    Forest,
    Seat,
    Sums,
    forest_index,
)

Row: TypeAlias = tuple[int, ...]
"""Trees on one forest, indexed by seat (always five)."""

Owners: TypeAlias = tuple[Seat | None, ...]
"""For forests 2 to 12, the seat that won the token, or None."""

NOBODY: Owners = (None,) * len(FORESTS)


@dataclass(frozen=True, slots=True)
class PublicState:
    """The open part of a game. Every value is what the whole table knows.

    ``round`` is 0 before the first roll and stays 10 through the tie-breaks, which ``tiebreak``
    counts. ``seats`` play this game, ``rolling`` have a roll in the current deal, ``chosen`` of
    those have sealed, ``sequoias`` have called one. ``revealed`` is what the last reveal
    planted. ``first_tokens`` and ``second_tokens`` are None until the count; then ``points``,
    by ascending seat, are known as well.
    """

    phase: Phase = Phase.SETUP
    seats: tuple[Seat, ...] = ()
    round: int = 0
    tiebreak: int = 0
    deal: int = 0
    rolling: tuple[Seat, ...] = ()
    chosen: tuple[Seat, ...] = ()
    sequoias: tuple[Seat, ...] = ()
    trees: tuple[Row, ...] = ((0,) * MAX_SEATS,) * len(FORESTS)
    first_owners: Owners = NOBODY
    second_owners: Owners = NOBODY
    ties: tuple[Tie, ...] = ()
    revealed: tuple[tuple[Seat, Sums], ...] = ()
    first_tokens: tuple[int, ...] | None = None
    second_tokens: tuple[int, ...] | None = None
    points: tuple[tuple[Seat, int], ...] | None = None

    def row(self, forest: Forest) -> Row:
        """Give the trees on a forest, indexed by seat."""
        return self.trees[forest_index(forest)]

    def supply(self, seat: Seat) -> int:
        """Count the trees that a seat has not placed yet; 0 in tie-breaks (T7)."""
        placed = self.round - (self.phase is Phase.CHOOSING)
        return TREES - 2 * placed if seat in self.seats else 0

    def tied_forests(self, seat: Seat) -> tuple[Forest, ...]:
        """List the open forests in which a seat is tied, ascending."""
        return tuple(tie.forest for tie in self.ties if seat in tie.seats)

    def tie_at(self, forest: Forest) -> Tie | None:
        """Give the open tie of a forest, if there is one."""
        return next((tie for tie in self.ties if tie.forest == forest), None)

    @property
    def tied_seats(self) -> tuple[Seat, ...]:
        """Seats that are tied somewhere, ascending: those that roll in a tie-break (T5)."""
        return tuple(sorted({seat for tie in self.ties for seat in tie.seats}))

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Seats that have a roll and have not sealed a choice."""
        if self.phase not in CHOICE_PHASES:
            return ()
        return tuple(seat for seat in self.rolling if seat not in self.chosen)

    @property
    def next_to_roll(self) -> tuple[Seat, ...]:
        """Seats for which the dealer has to roll now; empty while no deal is due."""
        if self.phase is Phase.DEALING or (self.phase is Phase.REVEALED and self.round < ROUNDS):
            return self.seats
        return self.tied_seats if self.phase is Phase.SCORED else ()


def advance(state: PublicState, event: SeenEvent) -> PublicState:
    """Apply what everybody sees of an event.

    Raises:
        ValueError: the event cannot follow here (see :mod:`sequoia_rules.phases`).
    """
    phase = next_phase(state.phase, event)
    match event:
        case GameStartedSeen(seats, deal):
            return PublicState(phase=phase, seats=seats, deal=deal)
        case DealtSeen(deal, seats, sequoias):
            tiebreak = phase is Phase.TIEBREAK
            return replace(
                state,
                phase=phase,
                deal=deal,
                round=state.round + (not tiebreak),
                tiebreak=state.tiebreak + tiebreak,
                rolling=seats,
                chosen=(),
                sequoias=sequoias,
            )
        case ChosenSeen(seat):
            return replace(state, phase=phase, chosen=tuple(sorted({*state.chosen, seat})))
        case TakenBack(seat):
            chosen = tuple(other for other in state.chosen if other != seat)
            return replace(state, phase=phase, chosen=chosen)
        case Revealed(sums):
            return replace(
                state,
                phase=phase,
                trees=_planted(state.trees, sums),
                revealed=sums,
                rolling=(),
                chosen=(),
                sequoias=(),
            )
        case Scored(awards, ties):
            owners = [list(state.first_owners), list(state.second_owners)]
            for award in awards:
                owners[award.place - 1][forest_index(award.forest)] = award.seat
            return replace(
                state,
                phase=phase,
                first_owners=tuple(owners[0]),
                second_owners=tuple(owners[1]),
                ties=ties,
                trees=_cleared(state.trees, ties),
            )
        case Ended(first_tokens, second_tokens, points):
            return replace(
                state,
                phase=phase,
                first_tokens=first_tokens,
                second_tokens=second_tokens,
                points=points,
            )


def _planted(trees: tuple[Row, ...], sums: tuple[tuple[Seat, Sums], ...]) -> tuple[Row, ...]:
    grid = [list(row) for row in trees]
    for seat, forests in sums:
        for forest in forests:
            grid[forest_index(forest)][seat] += 1
    return tuple(tuple(row) for row in grid)


def _cleared(trees: tuple[Row, ...], ties: tuple[Tie, ...]) -> tuple[Row, ...]:
    """Take every tree but those of the tied seats off the open forests (T3, T4)."""
    grid = list(trees)
    for tie in ties:
        index = forest_index(tie.forest)
        row = trees[index]
        grid[index] = tuple(count if seat in tie.seats else 0 for seat, count in enumerate(row))
    return tuple(grid)
