"""The keys of the game, told once: for the bindings, the footer and the help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sequoia_rules.values import Pairing
from textual.binding import Binding, BindingType

from sequoia_tui.screens.base import Key
from sequoia_tui.widgets.picker import ENTRY_KEYS

KEYS: Final[tuple[Key, ...]] = (
    Key("", "pick", "1-9 a-f", "pick", "Show a choice; the same key again seals it"),
    Key("", "move", "←→", "pick a die", "After a Sequoia: another die"),
    Key("", "turn", "1-6", "turn it", "After a Sequoia: turn the die to this face"),
    Key("", "pick", "n", "", "In a tie-break: none"),
    Key("", "browse", "←→", "browse", "Go through the same list (also up, down, Tab)"),
    Key("enter", "seal", "Enter", "seal", "Seal the choice that is shown"),
    Key("enter", "pair", "Enter", "go on", "After a Sequoia: go on to pairing"),
    Key("backspace", "take_back", "Backspace", "take back", "Take the sealed choice back"),
    Key("backspace", "turn_again", "Backspace", "turn", "After a Sequoia: turn dice again"),
    Key("r", "again", "r", "again", "After the game: play again, or not yet"),
    Key("s", "decline", "s", "stand up", "After the game: leave the seat"),
    Key("g", "start", "g", "start", "After the game, for the host: start with who is ready"),
    Key("enter", "room", "Enter", "room", "After the game: go to the room and its seats"),
    Key("p", "pause", "p", "pause", "Ask for a pause, agree to one, or go on"),
    Key("", "scroll", "↑↓", "scroll", "In the log: scroll (also PgUp, PgDn)"),
    Key("v", "view", "v", "table", "Ring or table of rows"),
    Key("l", "log", "l", "log", "The whole log"),
    Key("t", "chat", "t", "chat", "Say something", first=True),
    Key("h", "hint", "h", "hint", "Show the choice with the best standing now"),
    Key("question_mark,f1", "help", "?", "help", "This help"),
    Key("escape", "close_log", "Esc", "close", "Close the log"),
    Key("escape,q", "menu", "Esc", "menu", "The menu: resume, rules, keys, leave, quit"),
)
"""In the order of the footer. A key without a binding of its own stands for a family below."""

_STEPS: Final = {
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "tab": "next",
    "shift+tab": "previous",
}

BINDINGS: Final[list[BindingType]] = [
    *(
        Binding(key, f"pick('{key}')", "Show or seal", show=False, id=f"game.pick.{key}")
        for key in (*ENTRY_KEYS, "n")
    ),
    *(
        Binding(str(face), f"turn({face})", "Turn the die", show=False, id=f"game.turn.{face}")
        for face in range(1, 7)
    ),
    *(
        Binding(key, f"{action}('{step}')", "Browse", show=False, id=f"game.{action}.{step}")
        for key, step in _STEPS.items()
        for action in ("browse", "move")
    ),
    *(
        Binding(key, f"scroll({lines})", "Scroll", show=False, id=f"game.scroll.{key}")
        for key, lines in (("up", 1), ("down", -1), ("pageup", 2), ("pagedown", -2))
    ),
    *(
        Binding(
            key.bound,
            key.action,
            key.help,
            show=False,
            priority=key.first,
            id=f"game.{key.action}",
        )
        for key in KEYS
        if key.bound
    ),
    Binding("q", "quit", "Quit", show=False, id="game.quit"),
]
"""Several actions share a key; the screen's ``check_action`` lets one of them through."""

CHOICE_ACTIONS: Final = (
    "pick",
    "move",
    "turn",
    "browse",
    "seal",
    "pair",
    "take_back",
    "turn_again",
    "hint",
)
"""What belongs to choosing, and waits while the game is paused."""

CHOICE_KEYS: Final = frozenset(
    key
    for binding in BINDINGS
    if isinstance(binding, Binding) and binding.action.partition("(")[0] in CHOICE_ACTIONS
    for key in binding.key.split(",")
)
"""The keys of those actions."""


def entry_range(entries: Sequence[Pairing]) -> str:
    """Name the keys of a list of so many entries: ``1-9 a-c``."""
    count = min(len(entries), len(ENTRY_KEYS))
    if count <= 9:
        return "1" if count == 1 else f"1-{count}"
    return "1-9 a" if count == 10 else f"1-9 a-{ENTRY_KEYS[count - 1]}"
