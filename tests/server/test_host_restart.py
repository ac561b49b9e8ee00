"""A server that is started again on the same journal, and one whose journal stalls."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    CreateRoom,
    Done,
    Entered,
    Held,
    JoinRoom,
    ListRooms,
    Ready,
    Refused,
    Rooms,
    Start,
)
from sequoia_protocol.room import RoomSettings
from sequoia_server.data_dir import open_journal
from sequoia_server.embedded import EmbeddedServer
from sequoia_server.journal import Batch, DamagedRoom, MemoryJournal
from sequoia_server.settings import Settings

from tests.kit import FixedEntropy, PipeTransport, Player, begin_game


@asynccontextmanager
async def serving(
    directory: Path, settings: Settings | None = None, seed: int = 0
) -> AsyncIterator[EmbeddedServer]:
    """Run a server on a data directory."""
    journal = open_journal(directory)
    server = EmbeddedServer(settings, FixedEntropy(seed, delay_scale=0.01), journal)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
        journal.close()


async def again(player: Player, server: EmbeddedServer) -> Player:
    """Be the same client on a link to another server."""
    other = player.again(PipeTransport(server.connect()))
    await other.hello()
    return other


def heard(player: Player) -> list[str]:
    """The chat that a player sees."""
    return [line.text for line in player.here.room.chat]


async def test_rooms_games_and_people_are_there_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
        await begin_game(ana, bo)
        await bo.choose(bo.choices[-1])
        before = bo.here
    async with serving(tmp_path, seed=1) as server:
        ana, bo = await again(ana, server), await again(bo, server)
        assert (await bo.resume()) == before
        await ana.resume()
        await ana.choose(ana.choices[0])
        await bo.until(lambda: bo.here.deal == before.deal + 1)


async def test_the_command_that_opened_a_room_finds_it_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for number in range(20):
            other = await Player.on_pipe(server, f"Other {number}")
            await other.command(CreateRoom(RoomSettings()))
        ana = await Player.on_pipe(server, "Ana")
        first = await ana.command(CreateRoom(RoomSettings()), command_id=50)
        assert isinstance(first, Entered)
    async with serving(tmp_path, seed=1) as server:
        # Sent before the room is restored, and with more behind it.
        ana = await again(ana, server)
        opened = await ana.send(CreateRoom(RoomSettings()), command_id=50)
        ready = await ana.send(Ready(True), command_id=51)
        answer = await opened
        assert isinstance(answer, Entered)
        assert answer.view.room.code == first.view.room.code
        assert isinstance(await ready, Done)


async def test_the_command_that_led_into_a_room_leads_to_the_same_person(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
        code = ana.entered(await ana.command(CreateRoom(RoomSettings()))).room.code
        first = bo.entered(await bo.command(JoinRoom(code, watch=False), command_id=50))
    async with serving(tmp_path, seed=1) as server:
        bo = await again(bo, server)
        view = bo.entered(await bo.command(JoinRoom(code, watch=False), command_id=50))
        assert view.you == first.you
        assert len(view.room.people) == 2


async def test_codes_of_stored_rooms_are_not_given_away(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        ana = await Player.on_pipe(server, "Ana")
        code = ana.entered(await ana.command(CreateRoom(RoomSettings()))).room.code
    # The same seed would draw the same code first.
    async with serving(tmp_path) as server:
        bo = await Player.on_pipe(server, "Bo")
        assert bo.entered(await bo.command(CreateRoom(RoomSettings()))).room.code != code


async def test_a_room_that_cannot_be_restored_is_named_and_the_others_play_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as server:
        ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
        lost = ana.entered(await ana.command(CreateRoom(RoomSettings()))).room.code
        await bo.command(CreateRoom(RoomSettings()))
    journal = open_journal(tmp_path)
    read = journal.read

    def damaged(code: str) -> object:
        if code == lost:
            raise DamagedRoom("turn 2 is not as it was written")
        return read(code)

    monkeypatch.setattr(journal, "read", damaged)
    server = EmbeddedServer(entropy=FixedEntropy(1), journal=journal)
    with caplog.at_level(logging.ERROR):
        await server.start()
        ana, bo = await again(ana, server), await again(bo, server)
        answer = await ana.command(ana.resume_request())
        await bo.resume()
    assert isinstance(answer, Refused)
    assert answer.code == Code.BAD_KEY
    assert [record.getMessage() for record in caplog.records] == [
        f"room {lost} cannot be restored: turn 2 is not as it was written"
    ]
    await server.stop()
    journal.close()


async def test_many_turns_are_folded_into_a_checkpoint(tmp_path: Path) -> None:
    async with serving(tmp_path, Settings(checkpoint_after=10)) as server:
        ana = await Player.on_pipe(server, "Ana")
        code = ana.entered(await ana.command(CreateRoom(RoomSettings()))).room.code
        for number in range(45):
            await ana.command(Chat(f"line {number}"))
        before = ana.here
    journal = open_journal(tmp_path)
    assert len(journal.read(code)) <= 10
    journal.close()
    async with serving(tmp_path, seed=1) as server:
        ana = await again(ana, server)
        assert await ana.resume() == before


class StallingJournal(MemoryJournal):
    """Stores nothing while it is told to stall."""

    def __init__(self) -> None:
        self.on_stall: Callable[[bool], None] = lambda _: None
        self.waiting: list[Callable[[], None]] | None = None

    def start(self, on_stall: Callable[[bool], None]) -> None:
        self.on_stall = on_stall

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        self.after(on_durable)

    def after(self, on_durable: Callable[[], None]) -> None:
        if self.waiting is None:
            on_durable()
        else:
            self.waiting.append(on_durable)

    def stall(self) -> None:
        self.waiting = []
        self.on_stall(True)

    def go_on(self) -> None:
        waiting, self.waiting = self.waiting or [], None
        for on_durable in waiting:
            on_durable()
        self.on_stall(False)


@pytest.fixture
async def table() -> AsyncIterator[tuple[StallingJournal, Player, EmbeddedServer]]:
    journal = StallingJournal()
    server = EmbeddedServer(
        Settings(commands_held=4, bot_delay=(0.0, 0.0)), FixedEntropy(), journal
    )
    await server.start()
    ana = await Player.on_pipe(server, "Ana")
    await ana.command(CreateRoom(RoomSettings(clock=15)))
    await ana.command(AddBot(1))
    await ana.command(Ready(True))
    await ana.command(Start())
    await ana.until(lambda: bool(ana.choices))
    yield journal, ana, server
    await server.stop()


async def test_while_nothing_can_be_stored_commands_wait_and_the_clock_stands(
    table: tuple[StallingJournal, Player, EmbeddedServer],
) -> None:
    journal, ana, _ = table
    journal.stall()
    await ana.until(lambda: ana.clock is not None and ana.clock.held is Held.STORAGE)
    chat = await ana.send(Chat("anybody?"))
    listed = await ana.send(ListRooms())
    done, _ = await asyncio.wait([chat, listed], timeout=0.1)
    assert not done
    assert not heard(ana)
    journal.go_on()
    assert isinstance(await chat, Done)
    assert isinstance(await listed, Rooms)
    await ana.until(lambda: ana.clock is not None and ana.clock.held is None)
    assert heard(ana) == ["anybody?"]


async def test_who_sends_without_end_meanwhile_is_asked_to_come_again(
    table: tuple[StallingJournal, Player, EmbeddedServer],
) -> None:
    journal, ana, server = table
    journal.stall()
    for _ in range(5):
        await ana.send(Chat("anybody?"))
    assert (await ana.until_closed()).code == 1013
    journal.go_on()
    ana = await again(ana, server)
    await ana.resume()
    await ana.command(Chat("back"))


async def test_stopping_does_not_wait_for_a_disk_that_takes_nothing(
    table: tuple[StallingJournal, Player, EmbeddedServer],
) -> None:
    journal, ana, server = table
    journal.stall()
    async with asyncio.timeout(5):
        await server.stop()
    assert (await ana.until_closed()).code == 1001
