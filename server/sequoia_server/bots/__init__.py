"""Bots: a view and a random source in, a choice out; a bot sees what a person in its seat sees."""

from __future__ import annotations

import random

from sequoia_rules.commands import Choose
from sequoia_rules.view import GameView

from sequoia_server.bots.greedy import choose

__all__ = ["choose", "play"]


def play(view: GameView, seed: int) -> Choose:
    """Choose for the viewer's seat, with chance that starts from a seed."""
    return choose(view, random.Random(seed))
