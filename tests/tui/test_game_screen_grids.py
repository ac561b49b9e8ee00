"""What is on the screen, cell by cell: the pictures in grids/, and what they have to mean.

With ``SEQUOIA_GRIDS=write`` in the environment the pictures are written instead of compared.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sequoia_rules.values import FORESTS
from textual.pilot import Pilot

from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.game_keys import KEYS
from tests.tui import states
from tests.tui.states import GameApp, Play, grid

GRIDS = Path(__file__).parent / "grids"
SIZES = ((80, 24), (100, 30), (120, 36), (140, 45), (60, 20), (60, 18))

STATES = {
    "start": (states.started, ""),
    "choosing": (states.choosing, "5"),
    "sealed": (states.sealed, ""),
    "sequoia": (states.sequoia, "right 2 3"),
    "sequoia_pairing": (states.sequoia, "right 2 3 enter 2"),
    "scored": (states.scored, ""),
    "tiebreak": (states.tiebreak, "1"),
    "many_ties": (states.many_ties, "n"),
    "forced": (states.forced, ""),
    "final": (states.finished, ""),
    "worst": (states.worst, "f"),
    "table": (states.choosing, "5 v"),
    "log": (states.worst, "l"),
    "timed": (states.timed(states.choosing, 43.0), "5"),
    "timed_sequoia": (states.timed(states.sequoia, 10.0), "right"),
    "timed_sealed": (states.awaited, ""),
    "timed_worst": (states.timed(states.worst, 5.0), "f"),
    "time_is_up": (states.timed(states.choosing, 0.0), "5"),
    "pause_asked": (states.pause_asked, "5"),
    "paused": (states.paused, "5"),
    "no_storage": (states.no_storage, "5"),
    "stood_in": (states.stood_in, ""),
}


def still() -> float:
    """A clock that stands at 0, where the states have it."""
    return 0.0


@pytest.fixture(autouse=True)
def _no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameScreen, "UNSEEN", 0.0)


async def pressed(pilot: Pilot[None], keys: str) -> None:
    await pilot.pause()
    await pilot.press(*keys.split())
    await pilot.pause()


async def picture(name: str, size: tuple[int, int], *, seat: int | None = 0) -> list[str]:
    build, keys = STATES[name]
    app = GameApp(build().table(seat), clock=still)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, keys)
        return grid(app)


def compare(name: str, lines: list[str]) -> None:
    path = GRIDS / f"{name}.txt"
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    if os.environ.get("SEQUOIA_GRIDS") == "write":
        GRIDS.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("name", STATES)
async def test_every_state_looks_as_its_picture(name: str) -> None:
    build, keys = STATES[name]
    app = GameApp(build().table(), clock=still)
    async with app.run_test(size=SIZES[0]) as pilot:
        await pressed(pilot, keys)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            compare(f"{name}_{size[0]}x{size[1]}", grid(app))


async def test_a_spectator_sees_what_is_waited_for() -> None:
    lines = await picture("choosing", (80, 24), seat=None)
    compare("watching_80x24", lines)
    text = "\n".join(lines)
    assert "watching: 3 players to choose" in lines[0]
    assert "You are watching." in text
    assert "waiting for Ana, Chen, Eli" in text
    assert "YOUR ROLL" not in text


@pytest.mark.parametrize("name", STATES)
async def test_in_ascii_no_cell_is_beyond_0x7f(name: str) -> None:
    build, keys = STATES[name]
    app = GameApp(build().table(), plain=True, clock=still)
    async with app.run_test(size=SIZES[0]) as pilot:
        await pressed(pilot, keys)
        compare(f"{name}_80x24_ascii", grid(app))
        for size in ((140, 45), (60, 18), (59, 17)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert all(line.isascii() for line in grid(app))


def inside(app: GameApp, selector: str) -> str:
    """The text within a widget."""
    region = app.screen.query_one(selector).region
    return "\n".join(line[region.x : region.right] for line in grid(app)[region.y : region.bottom])


SIGNS = "▲●■◆★"


def count_on(card: str, sign: str) -> int:
    """The number behind a player's sign on a card."""
    after = card.split("\n", 1)[1].split(sign, 1)[1].lstrip()
    digits = ""
    for character in after:
        if not character.isdigit():
            break
        digits += character
    return int(digits or "0")


@pytest.mark.parametrize("size", SIZES[:4], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("build", [states.choosing, states.tiebreak, states.worst])
async def test_every_card_tells_every_count(
    build: Callable[[], Play], size: tuple[int, int]
) -> None:
    play = build()
    app = GameApp(play.table())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for forest in FORESTS:
            card = inside(app, f"#forest-{forest}")
            assert f" {forest} " in card.split("\n")[0]
            counts = tuple(count_on(card, sign) for sign in SIGNS)
            assert counts == play.state.public.row(forest), forest


async def test_every_row_tells_every_count() -> None:
    play = states.tiebreak()
    app = GameApp(play.table())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        for forest, line in zip(FORESTS, grid(app)[2:13], strict=True):
            number, *counts = line.replace("·", "0").split()[:6]
            assert int(number) == forest
            assert tuple(map(int, counts)) == play.state.public.row(forest)


async def test_tokens_stay_face_down_until_the_count() -> None:
    play = states.scored()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "◆?▲?" in inside(app, "#forest-3")
        assert inside(app, "#forest-7").split("\n")[0].endswith("??╮")
        assert "●??" in inside(app, "#forest-5")

    play = states.finished()
    public = play.state.public
    assert public.first_tokens is not None
    assert public.second_tokens is not None
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for index, forest in enumerate(FORESTS):
            head = inside(app, f"#forest-{forest}").split("\n")[0]
            for owners, values in (
                (public.first_owners, public.first_tokens),
                (public.second_owners, public.second_tokens),
            ):
                owner = owners[index]
                sign = "·" if owner is None else SIGNS[owner]
                assert f"{sign}{values[index]}" in head


async def test_the_final_count_names_places_and_points() -> None:
    play = states.finished()
    points = dict(play.state.public.points or ())
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = inside(app, "#standings")
        for seat, total in points.items():
            name = "You" if seat == 0 else states.NAMES[seat]
            line = next(line for line in shown.split("\n") if name in line)
            assert f" {total} " in line
        best = max(points, key=lambda seat: points[seat])
        assert f"{states.NAMES[best]} wins by" in grid(app)[0]


async def test_foreign_text_is_shown_as_it_is() -> None:
    app = GameApp(states.worst().table())
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "[true, false]" in text
        assert "[/not markup]x" in text
        await pilot.press("l")
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "[/] [bold]not bold[/bold] ?[2J" in text
        assert "\x1b" not in text


async def test_any_order_of_sizes_ends_in_the_same_picture() -> None:
    # 79 and 101 columns leave the board the same width, once for rows and once for a ring.
    sizes = [(140, 45), (10, 3), (60, 20), (79, 24), (101, 24), (79, 24)]
    fresh = {size: await picture("choosing", size) for size in {*sizes, (80, 24)}}
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pressed(pilot, "5")
        for size in [*sizes, (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert grid(app) == fresh[size], size


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", STATES)
async def test_the_footer_shows_exactly_the_keys_that_work(name: str, width: int) -> None:
    build, keys = STATES[name]
    app = GameApp(build().table(), clock=still)
    async with app.run_test(size=(width, 24)) as pilot:
        await pressed(pilot, keys)
        game = app.game
        footer = grid(app)[-1]
        hints = game.parts.footer.hints
        shown = {hint.key for hint in hints}
        for hint in hints:
            assert f" {hint.key}" in footer, "every key has room"
        for key in KEYS:
            works = bool(game.check_action(key.action, ()))
            if key.label and key.action != "pick" and works:
                assert key.shown in shown
        told = {key.shown for key in KEYS if key.help} | {hints[0].key}
        assert shown <= told, "the help tells every key of the footer"
