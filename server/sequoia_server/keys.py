"""Seat keys: the secrets that bring a person back. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

_KEPT: Final = 8


class KeyRing:
    """The keys of one person that are still good, as SHA-256 digests, oldest first.

    Every key handed out is good until a later one has been used: a reply that got lost must not
    cost the seat. Using a key drops those before it, and those after it that never arrived.
    """

    def __init__(self, digests: Iterable[bytes] = ()) -> None:
        self._digests = list(digests)

    @property
    def digests(self) -> tuple[bytes, ...]:
        """The digests of the good keys."""
        return tuple(self._digests)

    def issue(self, digest: bytes) -> None:
        """Make a key good. Of keys that are never used only the last few stay."""
        self._digests = [*self._digests[1 - _KEPT :], digest]

    def find(self, key: str) -> bytes | None:
        """Give the digest of a key if it is good, in constant time."""
        wanted = digest_of(key)
        matches = [kept for kept in self._digests if hmac.compare_digest(kept, wanted)]
        return matches[0] if matches else None

    def use(self, digest: bytes) -> None:
        """Make a key the only good one from now on."""
        self._digests = [digest]


def digest_of(key: str) -> bytes:
    """Give the SHA-256 digest by which a key is known."""
    return hashlib.sha256(key.encode()).digest()
