"""Coming back to a seat: what was missed, keys that change, and servers that are started anew."""

import asyncio
from pathlib import Path

import msgspec
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    Done,
    JoinRoom,
    Kick,
    LeaveRoom,
    ListRooms,
    Ready,
    Refused,
    Rooms,
)
from sequoia_protocol.room import Chatted

from sequoia_tui import sentences
from tests.kit import ServerProcess
from tests.tui.support import Client, a_proxy, a_server, lose_link, open_room, until

AT = ("--bind", "127.0.0.1", "--port")
RESUMING = b"resume_seat"


async def test_what_was_missed_is_told_event_by_event() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana, bo = Client(proxy.port, "Ana"), Client(port, "Bo")
        code = await open_room(ana)
        await bo.connection.request(JoinRoom(code, watch=False))
        await proxy.stop()
        for number in range(3):
            await bo.connection.request(Chat(f"line {number}"))
        known = len(ana.ear.events)
        await proxy.start()
        await until(lambda: ana.view == msgspec.structs.replace(bo.view, you=ana.view.you))
        missed = ana.ear.events[known:]
        assert [event.text for event in missed if isinstance(event, Chatted)] == [
            f"line {number}" for number in range(3)
        ]
        await ana.close()
        await bo.close()


async def test_a_lost_answer_to_a_new_key_leaves_the_old_one_good() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        await open_room(ana)
        before = ana.view
        keys = list(ana.ear.seats)
        for _ in range(3):
            # The server hands out a key, and what it says never arrives.
            proxy.lose_answers_after(RESUMING)
            await lose_link(proxy, ana)
            assert proxy.lost
        assert ana.view == before
        assert ana.ear.outs == []
        assert len(ana.ear.seats) == len(keys) + 3
        await ana.close()
        # And what came last, kept on disk, brings another start of the program back.
        again = Client(port, "Ana", seat=ana.ear.seats[-1])
        await until(lambda: again.connection.view is not None)
        assert again.view.you == before.you
        await again.close()


async def test_a_key_that_cannot_be_kept_is_not_used() -> None:
    async with a_server() as (_, port), a_proxy(port) as proxy:
        ana = Client(proxy.port, "Ana")
        await open_room(ana)
        kept = ana.ear.seats[-1]
        ana.ear.disk_is_full = True
        for _ in range(3):
            await lose_link(proxy, ana)
        assert ana.connection.seat == kept
        await ana.close()
        again = Client(port, "Ana", seat=kept)
        await until(lambda: again.connection.view is not None)
        await again.close()


async def test_a_seat_is_forgotten_when_one_leaves_or_is_put_out() -> None:
    async with a_server() as (_, port):
        ana, bo = Client(port, "Ana"), Client(port, "Bo")
        code = await open_room(ana)
        await bo.connection.request(JoinRoom(code, watch=False))
        await ana.connection.request(Kick(bo.view.you))
        await until(lambda: bo.ear.outs)
        await ana.connection.request(LeaveRoom())
        assert bo.ear.seats[-1] is None
        assert ana.ear.seats[-1] is None
        await ana.close()
        await bo.close()


async def test_a_server_that_closes_says_so_and_is_waited_for(tmp_path: Path) -> None:
    # Another process starts with what the first one has stored, and knows of no link.
    first = ServerProcess(*AT, "0", "--data", str(tmp_path))
    with first:
        ana = Client(first.port, "Ana")
        await open_room(ana)
        before = ana.view
        status, _, _ = await asyncio.to_thread(first.stop)
        assert status == 0
        await until(lambda: sentences.SEAT_IS_KEPT in {link.reason for link in ana.ear.links})
        said = [ana.connection.request(Chat(f"line {number}")) for number in range(3)]
    with await asyncio.to_thread(ServerProcess, *AT, str(ana.port), "--data", str(tmp_path)):
        assert all(isinstance(answer, Done) for answer in await asyncio.gather(*said))
        assert [line.text for line in ana.view.room.chat] == [f"line {n}" for n in range(3)]
        assert ana.view.you == before.you
        assert ana.ear.outs == []
        await ana.close()


async def test_a_new_server_that_knows_nothing_answers_everything() -> None:
    with ServerProcess(*AT, "0", "--ephemeral") as first:
        ana = Client(first.port, "Ana")
        await open_room(ana)
        first.process.kill()
        await until(lambda: not ana.online)
        asked = [ana.connection.request(request) for request in (Chat("x"), AddBot(1), Ready(True))]
        rooms = ana.connection.request(ListRooms())
    with await asyncio.to_thread(ServerProcess, *AT, str(ana.port), "--ephemeral"):
        for answer in await asyncio.gather(*asked):
            assert isinstance(answer, Refused)
            assert answer.code is Code.NOT_IN_A_ROOM
        assert isinstance(await rooms, Rooms)
        assert "is gone" in ana.ear.outs[0]
        assert ana.ear.seats[-1] is None
        await ana.close()
