"""What must hold on the board of every game: trees, tokens and points."""

from __future__ import annotations

from typing import NoReturn

from sequoia_rules.public import PublicState
from sequoia_rules.state import GameState
from sequoia_rules.values import (
    FIRST_TOKENS,
    FORESTS,
    ROUNDS,
    SECOND_TOKENS,
    TREES,
    forest_index,
)


class Broken(Exception):
    """A promise that does not hold; ``invariant`` names it."""

    def __init__(self, invariant: str, text: str) -> None:
        super().__init__(f"{invariant}: {text}")
        self.invariant = invariant


def broken(invariant: str, text: str) -> NoReturn:
    raise Broken(invariant, text)


def check_trees(public: PublicState) -> None:
    """Every player has 20 trees, on the board or in the supply, until the forests are scored."""
    if public.tiebreak:
        return
    for seat in public.seats:
        planted = sum(row[seat] for row in public.trees)
        if planted + public.supply(seat) != TREES or planted != 2 * public.round:
            broken("twenty trees a player", f"seat {seat} has {planted} in round {public.round}")


def check_tokens(before: PublicState, public: PublicState) -> None:
    """Every token lies on its forest or belongs to one player, for good."""
    if public.round != ROUNDS:
        broken("forests are scored after round 10", f"round {public.round}")
    for old, new in (
        (before.first_owners, public.first_owners),
        (before.second_owners, public.second_owners),
    ):
        for forest in FORESTS:
            index = forest_index(forest)
            if old[index] is not None and old[index] != new[index]:
                broken("every token is somewhere once", f"forest {forest} loses its owner")
    for tie in public.ties:
        index = forest_index(tie.forest)
        if public.second_owners[index] is not None:
            broken("every token is somewhere once", f"forest {tie.forest} is open and won")


def check_points(game: GameState) -> None:
    """At the count every token of the box lies there once, and the points are those won."""
    public = game.public
    first, second = public.first_tokens, public.second_tokens
    if first is None or second is None or public.points is None:
        broken("every token is somewhere once", "nothing was turned over")
    if (first, second) != (game.first_tokens, game.second_tokens):
        broken("every token is somewhere once", "others were turned over than were laid out")
    if tuple(sorted(first)) != FIRST_TOKENS or tuple(sorted(second)) != SECOND_TOKENS:
        broken("every token is somewhere once", f"{first} {second}")
    won = dict.fromkeys(public.seats, 0)
    for owners, tokens in ((public.first_owners, first), (public.second_owners, second)):
        for owner, token in zip(owners, tokens, strict=True):
            if owner is not None:
                won[owner] += token
    if won != dict(public.points):
        broken("the points are the tokens won", f"{won} and {public.points}")
