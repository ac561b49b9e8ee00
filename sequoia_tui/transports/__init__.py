"""Ways to carry bytes to a server and back; none of them knows what the bytes mean."""

from __future__ import annotations

from typing import Protocol


class TransportError(Exception):
    """The link could not be made, or is lost. The text is a sentence for a person."""


class ServerGoes(TransportError):
    """The server said that it is going away. It may come back."""


class Transport(Protocol):
    """One link, used once: open, then send and receive whole messages, then close."""

    @property
    def latency(self) -> int | None:
        """The round trip in milliseconds; None while it is unknown or says nothing."""

    async def open(self) -> None:
        """Make the link.

        Raises:
            TransportError: it cannot be made, and why.
        """

    async def send(self, data: bytes) -> None:
        """Send one message.

        Raises:
            TransportError: the link is lost.
        """

    async def receive(self) -> bytes:
        """Wait for the next message.

        Raises:
            TransportError: the link is lost, or the server closed it.
        """

    async def close(self) -> None:
        """Close the link, however it is; never raises, never takes long."""
