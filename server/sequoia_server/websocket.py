"""The listening socket: websockets in front of a host, and `/healthz` for whoever watches it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from http import HTTPStatus
from typing import Final

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from sequoia_server.connection import PROGRAM
from sequoia_server.host import Host
from sequoia_server.settings import Settings

BACKLOG: Final = 4096
"""What the kernel queues. asyncio's own 100 drops a burst, whose clients stall for a second."""

ACCEPTS: Final = 8
"""How many connections asyncio takes at once; as often it complains when no file is left."""

PING_INTERVAL: Final = 20.0
CLOSE_TIMEOUT: Final = 2.0


class _Quiet(logging.Filter):
    """Lets the library's log through without tracebacks: they may quote what a peer sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True


_library_log = logging.getLogger(f"{__name__}.library")
# Below this level the library logs frames, and with them dice and choices.
_library_log.setLevel(logging.WARNING)
_library_log.addFilter(_Quiet())


class _SocketWire:
    """One websocket as the host's wire."""

    def __init__(self, connection: ServerConnection, write_buffer: int) -> None:
        self._connection = connection
        self._write_buffer = write_buffer
        self._closing: asyncio.Task[None] | None = None

    def send(self, data: bytes) -> None:
        """Send one message, or give up a reader for whom too much is waiting already."""
        broadcast((self._connection,), data)
        transport = self._connection.transport
        if transport.get_write_buffer_size() > self._write_buffer:
            transport.abort()

    def close(self, code: int, reason: str) -> None:
        """Begin the closing handshake."""
        self._closing = asyncio.get_running_loop().create_task(self._connection.close(code, reason))


class Listener:
    """A host's open sockets."""

    def __init__(self, servers: list[Server]) -> None:
        self._servers = servers

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """The addresses and the port on which it listens; ``"::"`` and ``"0.0.0.0"`` mean all."""
        names = (sock.getsockname() for server in self._servers for sock in server.sockets)
        return [(name[0], name[1]) for name in names]

    async def close(self) -> None:
        """Stop listening, and wait a moment for the links to end."""
        for server in self._servers:
            server.close(code=1001)
        waiting = [asyncio.ensure_future(server.wait_closed()) for server in self._servers]
        _, late = await asyncio.wait(waiting, timeout=CLOSE_TIMEOUT + 0.5)
        for task in late:
            # What is left has not even finished its opening handshake, and will time out.
            task.cancel()


async def listen(host: Host, settings: Settings, bind: str | None, port: int) -> Listener:
    """Open a host's rooms to the network.

    ``bind`` is an address of this machine or a name for one; None means every address, IPv6 as
    well as IPv4 where the machine has both. Port 0 takes any free one.

    Raises:
        OSError: the address is not one of this machine, or the port is taken or not allowed.
    """

    async def handle(connection: ServerConnection) -> None:
        link = host.open(_SocketWire(connection, settings.write_buffer))
        try:
            async for message in connection:
                if isinstance(message, str):
                    await connection.close(1003, "binary messages only")
                else:
                    link.receive(message)
        except ConnectionClosed:
            pass
        finally:
            link.lost()

    sockets = await _sockets(bind, port, settings)
    servers: list[Server] = []
    try:
        for sock in sockets:
            server = await serve(
                handle,
                sock=sock,
                backlog=ACCEPTS,
                origins=[None],
                compression=None,
                process_request=_plain_http,
                server_header=PROGRAM,
                open_timeout=settings.handshake_timeout,
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_INTERVAL,
                close_timeout=CLOSE_TIMEOUT,
                max_size=settings.message_bytes,
                # Past this a ping would wait for the reader; such a link is given up anyway.
                write_limit=settings.write_buffer,
                logger=_library_log,
            )
            servers.append(server)
            # asyncio has one number for both; listening again widens the kernel's queue alone.
            sock.listen(BACKLOG)
    except OSError:
        for server in servers:
            server.close()
        _close_all(sockets)
        raise
    return Listener(servers)


def _plain_http(connection: ServerConnection, request: Request) -> Response | None:
    """Answer what is no websocket: the health check, and people with a browser."""
    path = request.path.partition("?")[0]
    if path == "/healthz":
        return connection.respond(HTTPStatus.OK, "ok\n")
    if request.headers.get_all("Upgrade"):
        return None
    if path != "/":
        return connection.respond(HTTPStatus.NOT_FOUND, "There is nothing here.\n")
    response = connection.respond(
        HTTPStatus.UPGRADE_REQUIRED,
        "This is a server of the dice game Sequoia. Play with: sequoia-tui --host HOST\n",
    )
    response.headers["Upgrade"] = "websocket"
    return response


async def _sockets(bind: str | None, port: int, settings: Settings) -> list[socket.socket]:
    if bind is None:
        return _everywhere(port, settings)
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(
            bind.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, "no name of a machine") from error
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, (host, *rest) in dict.fromkeys(found):
            # All addresses of a name share one port, also if any will do.
            shared = sockets[0].getsockname()[1] if sockets else port
            sockets.append(_socket(family, (host, shared, *rest[1:]), settings))
    except OSError:
        _close_all(sockets)
        raise
    return sockets


def _everywhere(port: int, settings: Settings) -> list[socket.socket]:
    """Listen on every address: with one socket for both families if the system can do that."""
    dual = socket.has_dualstack_ipv6()
    four = [] if dual else [_socket(socket.AF_INET, ("0.0.0.0", port), settings)]
    if four:
        port = four[0].getsockname()[1]
    try:
        return [*four, _socket(socket.AF_INET6, ("::", port), settings, dual=dual)]
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            _close_all(four)
            raise
        # The machine has no IPv6, or only half of it.
        return four or [_socket(socket.AF_INET, ("0.0.0.0", port), settings)]


def _close_all(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()


def _socket(
    family: socket.AddressFamily,
    address: tuple[object, ...],
    settings: Settings,
    *,
    dual: bool = False,
) -> socket.socket:
    # With the protocol named, asyncio turns Nagle's algorithm off; with 0 it does not.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # On Windows this would let two servers share a port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not dual)
        # Else the kernel takes megabytes for a reader that has stopped, before we notice.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, settings.write_buffer)
        sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock
