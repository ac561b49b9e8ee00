"""The only door out: it connects, resumes, resends, and folds what comes into a view.

A :class:`Connection` is one stay at one server, over any number of links. Whatever happens to a
link, the last view stays; the connection comes back by itself as the person it was and sends
again, in order and under the same ids, what has no answer yet. It knows no screen: it tells a
:class:`Listener` what happened.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import decode_server, encode
from sequoia_protocol.errors import Code, PeerError, VersionMismatch
from sequoia_protocol.messages import (
    Answer,
    Bye,
    Command,
    CreateRoom,
    Entered,
    Hello,
    JoinRoom,
    LeaveRoom,
    ListRooms,
    Refused,
    Request,
    Resumed,
    ResumeSeat,
    Update,
    Welcome,
)
from sequoia_protocol.room import PersonLeft, RoomView

from sequoia_tui import sentences, version
from sequoia_tui.link import Link, LinkState
from sequoia_tui.listener import Ending, Listener, Place, SeatKey
from sequoia_tui.picture import OutOfStep, Picture
from sequoia_tui.transports import ServerGoes, Transport, TransportError

ANSWER_TIMEOUT: Final = 8.0
"""Seconds that a server may take to welcome, or to give a seat back."""

STEADY: Final = 5.0
"""Seconds online after which a link that is lost again is a new trouble, not the old one."""

PATIENCE: Final = 3
"""How often in a row a server may say what cannot follow before we give up on it."""

_LATENCY_EVERY: Final = 2.0
_LAST_WORDS: Final = 0.2
_LOBBY_REQUESTS = (ListRooms, CreateRoom, JoinRoom)
_logger = logging.getLogger(__name__)


class _Over(Exception):
    """Ends the connection: an ending and its sentence."""

    def __init__(self, ending: Ending, sentence: str) -> None:
        super().__init__(sentence)
        self.ending = ending


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command without an answer."""

    request: Request
    data: bytes
    answer: asyncio.Future[Answer]


def backoff(attempt: int) -> float:
    """Give the seconds to wait before a try: 0.3 at first, 8 at most, never the same for all."""
    return random.uniform(0.3, min(8.0, 0.45 * 2.0**attempt))


class Connection:
    """One stay at one server; see the module for what it promises.

    Start :meth:`run` as a task. Requests may be made at once; they wait for the link. ``seat``
    is what brings one back to a room that was left.
    """

    def __init__(
        self,
        place: Place,
        name: str,
        listener: Listener,
        *,
        seat: SeatKey | None = None,
        delay: Callable[[int], float] = backoff,
    ) -> None:
        self.place = place
        self.name = name
        self.link = Link(LinkState.CONNECTING, place.name)
        self.picture = Picture()
        self.seat = seat
        self._listener = listener
        self._delay = delay
        self._client = secrets.token_urlsafe(16)
        self._last_id = 0
        self._asked: dict[int, _Asked] = {}
        self._outbox: asyncio.Queue[bytes] | None = None
        self._resume: tuple[int, asyncio.Future[Answer]] | None = None
        self._task: asyncio.Task[object] | None = None
        self._welcomed = False
        self._online_since: float | None = None
        self._missteps = 0
        # Whether only the whole view can help, and not what was missed.
        self._lost_step = False
        self._over = False

    @property
    def view(self) -> RoomView | None:
        """The room as it is now; None outside of any."""
        return self.picture.view

    @property
    def waiting(self) -> tuple[Request, ...]:
        """The requests that have no answer yet, oldest first."""
        return tuple(asked.request for asked in self._asked.values())

    def request(self, request: Request, deal: int = 0) -> asyncio.Future[Answer]:
        """Ask for something; the future always ends with an answer.

        ``deal`` is the one that was on screen. If the connection is or comes to be over, the
        answer is a refusal made here.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self._over:
            answer.set_result(_closed())
            return answer
        number, data = self._command(request, deal)
        self._asked[number] = _Asked(request, data, answer)
        if self._outbox is not None:
            self._outbox.put_nowait(data)
        return answer

    async def run(self) -> None:
        """Be connected until :meth:`close`, or until it cannot be any longer."""
        self._task = asyncio.current_task()
        try:
            await self._run()
        except _Over as over:
            self._end(over.ending, str(over))
        except Exception:
            # Whatever is wrong in here must not take the screen down with it.
            _logger.exception("the connection failed")
            self._end(Ending.BROKEN, sentences.OWN_FAULT)
        finally:
            self._finish()

    async def close(self) -> None:
        """End the connection without a word to the listener."""
        self._finish()
        task = self._task
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        attempt = 0
        while not self._over:
            reason, at_once = await self._one_link()
            if not self._welcomed:
                raise _Over(Ending.FAILED, reason)
            since, self._online_since = self._online_since, None
            if since is not None:
                # It was there again: what comes now is a new trouble, unless it comes at once.
                attempt = 0 if time.monotonic() - since > STEADY else min(attempt, 1)
            if not at_once:
                await self._pause(self._delay(attempt), reason)
                attempt += 1
            self._set_link(LinkState.RECONNECTING, reason=reason)

    async def _one_link(self) -> tuple[str, bool]:
        """Use one link until it is lost; say why it was, and whether to come back at once."""
        transport = self.place.dial()
        try:
            await self._use(transport)
        except ServerGoes:
            return self._closing(), False
        except TransportError as error:
            return str(error), False
        except VersionMismatch as error:
            newer = error.version > PROTOCOL_VERSION
            raise _Over(Ending.VERSION, sentences.misfit(self.place.name, newer=newer)) from error
        except PeerError:
            if not self._welcomed:
                return sentences.no_sequoia(self.place.name), False
            return sentences.GIBBERISH, False
        except OutOfStep:
            self._missteps += 1
            self._lost_step = True
            if self._missteps > PATIENCE:
                raise _Over(Ending.BROKEN, sentences.no_understanding(self.place.name)) from None
            return sentences.OUT_OF_STEP, True
        finally:
            self._outbox = None
            self._resume = None
            await transport.close()
        return "", False

    def _closing(self) -> str:
        """Say that the server closes, and what that means here."""
        if not self._welcomed:
            return sentences.CLOSING_NOW
        return sentences.SERVER_CLOSING if self.seat is None else sentences.SEAT_IS_KEPT

    async def _use(self, transport: Transport) -> None:
        await transport.open()
        hello = Hello(PROTOCOL_VERSION, self.name, self._client, f"sequoia-tui {version()}")
        await transport.send(encode(hello))
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                welcome = decode_server(await transport.receive())
        except TimeoutError:
            raise TransportError(sentences.no_sequoia(self.place.name)) from None
        if isinstance(welcome, Bye):
            raise _ended(welcome, self.place.name)
        if not isinstance(welcome, Welcome):
            raise PeerError("no welcome")
        self._welcomed = True
        self.name = welcome.name
        self._online_since = time.monotonic()
        tasks = [
            asyncio.ensure_future(part)
            for part in (self._read(transport), self._write(transport), self._watch(transport))
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            # A server that says why it closes has said so before; give that a chance to be read.
            await asyncio.wait(tasks[:1], timeout=_LAST_WORDS)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        # What a task was doing when it failed counts before what its failure cut short.
        failures = [r for r in results if isinstance(r, Exception)]
        failures.sort(key=lambda failure: isinstance(failure, TransportError))
        if failures:
            raise failures[0]

    async def _read(self, transport: Transport) -> None:
        while True:
            match decode_server(await transport.receive()):
                case Update() as update:
                    self._take(update)
                case Bye() as bye:
                    raise _ended(bye, self.place.name)
                case Welcome():
                    raise PeerError("a second welcome")

    async def _write(self, transport: Transport) -> None:
        if self.seat is not None:
            await self._take_seat_back(transport, self.seat)
        outbox: asyncio.Queue[bytes] = asyncio.Queue()
        for asked in self._asked.values():
            outbox.put_nowait(asked.data)
        self._outbox = outbox
        self._set_link(LinkState.ONLINE, latency=transport.latency)
        while True:
            await transport.send(await outbox.get())

    async def _take_seat_back(self, transport: Transport, seat: SeatKey) -> None:
        seen = 0 if self._lost_step else self.picture.number
        number, data = self._command(ResumeSeat(seat.code, seat.person, seat.key, seen), 0)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._resume = number, answer
        await transport.send(data)
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                result = await answer
        except TimeoutError:
            raise TransportError(sentences.MUTE) from None
        if not isinstance(result, Refused):
            self._lost_step = False
            return
        # Nothing that was asked in that room can be done any more; having left it is no news.
        left = any(isinstance(asked.request, LeaveRoom) for asked in self._asked.values())
        for lost, asked in list(self._asked.items()):
            if not isinstance(asked.request, _LOBBY_REQUESTS):
                del self._asked[lost]
                _resolve(asked.answer, Refused(lost, Code.NOT_IN_A_ROOM, sentences.ROOM_GONE))
        # Any other refusal is a trouble of the server, and the seat may be there again later.
        gone = result.code is Code.BAD_KEY
        self._out("" if left else sentences.seat_gone(seat.code), gone=gone)

    async def _watch(self, transport: Transport) -> None:
        """Pass on what the transport measures."""
        while True:
            await asyncio.sleep(_LATENCY_EVERY)
            if self._outbox is not None and transport.latency != self.link.latency:
                self._set_link(LinkState.ONLINE, latency=transport.latency)

    def _take(self, update: Update) -> None:
        """Answers first, then the events that follow the view, and the clock."""
        before = self.view
        for answer in update.answers:
            self._answered(answer)
        events = self.picture.follow(update)
        if events:
            self._missteps = 0
        view = self.view
        if view is None:
            return
        last = events[-1] if events else None
        if isinstance(last, PersonLeft) and last.person == view.you:
            self._out(sentences.farewell(last.reason))
            return
        told = update.answers or update.away is not None or update.clock is not None
        if told or view is not before:
            self._listener.on_view(view, events, self.picture.away)

    def _answered(self, answer: Answer) -> None:
        match answer:
            case Entered(key=key, view=view):
                self.picture.enter(answer)
                self._new_key(SeatKey(view.room.code, view.you, key))
            case Resumed(key=key) if self.seat is not None:
                self.picture.resume(answer)
                self._new_key(SeatKey(self.seat.code, self.seat.person, key))
        if self._resume is not None and answer.id == self._resume[0]:
            _resolve(self._resume[1], answer)
            return
        asked = self._asked.pop(answer.id, None)
        if asked is None:
            return
        if isinstance(asked.request, LeaveRoom) and not isinstance(answer, Refused):
            self._out("")
        _resolve(asked.answer, answer)

    def _new_key(self, seat: SeatKey) -> None:
        """Change over to a new key once it is kept: the old one is good until a new one is used."""
        if self._listener.on_seat(seat):
            self.seat = seat

    def _out(self, sentence: str, *, gone: bool = True) -> None:
        """Be in no room any more; ``gone`` if there is no way back."""
        self.picture.clear()
        self.seat = None
        if gone:
            self._listener.on_seat(None)
        self._listener.on_out(sentence)

    def _command(self, request: Request, deal: int) -> tuple[int, bytes]:
        self._last_id += 1
        return self._last_id, encode(Command(self._last_id, deal, request))

    async def _pause(self, seconds: float, reason: str) -> None:
        """Wait, and count the seconds down."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._set_link(LinkState.RECONNECTING, retry_in=left, reason=reason)
            await asyncio.sleep(left % 1 or 1)

    def _set_link(
        self,
        state: LinkState,
        *,
        latency: int | None = None,
        retry_in: float | None = None,
        reason: str = "",
    ) -> None:
        self.link = Link(state, self.place.name, latency, retry_in, reason)
        self._listener.on_link(self.link)

    def _end(self, ending: Ending, sentence: str) -> None:
        if not self._over:
            self._finish()
            self._set_link(LinkState.CLOSED, reason=sentence)
            self._listener.on_end(ending, sentence)

    def _finish(self) -> None:
        self._over = True
        for asked in self._asked.values():
            _resolve(asked.answer, _closed())
        self._asked.clear()


def _resolve(future: asyncio.Future[Answer], answer: Answer) -> None:
    # Who asked may have stopped waiting.
    if not future.done():
        future.set_result(answer)


def _closed() -> Refused:
    return Refused(0, Code.SERVER_CLOSING, sentences.CLOSED)


def _ended(bye: Bye, server: str) -> Exception:
    """Tell what a server's last message means: an end for good, or a link to be made anew."""
    match bye.code:
        case Code.VERSION_TOO_OLD:
            return _Over(Ending.VERSION, sentences.misfit(server, newer=True))
        case Code.VERSION_TOO_NEW:
            return _Over(Ending.VERSION, sentences.misfit(server, newer=False))
        case Code.BAD_NAME:
            return _Over(Ending.BAD_NAME, bye.text)
        case Code.REPLACED:
            return _Over(Ending.REPLACED, sentences.REPLACED)
        case Code.SERVER_CLOSING:
            return ServerGoes(bye.text)
        case _:
            return TransportError(bye.text)
