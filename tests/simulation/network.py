"""Links between a client and a server: bytes with delays, and everything that befalls them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from sequoia_protocol.codec import decode_server
from sequoia_protocol.messages import Request, ServerMessage
from sequoia_server.links import Link

from tests.simulation.client import Client
from tests.simulation.loop import Process, Timeline

_ORDER = 1e-6
"""Seconds between two messages that would otherwise arrive at once: one link keeps the order."""


class Wire:
    """One link. What either end sends arrives in order, if it arrives.

    ``on_sent`` sees every message of the server as it leaves. Until :meth:`cut` both directions
    carry; after it an end only gets what was on its way and is let through, and hears some time
    later that the link is down.
    """

    def __init__(
        self,
        timeline: Timeline,
        rng: random.Random,
        client: Client,
        server: Process,
        on_sent: Callable[[Wire, bytes, ServerMessage], None],
    ) -> None:
        self.client = client
        self.link: Link | None = None
        self.code = ""
        self.on_received: Callable[[Wire, bytes], None] = lambda wire, data: None
        self.lag = 0.0
        self.cut_at_next: str | None = None
        self.duplicates_next = False
        self._timeline = timeline
        self._rng = rng
        self._server = server
        self._on_sent = on_sent
        self.is_cut = False
        self._client_cut = False
        self._to_server = 0.0
        self._to_client = 0.0
        self._up: list[Any] = []
        self._down: list[Any] = []

    # The client's end

    def send(self, data: bytes, request: Request | None) -> None:
        if self.is_cut or self._client_cut:
            return
        copies = 1
        if self.duplicates_next and request is not None:
            self.duplicates_next = False
            copies = 2
        cut, hello = self.cut_at_next, request is None
        if cut is not None and not hello:
            self.cut_at_next = None
            if cut == "before":
                self.cut()
                return
        for _ in range(copies):
            self._to_server = max(self._to_server + _ORDER, self._timeline.now + self._delay())
            self._up.append(
                self._timeline.at(self._to_server, self._arrive, data, process=self._server)
            )
        if cut == "after" and not hello:
            self.cut(up=True)

    def drop(self) -> None:
        """Hang up, as a client does that has lost its patience."""
        if not self.is_cut:
            self.cut(tell_client=False)

    # The server's end

    def accept(self, link: Link) -> None:
        self.link = link

    def serve(self, data: bytes) -> None:
        """Carry a message of the server."""
        message = decode_server(data)
        self._on_sent(self, data, message)
        if self.is_cut:
            return
        self._to_client = max(self._to_client + _ORDER, self._timeline.now + self._delay())
        self._down.append(
            self._timeline.at(self._to_client, self._deliver, message, process=self.client.process)
        )

    def close(self, code: int, reason: str) -> None:
        """Be closed by the server, behind what it has sent."""
        del code, reason
        if self.is_cut:
            return
        self.is_cut = True
        self._tell_client(max(self._to_client, self._timeline.now) + 0.001)

    # What befalls it

    def cut(
        self,
        *,
        up: bool = False,
        late: float = 0.0,
        half_open: float = 0.0,
        tell_client: bool = True,
    ) -> None:
        """Lose the link with what is on its way.

        With ``up`` what the client has sent still arrives, with ``late`` some seconds later
        still. The server hears of it after ``half_open`` seconds.
        """
        if self.is_cut:
            return
        self.is_cut = True
        now = self._timeline.now
        for handle in self._down:
            handle.cancel()
        end = now + half_open + 0.001
        for handle in self._up:
            if not up or handle.call is None:
                handle.cancel()
            elif late:
                call, args = handle.call, handle.args
                handle.cancel()
                if handle.at > now:
                    self._to_server = max(self._to_server + _ORDER, now + late)
                    self._timeline.at(self._to_server, call, *args, process=self._server)
        end = max(end, self._to_server + 0.001)
        self._timeline.at(end, self._tell_server, process=self._server)
        if tell_client:
            self._tell_client(now + self._rng.uniform(0.0, 0.3))

    def die(self) -> None:
        """Be the link of a server that was killed."""
        if not self.is_cut:
            self.is_cut = True
            # What the machine had sent already may still arrive, up to some message.
            waiting = [handle for handle in self._down if handle.at >= self._timeline.now]
            for handle in waiting[self._rng.randint(0, len(waiting)) :]:
                handle.cancel()
            self._tell_client(max(self._to_client, self._timeline.now) + 0.001)

    def _delay(self) -> float:
        return self._rng.uniform(0.005, 0.06) + self.lag

    def _arrive(self, data: bytes) -> None:
        if self.link is not None:
            self.on_received(self, data)
            self.link.receive(data)

    def _deliver(self, message: ServerMessage) -> None:
        self.client.receive(self, message)

    def _tell_server(self) -> None:
        if self.link is not None:
            self.link.lost()

    def _tell_client(self, when: float) -> None:
        self._timeline.at(when, self._lose, process=self.client.process)

    def _lose(self) -> None:
        self._client_cut = True
        self.client.lost(self)


class ServerEnd:
    """What the server holds of a link."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def send(self, data: bytes) -> None:
        self._wire.serve(data)

    def close(self, code: int, reason: str) -> None:
        self._wire.close(code, reason)
