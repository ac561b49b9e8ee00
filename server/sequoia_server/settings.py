"""What a server allows, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass

from sequoia_protocol.codec import MAX_CLIENT_MESSAGE


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and times of a server; times are in seconds, sizes in bytes.

    ``rooms_listed`` is how many rooms a list holds at most, those that can be joined first.
    ``message_bytes`` can only narrow what the protocol itself allows. ``write_buffer`` is what
    may wait to be read by one link before that link is given up. ``grace`` is how long somebody
    may be away before a bot plays the seat. ``bot_delay`` and ``forced_none_delay``
    are ranges from which the moments of sealing are drawn. ``answers_kept`` is per person, for
    commands that arrive twice; ``lobby_answers_kept`` is for the commands that need no room.
    ``checkpoint_after`` is how many turns of a room are stored before one is that holds it whole.
    ``commands_held`` is how many commands of one link wait while nothing can be stored.
    """

    message_bytes: int = MAX_CLIENT_MESSAGE
    handshake_timeout: float = 5.0
    hello_timeout: float = 5.0
    write_buffer: int = 64 * 1024
    rooms: int = 10_000
    rooms_listed: int = 100
    grace: float = 30.0
    bot_delay: tuple[float, float] = (0.8, 2.4)
    forced_none_delay: tuple[float, float] = (1.0, 4.0)
    empty_room_lifetime: float = 15 * 60.0
    unfinished_game_lifetime: float = 24 * 3600.0
    answers_kept: int = 64
    lobby_answers_kept: int = 16_384
    checkpoint_after: int = 256
    commands_held: int = 64
    public_code_length: int = 4
    private_code_length: int = 8
