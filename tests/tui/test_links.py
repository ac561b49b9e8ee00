"""What the app shows when a link fails, and how it comes back."""

import asyncio
from pathlib import Path

import pytest
from sequoia_protocol.codec import encode
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Bye,
    CreateRoom,
    Kick,
    Ready,
    Start,
)
from sequoia_protocol.room import RoomSettings
from websockets.asyncio.server import ServerConnection, serve

from sequoia_tui import messages
from sequoia_tui.link import LinkState
from sequoia_tui.screens.connecting import ConnectingScreen
from sequoia_tui.screens.dialogs import ConfirmDialog
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.home import HomeScreen
from sequoia_tui.screens.join import JoinScreen
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.screens.rooms import RoomsScreen
from tests.tui.people import a_person, at, first_choice
from tests.tui.support import Client, a_proxy, a_server, until


async def test_a_lost_link_keeps_the_screen_and_comes_back_by_itself(memory: Path) -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        code = bo.view.room.code
        async with a_person(memory, at(proxy.port, code=code)) as ana:
            await ana.see(RoomScreen)
            await ana.press("r")
            await bo.connection.request(Ready(True))
            await bo.connection.request(Start())
            await ana.see(GameScreen)
            visit = ana.app.journey.visit
            assert visit is not None
            assert visit.view is not None
            assert visit.view.game is not None
            game = ana.app.screen
            ana.app.screen.post_message(
                messages.RequestMade(first_choice(visit.view.game), visit.view.deal)  # type: ignore[arg-type]
            )
            await until(lambda: visit.view.game.choice is not None)  # type: ignore[union-attr]
            before = visit.view
            await proxy.stop()
            await ana.read("lost")
            assert ana.app.screen is game
            assert "[" not in ana.text.splitlines()[0]
            await proxy.start()
            await until(lambda: visit.connection.link.state is LinkState.ONLINE)
            assert visit.view == before
            assert ana.app.screen is game
        await bo.close()


async def test_a_restarted_server_is_told_and_leads_back_to_the_rooms(memory: Path) -> None:
    async with (
        a_server() as (first, port),
        a_server() as (_, other),
        a_proxy(port) as proxy,
        a_person(memory, at(proxy.port)) as ana,
    ):
        await ana.see(RoomsScreen)
        await ana.press("n", "enter")
        await ana.see(RoomScreen)
        proxy.target = other
        await first.stop()
        proxy.cut()
        await ana.see(RoomsScreen)
        await ana.read("is gone")


async def test_a_seat_that_is_taken_elsewhere_ends_quietly(memory: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port)) as ana:
        await ana.see(RoomsScreen)
        await ana.press("n", "enter")
        await ana.see(RoomScreen)
        visit = ana.app.journey.visit
        assert visit is not None
        again = Client(port, "Ana", seat=visit.connection.seat)
        await ana.see(ConnectingScreen)
        await ana.read("Open in another window")
        assert "try again" not in ana.text
        await ana.press("escape")
        await ana.see(HomeScreen)
        await again.close()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("127.0.0.1:1", "Nobody is listening at 127.0.0.1 port 1."),
        ("no-such-machine.invalid", "No machine called no-such-machine.invalid"),
    ],
)
async def test_what_cannot_be_reached_is_told_with_the_way_back(
    memory: Path, typed: str, sentence: str
) -> None:
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        await ana.press("j")
        await ana.see(JoinScreen)
        await ana.write("a/b")
        await ana.press("enter")
        await ana.read("That is no address")
        await ana.press("backspace", "backspace", "backspace")
        await ana.write(typed)
        await ana.press("enter")
        await ana.see(ConnectingScreen)
        await until(lambda: "Enter try again" in ana.text)
        assert sentence.replace(" ", "") in "".join(ana.text.replace("│", "").split())
        await ana.press("enter")
        await until(lambda: "Enter try again" in ana.text)
        await ana.press("j")
        await ana.see(JoinScreen)
        await ana.press("escape")
        await ana.see(HomeScreen)
        # It was never reached, so it is not kept.
        assert ana.app.remembered.hosts == ()


async def test_another_version_is_a_sentence(memory: Path) -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(encode(Bye(Code.VERSION_TOO_OLD, "version 999 is spoken here")))
        await connection.close(1002)

    async with serve(behave, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        async with a_person(memory, at(port)) as ana:
            await ana.read("Two versions that do not fit")
            await ana.press("escape")
            await ana.see(HomeScreen)


async def test_a_journey_can_be_given_up_on_the_way(memory: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with a_person(memory, at(port)) as ana:
            await ana.see(ConnectingScreen)
            await ana.press("escape")
            await ana.see(HomeScreen)
            await ana.pilot.pause(0.1)
            assert isinstance(ana.app.screen, HomeScreen)


async def test_a_fault_on_the_way_costs_a_sentence_and_leads_home(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("sequoia_tui.journey.begin_solo", fails)
    async with a_person(memory) as ana:
        await ana.see(HomeScreen)
        await ana.press("p")
        await ana.read("Something went wrong")
        await ana.see(HomeScreen)


async def test_who_came_to_watch_watches(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        async with a_person(memory, at(port, watch=True)) as ana:
            await ana.see(RoomsScreen)
            await ana.read("pick a table to watch")
            await ana.press("enter")
            await ana.see(RoomScreen)
            await ana.read("pick a seat, or watch")
            assert ana.app.journey.visit is not None
            assert ana.app.journey.visit.view is not None
            assert ana.app.journey.visit.view.seat is None
            # Bo plays against a bot, and the table is watched.
            await bo.connection.request(AddBot(1))
            await bo.connection.request(Ready(True))
            await bo.connection.request(Start())
            await ana.see(GameScreen)
        await bo.close()


async def test_a_game_that_was_left_can_be_found_again_at_its_server(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        code = bo.view.room.code
        async with a_person(memory, at(port, code=code)) as ana:
            await ana.see(RoomScreen)
            await ana.press("r")
            await bo.connection.request(Ready(True))
            await bo.connection.request(Start())
            await ana.see(GameScreen)
            await ana.press("escape", "l")
            await ana.see(ConfirmDialog)
            await ana.press("y")
            await ana.see(RoomsScreen)
            await ana.read("your game")
            await until(lambda: 2 in bo.connection.away)
            await ana.press("b")
            await ana.see(GameScreen)
            await until(lambda: 2 not in bo.connection.away)
            # Home offers it as well, until a bot has the seat.
            await ana.press("escape", "l")
            await ana.see(ConfirmDialog)
            await ana.press("y")
            await ana.see(RoomsScreen)
            await ana.press("escape")
            await ana.see(HomeScreen)
            await ana.read("Back to your game")
            await bo.connection.request(Kick(2))
            await ana.press("b")
            await ana.see(RoomsScreen)
            await ana.read("is gone")
            assert ana.app.journey.left is None
        await bo.close()
