"""One link: hello first, then commands, each stamped with who the link is."""

import msgpack
import pytest
from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import decode_server, encode
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Bye,
    Chat,
    Command,
    Hello,
    JoinRoom,
    ListRooms,
    Welcome,
)
from sequoia_server.connection import Act, Ask, Connection, Greet, HangUp, Place

NONCE = "0123456789abcdef"
HELLO = encode(Hello(PROTOCOL_VERSION, " Ana  B ", NONCE, "tests"))


def greeted() -> Connection:
    connection = Connection()
    assert isinstance(connection.receive(HELLO), Greet)
    return connection


def hung_up(connection: Connection, data: bytes) -> HangUp:
    action = connection.receive(data)
    assert isinstance(action, HangUp)
    return action


def bye(action: HangUp) -> Bye:
    assert action.bye is not None
    message = decode_server(action.bye)
    assert isinstance(message, Bye)
    return message


def test_a_hello_is_answered_by_a_welcome_with_the_clean_name() -> None:
    connection = Connection()
    assert not connection.is_greeted
    action = connection.receive(HELLO)
    assert isinstance(action, Greet)
    welcome = decode_server(action.data)
    assert isinstance(welcome, Welcome)
    assert welcome.name == "Ana B"
    assert welcome.program.startswith("sequoia-server ")
    assert connection.is_greeted


def test_a_command_outside_of_a_room_is_asked_of_the_lobby() -> None:
    connection = greeted()
    for request in (ListRooms(), Chat("hello")):
        command = Command(1, 0, request)
        assert connection.receive(encode(command)) == Ask(NONCE, "Ana B", command)


def test_a_command_in_a_room_is_stamped_with_who_the_link_is() -> None:
    connection = greeted()
    connection.place = Place("ROOM", 7)
    chat, join = Command(1, 3, Chat("hello")), Command(2, 0, JoinRoom("K7QM", watch=False))
    assert connection.receive(encode(chat)) == Act(Place("ROOM", 7), NONCE, chat)
    assert isinstance(connection.receive(encode(join)), Ask)


def test_nobody_speaks_before_the_hello_or_says_it_twice() -> None:
    for action in (
        hung_up(Connection(), encode(Command(1, 0, ListRooms()))),
        hung_up(greeted(), HELLO),
        hung_up(greeted(), msgpack.packb({"type": "hello", "version": 99})),
    ):
        assert action.close_code == 1002
        assert bye(action).code == Code.OUT_OF_ORDER


@pytest.mark.parametrize(
    ("version", "code", "advice"),
    [
        (0, Code.VERSION_TOO_OLD, "update your sequoia-tui"),
        (99, Code.VERSION_TOO_NEW, "the server has to be updated"),
    ],
)
def test_another_version_is_told_both_versions_and_what_to_do(
    version: int, code: Code, advice: str
) -> None:
    action = hung_up(Connection(), msgpack.packb({"type": "hello", "version": version, "x": 1}))
    message = bye(action)
    assert action.close_code == 1002
    assert message.code == code
    assert f"version {PROTOCOL_VERSION}" in message.text
    assert f"program {version}" in message.text
    assert advice in message.text


@pytest.mark.parametrize("name", ["", "   ", "a" * 17, "A\x1b[2J", "\u202eana"])
def test_a_name_that_is_no_name_is_refused_with_the_reason(name: str) -> None:
    action = hung_up(Connection(), encode(Hello(PROTOCOL_VERSION, name, NONCE, "tests")))
    assert action.close_code == 1008
    assert bye(action).code == Code.BAD_NAME
    assert bye(action).text.startswith("A name")


@pytest.mark.parametrize(
    ("data", "close_code"),
    [
        (b"", 1007),
        (b"\xc1", 1007),
        (b"\x91" * 3000, 1007),
        (b"\x80", 1007),
        (msgpack.packb({"type": "welcome"}), 1007),
        (msgpack.packb({"type": "command", "id": True, "deal": 0, "request": {}}), 1007),
        (b"\xc0" * 5000, 1009),
    ],
)
def test_what_is_no_message_ends_the_link_with_a_fixed_reason(data: bytes, close_code: int) -> None:
    for connection in (Connection(), greeted()):
        action = hung_up(connection, data)
        assert action == HangUp(close_code, "not a message of this protocol")
