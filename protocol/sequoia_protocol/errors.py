"""Whose fault it is, and the codes that a refusal carries."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Why something was refused or a link was closed. Each goes with a sentence for a person."""

    # About the connection; they end it.
    VERSION_TOO_OLD = "version_too_old"
    VERSION_TOO_NEW = "version_too_new"
    BAD_NAME = "bad_name"
    OUT_OF_ORDER = "out_of_order"
    REPLACED = "replaced"
    SERVER_CLOSING = "server_closing"
    ROOM_CLOSED = "room_closed"
    # About rooms and seats.
    NO_SUCH_ROOM = "no_such_room"
    ROOM_FULL = "room_full"
    GAME_RUNNING = "game_running"
    NO_SPECTATORS = "no_spectators"
    NAME_TAKEN = "name_taken"
    BAD_KEY = "bad_key"
    TOO_MANY_ROOMS = "too_many_rooms"
    IN_A_ROOM = "in_a_room"
    NOT_IN_A_ROOM = "not_in_a_room"
    NOT_HOST = "not_host"
    NOT_SEATED = "not_seated"
    SEAT_TAKEN = "seat_taken"
    COLOUR_TAKEN = "colour_taken"
    NO_SUCH_PERSON = "no_such_person"
    NOT_A_BOT = "not_a_bot"
    TOO_FEW_READY = "too_few_ready"
    BAD_TEXT = "bad_text"
    # About the game.
    NO_GAME = "no_game"
    STALE_DEAL = "stale_deal"
    INVALID_CHOICE = "invalid_choice"
    ILLEGAL_CHOICE = "illegal_choice"
    PAUSED = "paused"
    NO_RECORD = "no_record"


class ProtocolError(Exception):
    """Bytes or messages that the protocol does not allow; see the subclasses for whose they are."""


class PeerError(ProtocolError):
    """The peer's fault. ``close_code`` is the websocket code (RFC 6455, 7.4.1) to close with.

    The text never holds what the peer sent.
    """

    def __init__(self, reason: str, *, close_code: int = 1007) -> None:
        super().__init__(reason)
        self.close_code = close_code


class VersionMismatch(PeerError):
    """The peer speaks another version of the protocol; ``version`` is what it said."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the peer speaks protocol version {version}", close_code=1002)
        self.version = version


class LocalError(ProtocolError):
    """Our own fault: a message that must not be sent was about to be."""
