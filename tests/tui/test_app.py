"""The app without a terminal: from home to a table, alone, as a host and as a guest."""

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from sequoia_protocol import DEFAULT_PORT
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    CreateRoom,
    JoinRoom,
    Kick,
    Ready,
    Start,
)
from sequoia_protocol.room import RoomSettings
from sequoia_server.embedded import EmbeddedServer
from textual import events

from sequoia_tui import DEFAULT_BOTS, messages
from sequoia_tui.plans import HostTable, PlaySolo
from sequoia_tui.screens.dialogs import (
    CodeDialog,
    ConfirmDialog,
    CreateDialog,
    MenuDialog,
    NameDialog,
)
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.home import HomeScreen
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.screens.rooms import RoomsScreen
from sequoia_tui.settings import recall
from tests.tui.people import a_person, at, play_on
from tests.tui.support import Client, a_server, until


async def test_from_home_to_a_game_against_bots(memory: Path) -> None:
    async with a_person(memory, name=None) as ana:
        await ana.see(HomeScreen)
        await ana.press("p")
        await ana.see(GameScreen)
        visit = ana.app.journey.visit
        assert visit is not None
        assert visit.view is not None
        assert len(visit.view.room.bot_seats) == DEFAULT_BOTS
        assert not visit.view.room.settings.public
        # Nobody was asked for a name, and none is remembered.
        assert ana.app.remembered.name is None


@pytest.mark.parametrize("bots", [1, 4])
async def test_solo_takes_as_many_bots_as_asked_for(memory: Path, bots: int) -> None:
    async with a_person(memory, PlaySolo(bots)) as ana:
        await ana.see(GameScreen)
        view = ana.app.journey.visit.view  # type: ignore[union-attr]
        assert view is not None
        assert len(view.room.players) == bots + 1


async def test_a_whole_solo_game_its_standings_and_the_next_one(memory: Path) -> None:
    async with a_person(memory, PlaySolo(1)) as ana:
        await ana.see(GameScreen)
        await play_on(ana)
        await ana.read("FINAL SCORES")
        visit = ana.app.journey.visit
        assert visit is not None
        assert visit.view is not None
        before = visit.view.deal
        # From the standings to the room, and from there into the next game.
        ana.app.screen.post_message(messages.RoomAsked())
        await ana.see(RoomScreen)
        await ana.read("won  games  points")
        assert "You and the bots" in ana.text
        await ana.press("r")
        await ana.see(GameScreen)
        assert visit.view.deal > before


async def test_two_presses_that_arrive_together_close_the_menu_alone(memory: Path) -> None:
    async with a_person(memory, PlaySolo(1)) as ana:
        await ana.see(GameScreen)
        await ana.press("escape")
        await ana.see(MenuDialog)
        menu = ana.app.screen
        assert isinstance(menu, MenuDialog)
        # What the second press does before the menu has gone from the screen.
        menu.action_close()
        menu.action_close()
        await ana.see(GameScreen)
        await ana.press("v")
        await ana.read("forest")


async def test_a_game_that_was_left_waits_at_home(memory: Path) -> None:
    async with a_person(memory, PlaySolo(2)) as ana:
        await ana.see(GameScreen)
        visit = ana.app.journey.visit
        assert visit is not None
        assert visit.view is not None
        assert visit.view.game is not None
        dice = visit.view.game.dice
        await ana.press("escape")
        await ana.read("Leave the table")
        await ana.press("l")
        await ana.see(ConfirmDialog)
        await ana.press("n")
        await ana.see(GameScreen)
        await ana.press("escape", "l")
        await ana.see(ConfirmDialog)
        await ana.press("y")
        await ana.see(HomeScreen)
        await ana.read("Back to your game")
        assert "against the bots" in ana.text
        await ana.press("b")
        await ana.see(GameScreen)
        again = ana.app.journey.visit
        assert again is not None
        assert again is not visit
        assert again.view is not None
        assert again.view.game is not None
        assert again.view.game.dice == dice
        # To quit costs nothing, and the next start goes on with it.
        await ana.press("escape", "q")
        await ana.see(ConfirmDialog)
        assert "The game is kept" in ana.text
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        await ana.read("Back to your game")
        await ana.press("b")
        await ana.see(GameScreen)
        later = ana.app.journey.visit
        assert later is not None
        assert later.view is not None
        assert later.view.game is not None
        assert later.view.game.dice == dice
        assert ana.app.journey.game_told() == ""


async def test_a_table_for_friends_on_this_network(memory: Path, tmp_path: Path) -> None:
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        await ana.press("h")
        await ana.see(RoomScreen)
        visit = ana.app.journey.visit
        assert visit is not None
        assert visit.view is not None
        hosting = ana.app.journey._server.hosting
        assert hosting is not None
        code = visit.view.room.code
        for command in visit.invitations():
            assert command in ana.text
            assert command.startswith("sequoia-tui --host ")
            assert command.endswith(f" --room {code}")
        async with a_person(tmp_path / "bo", at(hosting.port, code=code), name="Bo") as bo:
            await bo.see(RoomScreen)
            await ana.read("Bo")
            await bo.press("r")
            await ana.press("r")
            await ana.read("press g to start")
            await ana.press("g")
            await ana.see(GameScreen)
            await bo.see(GameScreen)
            # While the host is away everybody waits, so the host is asked.
            await ana.press("escape", "q")
            await ana.see(ConfirmDialog)
            assert "This machine hosts" in ana.text


async def test_a_taken_port_is_no_trouble(memory: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("0.0.0.0", DEFAULT_PORT))
            taken.listen()
        except OSError:
            pass  # somebody else has taken it: just as well
        async with a_person(memory, HostTable()) as ana:
            await ana.see(RoomScreen)
            hosting = ana.app.journey._server.hosting
            assert hosting is not None
            assert hosting.moved
            assert f":{hosting.port}" in ana.text


async def test_a_machine_that_cannot_host_says_why(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listen(*_: object) -> Sequence[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(EmbeddedServer, "listen", listen)
    async with a_person(memory, HostTable()) as ana:
        await ana.read("cannot host a table: Permission denied")
        await ana.press("escape")
        await ana.see(HomeScreen)


async def test_the_rooms_of_a_server(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        async with a_person(memory, at(port)) as ana:
            await ana.see(RoomsScreen)
            await ana.read("No table stands open here")
            await bo.connection.request(CreateRoom(RoomSettings(seats=3)))
            await bo.connection.request(AddBot(1))
            await ana.read("Bo ", seconds=8)
            assert "1 bot" in ana.text
            await ana.press("enter")
            await ana.see(RoomScreen)
            await until(lambda: len(bo.view.room.people) == 2)
            await ana.press("escape")
            await ana.see(ConfirmDialog)
            await ana.press("y")
            await ana.see(RoomsScreen)
            await until(lambda: len(bo.view.room.people) == 1)
            await ana.read("Bo ", seconds=8)
            await ana.press("w")
            await ana.see(RoomScreen)
            await ana.read("pick a seat, or watch")
        await bo.close()


async def test_a_room_of_ones_own_and_one_by_its_code(memory: Path, tmp_path: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port)) as ana:
        await ana.see(RoomsScreen)
        await ana.press("n")
        await ana.see(CreateDialog)
        await ana.press("left", "left", "down", "right", "down", "right", "enter")
        await ana.see(RoomScreen)
        view = ana.app.journey.visit.view  # type: ignore[union-attr]
        assert view is not None
        assert view.room.settings == RoomSettings(public=False, seats=3, spectators=False)
        async with a_person(tmp_path / "bo", at(port), name="Bo") as bo:
            await bo.see(RoomsScreen)
            await bo.press("c")
            await bo.see(CodeDialog)
            await bo.write(view.room.code.lower())
            await bo.press("enter")
            await bo.see(RoomScreen)
            await ana.read("Bo")


async def test_what_a_room_offers(memory: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port)) as ana:
        bo = Client(port, "[b]Bo")
        await ana.see(RoomsScreen)
        await ana.press("n", "enter")
        await ana.see(RoomScreen)
        visit = ana.app.journey.visit
        assert visit is not None
        assert visit.view is not None
        assert "g start" not in ana.text
        await ana.press("plus", "plus", "plus")
        await until(lambda: visit.view.room.bot_seats == (1, 2, 3))  # type: ignore[union-attr]
        await ana.press("minus")
        await until(lambda: visit.view.room.bot_seats == (1, 2))  # type: ignore[union-attr]
        await ana.press("c")
        await ana.read("gold")
        await ana.press("end", "enter")
        await until(lambda: visit.view.room.seats[0].colour == "gold")  # type: ignore[union-attr]
        await bo.connection.request(JoinRoom(visit.view.room.code, watch=False))
        await ana.read("[b]Bo")
        await bo.connection.request(Chat("[/] [red]hi"))
        await ana.read("[/] [red]hi")
        # Half a line stays what it is, whatever happens around it.
        # What is typed right after the key is part of the line, however quickly it comes.
        for key in ("t", "w", "e", "l", "l"):
            ana.app.post_message(events.Key(key, key))
        await ana.write(" pl")
        await bo.connection.request(Ready(True))
        await bo.connection.request(Chat("quick"))
        await ana.read("quick")
        await ana.write("ayed")
        await ana.press("enter")
        await until(lambda: bo.view.room.chat[-1].text == "well played")
        await ana.press("escape")
        assert isinstance(ana.app.screen, RoomScreen)
        await ana.press("down", "down", "down")
        await ana.press("k")
        await ana.see(ConfirmDialog)
        assert "[b]Bo" in ana.text
        await ana.press("y")
        await until(lambda: bo.ear.outs)
        await ana.press("s")
        await ana.read("watches")
        await ana.press("enter")
        await ana.read("press r when you are ready")
        await bo.close()


async def test_refusals_are_told_as_text(memory: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port)) as ana:
        await ana.see(RoomsScreen)
        await ana.press("n", "enter")
        await ana.see(RoomScreen)
        ana.app.screen.post_message(messages.RequestMade(Start()))
        await ana.read("ready")
        ana.app.say("\x1b]52;c;aGk=\x07 [bold]x[/bold] \u202e")
        await ana.read("?]52;c;aGk=? [bold]x[/bold] ?")


async def test_a_room_that_is_not_there_leaves_one_at_the_rooms(memory: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port, code="NOPE")) as ana:
        await ana.see(RoomsScreen)
        await ana.read("room")
        await ana.press("escape")
        await ana.see(HomeScreen)


async def test_a_name_that_is_taken_is_asked_for_anew(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Ana")
        await bo.connection.request(CreateRoom(RoomSettings()))
        code = bo.view.room.code
        async with a_person(memory, at(port, code=code)) as ana:
            await ana.see(NameDialog)
            await ana.press("end")
            await ana.write("bel")
            await ana.press("enter")
            await ana.see(RoomScreen)
            await until(lambda: len(bo.view.room.people) == 2)
            assert bo.view.room.people[1].name == "Anabel"
        await bo.close()
    assert recall(memory).name == "Anabel"


async def test_who_is_put_out_is_back_at_the_rooms(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        async with a_person(memory, at(port, code=bo.view.room.code)) as ana:
            await ana.see(RoomScreen)
            await bo.connection.request(Kick(2))
            await ana.see(RoomsScreen)
            await ana.read("has put you out")
        await bo.close()
