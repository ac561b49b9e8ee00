"""What goes wrong in a world, when, and to whom; and how often each fault met each phase."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sequoia_rules.events import GameStarted, Revealed, Scored
from sequoia_rules.phases import Phase

from tests.simulation.people import Human, Plan

if TYPE_CHECKING:
    from tests.simulation.world import World


class Fault(StrEnum):
    """Everything that can go wrong."""

    CUT = "cut"
    CUT_BEFORE = "cut before a message"
    CUT_AFTER = "cut after a message"
    LATE = "old bytes after a new link"
    HALF_OPEN = "half-open link"
    DUPLICATE = "duplicate"
    LAG = "lag"
    AWAY = "away past the grace"
    ALL_AWAY = "everybody away"
    DEATH = "client killed"
    LOST_KEY = "key lost in rotation"
    SECOND_LINK = "second link"
    CRASH = "server killed"
    SHUTDOWN = "server stopped"
    SUSPEND = "server suspended"
    FULL = "disk full"


class Moment(StrEnum):
    """Where a room stands when a fault meets it.

    Between two turns a game only rests where its players are asked. In the other phases of the
    rules it is while what led there is on its way to the disk, and nobody knows of it yet.
    """

    LOBBY = "lobby"
    DEALING = "dealing"
    CHOOSING = "choosing"
    REVEALED = "revealed"
    TIEBREAK = "tiebreak"
    SCORED = "scored"
    BETWEEN = "between games"
    PAUSED = "paused"


SERVER_FAULTS = frozenset({Fault.CRASH, Fault.SHUTDOWN, Fault.SUSPEND, Fault.FULL})

_IN_A_GAME = tuple(moment for moment in Moment if moment is not Moment.LOBBY)
_NEXT = {
    Moment.LOBBY: (Moment.LOBBY, Moment.LOBBY, *Moment),
    Moment.BETWEEN: (Moment.BETWEEN, Moment.DEALING, *_IN_A_GAME),
}
"""What a fault can wish for, by where its room stands when it is drawn."""

Met = Counter[tuple[Fault, Moment]]


@dataclass
class _Armed:
    """A fault that waits for its moment, but not for ever."""

    fault: Fault
    wish: Moment
    plan: Plan
    until: float


class Faults:
    """Draws faults while there are some left, and lets each strike at the moment it wishes for."""

    def __init__(self, world: World, rng: random.Random, number: int) -> None:
        self.met: Met = Counter()
        self.left = number
        self._world = world
        self._rng = rng
        self._armed: list[_Armed] = []
        self._draw()

    @property
    def are_over(self) -> bool:
        return self.left == 0 and not self._armed

    def look(self) -> None:
        """See whether this is the moment that a fault waits for."""
        for armed in self._armed:
            late = self._world.timeline.now >= armed.until
            moment = moment_of(self._world, armed.plan)
            if late or moment is armed.wish:
                self._armed.remove(armed)
                if not self._strike(armed.fault, armed.plan) and not late:
                    self._armed.append(armed)
                return

    def _draw(self) -> None:
        if self.left > 0:
            timeline = self._world.timeline
            timeline.at(timeline.now + self._rng.expovariate(1 / 5.0), self._arm)

    def _arm(self) -> None:
        world, rng = self._world, self._rng
        open_plans = [plan for plan in world.plans if not plan.is_done]
        if not open_plans:
            self.left = 0
            return
        if self.left == 0:
            return
        self.left -= 1
        plan = rng.choice(open_plans)
        wish = rng.choice(_NEXT.get(moment_of(world, plan), _IN_A_GAME))
        until = world.timeline.now + rng.choice((40.0, 150.0))
        self._armed.append(_Armed(rng.choice(list(Fault)), wish, plan, until))
        world.timeline.at(until, self.look)
        self._draw()

    def _strike(self, fault: Fault, plan: Plan) -> bool:
        """Let a fault happen; tell whether it could."""
        if fault in SERVER_FAULTS:
            if not self._world.is_up:
                return False
            for other in self._world.plans:
                self._count(fault, other)
            self._strike_server(fault)
            return True
        there = [h for h in self._world.humans if h.plan is plan and self._world.wire(h)]
        if not there:
            return False
        self._count(fault, plan)
        self._strike_client(fault, self._rng.choice(there), there)
        return True

    def _count(self, fault: Fault, plan: Plan) -> None:
        moment = moment_of(self._world, plan)
        self.met[fault, moment] += 1
        self._world.note(fault, moment)

    def _strike_server(self, fault: Fault) -> None:
        world, rng = self._world, self._rng
        match fault:
            case Fault.CRASH:
                world.crash_after(rng.choice((0, 0, 1, 2, 3, 5, 8)), self._downtime())
            case Fault.SHUTDOWN:
                world.shut_down(self._downtime())
            case Fault.SUSPEND:
                world.suspend(rng.choice((0.4, 0.9, 1.1, 3.0, 20.0, 60.0)))
            case _:
                world.fill_disk(rng.uniform(0.2, 1.0) * rng.choice((1.0, 1.0, 30.0)))

    def _downtime(self) -> float:
        return self._rng.uniform(0.1, 1.0) * self._rng.choice((1.0, 5.0, 90.0))

    def _strike_client(self, fault: Fault, human: Human, there: list[Human]) -> None:
        world, rng = self._world, self._rng
        now, client, wire = world.timeline.now, human.client, world.wire(human)
        assert wire is not None
        match fault:
            case Fault.CUT:
                wire.cut()
            case Fault.CUT_BEFORE | Fault.CUT_AFTER:
                wire.cut_at_next = "before" if fault is Fault.CUT_BEFORE else "after"
                human.say()
            case Fault.LATE:
                human.say()
                wire.cut(up=True, late=rng.uniform(1.0, 6.0))
            case Fault.HALF_OPEN:
                wire.cut(half_open=rng.uniform(3.0, 50.0))
            case Fault.DUPLICATE:
                wire.duplicates_next = True
                human.say()
            case Fault.LAG:
                wire.lag = rng.uniform(0.5, 4.0)
            case Fault.AWAY:
                client.may_dial_from = now + world.settings.grace + rng.uniform(1.0, 30.0)
                wire.cut()
            case Fault.ALL_AWAY:
                back = now + world.settings.grace + rng.uniform(1.0, 300.0)
                for other in there:
                    other.client.may_dial_from = back + rng.uniform(0.0, 5.0)
                    cable = world.wire(other)
                    if cable is not None:
                        cable.cut()
            case Fault.DEATH:
                wire.cut()
                client.stop()
                human.restart(rng.uniform(0.5, 10.0))
            case Fault.LOST_KEY:
                client.forgets_next_key = True
                wire.cut()
            case _:
                human.move()


def moment_of(world: World, plan: Plan) -> Moment:
    """Tell where a room stands."""
    truth = world.watch.rooms.get(plan.code)
    if truth is None or truth.game is None:
        started = GameStarted in world.on_its_way(plan.code)
        return Moment.DEALING if started else Moment.LOBBY
    waiting = world.on_its_way(plan.code)
    if GameStarted in waiting:
        return Moment.DEALING
    if Scored in waiting:
        return Moment.SCORED
    if Revealed in waiting:
        return Moment.REVEALED
    if not truth.state.playing:
        return Moment.BETWEEN
    if truth.state.paused:
        return Moment.PAUSED
    return Moment.TIEBREAK if truth.game.public.phase is Phase.TIEBREAK else Moment.CHOOSING
