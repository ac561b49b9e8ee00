"""What a client may send, what is refused and as whose fault, and that no length tells a secret."""

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sequoia_protocol import PROTOCOL_VERSION, codec, messages
from sequoia_protocol.errors import LocalError, PeerError, VersionMismatch
from sequoia_protocol.messages import ChoosePairs, Command, Entered, Hello, Welcome
from sequoia_protocol.room import RoomSettings, RoomState, RoomView
from sequoia_rules.events import ChosenSeen, DealtSeen
from sequoia_rules.values import Choice, Dice
from sequoia_rules.view import GameView

HELLO = {
    "type": "hello",
    "version": PROTOCOL_VERSION,
    "name": "Ana",
    "client": "0123456789abcdef",
    "program": "test",
}
CHOOSE = {"type": "choose", "sums": [6, 7], "turned": [0, 0, 0, 0, 0]}
COMMAND = {"type": "command", "id": 1, "deal": 1, "request": CHOOSE}


def command(**changes: Any) -> dict[str, Any]:
    return COMMAND | {"request": CHOOSE | changes}


REFUSED: dict[str, bytes] = {
    "nothing": b"",
    "a byte that msgpack never uses": b"\xc1",
    "an array": msgpack.packb([HELLO]),
    "a number": b"\x01",
    "an empty map": b"\x80",
    "a map cut short": msgpack.packb(HELLO)[:-1],
    "a map and one byte more": msgpack.packb(HELLO) + b"\x00",
    "a thousand arrays in each other": b"\x91" * 1000 + b"\xc0",
    "four thousand arrays in each other": b"\x91" * 4000 + b"\xc0",
    "a map of maps, a hundred deep": b"\x81\xa4type" * 100 + b"\xc0",
    "an array said to have 4 billion entries": b"\xdd\xff\xff\xff\xff",
    "a map said to have 4 billion entries": b"\xdf\xff\xff\xff\xff",
    "a text said to have 4 billion bytes": b"\xdb\xff\xff\xff\xff",
    "65 keys": msgpack.packb({str(key): 0 for key in range(65)}),
    "a key twice": b"\x82\xa4type\xa5hello\xa4type\xa5hello",
    "a number as key": msgpack.packb({1: 2}),
    "bytes as key": msgpack.packb({b"type": "hello"}),
    "text that is not UTF-8": b"\x81\xa4type\xa2\xff\xfe",
    "an extension type": msgpack.packb(HELLO | {"name": msgpack.ExtType(5, b"x")}),
    "a timestamp": msgpack.packb(HELLO | {"name": msgpack.Timestamp(1)}),
    "bytes for text": msgpack.packb(HELLO | {"name": b"Ana"}),
    "no type": msgpack.packb({"id": 1}),
    "an unknown type": msgpack.packb({"type": "give_me_the_dice"}),
    "a type that is a list": msgpack.packb({"type": ["hello"]}),
    "a server's message": msgpack.packb({"type": "bye", "code": "x", "text": "y"}),
    "an unknown field": msgpack.packb(HELLO | {"admin": True}),
    "a missing field": msgpack.packb({"type": "hello", "version": PROTOCOL_VERSION}),
    "a missing field in a request": msgpack.packb(
        COMMAND | {"request": {"type": "create_room", "settings": {"seats": 4}}}
    ),
    "an unknown field in a request": msgpack.packb(command(seat=3)),
    "an unknown request": msgpack.packb(command(type="peek")),
    "a nonce that is too short": msgpack.packb(HELLO | {"client": "x"}),
    "a name of 401 letters": msgpack.packb(HELLO | {"name": "x" * 401}),
    "a version that is a bool": msgpack.packb(HELLO | {"version": True}),
    "an id of 0": msgpack.packb(COMMAND | {"id": 0}),
    "an id that is a bool": msgpack.packb(COMMAND | {"id": True}),
    "an id that is a float": msgpack.packb(COMMAND | {"id": 1.0}),
    "an id of 2 to the 63": msgpack.packb(COMMAND | {"id": 2**63}),
    "a deal below 0": msgpack.packb(COMMAND | {"deal": -1}),
    "a sum that is no number": msgpack.packb(command(sums=[6, float("nan")])),
    "a sum of 13": msgpack.packb(command(sums=[6, 13])),
    "a sum that is a bool": msgpack.packb(command(sums=[6, True])),
    "three sums": msgpack.packb(command(sums=[6, 7, 8])),
    "one sum": msgpack.packb(command(sums=[7])),
    "four dice": msgpack.packb(command(turned=[1, 2, 3, 4])),
    "a die of 7": msgpack.packb(command(turned=[1, 2, 3, 4, 7])),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_a_hostile_frame_is_the_peers_fault(data: bytes) -> None:
    with pytest.raises(PeerError) as caught:
        codec.decode_client(data)
    assert caught.value.close_code == 1007
    assert "Ana" not in str(caught.value)


def test_a_frame_past_the_limit_is_not_even_decoded() -> None:
    with pytest.raises(PeerError) as caught:
        codec.decode_client(b"\x00" * 4097)
    assert caught.value.close_code == 1009


@given(st.binary(max_size=300))
def test_random_bytes_raise_nothing_else(data: bytes) -> None:
    for decode in (codec.decode_client, codec.decode_server):
        with pytest.raises(PeerError):
            decode(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_random_values_in_the_place_of_a_request_raise_nothing_else(value: object) -> None:
    for data in (msgpack.packb(value), msgpack.packb(COMMAND | {"request": value})):
        with pytest.raises(PeerError):
            codec.decode_client(data)


@pytest.mark.parametrize("version", [0, PROTOCOL_VERSION + 1])
def test_another_version_is_told_whatever_else_is_in_the_message(version: int) -> None:
    hello = {"type": "hello", "version": version, "something": "from another time"}
    with pytest.raises(VersionMismatch) as caught:
        codec.decode_client(msgpack.packb(hello))
    assert caught.value.version == version
    with pytest.raises(VersionMismatch):
        codec.decode_server(msgpack.packb(hello | {"type": "welcome"}))


def test_a_message_too_large_to_be_taken_is_not_sent() -> None:
    with pytest.raises(LocalError):
        codec.encode(Hello(PROTOCOL_VERSION, "x" * 5000, "0123456789abcdef", "test"))


@pytest.mark.parametrize(
    ("sums", "turned"),
    [((), None), ((2,), None), ((2, 2), None), ((11, 12), None), ((3, 12), (6, 6, 1, 2, 6))],
)
def test_every_choice_has_the_same_length(sums: tuple[int, ...], turned: Dice | None) -> None:
    choice = Choice(sums, turned)
    room = RoomState("K7QM", RoomSettings())

    def lengths(choice: Choice) -> tuple[int, ...]:
        view = RoomView(1, 1, room, GameView(0, dice=(1, 1, 1, 1, 1), choice=choice))
        return (
            len(codec.encode(Command(1, 1, ChoosePairs(*codec.pad_choice(choice))))),
            len(codec.encode_event(ChosenSeen(0, choice))),
            len(codec.encode_answer(Entered(1, "key", view, ()))),
        )

    assert lengths(choice) == lengths(Choice((6, 7)))
    assert codec.unpad_choice(*codec.pad_choice(choice)) == choice


@given(st.tuples(*[st.integers(1, 6)] * 5))
def test_every_roll_has_the_same_length(dice: Dice) -> None:
    one, other = (
        codec.encode_event(DealtSeen(1, (0, 1), (), roll)) for roll in (dice, (1, 2, 3, 4, 5))
    )
    assert len(one) == len(other)


def test_a_server_cannot_slip_in_a_field_that_the_rules_do_not_have() -> None:
    dealt = {"type": "dealt", "deal": 1, "seats": [0], "sequoias": [], "dice": None}
    update = {"type": "update", "number": 1, "answers": [], "events": [dealt], "away": None}
    decoded = codec.decode_server(msgpack.packb(update))
    assert isinstance(decoded, messages.Update)
    assert decoded.events == (DealtSeen(1, (0,), (), None),)
    dealt["others"] = [[1, 2, 3, 4, 5]]
    with pytest.raises(PeerError):
        codec.decode_server(msgpack.packb(update))


def test_a_welcome_survives_the_wire() -> None:
    welcome = Welcome(PROTOCOL_VERSION, "Ana", "sequoia-server 0.1.0", ("rooms",))
    assert codec.decode_server(codec.encode(welcome)) == welcome
