"""Whatever happens to a link around any message, the evening comes to the same end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, get_args

import pytest
from sequoia_protocol.messages import Answer, Request
from sequoia_protocol.room import RoomEvent, RoomView
from sequoia_rules.events import SeenEvent
from sequoia_rules.record import GameRecord
from sequoia_server.embedded import EmbeddedServer

from tests.server.evening import Evening, SteadyEntropy
from tests.server.meddler import Fault, Meddler, Plan

End = tuple[list[RoomView], GameRecord]
Script = Callable[[Evening], Awaitable[End]]


def named(union: Any) -> list[str]:
    """Name the kinds of messages of a union as the meddler does."""
    return [
        str(kind.__struct_config__.tag) if hasattr(kind, "__struct_config__") else kind.__name__
        for kind in get_args(union)
    ]


ABSENCE = (
    *("stand_in_seated", "stand_in_left"),
    *("pause", "pause_wanted", "game_paused", "game_continued"),
)
KINDS = (
    *("hello", "welcome", "away", "clock"),
    *(name for union in (Request, Answer, RoomEvent, SeenEvent) for name in named(union)),
)
QUICK = (Fault.CUT_BEFORE, Fault.CUT_AFTER, Fault.DUPLICATE)

# Who has never been welcomed has no connection to come back to: it is the fifth greeting, of
# somebody who comes back already, that is hit first.
FIRST = {"hello": 5, "welcome": 5}


def script_for(kind: str) -> Script:
    """Give the evening on which there are messages of a kind."""
    return Evening.play_without_ben if kind in ABSENCE else Evening.play


async def spend(script: Script, plan: Plan | None = None) -> tuple[End, Meddler]:
    """Play an evening over real sockets and through the meddler."""
    server = EmbeddedServer(Evening.settings, SteadyEntropy())
    await server.start()
    await server.listen("127.0.0.1", 0)
    try:
        async with Meddler(server.addresses[0][1], plan) as meddler:
            return await script(Evening(meddler)), meddler
    finally:
        await server.stop()


@pytest.fixture(scope="module")
def quiet() -> dict[Script, tuple[End, Meddler]]:
    """The evenings without any fault."""
    scripts = (Evening.play, Evening.play_without_ben)
    return {script: asyncio.run(spend(script)) for script in scripts}


def test_the_evenings_have_every_kind_of_message(quiet: dict[Script, tuple[End, Meddler]]) -> None:
    for kind in KINDS:
        _, meddler = quiet[script_for(kind)]
        assert meddler.seen[kind] >= FIRST.get(kind, 1), f"there was no {kind}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "fault", [pytest.param(f, marks=[] if f in QUICK else pytest.mark.long) for f in Fault]
)
async def test_a_fault_changes_nothing(
    kind: str, fault: Fault, quiet: dict[Script, tuple[End, Meddler]]
) -> None:
    await check(Plan(kind, fault, FIRST.get(kind, 1)), quiet)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
async def test_no_fault_changes_anything_at_other_times(
    kind: str, quiet: dict[Script, tuple[End, Meddler]]
) -> None:
    (_, meddler), first = quiet[script_for(kind)], FIRST.get(kind, 1)
    last = meddler.seen[kind]
    for nth in sorted({first + 1, first + 2, (first + last) // 2, last} - {first}):
        if first < nth <= last:
            for fault in Fault:
                await check(Plan(kind, fault, nth), quiet)


async def check(plan: Plan, quiet: dict[Script, tuple[End, Meddler]]) -> None:
    """Play an evening with one fault, and compare its end."""
    script = script_for(plan.kind)
    (views, record), _ = quiet[script]
    (faulty_views, faulty_record), _ = await spend(script, plan)
    assert plan.done, f"no {plan.kind} came by"
    assert faulty_views == views
    assert faulty_record.events == record.events
    assert faulty_record.players == record.players
