"""The real socket: what it lets in, what it sends, and what it does with who does not read."""

import asyncio
import errno
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import encode
from sequoia_protocol.messages import Chat, Command, CreateRoom, Done, Hello, JoinRoom
from sequoia_protocol.room import RoomSettings
from sequoia_server import websocket
from sequoia_server.embedded import EmbeddedServer
from sequoia_server.settings import Settings
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.kit import FixedEntropy, Player, SocketTransport, TransportClosed

SETTINGS = Settings(handshake_timeout=0.3, hello_timeout=0.3)


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedServer]:
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    await server.listen("127.0.0.1", 0)
    yield server
    await server.stop()


@pytest.fixture
def port(server: EmbeddedServer) -> int:
    return server.addresses[0][1]


async def request(port: int, head: str) -> str:
    """Send a plain HTTP request and give the whole response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    response = await reader.read()
    writer.close()
    await writer.wait_closed()
    return response.decode()


async def test_the_health_check_answers(port: int) -> None:
    response = await request(port, "GET /healthz HTTP/1.1\nHost: x")
    assert response.startswith("HTTP/1.1 200 OK")
    assert response.endswith("\r\n\r\nok\n")
    assert "200 OK" in await request(port, "GET /healthz?from=monitor HTTP/1.1\nHost: x")


async def test_a_browser_is_told_what_this_is(port: int) -> None:
    response = await request(port, "GET / HTTP/1.1\nHost: x")
    assert response.startswith("HTTP/1.1 426")
    assert "sequoia-tui --host" in response
    assert (await request(port, "GET /other HTTP/1.1\nHost: x")).startswith("HTTP/1.1 404")


async def test_what_is_no_request_is_logged_without_a_traceback(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await request(port, "SSH-2.0-a-canary")
    await request(port, "POST /healthz HTTP/1.1\nHost: a-canary")
    await request(port, "GET / HTTP/1.1\nHost: a-canary\nUpgrade: websocket")
    logged = [record for record in caplog.records if record.name.startswith("sequoia")]
    assert all(record.exc_info is None for record in logged)
    assert not any("canary" in record.getMessage() for record in logged)


async def test_a_failure_of_the_library_is_logged_without_a_traceback(
    server: EmbeddedServer,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a canary")

    monkeypatch.setattr(websocket._SocketWire, "__init__", broken)
    transport = await SocketTransport.open(port)
    with pytest.raises(TransportClosed, match="1011"):
        await transport.receive()
    await server.stop()
    assert "connection handler failed" in caplog.text
    assert "canary" not in caplog.text


async def test_a_browsers_page_is_kept_out(port: int) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        await SocketTransport.open(port, origin="http://example.com")
    assert refusal.value.response.status_code == 403


async def test_there_is_no_compression_even_if_a_client_offers_it(port: int) -> None:
    async with connect(f"ws://127.0.0.1:{port}", proxy=None) as connection:
        assert connection.response is not None
        assert "Sec-WebSocket-Extensions" not in connection.response.headers


@pytest.mark.parametrize(
    ("message", "code"), [("text", 1003), (b"\xc1", 1007), (b"\x00" * 4097, 1009)]
)
async def test_what_is_no_message_closes_the_link(
    port: int, message: str | bytes, code: int
) -> None:
    async with connect(f"ws://127.0.0.1:{port}", proxy=None) as connection:
        await connection.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == code


async def test_who_says_nothing_is_closed(port: int) -> None:
    transport = await SocketTransport.open(port)
    with pytest.raises(TransportClosed, match="1008 no hello in time"):
        await transport.receive()


async def test_a_handshake_that_does_not_come_is_cut(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost:")
    async with asyncio.timeout(5):
        with suppress(ConnectionError):
            assert await reader.read() == b""
    writer.close()


async def test_sockets_send_at_once_and_have_a_small_buffer(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: list[tuple[int, int]] = []
    make = websocket._SocketWire.__init__

    def looked_at(
        self: websocket._SocketWire, connection: ServerConnection, write_buffer: int
    ) -> None:
        sock: socket.socket = connection.transport.get_extra_info("socket")
        options.append(
            (
                sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
                sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
            )
        )
        make(self, connection, write_buffer)

    monkeypatch.setattr(websocket._SocketWire, "__init__", looked_at)
    await Player.on_socket(port, "Ana")
    ((nodelay, buffer),) = options
    assert nodelay != 0
    assert buffer <= 4 * SETTINGS.write_buffer, "Linux doubles what it is told"


async def test_a_reader_that_stops_is_given_up_and_the_others_go_on(port: int) -> None:
    ana = await Player.on_socket(port, "Ana")
    view = ana.entered(await ana.command(CreateRoom(RoomSettings())))
    # A socket of our own that reads nothing, with as little room in the kernel as it allows.
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
    bo = await connect(
        f"ws://127.0.0.1:{port}",
        sock=sock,
        proxy=None,
        compression=None,
        max_queue=1,
        ping_interval=None,
    )
    await bo.send(encode(Hello(PROTOCOL_VERSION, "Bo", "a-nonce-of-bo-who-sleeps", "tests")))
    await bo.send(encode(Command(1, 0, JoinRoom(view.room.code, watch=False))))
    await ana.until(lambda: len(ana.here.room.people) == 2)
    bo.transport.pause_reading()
    lines = 0
    while not ana.away:
        assert isinstance(await ana.command(Chat("x" * 200)), Done)
        lines += 1
        assert lines < 5000, "nobody gave up on Bo"
    assert [away.person for away in ana.away] == [2]
    bo.transport.abort()
    await ana.close()


async def test_every_address_means_both_families_where_there_are_both() -> None:
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    hosts = await server.listen(None, 0)
    port = server.addresses[0][1]
    assert hosts
    assert all(host.endswith(f":{port}") for host in hosts)
    await (await Player.on_socket(port, "Ana")).close()
    if socket.has_dualstack_ipv6():
        player = Player(await SocketTransport.open(port, "::1"), "Bo")
        await player.hello()
        await player.close()
    await server.stop()


async def test_where_sockets_have_one_family_both_share_the_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: False)
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    await server.listen(None, 0)
    assert [address for address, _ in server.addresses] == ["0.0.0.0", "::"]
    assert len({port for _, port in server.addresses}) == 1
    await server.stop()


@pytest.mark.parametrize("dual", [True, False])
async def test_a_machine_without_ipv6_listens_on_ipv4(
    monkeypatch: pytest.MonkeyPatch, *, dual: bool
) -> None:
    make = websocket._socket

    def without_ipv6(family: socket.AddressFamily, *arguments: object, **more: object) -> object:
        if family == socket.AF_INET6:
            raise OSError(errno.EADDRNOTAVAIL, "no IPv6 here")
        return make(family, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: dual)
    monkeypatch.setattr(websocket, "_socket", without_ipv6)
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    await server.listen(None, 0)
    assert [address for address, _ in server.addresses] == ["0.0.0.0"]
    await server.stop()


@pytest.mark.parametrize("dual", [True, False])
async def test_a_port_that_is_taken_is_an_error_also_on_every_address(
    monkeypatch: pytest.MonkeyPatch, *, dual: bool
) -> None:
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: dual)
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    await server.listen(None, 0)
    with pytest.raises(OSError) as error:  # noqa: PT011
        await server.listen(None, server.addresses[0][1])
    assert error.value.errno == errno.EADDRINUSE
    await server.stop()


@pytest.mark.parametrize("bind", ["999.1.1.1", "no-such-host.invalid", "a..b", ""])
async def test_what_is_no_address_is_an_error(server: EmbeddedServer, bind: str) -> None:
    with pytest.raises(socket.gaierror):
        await server.listen(bind, 0)


async def test_a_name_with_several_addresses_has_one_port() -> None:
    server = EmbeddedServer(SETTINGS, FixedEntropy())
    await server.start()
    await server.listen("localhost", 0)
    assert len({port for _, port in server.addresses}) == 1
    assert {address for address, _ in server.addresses} <= {"127.0.0.1", "::1"}
    await server.stop()


async def test_stopping_does_not_wait_for_who_says_nothing() -> None:
    server = EmbeddedServer(Settings(), FixedEntropy())
    await server.start()
    await server.listen("127.0.0.1", 0)
    port = server.addresses[0][1]
    ana = await Player.on_socket(port, "Ana")
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    loop = asyncio.get_running_loop()
    began = loop.time()
    await server.stop()
    assert loop.time() - began < 4
    assert (await ana.until_closed()).code == 1001
    writer.close()
    with pytest.raises(OSError, match="Connect call failed"):
        await SocketTransport.open(port)
