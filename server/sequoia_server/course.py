"""What follows in a room by itself: from what just happened, or from the time.

Pure functions over a room's memory. Each says what has to be settled next; the room settles it,
and asks again until nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sequoia_protocol.room import (
    GameContinued,
    GamePaused,
    HostChanged,
    LeaveReason,
    PersonLeft,
    RoomEvent,
    StandInLeft,
    StandInSeated,
)
from sequoia_rules.values import Seat

from sequoia_server import seating
from sequoia_server.facts import ClockSet
from sequoia_server.memory import RoomMemory
from sequoia_server.settings import Settings
from sequoia_server.table import Settled


def clock_change(memory: RoomMemory, now: float) -> ClockSet | None:
    """Let the game wait while it is paused, or when all have been away for too long."""
    empty_from = memory.people.empty_from
    deserted = empty_from is not None and empty_from <= now
    waits = memory.state.playing and (memory.state.paused or deserted)
    if waits == (memory.clock.stopped is not None):
        return None
    return memory.clock.when_stopped(now) if waits else memory.clock.when_going_on(now)


def due_events(memory: RoomMemory, now: float) -> Sequence[RoomEvent]:
    """Give the room's own events that are due, those of the first kind that has any."""
    for kind in (_gone, _host, _pause, _stand_ins):
        events = tuple(kind(memory, now))
        if events:
            return events
    return ()


def rematch_is_due(memory: RoomMemory) -> bool:
    """Tell whether every seated person is ready for the next game of the evening."""
    return (
        memory.table.has_finished_a_game
        and not memory.state.playing
        and bool(memory.people.linked)
        and seating.everybody_is_ready(memory.state)
    )


def next_move(memory: RoomMemory, now: float) -> Settled:
    """Give what the dealer, a bot or the clock does next in the game; nothing while it waits."""
    if not memory.state.playing or memory.clock.stopped is not None:
        return Settled()
    bots = bot_seats(memory)
    settled = memory.table.deal_if_due(bots, now)
    if not settled.events:
        settled = memory.table.play_due(bots, now)
    if not settled.events:
        closes = round_closes(memory)
        if closes is not None and closes <= now:
            settled = memory.table.close()
    return settled


def next_deadline(memory: RoomMemory, settings: Settings, now: float) -> float:
    """Tell when something will be due, unless something else happens first."""
    deadlines = [expiry(memory, settings)]
    grace = memory.people.next_grace(now)
    if grace is not None:
        deadlines.append(grace)
    if memory.state.playing and memory.clock.stopped is None:
        times = (memory.table.next_moment, round_closes(memory), memory.people.empty_from)
        deadlines += [time for time in times if time is not None]
    return min(deadlines)


def expiry(memory: RoomMemory, settings: Settings) -> float:
    """Tell when the room is over, if nobody comes."""
    empty_since = memory.people.empty_since
    if empty_since is None:
        return float("inf")
    unfinished = memory.state.playing and len(memory.people) > 0
    return empty_since + (
        settings.unfinished_game_lifetime if unfinished else settings.empty_room_lifetime
    )


def round_closes(memory: RoomMemory) -> float | None:
    """Tell when the round on the table is closed; None if that is not a matter of time."""
    return memory.clock.closes if memory.table.awaited else None


def bot_seats(memory: RoomMemory) -> tuple[Seat, ...]:
    """Give the seats for which a bot chooses now."""
    return (*memory.state.bot_seats, *memory.state.stand_in_seats)


def _gone(memory: RoomMemory, now: float) -> Iterator[RoomEvent]:
    """Put out who has been away for too long and does not play; the last person stays."""
    gone = [p for p in memory.people.gone(now) if not seating.is_playing(memory.state, p)]
    for person in gone[: len(memory.people) - 1]:
        yield PersonLeft(person, LeaveReason.GONE)


def _host(memory: RoomMemory, now: float) -> Iterator[RoomEvent]:
    """See that somebody who is there can start, once the host is gone."""
    state = memory.state
    if state.host is not None and not memory.people.is_gone(state.host, now):
        return
    heirs = sorted(memory.people.linked, key=lambda p: (state.seat_of(p) is None, p))
    if heirs:
        yield HostChanged(heirs[0])


def _pause(memory: RoomMemory, now: float) -> Iterator[RoomEvent]:
    """Pause once all players who are there want it; go on when no player is left to say so."""
    del now
    if not memory.state.playing:
        return
    players = {p.person for p in memory.state.players if p.person is not None}
    there = players & memory.people.linked
    if memory.state.paused:
        if not players:
            yield GameContinued(0)
    elif there and there <= set(memory.state.pause_wanted):
        yield GamePaused()


def _stand_ins(memory: RoomMemory, now: float) -> Iterator[RoomEvent]:
    """Let a bot stand in for a player who is gone, and go as soon as the player is back."""
    if not memory.state.playing:
        return
    people, waits = memory.people, memory.clock.stopped is not None
    for player in memory.state.players:
        if player.person is None:
            continue
        if player.stand_in and player.person in people.linked:
            yield StandInLeft(player.seat)
        elif not player.stand_in and not waits and people.is_gone(player.person, now):
            yield StandInSeated(player.seat)
