"""Whole games for the tests: drawn at random, more eventful than chance has them, or scripted."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.events import Event
from sequoia_rules.game import decide, evolve, legal_commands, new_game, ways
from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.public import PublicState
from sequoia_rules.record import Chooser, GameRecord, RecordPlayer
from sequoia_rules.state import GameState
from sequoia_rules.values import (
    FIRST_TOKENS,
    FORESTS,
    MAX_SEATS,
    SECOND_TOKENS,
    Dice,
    Forest,
    Seat,
    Sums,
    is_sequoia,
)


@dataclass(frozen=True)
class Plan:
    """A game that :func:`play` plays, always the same way. The four rates are 0 to 1.

    ``sequoias``: how many rolls are five equal dice. ``copying``: how many players roll and
    choose as others do, so that they tie. ``refusing``: how many choices in a tie-break are
    none. ``regret``: how many choices are followed by somebody's taking one back.
    """

    seats: tuple[Seat, ...]
    seed: int
    sequoias: float
    copying: float
    refusing: float
    regret: float


class Step(NamedTuple):
    """Where a game rested, what was asked of it, and what that led to."""

    state: GameState
    command: Command
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Game:
    """A game that was played to its end: what was asked, and what each command led to."""

    deeds: tuple[tuple[Command, tuple[Event, ...]], ...]

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for _, events in self.deeds for event in events)

    def steps(self) -> Iterator[Step]:
        state = new_game()
        for command, events in self.deeds:
            yield Step(state, command, events)
            for event in events:
                state = evolve(state, event)

    def moments(self) -> Iterator[tuple[GameState, Event, GameState]]:
        return moments(self.events)

    def end(self) -> GameState:
        return follow(self.events)


def follow(events: tuple[Event, ...], state: GameState | None = None) -> GameState:
    state = state or new_game()
    for event in events:
        state = evolve(state, event)
    return state


def moments(events: tuple[Event, ...]) -> Iterator[tuple[GameState, Event, GameState]]:
    """Each event with the state before and the state after it."""
    state = new_game()
    for event in events:
        after = evolve(state, event)
        yield state, event, after
        state = after


@cache
def play(plan: Plan) -> Game:
    """Play the game of a plan. Cached, for many properties look at the same games."""
    rng = random.Random(plan.seed)
    first, second = list(FIRST_TOKENS), list(SECOND_TOKENS)
    rng.shuffle(first)
    rng.shuffle(second)
    deeds: list[tuple[Command, tuple[Event, ...]]] = []
    state = new_game()

    def do(command: Command) -> None:
        nonlocal state
        events = decide(state, command)
        deeds.append((command, events))
        state = follow(events, state)

    do(StartGame(plan.seats, tuple(first), tuple(second), deal=rng.randrange(50)))
    while state.public.phase is not Phase.OVER:
        example, fate = _roll(rng, plan), rng.random()
        copying = {seat: rng.random() < plan.copying for seat in plan.seats}
        do(
            Deal(
                tuple(
                    (seat, example if copying[seat] else _roll(rng, plan))
                    for seat in state.public.next_to_roll
                )
            )
        )
        while state.public.phase in CHOICE_PHASES:
            seat = rng.choice(state.public.awaited)
            do(_choice(rng, plan, state, seat, fate if copying[seat] else rng.random()))
            chosen = state.public.chosen
            if chosen and rng.random() < plan.regret:
                do(TakeBack(rng.choice(chosen)))
    return Game(tuple(deeds))


def _roll(rng: random.Random, plan: Plan) -> Dice:
    if rng.random() < plan.sequoias:
        face = rng.randint(1, 6)
        return face, face, face, face, face
    return _dice(rng)


def _dice(rng: random.Random) -> Dice:
    a, b, c, d, e = rng.choices(range(1, 7), k=5)
    return a, b, c, d, e


def _choice(rng: random.Random, plan: Plan, state: GameState, seat: Seat, fate: float) -> Choose:
    public, dice = state.public, roll_of(state, seat)
    if public.phase is Phase.TIEBREAK and rng.random() < plan.refusing:
        return Choose(seat, ())
    if is_sequoia(dice) and rng.random() < 0.4:
        # Turned in any way, or left as it fell, where else as few dice turn as possible.
        turned = _dice(rng) if rng.random() < 0.75 else None
        return Choose(seat, rng.choice(ways(public, seat, turned or dice)).sums, turned)
    commands = [command for command in legal_commands(state, seat) if isinstance(command, Choose)]
    return commands[int(fate * len(commands))]


def roll_of(state: GameState, seat: Seat) -> Dice:
    dice = state.rolls[seat]
    assert dice is not None
    return dice


def _pool(size: int) -> list[Plan]:
    """Plans from which the properties draw: the same in every run where examples are fixed."""
    rng = random.Random(0 if settings().derandomize else None)
    plans: list[Plan] = []
    for number in range(size):
        seats = tuple(sorted(rng.sample(range(MAX_SEATS), 2 + number % 4)))
        seed = rng.randrange(2**32)
        if number % 10 == 5:
            # As chance has it, for two: these alone may end without a tie.
            plans.append(Plan(seats[:2], seed, sequoias=0, copying=0, refusing=0, regret=0))
        elif number % 70 < 2:
            # Forests that stay tied to the last (T8).
            plans.append(Plan(seats, seed, sequoias=0, copying=1, refusing=1, regret=0))
        else:
            plans.append(
                Plan(
                    seats,
                    seed,
                    sequoias=rng.choice([0, 0.05, 0.4]),
                    copying=rng.choice([0, 0.5, 0.9]),
                    refusing=rng.choice([0, 0, 0.2, 0.7]),
                    regret=rng.choice([0, 0.1, 0.5]),
                )
            )
    return plans


POOL = _pool(560)
plans = st.sampled_from(POOL)
"""A plan of the pool. Playing is what takes the time, so all properties share these games."""


def record_of(game: Game) -> GameRecord:
    """The record of a game, in which persons, bots and stand-ins chose by turns."""
    events = game.events
    choices = sum(isinstance(command, Choose) for command, _ in game.deeds)
    whoever = [Chooser.PERSON, Chooser.BOT, Chooser.STAND_IN]
    return GameRecord(
        game_id="c3aa7655c5918dc4",
        started="2026-11-30 23:15 UTC",
        players=tuple(
            RecordPlayer(seat, f"Player {seat}", "gold", "person")
            for seat in game.end().public.seats
        ),
        events=events,
        choosers=tuple(whoever[i % 3] for i in range(choices)),
    )


# Scripts: what stands on the table is what a test put there.

A, B, C = 0, 1, 2
PLAIN: Dice = (1, 2, 3, 4, 6)
FOURS: Dice = (4, 4, 4, 4, 4)
"""A Sequoia."""


def started(*seats: Seat) -> GameState:
    """A game whose tokens lie in ascending order: the best token of each kind on forest 12."""
    return after(new_game(), StartGame(seats, FIRST_TOKENS, SECOND_TOKENS))


def after(state: GameState, *commands: Command) -> GameState:
    for command in commands:
        state = follow(decide(state, command), state)
    return state


def dice_for(sums: Sums) -> Dice:
    """A roll that is no Sequoia and allows these sums."""
    dice = [die for total in sums for die in (max(1, total - 6), total - max(1, total - 6))]
    while len(dice) < 5:
        dice.append(1 if dice and dice[0] > 1 else 6)
    a, b, c, d, e = dice
    return a, b, c, d, e


def dealt(state: GameState, rolls: Mapping[Seat, Dice]) -> GameState:
    return after(state, Deal(tuple(sorted(rolls.items()))))


def played(state: GameState, choices: Mapping[Seat, Sums]) -> GameState:
    """One whole deal, in which everybody rolls what the wish needs."""
    state = dealt(state, {seat: dice_for(sums) for seat, sums in choices.items()})
    return after(state, *(Choose(seat, sums) for seat, sums in choices.items()))


def both_tied_on(*forests: Forest) -> GameState:
    """A and B, and nobody else, are tied on these one or two forests; C has forest 2."""
    state = started(A, B, C)
    sums = (forests[0], forests[-1])
    for _ in range(10):
        state = played(state, {A: sums, B: sums, C: (2, 2)})
    return state


def tie_broken(state: GameState, planted: Mapping[Seat, Sums]) -> GameState:
    """A tie-break round in which these plant, and who else is tied places none."""
    return played(state, {seat: planted.get(seat, ()) for seat in state.public.next_to_roll})


def ten_rounds(forest: Forest, trees: Mapping[Seat, int]) -> GameState:
    """A game after ten rounds with these trees on one forest, scored.

    The other trees stand elsewhere, on a forest for each seat alone where there is room.
    """
    homes = [other for other in FORESTS if other != forest]
    state = started(*sorted(trees))
    for number in range(10):
        wishes: dict[Seat, Sums] = {}
        for seat, wanted in trees.items():
            here = [forest] * min(2, max(0, wanted - 2 * number))
            wishes[seat] = tuple(sorted(here + [homes[2 * seat]] * (2 - len(here))))
        state = played(state, wishes)
    return state


def tie_on(public: PublicState, forest: Forest) -> tuple[tuple[Seat, ...], bool] | None:
    """Who is tied on a forest, and whether for both tokens; None if it is settled."""
    tie = public.tie_at(forest)
    return (tie.seats, tie.for_first) if tie else None


def owners(public: PublicState, forest: Forest) -> tuple[Seat | None, Seat | None]:
    """Who has the first and the second token of a forest."""
    return public.first_owners[forest - 2], public.second_owners[forest - 2]
