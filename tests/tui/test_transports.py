"""What cannot be reached, in words; and a server that goes away."""

import asyncio
import socket
from contextlib import suppress
from http import HTTPStatus

import pytest
from websockets.asyncio.server import ServerConnection, serve

from sequoia_tui.address import Address
from sequoia_tui.transports import ServerGoes, TransportError
from sequoia_tui.transports.websocket import WebSocketTransport
from tests.tui.support import a_server


async def why(address: Address) -> str:
    transport = WebSocketTransport(address)
    with pytest.raises(TransportError) as error:
        await transport.open()
    await transport.close()
    return str(error.value)


async def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    for host in ("127.0.0.1", "localhost"):
        assert await why(Address(host, port)) == (
            f"Nobody is listening at {host} port {port}. Is sequoia-server running there?"
        )


async def test_no_such_machine() -> None:
    for host in ("no-such-machine.invalid", "a" * 70 + ".org"):
        assert f"No machine called {host} was found" in await why(Address(host))


async def test_a_web_server_is_no_sequoia_server() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        writer.close()

    async def chatter(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        writer.close()

    for behave in (answer, chatter):
        async with await asyncio.start_server(behave, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            assert "it is no Sequoia server" in await why(Address("127.0.0.1", port))


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (HTTPStatus.SERVICE_UNAVAILABLE, "takes no more players"),
        (HTTPStatus.FORBIDDEN, "does not let this program in"),
    ],
)
async def test_a_server_that_refuses_the_handshake(status: HTTPStatus, sentence: str) -> None:
    async def nothing(_: ServerConnection) -> None:
        return

    async with serve(
        nothing, "127.0.0.1", 0, process_request=lambda c, _: c.respond(status, "no")
    ) as server:
        port = server.sockets[0].getsockname()[1]
        assert sentence in await why(Address("127.0.0.1", port))


async def test_somebody_who_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sequoia_tui.transports.websocket.OPEN_TIMEOUT", 0.1)

    over = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await reader.read()
        writer.close()
        over.set()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert "does not answer" in await why(Address("127.0.0.1", port))
        await over.wait()


async def test_tls_to_a_server_without_it() -> None:
    async with a_server() as (_, port):
        assert "without wss://" in await why(Address("127.0.0.1", port, tls=True))


async def test_a_server_that_goes_away_says_so_by_its_close_code() -> None:
    async def goes(connection: ServerConnection) -> None:
        await connection.close(1001)

    async with serve(goes, "127.0.0.1", 0) as server:
        transport = WebSocketTransport(Address("127.0.0.1", server.sockets[0].getsockname()[1]))
        await transport.open()
        with pytest.raises(ServerGoes):
            await transport.receive()
        await transport.close()
