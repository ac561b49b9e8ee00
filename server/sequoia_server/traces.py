"""How a fault is logged: where it came from, and nothing of what it was about."""

from __future__ import annotations

import traceback


def trace(error: Exception) -> str:
    """Show where an exception came from, without its text: that may hold what is secret."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{frames}{type(error).__name__}"
