"""What the properties draw is eventful: none of them passes for want of a case."""

from collections import Counter

import pytest
from hypothesis import find, settings
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand, InvalidCommand, RuleViolation
from sequoia_rules.events import Chosen, Dealt, Revealed, Scored, TakenBack
from sequoia_rules.game import forced_none, new_game
from sequoia_rules.values import Choice, is_sequoia

from tests.rules.games import FOURS, PLAIN, POOL, A, B, after, dealt, play, roll_of, started
from tests.rules.oracle import any_command, refusal_of


def happenings() -> Counter[str]:
    """How often what matters happens in the games of the pool."""
    seen: Counter[str] = Counter()
    for plan in POOL:
        game = play(plan)
        seen[f"{len(plan.seats)} players"] += 1
        tiebreaks = game.end().public.tiebreak
        seen["no tie-break"] += tiebreaks == 0
        seen["many tie-breaks"] += 10 < tiebreaks < 100
        points = sorted((total for _, total in game.end().public.points or ()), reverse=True)
        seen["shared win"] += points[0] == points[1]
        for before, event, _ in game.moments():
            tiebreak = " in a tie-break" if before.public.ties else ""
            match event:
                case Dealt(_, rolls):
                    seen[f"sequoia{tiebreak}"] += any(is_sequoia(dice) for _, dice in rolls)
                case Chosen(seat, Choice(sums, turned)):
                    seen[f"turned sequoia{tiebreak}"] += turned is not None
                    if is_sequoia(roll_of(before, seat)):
                        seen[f"sequoia left as it fell{tiebreak}"] += turned is None
                    forced = forced_none(before.public, seat, roll_of(before, seat))
                    seen["forced none"] += forced
                    seen["none without need"] += not sums and not forced
                    seen["equal sums"] += len(sums) == 2 and sums[0] == sums[1]
                    seen[f"{len(sums)} trees{tiebreak}"] += 1
                case TakenBack():
                    seen[f"take-back{tiebreak}"] += 1
                case Revealed(choices):
                    if tiebreak:
                        seen["nobody places"] += not any(sums for _, sums in choices)
                case Scored(awards, ties, expired):
                    seen["expired"] += len(expired)
                    for tie in ties:
                        what = "both" if tie.for_first else "second"
                        seen[f"tie of {min(3, len(tie.seats))} for {what}"] += 1
                        old = before.public.tie_at(tie.forest)
                        if old and old.seats != tie.seats:
                            seen[f"tie for {what} narrows"] += 1
                    places = Counter(award.forest for award in awards)
                    seen["both tokens at once"] += 2 in places.values()
                    seen["token without claimant"] += not tiebreak and len(places) < 11
                case _:
                    pass
    return seen


WANTED = [
    *(f"{count} players" for count in (2, 3, 4, 5)),
    *(
        f"{what}{where}"
        for what in ("sequoia", "turned sequoia", "sequoia left as it fell", "take-back")
        for where in ("", " in a tie-break")
    ),
    *(f"{count} trees in a tie-break" for count in (0, 1, 2)),
    *(f"tie of {count} for {what}" for count in (2, 3) for what in ("both", "second")),
    "tie for both narrows",
    "tie for second narrows",
    "equal sums",
    "forced none",
    "none without need",
    "nobody places",
    "no tie-break",
    "many tie-breaks",
    "expired",
    "both tokens at once",
    "token without claimant",
    "shared win",
]


def test_the_games_hold_all_that_can_happen() -> None:
    seen = happenings()
    print(dict(seen))
    assert [what for what in WANTED if not seen[what]] == []


@pytest.mark.parametrize("refusal", [None, IllegalCommand, InvalidCommand])
@pytest.mark.parametrize("kind", [StartGame, Deal, Choose, TakeBack])
def test_the_commands_are_legal_and_wrong_in_either_way(
    kind: type[Command], refusal: type[RuleViolation] | None
) -> None:
    chosen = after(dealt(started(A, B), {A: PLAIN, B: FOURS}), Choose(A, (3, 7)))
    states = (new_game(), started(A, B), chosen)
    find(
        any_command,
        lambda command: (
            isinstance(command, kind)
            and any(refusal_of(state, command) is refusal for state in states)
        ),
        settings=settings(max_examples=20_000, derandomize=True, database=None),
    )
