"""Bots: they know only a view, they are never silly, and they beat chance."""

import inspect
import random
from collections.abc import Callable, Mapping

import pytest
from sequoia_rules.commands import Choose, Command, Deal, StartGame
from sequoia_rules.events import Tie
from sequoia_rules.game import choices_for, decide, evolve, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.values import FORESTS, Dice, Seat
from sequoia_rules.view import GameView, view_for
from sequoia_server import bots
from sequoia_server.bots import choose, play

from tests.kit import FixedEntropy, LivelyEntropy

Strategy = Callable[[GameView, random.Random], Choose]


def at_random(view: GameView, rng: random.Random) -> Choose:
    assert view.viewer is not None
    assert view.dice is not None
    choice = rng.choice(choices_for(view.public, view.viewer, view.dice))
    return Choose(view.viewer, choice.sums, choice.turned)


def play_game(entropy: FixedEntropy, *players: Strategy) -> dict[Seat, int]:
    """Play a whole game without a server, and give the points."""
    state = new_game()

    def obey(command: Command) -> None:
        nonlocal state
        for event in decide(state, command):
            state = evolve(state, event)

    obey(StartGame(tuple(range(len(players))), *entropy.tokens()))
    while state.public.points is None:
        if state.public.next_to_roll:
            obey(Deal(tuple((seat, entropy.dice()) for seat in state.public.next_to_roll)))
        for seat in state.public.awaited:
            obey(players[seat](view_for(state, seat), entropy.random))
    return dict(state.public.points)


def test_a_bot_beats_chance() -> None:
    games, won = 1000, 0
    for seed in range(games):
        bot = seed % 2
        players: tuple[Strategy, Strategy] = (
            (choose, at_random) if bot == 0 else (at_random, choose)
        )
        points = play_game(FixedEntropy(seed), *players)
        won += points[bot] > points[1 - bot]
    print(f"won {won} of {games}")
    assert won >= 0.8 * games


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_what_a_bot_chooses_is_legal_in_every_game(seats: int) -> None:
    for seed in range(20):
        points = play_game(LivelyEntropy(seed, sequoia=0.3), *(choose,) * seats)
        assert set(points) == set(range(seats))


def test_a_bot_is_given_a_view_and_chance_and_nothing_else() -> None:
    assert list(inspect.signature(choose).parameters) == ["view", "rng"]
    view = asked((1, 2, 3, 4, 6))
    assert play(view, 7) == play(view, 7) == choose(view, random.Random(7))
    assert bots.__all__ == ["choose", "play"]


SAFE = (6, 0, 0, 0, 0)
"""A forest that seat 0 has won already."""


def asked(dice: Dice, trees: Mapping[int, tuple[int, ...]] | None = None) -> GameView:
    """A view of seat 0 of 3 in the last round; where no trees are told the forest is won."""
    rows = tuple((trees or {}).get(forest, SAFE) for forest in FORESTS)
    public = PublicState(
        phase=Phase.CHOOSING, seats=(0, 1, 2), round=10, rolling=(0, 1, 2), trees=rows
    )
    return GameView(0, public, dice)


def tied(dice: Dice, *ties: Tie) -> GameView:
    """A view of seat 0 in a tie-break."""
    rows = tuple(
        next((tuple(2 * (s in t.seats) for s in range(5)) for t in ties if t.forest == f), (0,) * 5)
        for f in FORESTS
    )
    public = PublicState(
        phase=Phase.TIEBREAK, seats=(0, 1, 2), round=10, rolling=(0, 1), trees=rows, ties=ties
    )
    return GameView(0, public, dice)


def sums(view: GameView) -> tuple[int, ...]:
    chosen = {choose(view, random.Random(seed)).sums for seed in range(20)}
    assert len(chosen) == 1, chosen
    return chosen.pop()


def test_in_the_last_round_a_bot_takes_leads_and_wastes_nothing_on_what_it_has_or_cannot_get() -> (
    None
):
    trees = {7: (2, 2, 0, 0, 0), 6: (1, 9, 9, 0, 0), 9: (2, 2, 1, 0, 0)}
    assert sums(asked((1, 2, 5, 4, 5), trees)) == (7, 9)


def test_a_bot_prefers_the_first_place_to_the_second() -> None:
    view = asked((1, 6, 2, 1, 1), {7: (2, 2, 0, 0, 0), 8: (0, 3, 1, 0, 0)})
    assert all(7 in choose(view, random.Random(seed)).sums for seed in range(20))


def test_an_empty_forest_is_better_than_one_with_a_rival() -> None:
    view = asked((1, 6, 2, 1, 1), {7: (0, 1, 0, 0, 0), 8: (0, 0, 0, 0, 0)})
    assert all(8 in choose(view, random.Random(seed)).sums for seed in range(20))


def test_with_a_sequoia_a_bot_turns_to_the_best_of_all() -> None:
    view = asked((6, 6, 6, 6, 6), {2: (1, 1, 0, 0, 0), 11: (4, 4, 0, 0, 0)})
    command = choose(view, random.Random(0))
    assert command.sums == (2, 11)
    assert command.turned is not None


def test_in_a_tiebreak_a_bot_plants_two_trees_if_it_can() -> None:
    ties = (Tie(5, (0, 1), True), Tie(9, (0, 1), False), Tie(12, (0, 1), True))
    assert sums(tied((1, 4, 3, 6, 2), *ties)) == (5, 9)
    assert sums(tied((6, 6, 2, 2, 2), *ties)) == (12,)
    assert sums(tied((1, 1, 1, 1, 2), *ties)) == ()


def test_in_a_tiebreak_both_tokens_are_worth_more_than_the_second() -> None:
    ties = (Tie(5, (0, 1), False), Tie(6, (0, 1), True))
    assert sums(tied((1, 4, 5, 5, 6), *ties)) == (6,)


def test_a_bot_that_is_not_asked_does_not_choose() -> None:
    with pytest.raises(ValueError, match="a seat that has a roll"):
        choose(GameView(), random.Random(0))
