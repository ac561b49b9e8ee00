"""The whole game, with every secret in it. Only the server and replays hold one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sequoia_rules.public import PublicState
from sequoia_rules.values import MAX_SEATS, Choice, Dice

NOTHING: Final = (None,) * MAX_SEATS
"""No seat has a roll, or a choice."""


@dataclass(frozen=True, slots=True)
class GameState:
    """A game: its open part, and what lies face down or behind somebody's hand.

    ``rolls`` and ``choices`` are indexed by seat and hold None where there is none.
    """

    public: PublicState = field(default_factory=PublicState)
    first_tokens: tuple[int, ...] = ()
    second_tokens: tuple[int, ...] = ()
    rolls: tuple[Dice | None, ...] = NOTHING
    choices: tuple[Choice | None, ...] = NOTHING
