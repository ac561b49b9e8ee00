"""What tests share: chance that is fixed, a clock that stands, and a player without a screen."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Protocol, Self

from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import decode_server, encode, pad_choice
from sequoia_protocol.messages import (
    Answer,
    Away,
    Bye,
    ChoosePairs,
    Clock,
    Command,
    CreateRoom,
    Entered,
    Hello,
    JoinRoom,
    LeaveRoom,
    Ready,
    Request,
    Resumed,
    ResumeSeat,
    ServerMessage,
    Start,
    Update,
    Welcome,
)
from sequoia_protocol.room import AnySeenEvent, PersonLeft, RoomSettings, RoomView, fold
from sequoia_rules.game import choices_for
from sequoia_rules.phases import Phase
from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS, Choice, Dice
from sequoia_server.embedded import EmbeddedServer, Pipe, PipeClosed
from sequoia_server.entropy import CODE_ALPHABET
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).parent.parent
PATIENCE = 20.0
"""Seconds after which a test that waits for something gives up."""


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> float:
        self.now += seconds
        return self.now


class FixedEntropy:
    """Chance that is the same in every run.

    ``dice`` and ``delays`` are used up first, in order; after them come draws from a seed.
    ``drawn`` lists what kinds were drawn. With ``delay_scale`` every wait is shortened.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        dice: Iterable[Dice] = (),
        delays: Iterable[float] = (),
        delay_scale: float = 1.0,
    ) -> None:
        self.random = random.Random(seed)
        self.scripted_dice = deque(dice)
        self.scripted_delays = deque(delays)
        self.delay_scale = delay_scale
        self.drawn: list[str] = []

    def dice(self) -> Dice:
        self.drawn.append("dice")
        return self.scripted_dice.popleft() if self.scripted_dice else self.roll()

    def roll(self) -> Dice:
        one, two, three, four, five = (self.random.randint(1, 6) for _ in range(5))
        return one, two, three, four, five

    def tokens(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        self.drawn.append("tokens")
        first, second = list(FIRST_TOKENS), list(SECOND_TOKENS)
        self.random.shuffle(first)
        self.random.shuffle(second)
        return tuple(first), tuple(second)

    def delay(self, low: float, high: float) -> float:
        self.drawn.append(f"delay {low} {high}")
        if self.scripted_delays:
            return self.scripted_delays.popleft()
        return self.random.uniform(low, high) * self.delay_scale

    def code(self, length: int) -> str:
        return "".join(self.random.choice(CODE_ALPHABET) for _ in range(length))

    def key(self) -> str:
        return f"{self.random.getrandbits(128):032x}"

    def bot_seed(self) -> int:
        return self.random.getrandbits(64)

    def game_id(self) -> str:
        return f"{self.random.getrandbits(128):032x}"


class LivelyEntropy(FixedEntropy):
    """Fixed chance with more Sequoias, and with dice so alike that many forests end in ties."""

    def __init__(self, seed: int = 0, *, sequoia: float = 0.08, delay_scale: float = 0.01) -> None:
        super().__init__(seed, delay_scale=delay_scale)
        self.sequoia = sequoia

    def roll(self) -> Dice:
        if self.random.random() < self.sequoia:
            face = self.random.randint(1, 6)
            return face, face, face, face, face
        faces = self.random.choice(((1, 2, 3, 4, 5, 6), (1, 2, 3), (4, 5, 6)))
        one, two, three, four, five = (self.random.choice(faces) for _ in range(5))
        return one, two, three, four, five


class TransportClosed(Exception):
    """The link is down; ``code`` is the close code, 1006 if there was none."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason


class Transport(Protocol):
    """Carries bytes between a player and a server."""

    async def send(self, data: bytes) -> None: ...

    async def receive(self) -> bytes: ...

    async def close(self) -> None: ...


class PipeTransport:
    """A pipe into a server of the same process."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe

    async def send(self, data: bytes) -> None:
        try:
            self.pipe.send(data)
        except PipeClosed as closed:
            raise TransportClosed(closed.code, closed.reason) from None

    async def receive(self) -> bytes:
        try:
            return await self.pipe.receive()
        except PipeClosed as closed:
            raise TransportClosed(closed.code, closed.reason) from None

    async def close(self) -> None:
        self.pipe.close()


class SocketTransport:
    """A websocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    @classmethod
    async def open(cls, port: int, host: str = "127.0.0.1", **options: Any) -> Self:
        url = f"ws://{f'[{host}]' if ':' in host else host}:{port}/"
        return cls(await connect(url, compression=None, proxy=None, **options))

    async def send(self, data: bytes) -> None:
        try:
            await self.connection.send(data)
        except ConnectionClosed as closed:
            raise self._closed(closed) from None

    async def receive(self) -> bytes:
        try:
            data = await self.connection.recv()
        except ConnectionClosed as closed:
            raise self._closed(closed) from None
        assert isinstance(data, bytes), "the server sent a text message"
        return data

    async def close(self) -> None:
        await self.connection.close()

    def cut(self) -> None:
        """Lose the link: no closing handshake."""
        self.connection.transport.abort()

    def _closed(self, closed: ConnectionClosed) -> TransportClosed:
        if closed.rcvd is None:
            return TransportClosed(1006, "")
        return TransportClosed(closed.rcvd.code, closed.rcvd.reason)


class Player:
    """A client without a screen: it keeps its view by folding, and checks the numbers."""

    _nonces = count(1)

    def __init__(self, transport: Transport, name: str, nonce: str | None = None) -> None:
        self.transport = transport
        self.name = name
        self.nonce = nonce or f"nonce-of-a-player-{next(self._nonces)}"
        self.view: RoomView | None = None
        self.away: tuple[Away, ...] = ()
        self.clock: Clock | None = None
        self.key = ""
        self.welcome: Welcome | None = None
        self.bye: Bye | None = None
        self.closed: TransportClosed | None = None
        self.updates: list[Update] = []
        self.frames: list[bytes] = []
        self.events: list[AnySeenEvent] = []
        self.ids = count(1)
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._leaving: set[int] = set()
        self._changed = asyncio.Event()
        self._failure: BaseException | None = None
        self._pump = asyncio.get_running_loop().create_task(self._receive_all())

    @classmethod
    async def on_socket(cls, port: int, name: str, nonce: str | None = None) -> Self:
        """Connect over a websocket and say hello."""
        player = cls(await SocketTransport.open(port), name, nonce)
        await player.hello()
        return player

    @classmethod
    async def on_pipe(cls, server: EmbeddedServer, name: str, nonce: str | None = None) -> Self:
        """Connect to a server of this process and say hello."""
        player = cls(PipeTransport(server.connect()), name, nonce)
        await player.hello()
        return player

    async def hello(self) -> None:
        """Say hello, and wait for the welcome or the goodbye."""
        hello = Hello(PROTOCOL_VERSION, self.name, self.nonce, "tests")
        await self.transport.send(encode(hello))
        await self.until(lambda: self.welcome is not None or self.closed is not None)

    async def command(
        self, request: Request, *, deal: int | None = None, command_id: int | None = None
    ) -> Answer:
        """Send a command and wait for its answer."""
        answer = await self.send(request, deal=deal, command_id=command_id)
        async with asyncio.timeout(PATIENCE):
            return await answer

    async def send(
        self, request: Request, *, deal: int | None = None, command_id: int | None = None
    ) -> asyncio.Future[Answer]:
        """Send a command and give what will hold its answer."""
        number = next(self.ids) if command_id is None else command_id
        if deal is None:
            deal = 0 if self.view is None else self.view.deal
        if isinstance(request, LeaveRoom):
            self._leaving.add(number)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self.transport.send(encode(Command(number, deal, request)))
        return answer

    async def join(self, code: str, *, watch: bool = False) -> RoomView:
        """Enter a room, and insist on it."""
        return self.entered(await self.command(JoinRoom(code, watch)))

    def entered(self, answer: Answer) -> RoomView:
        """Insist that an answer has let this player in."""
        assert isinstance(answer, Entered), answer
        return answer.view

    async def choose(self, choice: Choice) -> Answer:
        """Seal a choice for the deal in view."""
        return await self.command(ChoosePairs(*pad_choice(choice)))

    @property
    def here(self) -> RoomView:
        """The view of the room in which this player is."""
        assert self.view is not None, f"{self.name} is in no room"
        return self.view

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What this player may seal now; empty if nothing is asked."""
        game = None if self.view is None else self.view.game
        if game is None or game.dice is None or game.viewer not in game.public.awaited:
            return ()
        return choices_for(game.public, game.viewer, game.dice)

    @property
    def is_over(self) -> bool:
        """Whether the current game has come to its end."""
        game = None if self.view is None else self.view.game
        return game is not None and game.public.phase is Phase.OVER

    async def until(self, predicate: Callable[[], bool]) -> None:
        """Wait until something is so; it is looked at after every message."""
        async with asyncio.timeout(PATIENCE):
            while not predicate():
                if self._failure is not None:
                    raise self._failure
                assert self.closed is None, f"the link is down: {self.closed} {self.bye}"
                self._changed.clear()
                await self._changed.wait()
        if self._failure is not None:
            raise self._failure

    async def until_asked(self) -> None:
        """Wait until there is something to choose."""
        await self.until(lambda: bool(self.choices))

    async def until_closed(self) -> TransportClosed:
        """Wait until the link is down, and give how it was closed."""
        await self.until(lambda: self.closed is not None)
        assert self.closed is not None
        return self.closed

    def again(self, transport: Transport) -> Self:
        """Be the same client on another link: what is not answered yet can be sent again."""
        other = type(self)(transport, self.name, self.nonce)
        other.view, other.key, other.away, other.ids = self.view, self.key, self.away, self.ids
        return other

    def resume_request(self) -> ResumeSeat:
        """The request by which this player comes back."""
        return ResumeSeat(self.here.room.code, self.here.you, self.key, self.here.number)

    async def resume(self) -> RoomView:
        """Come back on a new link."""
        answer = await self.command(self.resume_request())
        assert isinstance(answer, Entered | Resumed), answer
        return self.here

    async def lose_link(self) -> None:
        """Lose the link without a word."""
        if isinstance(self.transport, SocketTransport):
            self.transport.cut()
        else:
            await self.transport.close()
        await self.until_closed()

    async def close(self) -> None:
        """Close the link and stop listening."""
        await self.transport.close()
        with suppress(asyncio.CancelledError):
            await self._pump

    async def _receive_all(self) -> None:
        try:
            while True:
                data = await self.transport.receive()
                self.frames.append(data)
                self._take(decode_server(data))
                self._changed.set()
        except TransportClosed as closed:
            self.closed = closed
        except Exception as failure:  # noqa: BLE001  (the test that waits raises it)
            self._failure = failure
        finally:
            self._changed.set()
            for answer in self._answers.values():
                answer.cancel()

    def _take(self, message: ServerMessage) -> None:
        match message:
            case Welcome():
                self.welcome = message
            case Bye():
                self.bye = message
            case Update():
                self.updates.append(message)
                for answer in message.answers:
                    self._take_answer(answer)
                for number, event in enumerate(message.events, message.number):
                    self._take_event(number, event)
                if message.away is not None:
                    self.away = message.away
                if message.clock is not None:
                    self.clock = message.clock

    def _take_answer(self, answer: Answer) -> None:
        if isinstance(answer, Entered):
            self.view, self.key, self.away = answer.view, answer.key, answer.away
        elif isinstance(answer, Resumed):
            assert self.view is not None
            assert self.view.number == answer.number
            self.key, self.away = answer.key, answer.away
        elif answer.id in self._leaving:
            self.view = None
        waiting = self._answers.get(answer.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _take_event(self, number: int, event: AnySeenEvent) -> None:
        assert self.view is not None, f"{event} came while in no room"
        if number <= self.view.number:
            return
        assert number == self.view.number + 1, f"event {self.view.number + 1} is missing"
        self.events.append(event)
        self.view = fold(self.view, event)
        if isinstance(event, PersonLeft) and event.person == self.view.you:
            self.view = None


async def begin_game(host: Player, *others: Player) -> None:
    """Let them sit down in a new room of the host's and start; each has a roll then."""
    code = host.entered(await host.command(CreateRoom(RoomSettings()))).room.code
    for other in others:
        await other.join(code)
    for player in (host, *others):
        await player.command(Ready(True))
    await host.command(Start())
    for player in (host, *others):
        await player.until_asked()


class ServerProcess:
    """A real `sequoia-server` in a process of its own; `under` is a command to run it under."""

    def __init__(
        self, *arguments: str, module: str = "sequoia_server", under: Sequence[str] = ()
    ) -> None:
        self.process = subprocess.Popen(
            [*under, sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        self.ready = self.process.stdout.readline()

    @property
    def port(self) -> int:
        """The port of the first address in the ready line."""
        address = self.ready.split("--host ")[1].split()[0].strip("'")
        return int(address.rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal, and give the status and what was printed after the ready line."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> tuple[int, str, str]:
        """Wait for the end, and give the status and what was printed after the ready line."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
