"""A server inside of another program: the same bytes as over a socket, and the same limits."""

import asyncio
import random

import pytest
from sequoia_protocol.messages import AddBot, Chat, CreateRoom, GetRecord, Ready, Record, Start
from sequoia_protocol.room import RoomSettings
from sequoia_server.embedded import EmbeddedServer, PipeClosed
from sequoia_server.settings import Settings

from tests.kit import LivelyEntropy, PipeTransport, Player

NONCE = "the-same-nonce-twice"


async def solo_game(player: Player) -> None:
    """Play a game against bots by fixed choices, to the end."""
    player.entered(await player.command(CreateRoom(RoomSettings())))
    for seat in (1, 2, 3):
        await player.command(AddBot(seat))
    await player.command(Ready(True))
    await player.command(Start())
    rng = random.Random(5)

    def alone_awaited() -> bool:
        game = player.here.game
        return game is not None and game.public.awaited == (0,) and bool(player.choices)

    while not player.is_over:
        # The bots first, so that the order does not depend on how fast this machine is.
        await player.until(lambda: alone_awaited() or player.is_over)
        if player.choices:
            await player.choose(rng.choice(player.choices))


def all_events(player: Player) -> list[object]:
    return [event for update in player.updates for event in update.events]


async def test_a_solo_game_over_a_pipe_and_over_a_socket_is_the_same_byte_for_byte() -> None:
    games = []
    for over_a_socket in (False, True):
        server = EmbeddedServer(entropy=LivelyEntropy(11, delay_scale=0.02))
        await server.start()
        if over_a_socket:
            await server.listen("127.0.0.1", 0)
            player = await Player.on_socket(server.addresses[0][1], "Ana", NONCE)
        else:
            player = await Player.on_pipe(server, "Ana", NONCE)
        await solo_game(player)
        record = await player.command(GetRecord())
        assert isinstance(record, Record)
        # Where one message ends and the next begins is a matter of timing; what they hold is not.
        game = record.text.partition("[events]")[2]
        games.append((player.frames[:2], all_events(player), player.view, player.key, game))
        await player.close()
        await server.stop()
    assert games[0] == games[1]


async def test_the_same_rooms_are_open_to_the_network_and_to_this_program() -> None:
    server = EmbeddedServer()
    await server.start()
    (host,) = await server.listen("127.0.0.1", 0)
    port = server.addresses[0][1]
    assert host == f"127.0.0.1:{port}"
    ana = await Player.on_pipe(server, "Ana")
    view = ana.entered(await ana.command(CreateRoom(RoomSettings(public=False))))
    bo = await Player.on_socket(port, "Bo")
    await bo.join(view.room.code)
    await ana.command(Chat("hello over there"))
    await bo.until(lambda: bool(bo.here.room.chat))
    await server.stop()
    assert (await ana.until_closed()).code == (await bo.until_closed()).code == 1001


async def test_a_pipe_has_the_limits_of_a_socket() -> None:
    server = EmbeddedServer()
    await server.start()
    ana = await Player.on_pipe(server, "Ana")
    await ana.transport.send(b"\x00" * 4097)
    assert (await ana.until_closed()).code == 1009
    await server.stop()


async def test_a_pipe_that_is_not_read_is_given_up_and_the_others_go_on() -> None:
    server = EmbeddedServer(Settings(write_buffer=2000))
    await server.start()
    ana = await Player.on_pipe(server, "Ana")
    view = ana.entered(await ana.command(CreateRoom(RoomSettings())))
    bo = await Player.on_pipe(server, "Bo")
    await bo.join(view.room.code)
    bo._pump.cancel()
    for number in range(40):
        await ana.command(Chat(f"line {number} of a long speech that Bo does not listen to"))
    await ana.until(lambda: bool(ana.away))
    assert isinstance(bo.transport, PipeTransport)
    with pytest.raises(PipeClosed) as closed:
        await bo.transport.pipe.receive()
    assert closed.value.code == 1006
    await server.stop()


async def test_a_closed_pipe_is_closed_for_both() -> None:
    server = EmbeddedServer()
    await server.start()
    pipe = server.connect()
    pipe.close()
    pipe.close()
    with pytest.raises(PipeClosed):
        pipe.send(b"")
    with pytest.raises(PipeClosed):
        await pipe.receive()
    await server.stop()


async def test_a_waiting_reader_learns_of_the_end() -> None:
    server = EmbeddedServer()
    await server.start()
    pipe = server.connect()
    reading = asyncio.ensure_future(pipe.receive())
    await asyncio.sleep(0)
    await server.stop()
    assert b"server_closing" in await reading
    with pytest.raises(PipeClosed, match="1001"):
        await pipe.receive()


async def test_a_server_can_be_stopped_twice_and_needs_to_be_started() -> None:
    server = EmbeddedServer()
    await server.stop()
    with pytest.raises(RuntimeError, match="start it first"):
        server.connect()
    with pytest.raises(RuntimeError, match="start it first"):
        await server.listen("127.0.0.1", 0)
