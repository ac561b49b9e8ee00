"""The phases of a game and every transition between them, as one table.

A game waits in ``SETUP`` for its tokens and in ``DEALING``, ``REVEALED`` and ``SCORED`` for the
dealer's next roll; in ``CHOOSING`` and ``TIEBREAK`` it waits for its players. The last choice of
a deal reveals at once, and the reveal that ends round 10 or a tie-break round is scored at once,
so a reveal after round 10 is never where a game rests. Nothing else changes a phase.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from sequoia_rules.events import (
    ChosenSeen,
    DealtSeen,
    Ended,
    GameStartedSeen,
    Revealed,
    Scored,
    SeenEvent,
    TakenBack,
)


class Phase(StrEnum):
    """Where a game stands."""

    SETUP = "setup"
    DEALING = "dealing"
    CHOOSING = "choosing"
    REVEALED = "revealed"
    TIEBREAK = "tiebreak"
    TIEBREAK_REVEALED = "tiebreak_revealed"
    SCORED = "scored"
    OVER = "over"


TRANSITIONS: Final[Mapping[tuple[Phase, type[SeenEvent]], Phase]] = MappingProxyType(
    {
        (Phase.SETUP, GameStartedSeen): Phase.DEALING,
        (Phase.DEALING, DealtSeen): Phase.CHOOSING,
        (Phase.CHOOSING, ChosenSeen): Phase.CHOOSING,
        (Phase.CHOOSING, TakenBack): Phase.CHOOSING,
        (Phase.CHOOSING, Revealed): Phase.REVEALED,
        (Phase.REVEALED, DealtSeen): Phase.CHOOSING,
        (Phase.REVEALED, Scored): Phase.SCORED,
        (Phase.SCORED, DealtSeen): Phase.TIEBREAK,
        (Phase.TIEBREAK, ChosenSeen): Phase.TIEBREAK,
        (Phase.TIEBREAK, TakenBack): Phase.TIEBREAK,
        (Phase.TIEBREAK, Revealed): Phase.TIEBREAK_REVEALED,
        (Phase.TIEBREAK_REVEALED, Scored): Phase.SCORED,
        (Phase.SCORED, Ended): Phase.OVER,
    }
)

CHOICE_PHASES: Final = frozenset({Phase.CHOOSING, Phase.TIEBREAK})
"""Where the players are asked."""


def next_phase(phase: Phase, event: SeenEvent) -> Phase:
    """Look the transition up.

    Raises:
        ValueError: this event cannot happen in this phase; whoever made it is broken.
    """
    try:
        return TRANSITIONS[phase, type(event)]
    except KeyError:
        raise ValueError(f"{type(event).__name__} cannot happen in phase {phase}") from None
