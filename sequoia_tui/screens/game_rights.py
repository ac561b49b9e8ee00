"""What a table allows besides choosing: the rematch, and giving an absent player's seat away."""

from __future__ import annotations

from typing import Final

from sequoia_rules.phases import Phase
from sequoia_rules.values import MIN_PLAYERS

from sequoia_tui.link import Table
from sequoia_tui.widgets.facts import Cast, Who, online

HAND_OVER_AFTER: Final = 30.0
"""Seconds a person has to be away before their seat may go to a bot."""


def over(table: Table) -> bool:
    """Tell whether the game has ended."""
    game = table.view.game
    return game is not None and game.public.phase is Phase.OVER


def ready(table: Table) -> bool:
    """Tell whether the viewer has accepted another game."""
    view = table.view
    seated = None if view.seat is None else view.room.seats[view.seat]
    return seated is not None and seated.ready


def can_start(table: Table) -> bool:
    """Tell whether the viewer can start another game now."""
    view = table.view
    enough = len(view.room.ready_seats) >= MIN_PLAYERS
    return over(table) and view.is_host and enough and online(table)


def to_hand_over(table: Table, people: Cast, now: float) -> Who | None:
    """Find the first player whose seat may go to a bot now, by the viewer's wish.

    The host's wish, or anybody's while the host is away. ``now`` is monotonic time.
    """
    view = table.view
    host_away = view.room.host is None or view.room.host in table.away
    if over(table) or not view.room.playing or not (view.is_host or host_away):
        return None
    if not online(table):
        return None
    for who in people:
        since = None if who.person is None else table.away.get(who.person)
        if since is not None and now - since >= HAND_OVER_AFTER:
            return who
    return None


def until_hand_over(table: Table, now: float) -> float | None:
    """Give the seconds until the next absent player has been away long enough."""
    waits = [since + HAND_OVER_AFTER - now for since in table.away.values()]
    return min((wait for wait in waits if wait > 0), default=None)
