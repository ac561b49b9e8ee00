"""Keys, footers, help, sizes and the mouse, on every screen."""

from pathlib import Path
from typing import Any

import pytest
from sequoia_protocol.messages import RoomLine
from sequoia_protocol.room import (
    ChatLine,
    Colour,
    Person,
    RoomSettings,
    RoomState,
    RoomView,
    Score,
    Seated,
)
from textual.screen import Screen

from sequoia_tui.app import apology
from sequoia_tui.link import Link, LinkState, Table
from sequoia_tui.plans import HostTable, Plan, PlaySolo
from sequoia_tui.screens.base import BaseScreen, Dialog
from sequoia_tui.screens.connecting import ConnectingScreen
from sequoia_tui.screens.dialogs import NameDialog
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.home import HomeScreen
from sequoia_tui.screens.join import JoinScreen
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.screens.rooms import RoomsScreen
from tests.tui.people import a_person
from tests.tui.support import until

PLANS: dict[str, Plan | None] = {"home": None, "room": HostTable(), "game": PlaySolo(1)}


@pytest.mark.parametrize("where", PLANS)
async def test_the_help_lists_every_key_of_the_footer(memory: Path, where: str) -> None:
    async with a_person(memory, PLANS[where]) as ana:
        screens: dict[str, type[Screen[Any]]]
        screens = {"home": HomeScreen, "room": RoomScreen, "game": GameScreen}
        await ana.see(screens[where])
        base = ana.app.base
        assert isinstance(base, GameScreen | BaseScreen)
        shown = [key for key in base.KEYS if key.label]
        await ana.press("question_mark")
        await until(lambda: isinstance(ana.app.screen, Dialog))
        from sequoia_tui.screens.base import Line

        told = "\n".join(str(line.content) for line in ana.app.screen.query(Line))
        for key in shown:
            assert key.shown in told
            assert key.help in told
        await ana.press("escape")
        await until(lambda: ana.app.screen is base)


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (140, 45)])
async def test_every_footer_finds_room(memory: Path, size: tuple[int, int]) -> None:
    async with a_person(memory, HostTable(), size=size) as ana:
        await ana.see(RoomScreen)
        await ana.press("plus")
        await ana.read("Hazel")
        assert ana.text.splitlines()[-1].rstrip().endswith(("?", "? help"))
        assert "Hazel" in ana.text
        assert "--room" in ana.text


async def test_resizing_in_any_order_ends_in_the_same_picture(memory: Path) -> None:
    async with a_person(memory, HostTable()) as ana:
        await ana.see(RoomScreen)
        await ana.pilot.pause(0.1)
        before = ana.text
        for size in ((60, 18), (10, 3), (140, 45), (80, 24)):
            await ana.pilot.resize_terminal(*size)
            await ana.pilot.pause(0.05)
        assert ana.text == before


async def test_the_footer_answers_the_mouse(memory: Path) -> None:
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        last = ana.text.splitlines()[-1]
        await ana.pilot.click(offset=(last.index("j join"), 23))
        await ana.see(JoinScreen)
        await ana.pilot.click(offset=(ana.text.splitlines()[-1].index("Esc"), 23))
        await ana.see(HomeScreen)
        row = next(i for i, line in enumerate(ana.text.splitlines()) if "Play now" in line)
        await ana.pilot.click(offset=(30, row))
        await ana.see(GameScreen)


def test_an_apology_names_places_and_no_values() -> None:
    try:
        raise ValueError("secret")
    except ValueError as error:
        text = apology(error)
    assert "ValueError" in text
    assert "test_screens.py" in text
    assert "secret" not in text


HOSTILE = "\x1b[2J[/b][@click=app.quit]\u202e\x9b1m\x1b]52;c;aGk=\x07\n\x00"


def is_harmless(text: str) -> bool:
    """Whether nothing in a text does anything to a terminal."""
    return all(line.isprintable() for line in text.split("\n"))


async def test_text_from_others_is_only_text(memory: Path) -> None:
    settings = RoomSettings()
    state = RoomState(
        HOSTILE,
        settings,
        people=(Person(1, HOSTILE), Person(2, HOSTILE), Person(3, HOSTILE)),
        host=1,
        seats=(
            Seated(HOSTILE, Colour.PINK, 1, ready=True),
            Seated(HOSTILE, Colour.GOLD, None, ready=True),
            None,
            None,
            None,
        ),
        scores=(Score(HOSTILE, 1, 1, 1, 5),),
        chat=(ChatLine(2, HOSTILE, HOSTILE),),
    )
    link = Link(LinkState.ONLINE, HOSTILE, 3)
    table = Table(RoomView(1, 5, state, None), link)
    line = RoomLine(HOSTILE, HOSTILE, 5, 2, 1, 1, playing=False, spectators=True)
    screens: list[Screen[Any]] = [
        RoomScreen(table, invitations=[f"sequoia-tui --host oak --room {HOSTILE}"]),
        rooms := RoomsScreen(link, notice=HOSTILE),
        connecting := ConnectingScreen(HOSTILE),
        NameDialog("Ana", HOSTILE),
        HomeScreen(player=HOSTILE, game=HOSTILE),
        JoinScreen(["oak"]),
    ]
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        for screen in screens:
            ana.app.push_screen(screen)
            await until(lambda: ana.app.screen.is_mounted)
            await ana.pilot.pause()
            if screen is rooms:
                rooms.show_rooms([line])
            if screen is connecting:
                connecting.show_trouble("No link", HOSTILE)
            await ana.pilot.pause()
            assert is_harmless(ana.text), type(screen)
            if not isinstance(screen, JoinScreen):
                assert "[/b]" in ana.text, ana.text
        ana.app.say(HOSTILE)
        await ana.read("app.quit")
        assert is_harmless(ana.text)
