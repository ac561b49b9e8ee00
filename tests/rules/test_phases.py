"""The table of phases: it is walked whole, and nothing goes round it."""

import ast
from itertools import product
from pathlib import Path

import pytest
import sequoia_rules
from hypothesis import given, settings
from sequoia_rules.events import (
    ChosenSeen,
    DealtSeen,
    Ended,
    GameStartedSeen,
    Revealed,
    Scored,
    SeenEvent,
    TakenBack,
)
from sequoia_rules.game import evolve
from sequoia_rules.phases import TRANSITIONS, Phase, next_phase
from sequoia_rules.public import PublicState, advance
from sequoia_rules.view import GameView, fold, redact

from tests.rules.games import POOL, Plan, plans, play

SEEN: list[SeenEvent] = [
    GameStartedSeen((0, 1), 0),
    DealtSeen(1, (0, 1), (), None),
    ChosenSeen(0, None),
    TakenBack(0),
    Revealed(()),
    Scored((), ()),
    Ended((), (), ()),
]


@settings(max_examples=500)
@given(plans)
def test_a_phase_changes_only_as_the_table_says(plan: Plan) -> None:
    for before, event, after in play(plan).moments():
        kind = type(redact(event, None))
        assert after.public.phase is TRANSITIONS[before.public.phase, kind]


def test_every_transition_of_the_table_happens() -> None:
    walked = {
        (before.public.phase, type(redact(event, None)))
        for plan in POOL[:40]
        for before, event, _ in play(plan).moments()
    }
    assert walked == set(TRANSITIONS)


def test_every_phase_but_the_last_has_a_way_on_and_all_are_reached() -> None:
    assert {phase for phase, _ in TRANSITIONS} == set(Phase) - {Phase.OVER}
    assert set(TRANSITIONS.values()) == set(Phase) - {Phase.SETUP}


@pytest.mark.parametrize(("phase", "event"), [*product(Phase, SEEN)])
def test_what_is_not_in_the_table_cannot_happen(phase: Phase, event: SeenEvent) -> None:
    public = PublicState(phase=phase, seats=(0, 1))
    if (phase, type(event)) in TRANSITIONS:
        assert advance(public, event).phase is next_phase(phase, event)
        return
    for attempt in (
        lambda: next_phase(phase, event),
        lambda: advance(public, event),
        lambda: fold(GameView(0, public), event),
    ):
        with pytest.raises(ValueError, match=f"{type(event).__name__} cannot happen in phase"):
            attempt()


def test_the_state_refuses_it_too() -> None:
    with pytest.raises(ValueError, match="TakenBack cannot happen in phase over"):
        evolve(play(POOL[0]).end(), TakenBack(0))


def test_nothing_else_in_the_rules_sets_a_phase() -> None:
    # Whoever sets one says phase=...; `advance` alone does, with what the table gave.
    setters = {
        (path.name, ast.unparse(keyword.value))
        for path in Path(sequoia_rules.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "phase"
    }
    assert setters == {("public.py", "phase")}
