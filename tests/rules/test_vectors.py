"""The worked examples of an independent model: every roll, every forest, sixty whole games."""

import json
from pathlib import Path
from typing import Any

import pytest
from sequoia_rules.commands import Choose, Deal, StartGame
from sequoia_rules.game import choices_for, new_game
from sequoia_rules.phases import Phase
from sequoia_rules.public import Owners, PublicState
from sequoia_rules.scoring import settle
from sequoia_rules.values import Dice, Seat, pairings

from tests.rules.games import after

VECTORS = Path(__file__).parent.parent / "vectors"


def load(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((VECTORS / name).read_text("utf-8"))
    return cases


ROLLS, FORESTS, GAMES = load("pairings.json"), load("settle.json"), load("games.json")


def five(dice: list[int]) -> Dice:
    a, b, c, d, e = dice
    return a, b, c, d, e


def told(public: PublicState) -> dict[str, Any]:
    """Who has which token, and who is tied where, as the model tells it."""
    return {
        "first": by_forest(public.first_owners),
        "second": by_forest(public.second_owners),
        "tied": {
            str(tie.forest): {"players": list(tie.seats), "for_first": tie.for_first}
            for tie in public.ties
        },
    }


def by_forest(owners: Owners) -> dict[str, Seat]:
    return {str(forest): owner for forest, owner in enumerate(owners, 2) if owner is not None}


def test_nothing_is_missing() -> None:
    assert (len(ROLLS), len(FORESTS), len(GAMES)) == (252, 1720, 60)
    assert len({tuple(case["dice"]) for case in ROLLS}) == 252


def test_every_roll_allows_these_sums_and_no_others() -> None:
    wrong = [
        case["dice"]
        for case in ROLLS
        if [list(way.sums) for way in pairings(five(case["dice"]))] != case["sums"]
    ]
    assert not wrong


def test_a_roll_allows_the_same_sums_in_whatever_order_the_dice_fell() -> None:
    for case in ROLLS:
        dice = case["dice"]
        for turn in range(5):
            fallen = five([*dice[turn:], *dice[:turn]][::-1])
            ways = pairings(fallen)
            assert [list(way.sums) for way in ways] == case["sums"]
            for way in ways:
                assert tuple(fallen[i] + fallen[j] for i, j in way.pairs) == way.sums
                used = [position for pair in way.pairs for position in pair]
                assert sorted([*used, *way.spare]) == [0, 1, 2, 3, 4]


def test_every_forest_goes_to_whom_it_has_to() -> None:
    wrong = []
    for case in FORESTS:
        found = settle(case["trees"], first_open=case["first_open"])
        if (found.first, found.second, list(found.tied), found.tied_for_first) != (
            case["first"],
            case["second"],
            case["tied"],
            case["tied_for_first"],
        ):
            wrong.append((case, found))
    assert not wrong


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_whole_game_goes_as_the_model_played_it(number: int) -> None:
    game = GAMES[number]
    seats: tuple[Seat, ...] = tuple(range(game["players"]))
    first, second = (
        tuple(game[kind][str(forest)] for forest in range(2, 13))
        for kind in ("first_tokens", "second_tokens")
    )
    state = after(new_game(), StartGame(seats, first, second))
    for step in game["steps"]:
        rolls = {int(seat): five(dice) for seat, dice in step["dice"].items()}
        state = after(state, Deal(tuple(sorted(rolls.items()))))
        tiebreak = step["phase"] != "round"
        assert (state.public.phase is Phase.TIEBREAK) is tiebreak
        for seat, sums in step["sums"].items():
            turned = step["turned"].get(seat)
            planted = tuple(sorted(sums))
            offered = choices_for(state.public, int(seat), rolls[int(seat)])
            assert planted in [choice.sums for choice in offered]
            choice = Choose(int(seat), planted, five(turned) if turned else None)
            state = after(state, choice)
        if "after" in step:
            assert told(state.public) == step["after"]
    assert state.public.phase is Phase.OVER
    assert dict(state.public.points or ()) == {
        int(seat): points for seat, points in game["points"].items()
    }
