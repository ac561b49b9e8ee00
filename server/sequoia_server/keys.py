"""Seat keys: the secrets that bring a person back. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

_KEPT: Final = 8


class KeyRing:
    """The keys of one person that are still good.

    Every key handed out is good until a later one has been used: a reply that got lost must not
    cost the seat. Using a key drops those before it, and those after it that never arrived.
    """

    def __init__(self) -> None:
        self._hashes: list[bytes] = []

    def issue(self, key: str) -> None:
        """Make a key good. Of keys that are never used only the last few stay."""
        self._hashes = [*self._hashes[1 - _KEPT :], _hash(key)]

    def use(self, key: str) -> bool:
        """Tell whether a key is good, in constant time; a good one is the only one from now on."""
        wanted = _hash(key)
        matches = [kept for kept in self._hashes if hmac.compare_digest(kept, wanted)]
        if matches:
            self._hashes = matches
        return bool(matches)


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
