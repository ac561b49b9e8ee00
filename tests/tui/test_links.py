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
from sequoia_rules.view import GameView
from websockets.asyncio.server import ServerConnection, serve

from sequoia_tui import messages
from sequoia_tui.link import LinkState
from sequoia_tui.plans import PlaySolo
from sequoia_tui.screens.connecting import ConnectingScreen
from sequoia_tui.screens.dialogs import ConfirmDialog
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.screens.home import HomeScreen
from sequoia_tui.screens.join import JoinScreen
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.screens.rooms import RoomsScreen
from tests.tui.people import Person, a_person, at, first_choice
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


async def test_a_seat_that_was_not_given_up_is_offered_by_the_next_start(memory: Path) -> None:
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
            before = seen_by(ana)
            await ana.press("escape", "q")
            await ana.see(ConfirmDialog)
            assert "Your seat is kept" in " ".join(ana.text.split())
        await until(lambda: 2 in bo.connection.picture.away)
        # At its server, where the rooms are …
        async with a_person(memory, at(port)) as ana:
            await ana.see(RoomsScreen)
            await ana.read(f"Your seat in room {code} waits for you")
            await ana.press("b")
            await ana.see(GameScreen)
            await until(lambda: 2 not in bo.connection.picture.away)
            assert seen_by(ana) == before
        # … by the code of its room, as the person one was …
        async with a_person(memory, at(port, code=code.lower())) as ana:
            await ana.see(GameScreen)
            assert seen_by(ana) == before
        # … and at home, until it is given away.
        async with a_person(memory) as ana:
            await ana.see(HomeScreen)
            await ana.read(f"room {code} at 127.0.0.1:{port}"[:30])
            await bo.connection.request(Kick(2))
            await ana.press("b")
            await ana.see(RoomsScreen)
            await ana.read("is gone")
            await ana.press("escape")
            await ana.see(HomeScreen)
            assert "Back to your game" not in ana.text
        await bo.close()


def seen_by(person: Person) -> tuple[int, GameView]:
    """Who somebody at an app is in the room, and the game as they see it."""
    visit = person.app.journey.visit
    assert visit is not None
    assert visit.view is not None
    assert visit.view.game is not None
    return visit.view.you, visit.view.game


async def test_another_name_does_not_take_a_seat_that_waits(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        code = bo.view.room.code
        async with a_person(memory, at(port, code=code)) as ana:
            await ana.see(RoomScreen)
        async with a_person(memory, at(port, code=code), name="Cleo") as cleo:
            await cleo.see(RoomScreen)
            assert [person.name for person in bo.view.room.people] == ["Bo", "Ana", "Cleo"]
        await bo.close()


async def test_two_windows_of_one_user_do_not_take_each_others_seat(memory: Path) -> None:
    async with a_server() as (_, port), a_person(memory, at(port)) as first:
        await first.see(RoomsScreen)
        await first.press("n", "enter")
        await first.see(RoomScreen)
        async with a_person(memory, at(port), name="Bo") as second:
            await second.see(RoomsScreen)
            await second.read("pick a table")
            assert "waits for you" not in second.text
            await second.press("escape")
            await second.see(HomeScreen)
            assert "Back to your game" not in second.text
        assert isinstance(first.app.screen, RoomScreen)


async def test_a_second_window_plays_alone_without_the_journal_and_says_so(memory: Path) -> None:
    async with a_person(memory, PlaySolo(1)) as first:
        await first.see(GameScreen)
        async with a_person(memory, PlaySolo(1)) as second:
            await second.see(GameScreen)
            await second.read("What you play here")
            await second.press("escape", "l")
            await second.see(ConfirmDialog)
            assert "It cannot be kept" in second.text
            await second.press("y")
            await second.see(HomeScreen)
            assert "Back to your game" not in second.text
            # The first window's game is offered once it is free, but is not this window's to play.
            await first.press("escape", "l")
            await first.see(ConfirmDialog)
            await first.press("y")
            await first.see(HomeScreen)
            await second.press("r", "escape", "j", "escape")
            await second.read("Back to your game")
            await second.press("b")
            await second.read("That game is open")
            await first.press("b")
            await first.see(GameScreen)


async def test_leaving_a_running_game_is_for_good_and_says_so(memory: Path) -> None:
    async with a_server() as (_, port):
        bo = Client(port, "Bo")
        await bo.connection.request(CreateRoom(RoomSettings()))
        async with a_person(memory, at(port, code=bo.view.room.code)) as ana:
            await ana.see(RoomScreen)
            await ana.press("r")
            await bo.connection.request(Ready(True))
            await bo.connection.request(Start())
            await ana.see(GameScreen)
            await ana.press("escape", "l")
            await ana.see(ConfirmDialog)
            assert "for good? A bot takes your seat." in " ".join(ana.text.split())
            await ana.press("y")
            await ana.see(RoomsScreen)
            await until(lambda: len(bo.view.room.people) == 1)
            assert bo.view.room.bot_seats == (1,)
            await ana.press("escape")
            await ana.see(HomeScreen)
            assert "Back to your game" not in ana.text
        await bo.close()


async def test_a_server_that_closes_says_that_the_seat_is_kept(memory: Path) -> None:
    async with a_server() as (server, port), a_person(memory, at(port)) as ana:
        await ana.see(RoomsScreen)
        await ana.press("n", "enter")
        await ana.see(RoomScreen)
        await server.stop()
        await ana.read("The server is closing")
        await ana.read("Your seat is")
        assert isinstance(ana.app.screen, RoomScreen)
