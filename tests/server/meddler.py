"""A proxy that knows the messages it passes on, and once does something to one of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from sequoia_protocol.codec import decode_client, decode_server
from sequoia_protocol.messages import Answer, ClientMessage, Command, ServerMessage, Update
from sequoia_protocol.room import AnySeenEvent
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

DELAY = 0.03
"""Seconds by which a message is late."""


class Fault(StrEnum):
    """What is done to a message."""

    CUT_BEFORE = "cut before"
    """The link breaks, and the message never arrives."""
    CUT_AFTER = "cut after"
    """It arrives, and then the link breaks: what it is answered with never comes."""
    DELAY = "delay"
    """It comes late, and so does everything behind it."""
    DUPLICATE = "duplicate"
    """It comes twice."""


@dataclass
class Plan:
    """Which message is to be hit: the ``nth`` of a kind, over all links, counted from 1."""

    kind: str
    fault: Fault
    nth: int = 1
    done: bool = False


class Meddler:
    """Stands between clients and a server.

    ``seen`` counts the kinds of messages that came by; one message may be of several.
    """

    def __init__(self, target: int, plan: Plan | None = None) -> None:
        self.plan = plan
        self.seen: Counter[str] = Counter()
        self.unwelcome = ""
        self._target = f"ws://127.0.0.1:{target}/"
        self._server: Server | None = None
        self._pairs: list[_Pair] = []

    async def __aenter__(self) -> Self:
        self._server = await serve(self._accept, "127.0.0.1", 0, ping_interval=None)
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        self.cut()
        self._server.close()
        await self._server.wait_closed()

    @property
    def port(self) -> int:
        """Where to connect to."""
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    def cut(self, name: str = "") -> None:
        """Break every link, or those of the client with this name."""
        for pair in self._pairs:
            if name in ("", pair.name):
                pair.cut()

    def shut_out(self, name: str) -> None:
        """Let nobody of this name through any more; nobody at all is shut out by no name."""
        self.unwelcome = name
        if name:
            self.cut(name)

    async def _accept(self, client: ServerConnection) -> None:
        async with AsyncExitStack() as stack:
            try:
                server = await stack.enter_async_context(
                    connect(self._target, compression=None, proxy=None, ping_interval=None)
                )
            except (OSError, ConnectionClosed):
                return
            pair = _Pair(self, client, server)
            self._pairs.append(pair)
            await pair.run()

    def fault_for(self, kinds: list[str]) -> Fault | None:
        """Count a message, and tell what is to happen to it."""
        self.seen.update(kinds)
        plan = self.plan
        if plan is None or plan.done or plan.kind not in kinds or self.seen[plan.kind] < plan.nth:
            return None
        plan.done = True
        return plan.fault


class _Pair:
    """The two halves of one link."""

    def __init__(
        self, meddler: Meddler, client: ServerConnection, server: ClientConnection
    ) -> None:
        self.name = ""
        self._meddler = meddler
        self._client = client
        self._server = server
        # The server's next message is lost, and the link with it.
        self._cut_at_answer = False

    async def run(self) -> None:
        """Pass everything on until either half is gone."""
        halves = [asyncio.create_task(half) for half in (self._from_client(), self._from_server())]
        await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
        for half in halves:
            half.cancel()
        await asyncio.gather(*halves, return_exceptions=True)

    def cut(self) -> None:
        """Break it, without any goodbye; what was sent before still arrives."""
        for connection in (self._client, self._server):
            connection.transport.close()

    async def _from_client(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                data = await self._client.recv(decode=False)
                message = decode_client(data)
                if not isinstance(message, Command):
                    self.name = message.name
                if self.name == self._meddler.unwelcome:
                    self.cut()
                    return
                fault = self._meddler.fault_for(kinds_of(message))
                if fault is Fault.CUT_AFTER:
                    self._cut_at_answer = True
                    fault = None
                await self._pass_on(self._server, data, fault)
        # With the close code if there was one, as the server would see it without us.
        if self._client.close_code not in (None, 1006):
            await self._server.close(self._client.close_code or 1000)

    async def _from_server(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                data = await self._server.recv(decode=False)
                if self._cut_at_answer:
                    self.cut()
                    return
                fault = self._meddler.fault_for(kinds_of(decode_server(data)))
                await self._pass_on(self._client, data, fault)
        if self._server.close_code not in (None, 1006):
            await self._client.close(self._server.close_code or 1000)

    async def _pass_on(
        self, to: ServerConnection | ClientConnection, data: bytes, fault: Fault | None
    ) -> None:
        if fault is Fault.CUT_BEFORE:
            self.cut()
            return
        if fault is Fault.DELAY:
            # The time itself is the fault: there is nothing to wait for.
            await asyncio.sleep(DELAY)
        await to.send(data)
        if fault is Fault.DUPLICATE:
            await to.send(data)
        if fault is Fault.CUT_AFTER:
            self.cut()


def kinds_of(message: ClientMessage | ServerMessage) -> list[str]:
    """Name what a message is or brings, as the wire does: an update may bring several things."""
    match message:
        case Command(request=request):
            return [_tag(request)]
        case Update():
            parts: tuple[Answer | AnySeenEvent, ...] = (*message.answers, *message.events)
            others = [name for name in ("away", "clock") if getattr(message, name) is not None]
            return [*dict.fromkeys(_tag(part) for part in parts), *others]
        case _:
            return [_tag(message)]


def _tag(part: Any) -> str:
    config = getattr(part, "__struct_config__", None)
    return type(part).__name__ if config is None else str(config.tag)
