"""One link, sans-I/O: a hello first, then commands, each stamped with who this link is."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, TypeAlias

from sequoia_protocol import PROTOCOL_VERSION
from sequoia_protocol.codec import decode_client, encode
from sequoia_protocol.errors import Code, PeerError, VersionMismatch
from sequoia_protocol.messages import (
    Bye,
    Command,
    CreateRoom,
    Hello,
    JoinRoom,
    ListRooms,
    ResumeSeat,
    Welcome,
)
from sequoia_protocol.text import BadText, clean_name

PROGRAM: Final = f"sequoia-server {version('sequoia-tui')}"
"""What the server calls itself."""

OFFERS: Final = ("rooms",)


@dataclass(frozen=True, slots=True)
class Place:
    """Who a link is: a person in a room."""

    code: str
    person: int


@dataclass(frozen=True, slots=True)
class Greet:
    """The hello was good: send this welcome."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """A command that needs no room, or one that comes from outside of any."""

    nonce: str
    name: str
    command: Command


@dataclass(frozen=True, slots=True)
class Act:
    """A command in a room, by the person that this link is."""

    place: Place
    nonce: str
    command: Command


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the link: say ``bye`` if there is one, then close."""

    close_code: int
    reason: str
    bye: bytes | None = None


Action: TypeAlias = Greet | Ask | Act | HangUp


class Connection:
    """Turns what a client sends into actions. ``place`` is set by the host, never by a message."""

    def __init__(self) -> None:
        self.place: Place | None = None
        self._hello: Hello | None = None
        self._name = ""

    @property
    def is_greeted(self) -> bool:
        """Whether the hello has come."""
        return self._hello is not None

    @property
    def nonce(self) -> str:
        """What the program at the other end calls itself, over all of its links."""
        return "" if self._hello is None else self._hello.client

    def receive(self, data: bytes) -> Action:
        """Say what to do about one message of the client."""
        try:
            message = decode_client(data)
        except VersionMismatch as mismatch:
            return _out_of_order() if self.is_greeted else _other_version(mismatch.version)
        except PeerError as error:
            return HangUp(error.close_code, "not a message of this protocol")
        if isinstance(message, Hello):
            return _out_of_order() if self.is_greeted else self._greet(message)
        if self._hello is None:
            return _out_of_order()
        nonce = self._hello.client
        lobby = isinstance(message.request, ListRooms | CreateRoom | JoinRoom | ResumeSeat)
        if lobby or self.place is None:
            return Ask(nonce, self._name, message)
        return Act(self.place, nonce, message)

    def _greet(self, hello: Hello) -> Action:
        try:
            self._name = clean_name(hello.name)
        except BadText as error:
            return hang_up(Code.BAD_NAME, str(error), 1008)
        self._hello = hello
        return Greet(encode(Welcome(PROTOCOL_VERSION, self._name, PROGRAM, OFFERS)))


def hang_up(code: Code, text: str, close_code: int) -> HangUp:
    """End a link with a code for the program and a sentence for the person."""
    return HangUp(close_code, code.value, encode(Bye(code.value, text)))


def _out_of_order() -> HangUp:
    return hang_up(Code.OUT_OF_ORDER, "One hello comes first, and after it commands.", 1002)


def _other_version(theirs: int) -> HangUp:
    both = f"This server speaks version {PROTOCOL_VERSION} of the protocol, your program {theirs}:"
    if theirs < PROTOCOL_VERSION:
        return hang_up(Code.VERSION_TOO_OLD, f"{both} update your sequoia-tui.", 1002)
    text = f"{both} the server has to be updated, or you need an older sequoia-tui."
    return hang_up(Code.VERSION_TOO_NEW, text, 1002)
