"""What a table allows besides choosing: the rematch and the pause; when a stand-in comes."""

from __future__ import annotations

from math import ceil
from typing import Final

from sequoia_rules.phases import Phase
from sequoia_rules.values import MIN_PLAYERS

from sequoia_tui.link import Table
from sequoia_tui.widgets.facts import Cast, Who, held, online

GRACE: Final = 30.0
"""Seconds for which a server waits for an absent player before a bot stands in."""

_STEP: Final = 5


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


def can_pause(table: Table) -> bool:
    """Tell whether the viewer can ask for a pause, take that back, or end one."""
    return _plays(table) and online(table)


def wants_pause(table: Table) -> bool:
    """Tell whether the viewer has asked for a pause."""
    return table.view.you in table.view.room.pause_wanted


def pause_label(table: Table) -> str:
    """Say what the pause key does now."""
    room = table.view.room
    if room.paused:
        return "go on"
    if wants_pause(table):
        return "no pause"
    return "agree" if room.pause_wanted else "pause"


def next_stand_in(table: Table, people: Cast, now: float) -> tuple[Who, float] | None:
    """Find the player for whom a bot chooses next, and the seconds until it comes.

    Only players who still have to choose count. ``now`` is monotonic time; None while nobody is
    waited for, or the table stands still.
    """
    game = table.view.game
    if game is None or not online(table) or held(table) is not None:
        return None
    away = [
        (max(0.0, table.away[who.person] + GRACE - now), who)
        for who in people.of(game.public.awaited)
        if who.person in table.away and not who.stand_in and who.person is not None
    ]
    if not away:
        return None
    left, who = min(away, key=lambda pair: pair[0])
    return who, left


def within(left: float) -> int:
    """Round the seconds until a stand-in comes up, so that the screen seldom changes."""
    return max(1, ceil(left / _STEP)) * _STEP


def _plays(table: Table) -> bool:
    view = table.view
    playing = view.room.playing and view.game is not None and view.game.viewer is not None
    return playing and view.seat is not None and not over(table)
