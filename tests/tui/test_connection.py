"""The connection against a real server: resuming, resending, and every way in which it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import msgpack
import pytest
from sequoia_protocol.codec import encode, encode_answer, encode_event, encode_update, pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Bye,
    Chat,
    ChoosePairs,
    CreateRoom,
    Done,
    Entered,
    JoinRoom,
    Kick,
    LeaveRoom,
    ListRooms,
    Ready,
    Refused,
    Rooms,
    Start,
    Welcome,
)
from sequoia_protocol.room import Chatted, RoomSettings, RoomState, RoomView
from sequoia_rules.game import choices_for
from sequoia_server.embedded import EmbeddedServer, PipeClosed
from websockets.asyncio.server import ServerConnection, serve

from sequoia_tui.connection import PATIENCE, backoff
from sequoia_tui.link import LinkState
from sequoia_tui.listener import Ending, SeatKey
from sequoia_tui.transports.memory import MemoryTransport
from tests.tui.support import Client, a_proxy, a_server, lose_link, open_room, until


async def start_game(ana: Client, bo: Client) -> None:
    code = await open_room(ana)
    await bo.connection.request(JoinRoom(code, watch=False))
    await ana.connection.request(Ready(True))
    await bo.connection.request(Ready(True))
    assert isinstance(await ana.connection.request(Start()), Done)
    await until(lambda: ana.view.game is not None and ana.view.game.dice is not None)


def first_choice(client: Client) -> ChoosePairs:
    game = client.view.game
    assert game is not None
    assert game.dice is not None
    assert game.viewer is not None
    return ChoosePairs(*pad_choice(choices_for(game.public, game.viewer, game.dice)[0]))


async def test_answers_come_one_for_each_request_and_views_follow_events() -> None:
    async with a_server() as (_, port):
        ana = Client(port, " Ana  B ")
        rooms = await ana.connection.request(ListRooms())
        assert isinstance(rooms, Rooms)
        assert rooms.rooms == ()
        assert ana.connection.name == "Ana B"
        await open_room(ana)
        seats = [ana.connection.request(AddBot(seat)) for seat in (1, 2, 1)]
        answers = await asyncio.gather(*seats)
        assert [type(answer) for answer in answers] == [Done, Done, Refused]
        assert ana.view.room.bot_seats == (1, 2)
        assert ana.connection.waiting == ()
        assert ana.ear.views[-1] == ana.view
        await ana.close()


async def test_the_round_trip_becomes_known() -> None:
    async with a_server() as (_, port):
        ana = Client(port, "Ana")
        await until(lambda: ana.online)
        await until(lambda: ana.connection.link.latency is not None)
        assert ana.connection.link.server == "oak.local"
        await ana.close()


async def test_a_pipe_into_a_server_of_this_process_does_as_well() -> None:
    server = EmbeddedServer()
    await server.start()
    ana = Client(0, "Ana", dial=lambda: MemoryTransport(server.connect, PipeClosed))
    code = await open_room(ana)
    assert ana.view.room.code == code
    assert ana.connection.link.latency is None
    await server.stop()
    await until(lambda: not ana.online)
    await ana.close()


async def test_a_cut_link_comes_back_to_the_very_same_view_sealed_choice_included() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana, bo = Client(proxy.port, "Ana"), Client(port, "Bo")
        await start_game(ana, bo)
        answer = await ana.connection.request(first_choice(ana), ana.view.deal)
        assert isinstance(answer, Done)
        before = ana.view
        assert before.game is not None
        assert before.game.choice is not None
        for _ in range(3):
            await lose_link(proxy, ana)
            assert ana.view == before
        states = [link.state for link in ana.ear.links]
        assert LinkState.RECONNECTING in states
        assert ana.ear.outs == []
        # And the seat is really ours: it can be played on.
        await bo.connection.request(first_choice(bo), bo.view.deal)
        await until(lambda: ana.view.deal > before.deal)
        await ana.close()
        await bo.close()


async def test_what_had_no_answer_is_sent_again_in_order_and_has_one_effect() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana, bo = Client(proxy.port, "Ana"), Client(port, "Bo")
        code = await open_room(ana)
        await bo.connection.request(JoinRoom(code, watch=False))
        # The server does the first one, but no answer comes through any more.
        proxy.deaf = True
        said = [ana.connection.request(Chat(f"line {number}")) for number in range(4)]
        await until(lambda: len(bo.view.room.chat) >= 1)
        assert len(ana.connection.waiting) == 4
        proxy.deaf = False
        answers = await asyncio.gather(*said)
        assert all(isinstance(answer, Done) for answer in answers)
        await until(lambda: len(bo.view.room.chat) == 4)
        lines = [line.text for line in ana.view.room.chat]
        assert lines == [f"line {number}" for number in range(4)]
        assert ana.view.room == bo.view.room
        await ana.close()
        await bo.close()


async def test_a_server_that_is_away_for_a_while_is_waited_for_with_a_countdown() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        await open_room(ana)
        before = ana.view
        await proxy.stop()
        await until(lambda: sum(1 for link in ana.ear.links if link.retry_in is not None) > 3)
        assert ana.view == before
        chat = ana.connection.request(Chat("said while the link was down"))
        reasons = {link.reason for link in ana.ear.links if link.retry_in is not None}
        assert any("Nobody is listening" in reason for reason in reasons)
        await proxy.start()
        assert isinstance(await chat, Done)
        assert ana.online
        await ana.close()


async def test_a_restarted_server_does_not_know_the_room_and_says_so() -> None:
    async with a_server() as (first, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        code = await open_room(ana)
        async with a_server() as (_, other):
            proxy.target = other
            await first.stop()
            proxy.cut()
            await until(lambda: ana.ear.outs)
            assert code in ana.ear.outs[0]
            assert ana.connection.view is None
            await until(lambda: ana.online)
            # The link is a good one: there are rooms to be asked for.
            assert isinstance(await ana.connection.request(ListRooms()), Rooms)
        await ana.close()


async def test_requests_of_a_room_that_is_gone_are_refused_here() -> None:
    async with a_server() as (first, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        await open_room(ana)
        async with a_server() as (_, other):
            await proxy.stop()
            chat = ana.connection.request(Chat("lost"))
            leave = ana.connection.request(LeaveRoom())
            rooms = ana.connection.request(ListRooms())
            await first.stop()
            proxy.target = other
            await proxy.start()
            for lost in (chat, leave):
                answer = await lost
                assert isinstance(answer, Refused)
                assert answer.code is Code.NOT_IN_A_ROOM
            assert isinstance(await rooms, Rooms)
            # It was to be left anyway.
            assert ana.ear.outs == [""]
        await ana.close()


async def test_the_newer_link_of_a_seat_counts_and_the_older_one_stays_quiet() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        await open_room(ana)
        again = Client(port, "Ana", seat=ana.connection.seat)
        await until(lambda: ana.ear.endings)
        ((ending, sentence),) = ana.ear.endings
        assert ending is Ending.REPLACED
        assert "another window" in sentence
        assert again.view.room == ana.view.room
        # It has ended, and so it makes no other link.
        await ana.task
        assert proxy.made == 1
        assert isinstance(await ana.connection.request(Chat("hello?")), Refused)
        await again.close()


async def test_who_is_put_out_is_told_and_who_leaves_is_not() -> None:
    async with a_server() as (_, port):
        ana, bo = Client(port, "Ana"), Client(port, "Bo")
        code = await open_room(ana)
        await bo.connection.request(JoinRoom(code, watch=False))
        await ana.connection.request(Kick(bo.view.you))
        await until(lambda: bo.ear.outs)
        assert bo.ear.outs == ["The room's host has put you out."]
        assert bo.connection.view is None
        await ana.connection.request(LeaveRoom())
        assert ana.ear.outs == [""]
        assert isinstance(await ana.connection.request(ListRooms()), Rooms)
        await ana.close()
        await bo.close()


async def test_who_is_away_is_known_with_since_when() -> None:
    async with a_server() as (_, port):
        ana, bo = Client(port, "Ana"), Client(port, "Bo")
        await start_game(ana, bo)
        number = bo.view.you
        await bo.close()
        await until(lambda: number in ana.connection.picture.away)
        assert asyncio.get_running_loop().time() - ana.connection.picture.away[number] < 5
        await ana.close()


async def test_a_bad_name_ends_it_with_the_servers_reason() -> None:
    async with a_server() as (_, port):
        ana = Client(port, "a" * 17)
        await ana.task
        ((ending, sentence),) = ana.ear.endings
        assert ending is Ending.BAD_NAME
        assert sentence.startswith("A name")


async def test_a_closed_connection_tells_nothing_more() -> None:
    async with a_server() as (_, port):
        ana = Client(port, "Ana")
        await open_room(ana)
        waiting = ana.connection.request(Chat("bye"))
        await ana.close()
        assert isinstance(await waiting, Refused | Done)
        assert ana.task.done()
        assert ana.ear.endings == []


# Servers that are none, or speak otherwise.


@asynccontextmanager
async def a_fake(
    behave: Callable[[ServerConnection], object],
) -> AsyncIterator[int]:
    async def handler(connection: ServerConnection) -> None:
        with suppress(Exception):
            await behave(connection)  # type: ignore[misc]

    async with serve(handler, "127.0.0.1", 0, compression=None) as server:
        yield server.sockets[0].getsockname()[1]


def welcome(version: int = 1) -> bytes:
    return encode(Welcome(version, "Ana", "fake", ()))


@pytest.mark.parametrize(
    ("version", "sentence"),
    [(999, "runs a newer Sequoia"), (0, "runs an older Sequoia")],
)
async def test_a_server_of_another_version_is_named_with_what_to_do(
    version: int, sentence: str
) -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(welcome(version))
        await connection.wait_closed()

    async with a_fake(behave) as port:
        ana = Client(port, "Ana")
        await ana.task
        ((ending, told),) = ana.ear.endings
        assert ending is Ending.VERSION
        assert sentence in told
        assert "oak.local" in told


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(Code.VERSION_TOO_OLD, "Update sequoia-tui"), (Code.VERSION_TOO_NEW, "update sequoia-server")],
)
async def test_a_server_that_refuses_our_version_too(code: Code, sentence: str) -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(encode(Bye(code, "\x1b[2J no")))
        await connection.close(1002)

    async with a_fake(behave) as port:
        ana = Client(port, "Ana")
        await ana.task
        ((ending, told),) = ana.ear.endings
        assert ending is Ending.VERSION
        assert sentence in told


@pytest.mark.parametrize("said", [b"\xc1", b"\x80", "text", None])
async def test_something_that_answers_but_not_as_sequoia_does(said: bytes | str | None) -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.recv()
        if said is not None:
            await connection.send(said)
        await connection.close(1000)

    async with a_fake(behave) as port:
        ana = Client(port, "Ana")
        await ana.task
        ((ending, told),) = ana.ear.endings
        assert ending is Ending.FAILED
        assert told


async def test_a_gap_in_the_numbers_brings_the_whole_view_and_a_liar_is_given_up() -> None:
    view = RoomView(1, 10, RoomState("ABCD", RoomSettings()), None)
    hellos = 0
    seen: list[int] = []

    async def behave(connection: ServerConnection) -> None:
        nonlocal hellos
        hellos += 1
        await connection.recv()
        await connection.send(welcome())
        command = msgpack.unpackb(await connection.recv())
        if hellos > 1:
            seen.append(command["request"]["number"])
        entered = encode_answer(Entered(command["id"], "k" * 32, view, ()))
        await connection.send(encode_update(0, answers=[entered]))
        lie = encode_event(Chatted(1, "Ana", "number 12 after 10"))
        await connection.send(encode_update(12, events=[lie]))
        await connection.wait_closed()

    async with a_fake(behave) as port:
        ana = Client(port, "Ana")
        await ana.connection.request(CreateRoom(RoomSettings()))
        await ana.task
        assert hellos == PATIENCE + 1
        # What was missed would be as wrong again: only the whole view can help.
        assert seen == [0] * PATIENCE
        ((ending, told),) = ana.ear.endings
        assert ending is Ending.BROKEN
        assert "do not understand each other" in told
        assert all(line.text == "" for line in ana.ear.views[-1].room.chat)


async def test_a_fault_in_the_listener_ends_the_connection_and_nothing_else() -> None:
    async with a_server() as (_, port):
        ana = Client(port, "Ana")

        def fails(*_: object) -> None:
            raise RuntimeError("a screen is broken")

        ana.ear.on_view = fails  # type: ignore[method-assign,assignment]
        await ana.connection.request(CreateRoom(RoomSettings()))
        await ana.task
        ((ending, _),) = ana.ear.endings
        assert ending is Ending.BROKEN


@pytest.mark.parametrize(("steady", "again"), [(0.0, 0), (3600.0, 1)], ids=["held", "lost at once"])
async def test_each_try_that_fails_makes_the_next_pause_longer(
    monkeypatch: pytest.MonkeyPatch, steady: float, again: int
) -> None:
    # Whatever the time since one was online: only a link that held makes a fresh start.
    monkeypatch.setattr("sequoia_tui.connection.STEADY", steady)
    attempts: list[int] = []
    seventh = asyncio.Event()

    def delay(attempt: int) -> float:
        attempts.append(attempt)
        if len(attempts) == 7:
            seventh.set()
        return 0.02 if len(attempts) < 7 else 0.3

    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana", delay=delay)
        await open_room(ana)
        await proxy.stop()
        await seventh.wait()
        assert attempts == list(range(7))
        await proxy.start()
        await until(lambda: ana.online)
        proxy.cut()
        await until(lambda: len(attempts) > 7)
        assert attempts[7] == again
        await ana.close()


def test_the_pauses_grow_and_are_never_the_same_for_all() -> None:
    for attempt in range(40):
        pauses = {backoff(attempt) for _ in range(20)}
        assert len(pauses) > 1
        assert all(0.3 <= pause <= 8 for pause in pauses)
    assert max(backoff(0) for _ in range(100)) < 0.5
    assert max(backoff(9) for _ in range(100)) > 4


def test_a_seat_key_is_shown_by_no_repr() -> None:
    assert "very-secret" not in repr(SeatKey("ABCD", 1, "very-secret"))
