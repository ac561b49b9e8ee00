"""What a player sets out to do, from home or from the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sequoia_tui.address import Address
from sequoia_tui.seats import KeptSeat


@dataclass(frozen=True, slots=True)
class PlaySolo:
    """A game against bots, at once."""

    bots: int


@dataclass(frozen=True, slots=True)
class HostTable:
    """A room on this machine, open to the network."""


@dataclass(frozen=True, slots=True)
class GoToServer:
    """A server: its rooms, or right into the one with this code."""

    address: Address
    code: str = ""
    watch: bool = False


@dataclass(frozen=True, slots=True)
class ReturnToGame:
    """The game in which a seat is kept."""

    kept: KeptSeat


Plan: TypeAlias = PlaySolo | HostTable | GoToServer | ReturnToGame
