"""The link to a server over the network."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
from typing import TYPE_CHECKING, Final

from sequoia_tui.address import Address
from sequoia_tui.transports import ServerGoes, TransportError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

MAX_MESSAGE: Final = 1 << 20
OPEN_TIMEOUT: Final = 5.0
CLOSE_TIMEOUT: Final = 1.0
# How often the link is tried while nothing is said, and how long an answer may take: together
# the longest time for which a dead link can look alive.
PING_INTERVAL: Final = 10.0
PING_TIMEOUT: Final = 10.0
GOING_AWAY: Final = 1001
"""RFC 6455, 7.4.1: the server is being shut down."""

_UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)


class WebSocketTransport:
    """A transport over one websocket."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._socket: ClientConnection | None = None

    @property
    def latency(self) -> int | None:
        """The last measured round trip in milliseconds."""
        if self._socket is None or not self._socket.latency:
            return None
        return max(1, round(self._socket.latency * 1000))

    async def open(self) -> None:
        """Connect and shake hands; every way in which that fails becomes a sentence."""
        # Importing it takes about 45 ms, which a solo game need not spend.
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, WebSocketException

        address = self._address
        try:
            self._socket = await connect(
                address.uri,
                host=address.host,
                port=address.port,
                compression=None,
                max_size=MAX_MESSAGE,
                open_timeout=OPEN_TIMEOUT,
                close_timeout=CLOSE_TIMEOUT,
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_TIMEOUT,
                proxy=None,
            )
            # A link that is closed by now tells why to whoever reads from it.
            with contextlib.suppress(ConnectionClosed):
                await self._socket.ping()
        except (OSError, UnicodeError, WebSocketException) as error:
            raise TransportError(explain(error, address)) from error

    async def send(self, data: bytes) -> None:
        """Send one binary message."""
        from websockets.exceptions import ConnectionClosed

        try:
            await self._open_socket().send(data)
        except ConnectionClosed as error:
            raise TransportError("The link to the server is lost.") from error

    async def receive(self) -> bytes:
        """Wait for the next message."""
        from websockets.exceptions import ConnectionClosed

        try:
            return await self._open_socket().recv(decode=False)
        except ConnectionClosed as error:
            lost = error.rcvd is None
            if error.rcvd is not None and error.rcvd.code == GOING_AWAY:
                raise ServerGoes("The server is going away.") from error
            raise TransportError(
                "The link to the server is lost." if lost else "The server closed the link."
            ) from error

    async def close(self) -> None:
        """Say goodbye, but wait for no answer that does not come soon."""
        connection, self._socket = self._socket, None
        if connection is not None:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT):
                    await connection.close()

    def _open_socket(self) -> ClientConnection:
        if self._socket is None:
            raise TransportError("The link is closed.")
        return self._socket


def explain(error: Exception, address: Address) -> str:
    """Say why a server could not be reached, and what to do about it."""
    from websockets.exceptions import InvalidMessage, InvalidStatus

    host, where = address.host, f"{address.host} port {address.port}"
    match error:
        case socket.gaierror() | UnicodeError():
            return (
                f"No machine called {host} was found. Check the spelling, or use its number, "
                "as in 192.168.1.5."
            )
        case ssl.SSLCertVerificationError():
            return (
                f"The certificate of {host} cannot be trusted: {error.verify_message}. "
                "Ask whoever runs that server."
            )
        case ssl.SSLError():
            return f"The server at {where} does not speak TLS. Try it without wss://."
        case InvalidStatus() if error.response.status_code == 503:
            return f"The server at {where} takes no more players right now. Try again later."
        case InvalidStatus() if error.response.status_code == 403:
            return f"The server at {where} does not let this program in."
        case InvalidMessage() if not address.tls:
            return (
                f"Something listens at {where}, but it is no Sequoia server. Check the port; "
                "if the server uses TLS, write wss:// before its name."
            )
        case TimeoutError():
            return (
                f"{where} does not answer. Is it the right machine, is it switched on, and does "
                f"its firewall let port {address.port} through?"
            )
        case OSError() if _happened(error, errno.ECONNREFUSED):
            return f"Nobody is listening at {where}. Is sequoia-server running there?"
        case OSError() if _happened(error, *_UNREACHABLE):
            return f"There is no way to {host} from here. Is this machine on its network?"
        case ConnectionError() if address.tls:
            return f"The server at {where} does not seem to speak TLS. Try it without wss://."
        case OSError():
            return f"The link to {where} broke off before it was made. Try again."
        case _:
            return f"Something listens at {where}, but it is no Sequoia server. Check the port."


def _happened(error: OSError, *numbers: int) -> bool:
    """Tell whether an error, or each of several put together by asyncio, is one of these."""
    if error.errno is not None:
        return error.errno in numbers
    # A name with several addresses: asyncio only leaves the text of what happened to each.
    return any(f"[Errno {number}]" in str(error) for number in numbers)
