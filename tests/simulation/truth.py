"""What is true of a room, told apart from the server by its events alone, and what must hold.

Every turn of a room is followed here a second time. A broken promise raises
:class:`~tests.simulation.board.Broken`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from sequoia_protocol.messages import ChoosePairs, Kick, LeaveRoom, Request
from sequoia_protocol.room import (
    BotSeated,
    ClockChosen,
    GameContinued,
    GamePaused,
    LeaveReason,
    PersonLeft,
    RoomEvent,
    RoomState,
    RoomView,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    advance,
)
from sequoia_rules.events import (
    Chosen,
    Dealt,
    Ended,
    Event,
    GameStarted,
    Revealed,
    Scored,
    TakenBack,
)
from sequoia_rules.game import evolve, forced_none, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.record import Chooser, GameRecord
from sequoia_rules.state import GameState
from sequoia_rules.values import Choice, Seat
from sequoia_rules.view import redact, view_for
from sequoia_server.facts import AnyEvent, Entry

from tests.simulation.board import broken, check_points, check_tokens, check_trees

CLOSES_AFTER = 0.3
"""Seconds from the zero on the screens to the end of the round, by the contract."""

TOLERANCE = 1.6
"""Seconds by which a round may close late: the server may notice a gap only after a second."""


@dataclass(frozen=True, slots=True)
class RoundTime:
    """How the clock of a room should stand, in the server's seconds.

    ``zero`` is when the screens show zero, ``stopped`` since when it stands still. The links of
    all people are down since ``empty_since``. Nobody's absence counts before ``counts_from``.
    """

    zero: float | None = None
    stopped: float | None = None
    empty_since: float | None = 0.0
    counts_from: float = 0.0
    woken: bool = False

    def holds_from(self, grace: float) -> float:
        """Tell when the game begins to wait: after the grace, after a restart at once."""
        if self.empty_since is None:
            return float("inf")
        return self.empty_since + (0.0 if self.woken else grace)


@dataclass(frozen=True, slots=True)
class RoomTruth:
    """A room as its events tell it, with every secret. Immutable, so that a crash can go back."""

    state: RoomState
    number: int = 0
    game: GameState | None = None
    covered: frozenset[Seat] = frozenset()
    sealed: tuple[tuple[Seat, Choice, Chooser], ...] = ()
    events: tuple[Event, ...] = ()
    choosers: tuple[Chooser, ...] = ()
    bots: frozenset[Seat] = frozenset()
    time: RoundTime = RoundTime()

    @property
    def public(self) -> PublicState | None:
        return None if self.game is None else self.game.public

    def view(self, person: int) -> RoomView:
        """Give what a person must see now."""
        seat = next((p.seat for p in self.state.players if p.person == person), None)
        game = None if self.game is None else view_for(self.game, seat)
        if game is not None and seat in self.covered:
            game = replace(game, dice=None, choice=None)
        return RoomView(person, self.number, self.state, game)


@dataclass(frozen=True, slots=True)
class Cause:
    """What led to a turn: whose command, if it was one, and what else is known of the moment.

    ``at`` is the server's clock. ``linked`` are the persons whose link is up after the turn,
    ``away_since`` has since when the others are away.
    """

    at: float
    person: int | None
    request: Request | None
    linked: Collection[int]
    grace: float
    away_since: Mapping[int, float]


def follow(truth: RoomTruth, entries: Sequence[Entry], cause: Cause) -> list[RoomTruth]:
    """Follow a turn: give the truth after each of its events, the last with the clock set.

    Raises:
        Broken: something in it must not be.
    """
    time = truth.time
    waits_from = time.holds_from(cause.grace)
    if truth.state.playing and time.stopped is None and waits_from <= cause.at:
        if cause.at - waits_from > TOLERANCE:
            time = replace(time, stopped=waits_from)
        elif not cause.linked:
            # A process that was suspended may see to it a little later.
            time = replace(time, stopped=cause.at)
        truth = replace(truth, time=time)
    if time.empty_since is not None and cause.linked:
        truth = replace(truth, time=replace(time, counts_from=cause.at, woken=False))
    if cause.linked and not truth.state.paused:
        # The game goes on as soon as somebody is back, and bots may move in the same turn.
        truth = replace(truth, time=_going_on(truth.time, cause.at))
    history = []
    for index, entry in enumerate(entries):
        if entry.number != truth.number + 1:
            broken("gapless numbers", f"event {entry.number} follows {truth.number}")
        rest = [later.event for later in entries[index + 1 :]]
        if isinstance(entry.event, RoomEvent):
            truth = _room_event(truth, entry.event, cause, rest)
        else:
            truth = _game_event(truth, entry.event, entry.by, cause)
        history.append(truth)
    truth = replace(truth, time=_after(truth, cause))
    if history:
        history[-1] = truth
    else:
        history.append(truth)
    _check_late(truth, cause)
    return history


def _after(truth: RoomTruth, cause: Cause) -> RoundTime:
    """Set the clock once a turn is over: does it stand still, and since when is nobody there?"""
    time = truth.time
    if cause.linked:
        time = replace(time, woken=False)
    empty = time.empty_since
    if cause.linked:
        empty = None
    elif empty is None:
        empty = cause.at
    deserted = not cause.linked and time.holds_from(cause.grace) <= cause.at
    held = not cause.linked and time.stopped is not None and not truth.state.paused
    waits = truth.state.playing and (truth.state.paused or deserted or held)
    time = replace(time, empty_since=empty)
    if waits and time.stopped is None:
        return replace(time, stopped=cause.at)
    return time if waits else _going_on(time, cause.at)


def _going_on(time: RoundTime, at: float) -> RoundTime:
    """Let the clock run again, if it stands: what was left is left."""
    if time.stopped is None:
        return time
    zero = None if time.zero is None else time.zero + at - time.stopped
    return replace(time, zero=zero, stopped=None, counts_from=at)


def _check_late(truth: RoomTruth, cause: Cause) -> None:
    time = truth.time
    if time.zero is None or time.stopped is not None or not awaited(truth):
        return
    if cause.at > time.zero + CLOSES_AFTER + TOLERANCE:
        late = cause.at - time.zero
        broken("a round is closed in time", f"it still goes on {late:.3f} s after the zero")


def awaited(truth: RoomTruth) -> tuple[Seat, ...]:
    return () if truth.game is None else truth.game.public.awaited


# Events of the room


def _room_event(
    truth: RoomTruth, event: RoomEvent, cause: Cause, rest: Sequence[AnyEvent]
) -> RoomTruth:
    before = truth.state
    state = advance(before, event)
    covered = truth.covered
    match event:
        case PersonLeft(person, reason):
            _check_leaving(truth, person, reason, cause)
        case SeatTaken(seat) if before.playing:
            seated = before.seats[seat]
            if seated is None or seated.person is not None:
                broken("a seat stays its person's", f"seat {seat} is taken in a game")
            if truth.public is not None and seat in truth.public.rolling:
                covered |= {seat}
        case BotSeated(seat) if before.playing and (player := before.player(seat)) is not None:
            covered -= {seat}
            left = [later.person for later in rest if isinstance(later, PersonLeft)]
            if player.person is not None and player.person not in left:
                broken("a seat stays its person's", f"a bot is seated on seat {seat}")
        case StandInSeated(seat):
            _check_stand_in(truth, seat, cause)
        case StandInLeft(seat):
            player = before.player(seat)
            if player is None or player.person not in cause.linked:
                broken("a stand-in stays until its person is back", f"seat {seat}")
        case GamePaused():
            players = {p.person for p in before.players if p.person is not None}
            there = players & set(cause.linked)
            if not there or not there <= set(before.pause_wanted):
                broken("a pause is by common consent", f"{there} of {before.pause_wanted}")
        case ClockChosen() if before.playing:
            broken("the clock is chosen between games", "a game runs")
        case _:
            pass
    truth = replace(truth, state=state, number=truth.number + 1, covered=covered)
    time = truth.time
    if isinstance(event, GamePaused) and time.stopped is None:
        return replace(truth, time=replace(time, stopped=cause.at))
    if isinstance(event, GameContinued):
        time = replace(time, counts_from=cause.at)
        return replace(truth, time=_going_on(time, cause.at) if cause.linked else time)
    return truth


def _is_gone(truth: RoomTruth, person: int | None, cause: Cause) -> bool:
    """Tell whether somebody is away for longer than the grace, of the time that counts."""
    since = None if person is None else cause.away_since.get(person)
    if since is None or person in cause.linked:
        return False
    return cause.at - max(since, truth.time.counts_from) >= cause.grace - 0.01


def _check_leaving(truth: RoomTruth, person: int, reason: LeaveReason, cause: Cause) -> None:
    state = truth.state
    match reason:
        case LeaveReason.LEFT:
            fine = isinstance(cause.request, LeaveRoom) and cause.person == person
        case LeaveReason.KICKED:
            fine = cause.request == Kick(person) and cause.person == state.host
        case LeaveReason.GONE:
            plays = state.playing and any(p.person == person for p in state.players)
            fine = _is_gone(truth, person, cause) and not plays
        case _:
            assert_never(reason)
    if not fine:
        broken("a seat stays its person's", f"person {person} is out: {reason}")


def _check_stand_in(truth: RoomTruth, seat: Seat, cause: Cause) -> None:
    player = truth.state.player(seat)
    person = None if player is None else player.person
    if truth.state.paused or not _is_gone(truth, person, cause):
        broken("a stand-in comes after the grace", f"seat {seat}")


# Events of the game


def _game_event(truth: RoomTruth, event: Event, by: Chooser | None, cause: Cause) -> RoomTruth:
    before = new_game() if isinstance(event, GameStarted) else truth.game
    if before is None:
        broken("a game is started first", type(event).__name__)
    if isinstance(event, Chosen):
        _check_chooser(truth, before, event, by, cause)
    game = evolve(before, event)
    state = advance(truth.state, redact(event, None))
    events = (event,) if isinstance(event, GameStarted) else (*truth.events, event)
    truth = replace(truth, state=state, number=truth.number + 1, game=game, events=events)
    match event:
        case GameStarted():
            bots = frozenset(player.seat for player in state.players if player.person is None)
            return replace(truth, choosers=(), bots=bots, covered=frozenset(), sealed=())
        case Dealt():
            seconds = state.settings.clock
            time = replace(truth.time, zero=cause.at + seconds if seconds else None)
            return replace(truth, covered=frozenset(), sealed=(), time=time)
        case Chosen(seat, choice):
            assert by is not None
            others = tuple(sealed for sealed in truth.sealed if sealed[0] != seat)
            return replace(
                truth,
                sealed=(*others, (seat, choice, by)),
                choosers=(*truth.choosers, by),
            )
        case TakenBack(seat):
            if not _is_command_of(truth, seat, cause):
                broken("only a person takes a choice back", f"seat {seat}")
        case Revealed():
            check_trees(game.public)
            return replace(truth, time=replace(truth.time, zero=None))
        case Scored():
            check_tokens(before.public, game.public)
        case Ended():
            check_points(game)
            return replace(truth, time=replace(truth.time, zero=None))
    return truth


def _is_command_of(truth: RoomTruth, seat: Seat, cause: Cause) -> bool:
    player = truth.state.player(seat)
    return player is not None and cause.person is not None and player.person == cause.person


def _check_chooser(
    truth: RoomTruth, game: GameState, event: Chosen, by: Chooser | None, cause: Cause
) -> None:
    """See that who chose is who could, at a time when they could."""
    seat = event.seat
    player = truth.state.player(seat)
    if player is None:
        broken("who plays chooses", f"seat {seat}")
    own = isinstance(cause.request, ChoosePairs) and _is_command_of(truth, seat, cause)
    if own and by is Chooser.PERSON:
        # Else the turn of a refused command is the one in which something else fell due.
        if truth.state.paused or truth.time.stopped is not None:
            broken("nothing is chosen while the game waits", f"seat {seat}")
        return
    if truth.time.stopped is not None:
        broken("nothing is chosen while the game waits", f"seat {seat} by {by}")
    kind = Chooser.BOT if seat in truth.bots else Chooser.STAND_IN
    sealed = next((s for s in truth.sealed if s[0] == seat), None)
    zero = truth.time.zero
    bot = player.person is None or player.stand_in or seat in truth.covered
    closing = zero is not None and cause.at >= zero + CLOSES_AFTER - 0.01
    dice = game.rolls[seat]
    assert dice is not None
    forced = forced_none(game.public, seat, dice) and event.choice.sums == ()
    if closing and sealed is not None and seat not in truth.covered and not bot:
        if (event.choice, by) != sealed[1:] and not (forced and by is Chooser.RULE):
            broken("the last sealed choice counts at the deadline", f"seat {seat}")
    elif bot:
        same = closing and sealed is not None and (event.choice, by) == sealed[1:]
        if by is not kind and not same:
            broken("a record names who chose", f"a bot for seat {seat}, and it says {by}")
    elif forced and by is Chooser.RULE:
        pass
    elif not closing:
        since = "there is no clock" if zero is None else f"{zero - cause.at:.3f} s are left"
        broken("nobody is chosen for before the deadline", f"seat {seat} by {by}: {since}")
    elif by is not kind:
        broken("a record names who chose", f"seat {seat} was late, and it says {by}")


def check_finished(truth: RoomTruth, record: GameRecord | None) -> None:
    """See that the record that is kept tells of the game that was played."""
    if record is None:
        broken("a finished game is recorded", "there is no record")
    if record.events != truth.events:
        broken("a finished game is recorded", "its events are others")
    if record.choosers != truth.choosers:
        broken("a record names who chose", f"{record.choosers} and {truth.choosers}")
    if truth.public is None or truth.public.phase is not Phase.OVER:
        broken("a finished game is recorded", "it is not over")
