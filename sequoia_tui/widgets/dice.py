"""Five dice, grouped as a pairing groups them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sequoia_rules.values import Dice, Pairing
from textual.containers import Container
from textual.content import Content
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, centred, put

_PIPS: Final = {
    # For each face and each of its three rows, which of left, middle and right carry a pip.
    1: ((), (1,), ()),
    2: ((0,), (), (2,)),
    3: ((0,), (1,), (2,)),
    4: ((0, 2), (), (0, 2)),
    5: ((0, 2), (1,), (0, 2)),
    6: ((0, 2), (0, 2), (0, 2)),
}


@dataclass(frozen=True, slots=True)
class DiceState:
    """What the dice show.

    ``dice`` are the faces by position. ``way`` groups them; without one they lie as they fell.
    ``cursor`` is the position of the die that would be turned (after a Sequoia), ``rolled``
    what fell, to tell the turned dice by. ``faint`` sets all of them back.
    """

    dice: Dice | None = None
    way: Pairing | None = None
    cursor: int | None = None
    rolled: Dice | None = None
    caption: str = ""
    faint: bool = False


class DiceRow(Container):
    """The viewer's roll: a caption, the dice, their brackets; or all of it in one line.

    Every die is a widget of its own: most keys change one or two of them, and the toolkit
    writes a changed line from the left edge of its widget.
    """

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        self.state = DiceState()
        self._arranged = _DiceLayout()
        self._caption = _Caption(glyphs)
        self._dice = tuple(_Die(glyphs, slot) for slot in range(5))
        self._brackets = _Brackets(glyphs)
        self._line = _DiceLine(glyphs)
        super().__init__(self._caption, *self._dice, self._brackets, self._line, id=id)

    @property
    def layout(self) -> Layout:
        return self._arranged

    def show(self, state: DiceState) -> None:
        """Show another state."""
        if state == self.state:
            return
        moved = _shape(state) != _shape(self.state)
        self.state = state
        for part in (self._caption, *self._dice, self._brackets, self._line):
            part.show(state)
        if moved:
            # The toolkit forgets a container's arrangement only when one of its children asks.
            self._brackets.refresh(layout=True)


class _Part(Canvas):
    """One of the widgets that the dice are made of."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.state = DiceState()

    def show(self, state: DiceState) -> None:
        self.state = state
        self.redraw()


class _Caption(_Part):
    def draw(self, width: int, height: int) -> Sequence[Content]:
        return [centred(Content.styled(self.state.caption, "bold $dim"), width)]


class _Die(_Part):
    """The die at one place of the row."""

    def __init__(self, glyphs: Glyphs, slot: int) -> None:
        super().__init__(glyphs)
        self.slot = slot

    def draw(self, width: int, height: int) -> Sequence[Content]:
        state = self.state
        if state.dice is None:
            return []
        slot = 0
        for index, (group, total) in enumerate(grouped(state.way)):
            for position in group:
                if slot == self.slot:
                    style = _die_style(state, index, position, paired=total is not None)
                    return _die(state.dice[position], width, style, self.glyphs)
                slot += 1
        return []


class _Brackets(_Part):
    def draw(self, width: int, height: int) -> Sequence[Content]:
        if self.state.dice is None:
            return []
        slots = _slots(self.state, width)
        pieces: list[tuple[int, Content | str]] = []
        slot = 0
        for index, (group, total) in enumerate(grouped(self.state.way)):
            left, (last, across) = slots[slot][0], slots[slot + len(group) - 1]
            below = _below(self.state, (group, total), index, last + across - left, self.glyphs)
            pieces.append((left, below))
            slot += len(group)
        return [put(*pieces)]


class _DiceLine(_Part):
    def draw(self, width: int, height: int) -> Sequence[Content]:
        return [dice_line(self.state)]


class _DiceLayout(Layout):
    name = "dice"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        parent.pre_layout(self)
        if not isinstance(parent, DiceRow):
            return []
        slots = _slots(parent.state, size.width)
        placements = []
        for child in children:
            region = Region(0, 0, 0, 0)
            if isinstance(child, _DiceLine):
                region = Region(0, 0, size.width, 1) if size.height == 1 else region
            elif size.height > 1:
                if isinstance(child, _Caption):
                    region = Region(0, 0, size.width, 1)
                elif isinstance(child, _Brackets):
                    region = Region(0, 4, size.width, 1)
                elif isinstance(child, _Die):
                    left, across = slots[child.slot]
                    region = Region(left, 1, across, 3)
            if region:
                placements.append(WidgetPlacement(region, NULL_OFFSET, Spacing(), child))
        return placements


def _shape(state: DiceState) -> tuple[int, ...]:
    """Tell how many dice stand together in each group."""
    return tuple(len(group) for group, _ in grouped(state.way))


def _slots(state: DiceState, width: int) -> list[tuple[int, int]]:
    """Give column and width of the five dice, from the left, with air between the groups."""
    across, apart = (7, 3) if width >= 44 else (5, 1)
    shape = _shape(state)
    total = 5 * across + sum(size - 1 for size in shape) + apart * (len(shape) - 1)
    at = (width - total) // 2
    slots = []
    for size in shape:
        for _ in range(size):
            slots.append((at, across))
            at += across + 1
        at += apart - 1
    return slots


def grouped(way: Pairing | None) -> list[tuple[tuple[int, ...], int | None]]:
    """List the positions in the order of display: pairs with their sums, then the spare ones."""
    if way is None:
        return [((position,), None) for position in range(5)]
    pairs: list[tuple[tuple[int, ...], int | None]] = [
        (pair, total) for pair, total in zip(way.pairs, way.sums, strict=True)
    ]
    return [*pairs, *(((position,), None) for position in way.spare)]


def dice_line(state: DiceState) -> Content:
    """Draw the dice as one line of text: ``roll [3][3]=6   [6][1]=7   [5] out``."""
    if state.dice is None:
        return Content("")
    parts: list[tuple[str, str] | str] = [(" roll ", "$dim")]
    for index, (group, total) in enumerate(grouped(state.way)):
        style = "$spare-pip" if state.faint else "$ink"
        if total is not None:
            style = ("bold $accent-ink", "bold $ice")[index]
        for position in group:
            held = position == state.cursor
            face = "bold $night on $accent-ink" if held else style
            parts.append((f"[{state.dice[position]}]", face))
        if total is not None:
            parts += [(f"={total}", style), "  "]
        elif state.way is None:
            parts.append(" ")
    if state.way is not None and state.way.spare:
        parts.append((" out", "$dim"))
    return Content.assemble(*parts)


def _die_style(state: DiceState, index: int, position: int, *, paired: bool) -> str:
    if state.faint:
        return "$spare-pip on $spare"
    if state.way is None:
        return "$pip on $ice" if _was(state, position) else "$pip on $ivory"
    if not paired:
        return "$spare-pip on $spare"
    return f"$pip on {('$ivory', '$ice')[index]}"


def _die(face: int, across: int, style: str, glyphs: Glyphs) -> list[Content]:
    if glyphs.plain:
        # Without block colours to rely on, a die is a frame with its number.
        edge = f"+{'-' * (across - 2)}+"
        middle = f"|{str(face).center(across - 2)}|"
        return [Content.styled(line, style) for line in (edge, middle, edge)]
    columns = (1, across // 2, across - 2)
    lines = []
    for pips in _PIPS[face]:
        cells = [" "] * across
        for column in pips:
            cells[columns[column]] = glyphs.pip
        lines.append(Content.styled("".join(cells), style))
    return lines


def _was(state: DiceState, position: int) -> int:
    """Give the face that a turned die fell with; 0 if it was not turned."""
    if state.rolled is None or state.dice is None:
        return 0
    rolled = state.rolled[position]
    return 0 if rolled == state.dice[position] else rolled


def _below(
    state: DiceState,
    group: tuple[tuple[int, ...], int | None],
    index: int,
    across: int,
    glyphs: Glyphs,
) -> Content:
    """Draw what stands under a group: a bracket with the sum, ``out``, or the cursor that turns."""
    positions, total = group
    if total is not None:
        number = f" {total} "
        line = across - 2 - len(number)
        style = ("$accent-ink", "$ice")[index]
        return Content.assemble(
            (glyphs.pair.bottom_left + glyphs.pair.across * (line // 2), style),
            (number, f"bold {style}"),
            (glyphs.pair.across * (line - line // 2) + glyphs.pair.bottom_right, style),
        )
    (position,) = positions
    if state.cursor == position:
        return Content.styled(glyphs.up.center(across), "bold $accent-ink")
    was = _was(state, position)
    if was:
        return Content.styled(f"was {was}".center(across), "$dim")
    if state.way is not None:
        return Content.styled("out".center(across), "$dim")
    return Content("")
