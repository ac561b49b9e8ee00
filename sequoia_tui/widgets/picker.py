"""The choice in the making: the highlighted entry and, after a Sequoia, the dice as turned.

Local and pure; the server learns of it only when a choice is sealed.
"""

from __future__ import annotations

from typing import Final, Literal

from sequoia_rules.game import choices_for, forced_none, ways
from sequoia_rules.phases import CHOICE_PHASES
from sequoia_rules.public import PublicState
from sequoia_rules.values import Dice, Die, Pairing, Seat, Sums, is_sequoia
from sequoia_rules.view import GameView

from sequoia_tui.widgets.facts import worth

ENTRY_KEYS: Final = "123456789abcdef"
"""The keys of the entries, in their order; later entries are reached by the arrows."""

Step = Literal["up", "down", "left", "right", "next", "previous"]


class Picker:
    """The choice in the making, for one deal; a new deal starts it afresh."""

    def __init__(self) -> None:
        self.deal = 0
        self.seat: Seat | None = None
        self.public = PublicState()
        self.rolled: Dice | None = None
        self.dice: Dice | None = None
        self.turning = False
        self.cursor = 0
        self.shown: int | None = None
        self.sealed = False
        self.entries: tuple[Pairing, ...] = ()

    def follow(self, game: GameView | None) -> bool:
        """Take over what the view says, and tell whether this is another deal."""
        public = PublicState() if game is None else game.public
        dice = game.dice if game is not None and public.phase in CHOICE_PHASES else None
        fresh = (public.deal, dice) != (self.deal, self.rolled)
        self.public = public
        self.seat = None if game is None else game.viewer
        if fresh:
            self.deal = public.deal
            self.rolled = self.dice = dice
            self.turning = dice is not None and is_sequoia(dice)
            self.cursor = 0
            self.shown = None
        choice = None if game is None else game.choice
        self.sealed = choice is not None
        if choice is not None:
            # Sealed here or before a lost link: the same dice and entry either way.
            self.turning = False
            self.dice = choice.turned or dice
        self._list()
        if choice is not None:
            self.show(choice.sums)
        return fresh

    @property
    def sequoia(self) -> bool:
        """Whether the dice may be turned."""
        return self.rolled is not None and is_sequoia(self.rolled)

    @property
    def forced(self) -> bool:
        """Whether "none" is chosen without being asked."""
        return (
            self.rolled is not None
            and self.seat is not None
            and forced_none(self.public, self.seat, self.rolled)
        )

    @property
    def asked(self) -> bool:
        """Whether the player has something to choose now."""
        return self.rolled is not None and not self.sealed and not self.forced

    @property
    def picking(self) -> bool:
        """Whether the list of entries is what the keys work on."""
        return self.asked and not self.turning

    @property
    def way(self) -> Pairing | None:
        """The highlighted entry."""
        return None if self.shown is None or self.turning else self.entries[self.shown]

    @property
    def sums(self) -> Sums:
        """What the highlighted entry would plant."""
        return () if self.way is None else self.way.sums

    @property
    def turned(self) -> Dice | None:
        """The dice as turned, or None if they lie as they fell."""
        return None if self.dice == self.rolled else self.dice

    def position_of(self, key: str) -> int | None:
        """Find the entry of a key; ``n`` is none in a tie-break."""
        if key == "n" and self.entries and not self.entries[-1].sums:
            return len(self.entries) - 1
        position = ENTRY_KEYS.find(key)
        return position if 0 <= position < len(self.entries) else None

    def show(self, sums: Sums) -> None:
        """Highlight the entry with these sums, if there is one."""
        found = (i for i, way in enumerate(self.entries) if way.sums == sums)
        self.shown = next(found, self.shown)

    def browse(self, step: Step, rows: int) -> None:
        """Move the highlight through the list, which runs down columns of so many rows."""
        count = len(self.entries)
        if not count:
            return
        if self.shown is None:
            self.shown = count - 1 if step in ("up", "previous") else 0
        elif step in ("next", "previous", "up", "down"):
            self.shown = (self.shown + (1 if step in ("next", "down") else -1)) % count
        else:
            self.shown = _beside(self.shown, 1 if step == "right" else -1, rows, count)

    def move(self, step: Step) -> None:
        """Move to another die while turning."""
        self.cursor = (self.cursor + (1 if step in ("right", "down", "next") else -1)) % 5

    def turn(self, face: Die) -> None:
        """Turn the die under the cursor, and go on to the next one."""
        if self.dice is not None:
            dice = [face if i == self.cursor else die for i, die in enumerate(self.dice)]
            self.dice = (dice[0], dice[1], dice[2], dice[3], dice[4])
            self.cursor = min(self.cursor + 1, 4)
            self._list()

    def pair(self) -> None:
        """Go on from turning to pairing."""
        self.turning = False

    def turn_again(self) -> None:
        """Go back from pairing to turning."""
        self.turning = True
        self.shown = None

    def hint(self) -> None:
        """Highlight the choice with the best standing now; after a Sequoia turn the dice for it."""
        if self.seat is None or self.rolled is None:
            return
        seat, public = self.seat, self.public
        best = max(
            choices_for(public, seat, self.rolled),
            key=lambda choice: worth(public, choice.sums, seat),
        )
        if self.sequoia:
            self.dice = best.turned or self.rolled
            self.turning = False
            self._list()
        self.show(best.sums)

    def _list(self) -> None:
        if self.dice is None or self.seat is None:
            self.entries = ()
        else:
            self.entries = ways(self.public, self.seat, self.dice)
        if self.shown is not None and self.shown >= len(self.entries):
            self.shown = None


def _beside(position: int, columns: int, rows: int, count: int) -> int:
    """Step to the neighbouring column of a list, round the end."""
    target = position + columns * rows
    if 0 <= target < count:
        return target
    row = position % rows
    wanted = range(row, count, rows)
    return wanted[0] if columns > 0 else wanted[-1]
