"""The wire's description is enough to write a client from, and it is true."""

import json
from pathlib import Path
from typing import Any, get_args

import msgpack
import pytest
from sequoia_protocol import codec, messages, room
from sequoia_protocol.errors import Code

README = (Path(__file__).parents[2] / "protocol" / "README.md").read_text("utf-8")
ANSWERS = {kind.__struct_config__.tag for kind in get_args(messages.Answer)}
EVENTS = {kind.__struct_config__.tag for kind in get_args(room.RoomEvent)} | set(codec.GAME_EVENTS)
REQUESTS = {kind.__struct_config__.tag for kind in get_args(messages.Request)}


def examples() -> list[dict[str, Any]]:
    blocks = README.split("```json\n")[1:]
    return [json.loads(line) for block in blocks for line in block.split("```")[0].splitlines()]


def name(example: dict[str, Any]) -> str:
    """The kind of an example: for a command that of its request."""
    kind: str = example.get("request", example)["type"]
    return kind


def whole(example: dict[str, Any]) -> dict[str, Any]:
    """The message in which an example travels."""
    if example["type"] in ANSWERS:
        return {"type": "update", "number": 1, "answers": [example], "events": []}
    if example["type"] in EVENTS:
        return {"type": "update", "number": 1, "answers": [], "events": [example]}
    return example


@pytest.mark.parametrize("example", examples(), ids=name)
def test_an_example_decodes_and_encodes_to_the_same(example: dict[str, Any]) -> None:
    message = whole(example)
    data = msgpack.packb(message)
    if message["type"] in ("hello", "command"):
        again = codec.encode(codec.decode_client(data))
    else:
        decoded = codec.decode_server(data)
        again = (
            codec.encode_update(
                decoded.number,
                answers=[codec.encode_answer(answer) for answer in decoded.answers],
                events=[codec.encode_event(event) for event in decoded.events],
                away=None if decoded.away is None else codec.encode_away(decoded.away),
                clock=None if decoded.clock is None else codec.encode_clock(decoded.clock),
            )
            if isinstance(decoded, messages.Update)
            else codec.encode(decoded)
        )
    assert msgpack.unpackb(again) == message
    assert len(again) == len(data)


def test_every_message_has_an_example() -> None:
    described = {name(example) for example in examples()}
    assert described == {"hello", "welcome", "bye", "update"} | REQUESTS | ANSWERS | EVENTS


def test_every_code_is_named() -> None:
    assert [code for code in Code if f"`{code}`" not in README] == []
