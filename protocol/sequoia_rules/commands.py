"""What can be asked of a game: by the dealer, who brings the randomness, and by the seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sequoia_rules.values import Dice, Seat, Sums


@dataclass(frozen=True, slots=True)
class StartGame:
    """The dealer's: begin with these seats and with the tokens as they were shuffled (S1).

    ``first_tokens`` and ``second_tokens`` lie on forests 2 to 12 in this order. ``deal`` is the
    number of the last deal in this room, so that numbers grow from one game to the next.
    """

    seats: tuple[Seat, ...]
    first_tokens: tuple[int, ...]
    second_tokens: tuple[int, ...]
    deal: int = 0


@dataclass(frozen=True, slots=True)
class Deal:
    """The dealer's: the dice of every seat that rolls now, by ascending seat (R1, T5)."""

    rolls: tuple[tuple[Seat, Dice], ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """Seal a choice (R3, T5). ``sums`` ascend; ``turned`` are the dice as turned (R2)."""

    seat: Seat
    sums: Sums
    turned: Dice | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the sealed choice back while others still choose (R5)."""

    seat: Seat


SeatCommand: TypeAlias = Choose | TakeBack
Command: TypeAlias = StartGame | Deal | SeatCommand
