"""The whole game, with every secret in it. Only the server and replays hold one."""

from __future__ import annotations

from dataclasses import dataclass, field

from sequoia_rules.public import PublicState
from sequoia_rules.values import MAX_SEATS, Choice, Dice


@dataclass(frozen=True, slots=True)
class GameState:
    """A game: its open part, and what lies face down or behind somebody's hand.

    ``rolls`` and ``choices`` are indexed by seat and hold None where there is none.
    """

    public: PublicState = field(default_factory=PublicState)
    first_tokens: tuple[int, ...] = ()
    second_tokens: tuple[int, ...] = ()
    rolls: tuple[Dice | None, ...] = (None,) * MAX_SEATS
    choices: tuple[Choice | None, ...] = (None,) * MAX_SEATS
