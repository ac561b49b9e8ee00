"""Bytes to messages and back: one msgpack map each, with the limits of the protocol.

What a client sends is validated by types that cannot nest deeper than 4, so the limits on depth
and size hold before anything is looked at. Nothing here ever shows, logs or compares a raw
frame. What several links are owed is encoded once: the server makes fragments with
:func:`encode_event` and :func:`encode_answer` and splices them with :func:`encode_update`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

import msgpack
import msgspec
from sequoia_rules.events import (
    ChosenSeen,
    DealtSeen,
    Ended,
    GameStartedSeen,
    Revealed,
    Scored,
    SeenEvent,
    TakenBack,
)
from sequoia_rules.values import Choice, Dice, Sums

from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.errors import LocalError, PeerError, VersionMismatch
from sequoia_protocol.messages import (
    Answer,
    Away,
    Bye,
    ClientMessage,
    Clock,
    Command,
    Done,
    Entered,
    Hello,
    Record,
    Refused,
    Resumed,
    Rooms,
    ServerMessage,
    Update,
    Welcome,
    WireDice,
    WireSums,
)
from sequoia_protocol.room import AnySeenEvent, RoomEvent

MAX_CLIENT_MESSAGE: Final = 4096
"""Bytes; a larger message of a client is never decoded."""

MAX_SERVER_MESSAGE: Final = 1 << 20
"""Bytes; what a client accepts from a server."""

MAX_ITEMS: Final = 64
"""Entries of one container in a client's message."""

GAME_EVENTS: Final[Mapping[str, type[SeenEvent]]] = MappingProxyType(
    {
        "game_started": GameStartedSeen,
        "dealt": DealtSeen,
        "chosen": ChosenSeen,
        "taken_back": TakenBack,
        "revealed": Revealed,
        "scored": Scored,
        "ended": Ended,
    }
)
"""The rules' events have no tag of their own; this is the value of their key ``type``."""

_EVENT_TAGS: Final = {kind: tag for tag, kind in GAME_EVENTS.items()}

_Map = dict[str, Any]


def encode(message: ClientMessage | Welcome | Bye) -> bytes:
    """Encode a whole message, other than an update.

    Raises:
        LocalError: a client's message is larger than a server would take.
    """
    data = _pack(msgspec.to_builtins(message))
    if isinstance(message, Hello | Command) and len(data) > MAX_CLIENT_MESSAGE:
        raise LocalError(f"a message of {len(data)} bytes is too large to send")
    return data


def decode_client(data: bytes) -> ClientMessage:
    """Decode and validate what a client sent.

    Raises:
        VersionMismatch: a hello of another protocol version, whatever else is in it.
        PeerError: anything that is not a message of a client.
    """
    if len(data) > MAX_CLIENT_MESSAGE:
        raise PeerError("the message is larger than 4 KiB", close_code=1009)
    raw = _unpack(data, max_items=MAX_ITEMS, max_bytes=MAX_CLIENT_MESSAGE)
    if raw.get("type") == "hello":
        _check_version(raw)
    return cast(ClientMessage, _exactly(raw, ClientMessage))


def decode_server(data: bytes) -> ServerMessage:
    """Decode and validate what a server sent.

    Raises:
        VersionMismatch: a welcome of another protocol version.
        PeerError: anything that is not a message of a server.
    """
    raw = _unpack(data, max_items=MAX_SERVER_MESSAGE, max_bytes=MAX_SERVER_MESSAGE)
    match raw.get("type"):
        case "update":
            return _update(raw)
        case "welcome":
            _check_version(raw)
            return cast(Welcome, _convert(raw, Welcome))
        case _:
            return cast(Bye, _convert(raw, Bye))


def encode_event(event: AnySeenEvent) -> bytes:
    """Encode one event as a fragment of an update."""
    raw: _Map = msgspec.to_builtins(event)
    tag = _EVENT_TAGS.get(cast("type[SeenEvent]", type(event)))
    if tag is not None:
        raw = {"type": tag, **raw}
    if isinstance(event, ChosenSeen) and event.choice is not None:
        raw["choice"] = _padded(event.choice)
    return _pack(raw)


def encode_answer(answer: Answer) -> bytes:
    """Encode one answer as a fragment of an update."""
    raw: _Map = msgspec.to_builtins(answer)
    if isinstance(answer, Entered):
        game = answer.view.game
        if game is not None and game.choice is not None:
            raw["view"]["game"]["choice"] = _padded(game.choice)
    return _pack(raw)


def encode_away(away: Sequence[Away]) -> bytes:
    """Encode who is away as a fragment of an update."""
    return _pack(msgspec.to_builtins(tuple(away)))


def encode_clock(clock: Clock) -> bytes:
    """Encode how a room's clock stands as a fragment of an update."""
    return _pack(msgspec.to_builtins(clock))


def encode_update(
    number: int,
    *,
    answers: Sequence[bytes] = (),
    events: Sequence[bytes] = (),
    away: bytes | None = None,
    clock: bytes | None = None,
) -> bytes:
    """Splice fragments into one update; the receiver sees one ordinary map."""
    optional = [(k, v) for k, v in (("away", away), ("clock", clock)) if v is not None]
    packer = msgpack.Packer(autoreset=False)
    packer.pack_map_header(4 + len(optional))
    packer.pack("type")
    packer.pack("update")
    packer.pack("number")
    packer.pack(number)
    parts = [packer.bytes()]
    for key, fragment in optional:
        packer.reset()
        packer.pack(key)
        parts += [packer.bytes(), fragment]
    for key, fragments in (("answers", answers), ("events", events)):
        packer.reset()
        packer.pack(key)
        packer.pack_array_header(len(fragments))
        parts.append(packer.bytes())
        parts.extend(fragments)
    return b"".join(parts)


def pad_choice(choice: Choice) -> tuple[WireSums, WireDice]:
    """Give a choice its fixed length for the wire (see :class:`~.messages.ChoosePairs`)."""
    low, high = (*choice.sums, 0, 0)[:2]
    return (low, high), choice.turned or (0, 0, 0, 0, 0)


def unpad_choice(sums: WireSums, turned: WireDice) -> Choice:
    """Undo :func:`pad_choice`. A 0 among numbers is kept, for the rules to refuse."""
    low, high = sums
    forests: Sums = () if (low, high) == (0, 0) else (low,) if high == 0 else (low, high)
    dice: Dice | None = turned if any(turned) else None
    return Choice(forests, dice)


def _padded(choice: Choice) -> _Map:
    sums, turned = pad_choice(choice)
    return {"sums": sums, "turned": turned}


def _unpadded(raw: Any) -> Any:
    if raw is None:
        return None
    wire = _convert(raw, _WireChoice)
    choice = unpad_choice(wire.sums, wire.turned)
    return {"sums": choice.sums, "turned": choice.turned}


class _WireChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sums: WireSums
    turned: WireDice


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="update"):
    """An update before its parts are looked at."""

    number: int
    answers: tuple[dict[str, Any], ...]
    events: tuple[dict[str, Any], ...]
    away: tuple[Away, ...] | None = None
    clock: Clock | None = None


def _update(raw: _Map) -> Update:
    envelope = _convert(raw, _Envelope)
    return Update(
        envelope.number,
        tuple(_answer(answer) for answer in envelope.answers),
        tuple(_event(event) for event in envelope.events),
        envelope.away,
        envelope.clock,
    )


def _answer(raw: _Map) -> Answer:
    if raw.get("type") != "entered":
        return cast(Answer, _convert(raw, Done | Refused | Rooms | Resumed | Record))
    view = raw.get("view")
    game = view.get("game") if isinstance(view, dict) else None
    if isinstance(game, dict):
        game["choice"] = _unpadded(game.get("choice"))
    return cast(Answer, _exactly(raw, Entered))


def _event(raw: _Map) -> AnySeenEvent:
    kind = GAME_EVENTS.get(raw.get("type", ""))
    if kind is None:
        return cast(AnySeenEvent, _convert(raw, RoomEvent))
    del raw["type"]
    if kind is ChosenSeen:
        raw["choice"] = _unpadded(raw.get("choice"))
    return cast(AnySeenEvent, _exactly(raw, kind))


def _exactly(raw: _Map, kind: Any) -> Any:
    """Convert, and see that every field is there and no other.

    Fields with a default may be left out by themselves, and dataclasses ignore unknown ones.
    """
    value = _convert(raw, kind)
    if msgspec.to_builtins(value) != raw:
        raise PeerError("the message has a field too many or too few")
    return value


def _check_version(raw: _Map) -> None:
    version = raw.get("version")
    if type(version) is int and version != PROTOCOL_VERSION:
        raise VersionMismatch(version)


def _convert(raw: object, kind: Any) -> Any:
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        # The validator's text names types and places, never values.
        raise PeerError(f"not a message: {error}") from None


def _unpack(data: bytes, *, max_items: int, max_bytes: int) -> _Map:
    try:
        raw = msgpack.unpackb(
            data,
            use_list=False,
            strict_map_key=True,
            object_pairs_hook=_unique,
            max_str_len=max_bytes,
            max_bin_len=0,
            max_ext_len=0,
            max_array_len=max_items,
            max_map_len=max_items,
        )
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException):
        # Whatever the decoder makes of hostile bytes is the peer's fault, and its text may quote.
        raise PeerError("the message is not well-formed msgpack") from None
    if not isinstance(raw, dict):
        raise PeerError("the message is not a map")
    return raw


def _unique(pairs: list[tuple[Any, Any]]) -> _Map:
    table = dict(pairs)
    if len(table) != len(pairs) or not all(type(key) is str for key in table):
        raise PeerError("a map has a key twice, or one that is no string")
    return table


def _pack(raw: object) -> bytes:
    return cast(bytes, msgpack.packb(raw))
