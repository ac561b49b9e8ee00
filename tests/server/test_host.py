"""The asyncio shell: rooms by code, links that come and go, one message per link and tick."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import decode_client, decode_server, encode, pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Answer,
    Bye,
    Chat,
    ChoosePairs,
    Command,
    CreateRoom,
    Done,
    Entered,
    Hello,
    JoinRoom,
    Kick,
    LeaveRoom,
    ListRooms,
    Ready,
    Refused,
    Resumed,
    ResumeSeat,
    Rooms,
    Start,
    Update,
    Welcome,
)
from sequoia_protocol.room import Chatted, RoomSettings
from sequoia_server import seating
from sequoia_server.embedded import EmbeddedServer, PipeClosed
from sequoia_server.facts import Entry, Fact
from sequoia_server.host import Host
from sequoia_server.journal import Batch, MemoryJournal
from sequoia_server.settings import Settings

from tests.kit import FixedEntropy, PipeTransport, Player

PRIVATE = RoomSettings(public=False)


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedServer]:
    server = EmbeddedServer(entropy=FixedEntropy(delay_scale=0.01))
    await server.start()
    yield server
    await server.stop()


async def created(player: Player, settings: RoomSettings | None = None) -> str:
    view = player.entered(await player.command(CreateRoom(settings or RoomSettings())))
    return view.room.code


def refused(answer: Answer, code: Code) -> str:
    assert isinstance(answer, Refused), answer
    assert answer.code == code
    return answer.text


# Rooms


async def test_a_room_is_created_listed_and_joined_by_its_code_in_any_case(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    assert len(code) == 4
    rooms = await bo.command(ListRooms())
    assert isinstance(rooms, Rooms)
    assert [(line.code, line.host, line.taken) for line in rooms.rooms] == [(code, "Ana", 1)]
    await bo.join(code.lower())
    await ana.until(lambda: len(ana.here.room.people) == 2)


async def test_the_list_says_what_a_room_is(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana, RoomSettings(seats=3))
    await ana.command(AddBot(1))
    await bo.join(code, watch=True)
    await ana.command(Ready(True))
    await ana.command(Start())
    rooms = await bo.command(ListRooms())
    assert isinstance(rooms, Rooms)
    (line,) = rooms.rooms
    assert (line.seats, line.taken, line.bots, line.watching) == (3, 2, 1, 1)
    assert (line.playing, line.spectators) == (True, True)


async def test_private_and_deserted_rooms_are_not_listed(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana, PRIVATE)
    assert len(code) == 8
    await created(bo)
    await bo.lose_link()
    rooms = await ana.command(ListRooms())
    assert isinstance(rooms, Rooms)
    assert rooms.rooms == ()


async def test_a_stranger_cannot_tell_a_private_room_from_none(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana, RoomSettings(public=False, seats=2, spectators=False))
    cleo = await Player.on_pipe(server, "Cleo")
    await cleo.join(code)
    texts = {
        refused(await bo.command(request), Code.NO_SUCH_ROOM)
        for request in (
            JoinRoom(code, watch=False),
            JoinRoom(code, watch=True),
            JoinRoom("23456789", watch=False),
        )
    }
    assert len(texts) == 1
    key = "a-key-that-was-never-issued"
    texts = {
        refused(await bo.command(ResumeSeat(room, person, key, 0)), Code.BAD_KEY)
        for room, person in ((code, 1), (code, 9), ("23456789", 1))
    }
    assert len(texts) == 1


async def test_there_is_a_limit_to_rooms() -> None:
    server = EmbeddedServer(Settings(rooms=1), FixedEntropy())
    await server.start()
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await created(ana)
    refused(await bo.command(CreateRoom(RoomSettings())), Code.TOO_MANY_ROOMS)
    await server.stop()


async def test_a_code_that_is_taken_is_drawn_again() -> None:
    class Repeating(FixedEntropy):
        codes = iter(("AAAA", "AAAA", "AAAA", "BBBB"))

        def code(self, length: int) -> str:
            return next(self.codes)

    server = EmbeddedServer(entropy=Repeating())
    await server.start()
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    assert [await created(ana), await created(bo)] == ["AAAA", "BBBB"]
    await server.stop()


async def test_in_a_room_one_enters_no_other_and_outside_one_does_nothing(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    await created(bo)
    for request in (CreateRoom(RoomSettings()), JoinRoom(code, watch=True), bo.resume_request()):
        refused(await bo.command(request), Code.IN_A_ROOM)
    assert isinstance(await bo.command(LeaveRoom()), Done)
    refused(await bo.command(Chat("hello")), Code.NOT_IN_A_ROOM)
    await bo.join(code)
    refused(await bo.command(CreateRoom(RoomSettings())), Code.IN_A_ROOM)


async def test_an_empty_room_is_gone_after_its_time() -> None:
    server = EmbeddedServer(Settings(empty_room_lifetime=0.05), FixedEntropy())
    await server.start()
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    await ana.lose_link()
    async with asyncio.timeout(5):
        while not isinstance(await bo.command(JoinRoom(code, watch=True)), Refused):
            await bo.command(LeaveRoom())
            await asyncio.sleep(0.06)
    await server.stop()


# The same command twice


async def test_entering_twice_by_the_same_command_enters_once(server: EmbeddedServer) -> None:
    ana = await Player.on_pipe(server, "Ana")
    first = await ana.command(CreateRoom(RoomSettings()), command_id=50)
    again = await ana.command(CreateRoom(RoomSettings()), command_id=50)
    assert isinstance(first, Entered)
    assert isinstance(again, Entered)
    assert first.view == again.view
    # The link is lost before the answer came, and the same command is sent on another one.
    await ana.lose_link()
    other = ana.again(PipeTransport(server.connect()))
    await other.hello()
    view = other.entered(await other.command(CreateRoom(RoomSettings()), command_id=50))
    assert (view.you, view.room.code) == (first.view.you, first.view.room.code)
    await other.command(Chat("here again"))


async def test_coming_back_twice_by_the_same_command_comes_back_once(
    server: EmbeddedServer,
) -> None:
    ana = await Player.on_pipe(server, "Ana")
    await created(ana)
    await ana.lose_link()
    back = ana.again(PipeTransport(server.connect()))
    await back.hello()
    request = back.resume_request()
    assert isinstance(await back.command(request, command_id=70), Resumed)
    assert isinstance(await back.command(request, command_id=70), Entered)
    await back.command(Chat("here"))
    await back.lose_link()
    again = back.again(PipeTransport(server.connect()))
    await again.hello()
    await again.resume()


async def test_a_refusal_stays_a_refusal(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana, RoomSettings(seats=2, spectators=False))
    request = JoinRoom(code, watch=True)
    refused(await bo.command(request, command_id=50), Code.NO_SPECTATORS)
    refused(await bo.command(JoinRoom(code, watch=False), command_id=50), Code.NO_SPECTATORS)
    await bo.join(code)


async def test_leaving_twice_by_the_same_command_gets_the_same_answer(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    await bo.join(code)
    first = await bo.command(LeaveRoom(), command_id=50)
    assert await bo.command(LeaveRoom(), command_id=50) == first
    refused(await bo.command(LeaveRoom(), command_id=51), Code.NOT_IN_A_ROOM)


async def test_a_late_copy_of_the_command_that_led_in_does_not_undo_leaving(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    bo.entered(await bo.command(JoinRoom(code, watch=False), command_id=50))
    await bo.command(LeaveRoom())
    refused(await bo.command(JoinRoom(code, watch=False), command_id=50), Code.NOT_IN_A_ROOM)
    await bo.join(code)
    await bo.command(LeaveRoom())
    await created(bo)
    refused(await bo.command(JoinRoom(code, watch=False), command_id=50), Code.IN_A_ROOM)


async def test_a_late_copy_does_not_lead_from_one_room_into_another(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    bo.entered(await bo.command(JoinRoom(code, watch=False), command_id=50))
    await bo.command(LeaveRoom())
    await created(bo)
    refused(await bo.command(JoinRoom(code, watch=False), command_id=50), Code.IN_A_ROOM)


async def test_the_number_of_a_lobby_command_has_no_second_effect_in_the_room(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)
    bo.entered(await bo.command(JoinRoom(code, watch=False), command_id=50))
    bo.entered(await bo.command(Chat("sneaked in"), command_id=50))
    await bo.command(Chat("said"))
    assert [line.text for line in bo.here.room.chat] == ["said"]


async def test_a_list_of_rooms_is_never_longer_than_a_list_may_be() -> None:
    server = EmbeddedServer(Settings(rooms_listed=2), FixedEntropy())
    await server.start()
    players = [await Player.on_pipe(server, f"Player {number}") for number in range(4)]
    codes = [await created(player) for player in players]
    await players[3].command(AddBot(1))
    await players[3].command(Ready(True))
    await players[3].command(Start())
    asker = await Player.on_pipe(server, "Asker")
    answer = await asker.command(ListRooms())
    assert isinstance(answer, Rooms)
    assert [line.code for line in answer.rooms] == [codes[2], codes[1]]
    await server.stop()


async def test_answers_of_the_lobby_are_kept_for_a_while_only() -> None:
    server = EmbeddedServer(Settings(lobby_answers_kept=1), FixedEntropy())
    await server.start()
    ana = await Player.on_pipe(server, "Ana")
    await ana.command(JoinRoom("NONE", watch=False), command_id=50)
    await ana.command(JoinRoom("NONE", watch=False), command_id=51)
    assert isinstance(await ana.command(CreateRoom(RoomSettings()), command_id=50), Entered)
    await server.stop()


# Links


async def test_coming_back_takes_the_link_over_and_the_older_one_is_told(
    server: EmbeddedServer,
) -> None:
    ana = await Player.on_pipe(server, "Ana")
    await created(ana)
    newer = ana.again(PipeTransport(server.connect()))
    await newer.hello()
    view = await newer.resume()
    closed = await ana.until_closed()
    assert ana.bye is not None
    assert (ana.bye.code, closed.code) == (Code.REPLACED, 1000)
    assert view == newer.here
    assert newer.away == ()
    await newer.command(Chat("still here"))


async def test_what_was_sent_on_an_older_link_and_comes_late_takes_nothing_over(
    server: EmbeddedServer,
) -> None:
    ana = await Player.on_pipe(server, "Ana")
    ana.entered(await ana.command(CreateRoom(RoomSettings()), command_id=50))
    late = ana.resume_request()
    # The same program on a second link, while the server does not know yet that the first is dead.
    newer = ana.again(PipeTransport(server.connect()))
    await newer.hello()
    stale = ana.again(PipeTransport(server.connect()))
    await stale.hello()
    newest = ana.again(PipeTransport(server.connect()))
    await newest.hello()
    await newest.resume()
    refused(await stale.command(late, command_id=51), Code.IN_A_ROOM)
    refused(await newer.command(CreateRoom(RoomSettings()), command_id=50), Code.IN_A_ROOM)
    assert isinstance(await newest.command(Chat("still here")), Done)


async def test_a_lost_link_is_shown_to_the_others_and_the_return_as_well(
    server: EmbeddedServer,
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await bo.join(await created(ana))
    await bo.lose_link()
    await ana.until(lambda: [away.person for away in ana.away] == [2])
    back = bo.again(PipeTransport(server.connect()))
    await back.hello()
    await back.resume()
    await ana.until(lambda: ana.away == ())


async def test_who_is_put_out_is_told_and_can_do_something_else(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await bo.join(await created(ana))
    await ana.command(Kick(2))
    await bo.until(lambda: bo.view is None)
    refused(await bo.command(Chat("hello?")), Code.NOT_IN_A_ROOM)
    await created(bo)


async def test_a_link_without_a_hello_is_closed() -> None:
    server = EmbeddedServer(Settings(hello_timeout=0.02), FixedEntropy())
    await server.start()
    pipe = server.connect()
    with pytest.raises(PipeClosed) as closed:
        await pipe.receive()
    assert closed.value.code == 1008
    ana = await Player.on_pipe(server, "Ana")
    await asyncio.sleep(0.04)
    await created(ana)
    await server.stop()


async def test_what_is_no_message_closes_this_link_alone(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await bo.join(await created(ana))
    await bo.transport.send(b"\xc1 what is this")
    assert (await bo.until_closed()).code == 1007
    assert bo.bye is None
    await ana.until(lambda: bool(ana.away))
    await ana.command(Chat("well"))


async def test_after_the_end_of_a_link_nothing_of_it_counts(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await bo.join(await created(ana))
    await bo.transport.send(b"\xc1")
    await bo.send(Chat("too late"))
    await bo.until_closed()
    await ana.command(Chat("first"))
    assert [line.text for line in ana.here.room.chat] == ["first"]


async def test_what_was_done_is_answered_before_the_link_is_closed(server: EmbeddedServer) -> None:
    ana = await Player.on_pipe(server, "Ana")
    await created(ana)
    answer = await ana.send(Chat("a last word"))
    await ana.transport.send(b"\xc1")
    assert isinstance(await answer, Done)
    assert (await ana.until_closed()).code == 1007


async def test_stopping_tells_everybody(server: EmbeddedServer) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    await created(ana)
    await server.stop()
    for player in (ana, bo):
        assert (await player.until_closed()).code == 1001
        assert player.bye is not None
        assert player.bye.code == Code.SERVER_CLOSING
    with pytest.raises(RuntimeError, match="not running"):
        server.connect()


# The way out


class RecordingWire:
    """Keeps what is sent, message by message."""

    def __init__(self) -> None:
        self.messages: list[Update | Welcome | Bye] = []
        self.closed: tuple[int, str] | None = None

    def send(self, data: bytes) -> None:
        assert self.closed is None
        self.messages.append(decode_server(data))

    def close(self, code: int, reason: str) -> None:
        self.closed = (code, reason)

    @property
    def updates(self) -> list[Update]:
        return [message for message in self.messages if isinstance(message, Update)]


class SlowJournal(MemoryJournal):
    """Stores when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []
        self.facts: list[tuple[str, Fact]] = []

    def append(self, batch: Batch, on_durable: Callable[[], None]) -> None:
        self.facts += [(batch.code, fact) for fact in batch.facts]
        self.waiting.append(on_durable)

    def after(self, on_durable: Callable[[], None]) -> None:
        self.waiting.append(on_durable)

    @property
    def entries(self) -> list[Entry]:
        return [fact for _, fact in self.facts if isinstance(fact, Entry)]

    async def commit(self) -> None:
        waiting, self.waiting = self.waiting, []
        for on_durable in waiting:
            on_durable()
        await asyncio.sleep(0)


def started(journal: MemoryJournal) -> Host:
    return Host(Settings(), FixedEntropy(), journal, asyncio.get_running_loop())


def hello(name: str) -> bytes:
    return encode(Hello(PROTOCOL_VERSION, name, f"{name}-0123456789abcdef", "tests"))


async def test_all_that_a_link_is_owed_in_a_tick_is_one_message() -> None:
    host = started(MemoryJournal())
    wires = [RecordingWire(), RecordingWire()]
    links = [host.open(wire) for wire in wires]
    for link, name in zip(links, ("Ana", "Bo"), strict=True):
        link.receive(hello(name))
    links[0].receive(encode(Command(1, 0, CreateRoom(RoomSettings()))))
    await asyncio.sleep(0)
    (update,) = wires[0].updates
    (entered,) = update.answers
    assert isinstance(entered, Entered)
    links[1].receive(encode(Command(1, 0, JoinRoom(entered.view.room.code, watch=False))))
    await asyncio.sleep(0)
    before = [len(wire.updates) for wire in wires]
    for number, link in enumerate(links):
        link.receive(encode(Command(2, 0, Ready(True))))
        link.receive(encode(Command(3, 0, Chat(f"line {number}"))))
    links[0].receive(encode(Command(4, 0, Start())))
    assert [len(wire.updates) for wire in wires] == before, "nothing is sent inside of a turn"
    await asyncio.sleep(0)
    assert [len(wire.updates) - n for wire, n in zip(wires, before, strict=True)] == [1, 1]
    last = wires[0].updates[-1]
    assert [answer.id for answer in last.answers] == [2, 3, 4]
    assert len(last.events) == 6
    host.say_goodbye()


async def test_nothing_is_sent_before_it_is_durable() -> None:
    journal = SlowJournal()
    host = started(journal)
    wire = RecordingWire()
    link = host.open(wire)
    link.receive(hello("Ana"))
    link.receive(encode(Command(1, 0, CreateRoom(RoomSettings()))))
    link.receive(encode(Command(2, 0, Chat("hello"))))
    link.receive(encode(Command(2, 0, Chat("hello"))))
    link.receive(encode(Command(3, 0, ListRooms())))
    await asyncio.sleep(0.01)
    assert wire.updates == []
    await journal.commit()
    (update,) = wire.updates
    assert [answer.id for answer in update.answers] == [1, 2, 2, 3]
    assert [type(entry.event) for entry in journal.entries].count(Chatted) == 1
    assert [entry.number for entry in journal.entries] == [1, 2, 3, 4]
    assert len({code for code, _ in journal.facts}) == 1
    host.say_goodbye()


async def test_what_was_owed_to_a_lost_link_does_not_reach_the_next() -> None:
    journal = SlowJournal()
    host = started(journal)
    old, new = RecordingWire(), RecordingWire()
    link = host.open(old)
    link.receive(hello("Ana"))
    link.receive(encode(Command(1, 0, CreateRoom(RoomSettings()))))
    await journal.commit()
    (update,) = old.updates
    (entered,) = update.answers
    assert isinstance(entered, Entered)
    link.receive(encode(Command(2, 0, Chat("hello"))))
    link.lost()
    link = host.open(new)
    link.receive(hello("Ana"))
    link.receive(encode(Command(3, 0, ResumeSeat(entered.view.room.code, 1, entered.key, 0))))
    await journal.commit()
    assert len(old.updates) == 1
    (update,) = new.updates
    (again,) = update.answers
    assert isinstance(again, Entered)
    assert [line.text for line in again.view.room.chat] == ["hello"]
    assert update.events == ()
    host.say_goodbye()


# One room's trouble


async def test_a_room_that_fails_is_closed_and_the_others_go_on(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ana, bo, cleo = [await Player.on_pipe(server, name) for name in ("Ana", "Bo", "Cleo")]
    code = await created(ana)
    await bo.join(code)
    await created(cleo)
    decide = seating.decide
    secret = " ".join("12345")

    def broken(room: object, person: object, request: object) -> object:
        if request == Chat("break"):
            raise KeyError(secret)
        return decide(room, person, request)  # type: ignore[arg-type]

    monkeypatch.setattr(seating, "decide", broken)
    await bo.send(Chat("break"))
    for player in (ana, bo):
        assert (await player.until_closed()).code == 1011
        assert player.bye is not None
        assert player.bye.code == Code.ROOM_CLOSED
        assert "closed" in player.bye.text
    assert isinstance(await cleo.command(Chat("all well here")), Done)
    rooms = await cleo.command(ListRooms())
    assert isinstance(rooms, Rooms)
    assert [line.host for line in rooms.rooms] == ["Cleo"]
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert "a room failed" in record.getMessage()
    assert "in broken" in record.getMessage()
    assert "KeyError" in record.getMessage()
    assert secret not in caplog.text
    assert code not in caplog.text


async def test_a_room_that_fails_by_itself_is_closed_too(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await Player.on_pipe(server, "Ana")
    await created(ana)
    await ana.command(AddBot(1))
    await ana.command(Ready(True))

    def broken(*_: object) -> bool:
        raise RuntimeError("no")

    # Only a bot whose moment has come gets that far.
    monkeypatch.setattr("sequoia_server.table.Table._choose_for", broken)
    await ana.command(Start())
    assert (await ana.until_closed()).code == 1011


async def test_a_room_that_fails_while_somebody_enters_refuses_them(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")
    code = await created(ana)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(seating, "placement", broken)
    refused(await bo.command(JoinRoom(code, watch=False)), Code.NO_SUCH_ROOM)
    assert (await ana.until_closed()).code == 1011


async def test_a_connection_that_fails_ends_alone(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ana, bo = await Player.on_pipe(server, "Ana"), await Player.on_pipe(server, "Bo")

    def broken(data: bytes) -> object:
        if b"break" in data:
            raise RuntimeError(data)
        return decode_client(data)

    monkeypatch.setattr("sequoia_server.connection.decode_client", broken)
    await bo.send(Chat("break"))
    assert (await bo.until_closed()).code == 1011
    assert "a connection failed" in caplog.text
    assert "break" not in caplog.text
    await created(ana)


async def test_nothing_secret_is_logged(
    server: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ana = await Player.on_pipe(server, "Ana")
    await created(ana)
    await ana.command(Chat("a canary in the chat"))
    await ana.command(AddBot(1))
    await ana.command(Ready(True))
    await ana.command(Start())
    for number in range(3):
        await ana.until(lambda: bool(ana.choices))
        await ana.command(ChoosePairs(*pad_choice(replace(ana.choices[number], turned=None))))
    await ana.transport.send(b"\xc1 canary")
    await ana.until_closed()
    logged = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("sequoia"))
    assert logged == ""
