"""The full-screen terminal client."""

from functools import cache


@cache
def version() -> str:
    """Give the version of this distribution."""
    # Its import is as slow as the rest of the command line together.
    from importlib.metadata import version as version_of

    return version_of("sequoia-tui")
