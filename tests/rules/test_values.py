"""The box, and what five dice can do."""

from itertools import combinations, permutations, product

import pytest
from sequoia_rules.values import (
    FIRST_TOKENS,
    FORESTS,
    MAX_SEATS,
    ROUNDS,
    SECOND_TOKENS,
    TREES,
    Dice,
    Sums,
    forest_index,
    is_sequoia,
    pairings,
    placements,
    turns_for,
)


def test_the_box_holds_what_its_list_says() -> None:
    assert MAX_SEATS == 5  # C1
    assert TREES == 2 * ROUNDS == 20  # C1, R6
    assert FORESTS == (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)  # C2
    assert (len(FIRST_TOKENS), sum(FIRST_TOKENS)) == (11, 44)  # C3
    assert [FIRST_TOKENS.count(value) for value in (2, 3, 4, 5, 6)] == [1, 3, 3, 3, 1]
    assert (SECOND_TOKENS.count(1), SECOND_TOKENS.count(2), len(SECOND_TOKENS)) == (10, 1, 11)


def test_forests_are_counted_from_the_first() -> None:
    assert [forest_index(forest) for forest in FORESTS] == list(range(11))


def test_a_sequoia_is_five_equal_dice() -> None:
    rolls: list[Dice] = [(a, b, c, d, e) for a, b, c, d, e in product(range(1, 7), repeat=5)]
    assert [dice for dice in rolls if is_sequoia(dice)] == [(face,) * 5 for face in range(1, 7)]


def test_a_round_has_at_most_fifteen_ways() -> None:
    assert max(len(pairings((a, b, c, d, e))) for a, b, c, d, e in every_roll()) == 15
    # 2, 3, 5 and twice 6: two of them equal, so some of the fifteen are the same choice.
    assert len(pairings((6, 2, 6, 3, 5))) < 15


def test_equal_sums_are_allowed_and_are_one_choice() -> None:
    # R3, R4: 3+4, 3+4 and 4+3, 4+3 are the same two trees on forest 7.
    assert [way.sums for way in pairings((3, 4, 3, 4, 3))].count((7, 7)) == 1


def test_a_pairing_names_the_dice_that_make_it() -> None:
    (way,) = (way for way in pairings((6, 1, 2, 4, 3)) if way.sums == (3, 10))
    assert way.pairs == ((1, 2), (0, 3))
    assert way.spare == (4,)


@pytest.mark.parametrize(
    ("dice", "tied", "sums"),
    [
        # Two trees by pairs that share no die, on different forests.
        ((1, 2, 3, 4, 6), {3, 7}, [(3, 7), (3,), (7,), ()]),
        # 3 and 4 are there, but both need the only 1.
        ((1, 2, 3, 6, 6), {3, 4}, [(3,), (4,), ()]),
        # Two pairs of 7 are one tree: a tie-break plants on different forests.
        ((3, 4, 3, 4, 6), {7}, [(7,), ()]),
        # No pair makes a tied forest.
        ((1, 1, 1, 1, 2), {7, 12}, [()]),
        ((1, 1, 1, 1, 2), set(), [()]),
    ],
)
def test_a_tie_break_plants_on_up_to_two_different_tied_forests(
    dice: Dice, tied: set[int], sums: list[Sums]
) -> None:
    assert [way.sums for way in placements(dice, tied)] == sums


def test_placements_are_those_of_a_plain_search() -> None:
    ties = [{7}, {2, 12}, {3, 4, 5}, {6, 7, 8}, set(FORESTS)]
    for dice, tied in product(every_roll(), ties):
        found: set[Sums] = {()}
        for a, b, c, d, _ in permutations(dice):
            if a + b in tied:
                found.add((a + b,))
                if c + d in tied and c + d > a + b:
                    found.add((a + b, c + d))
        ways = placements(dice, tied)
        assert {way.sums for way in ways} == found
        assert len(ways) == len(found)
        for way in ways:
            assert tuple(dice[i] + dice[j] for i, j in way.pairs) == way.sums
            used = [position for pair in way.pairs for position in pair]
            assert sorted([*used, *way.spare]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("face", range(1, 7))
def test_a_sequoia_is_turned_to_any_sums_with_as_few_dice_as_possible(face: int) -> None:
    fallen: Dice = (face, face, face, face, face)
    fewest: dict[Sums, int] = {}
    for a, b, c, d in product(range(1, 7), repeat=4):
        turned = sum(die != face for die in (a, b, c, d))
        low, high = sorted((a + b, c + d))
        sums: Sums
        for sums, count in (
            ((low, high), turned),
            ((a + b,), sum(die != face for die in (a, b))),
            ((), 0),
        ):
            fewest[sums] = min(count, fewest.get(sums, 5))
    assert len(fewest) == 66 + 11 + 1
    for sums, count in fewest.items():
        turned_to = turns_for(sums, face)
        assert (turned_to is None) is (count == 0)
        lying = turned_to or fallen
        assert sum(die != face for die in lying) == count
        assert all(1 <= die <= 6 for die in lying)
        made = [way.sums for way in (*pairings(lying), *placements(lying, FORESTS))]
        assert sums in made


def every_roll() -> list[Dice]:
    """One of each roll, dice ascending."""
    return [(a, b - 1, c - 2, d - 3, e - 4) for a, b, c, d, e in combinations(range(1, 11), 5)]
