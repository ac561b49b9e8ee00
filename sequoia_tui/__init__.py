"""The full-screen terminal client."""

from functools import cache
from typing import Final

DEFAULT_BOTS: Final = 3
"""Bots in a solo game, if no number is said."""

MAX_BOTS: Final = 4
"""Bots for which a table has seats beside one player."""


@cache
def version() -> str:
    """Give the version of this distribution."""
    # Its import is as slow as the rest of the command line together.
    from importlib.metadata import version as version_of

    return version_of("sequoia-tui")
