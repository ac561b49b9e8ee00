"""Every draw of the server comes from here; nothing else asks for chance."""

from __future__ import annotations

import secrets
from typing import Final, Protocol

from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS, Dice

CODE_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Characters of a room code; none of them is taken for another when it is read aloud."""

Tokens = tuple[tuple[int, ...], tuple[int, ...]]
"""First- and second-place tokens as they lie on forests 2 to 12."""


class Entropy(Protocol):
    """A source of every random value that a server needs."""

    def dice(self) -> Dice:
        """Roll five dice."""
        ...

    def tokens(self) -> Tokens:
        """Shuffle both kinds of token, each by itself (S1)."""
        ...

    def delay(self, low: float, high: float) -> float:
        """Draw how many seconds something waits."""
        ...

    def code(self, length: int) -> str:
        """Draw a room code of :data:`CODE_ALPHABET`."""
        ...

    def key(self) -> str:
        """Draw a seat key, 128 bits at least, as text."""
        ...

    def bot_seed(self) -> int:
        """Draw what a bot's own chance starts from."""
        ...

    def game_id(self) -> str:
        """Draw the name of a game."""
        ...


class SystemEntropy:
    """The operating system's randomness."""

    def __init__(self) -> None:
        self._random = secrets.SystemRandom()

    def dice(self) -> Dice:
        """Roll five dice."""
        one, two, three, four, five = (1 + secrets.randbelow(6) for _ in range(5))
        return one, two, three, four, five

    def tokens(self) -> Tokens:
        """Shuffle both kinds of token, each by itself (S1)."""
        first, second = list(FIRST_TOKENS), list(SECOND_TOKENS)
        self._random.shuffle(first)
        self._random.shuffle(second)
        return tuple(first), tuple(second)

    def delay(self, low: float, high: float) -> float:
        """Draw how many seconds something waits."""
        return self._random.uniform(low, high)

    def code(self, length: int) -> str:
        """Draw a room code of :data:`CODE_ALPHABET`."""
        return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))

    def key(self) -> str:
        """Draw a seat key of 128 bits."""
        return secrets.token_urlsafe(16)

    def bot_seed(self) -> int:
        """Draw what a bot's own chance starts from."""
        return secrets.randbits(64)

    def game_id(self) -> str:
        """Draw the name of a game: 16 bytes in hexadecimal."""
        return secrets.token_hex(16)
