"""The words of Sequoia: every message between a client and a server, and its bytes.

:mod:`~sequoia_protocol.messages` has the messages, :mod:`~sequoia_protocol.codec` turns them into
bytes and back, :mod:`~sequoia_protocol.room` has what a room looks like and how an event changes
it. ``protocol/README.md`` describes the same for somebody who writes another client.
"""

from typing import Final

PROTOCOL_VERSION: Final = 1
"""Both ends must speak the same version."""

DEFAULT_PORT: Final = 7378
"""Where a server listens unless told otherwise."""
