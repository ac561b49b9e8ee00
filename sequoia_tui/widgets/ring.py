"""The board: forests at their hours on a ring, or in rows, and the player's matters inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.values import FORESTS, ROUNDS, Forest, Seat
from textual.containers import Container
from textual.content import Content
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas
from sequoia_tui.widgets.card import ForestCard
from sequoia_tui.widgets.facts import NO_GAME
from sequoia_tui.widgets.middle import Middle
from sequoia_tui.widgets.rows import TableOfRows

RING_LEAST: Final = Size(80, 24)
"""The screen size from which on the ring finds room; below it there are rows."""

_CARDS: Final = ((106, 43, 22, 8), (72, 28, 15, 5), (0, 0, 11, 4))
"""Ring width and height from which on a card has so many cells across and down."""

_ROWS: Final = 1 + len(FORESTS)


def clock(width: int, height: int) -> tuple[dict[Forest, Region], Region, Region]:
    """Place the eleven cards at their hours, the counter at one o'clock, and the middle."""
    across, down = next(card[2:] for card in _CARDS if width >= card[0] and height >= card[1])
    # A ring much wider than high looks like two heaps; the rest stays free on both sides.
    used = min(width, 3 * height)
    left = (width - used) // 2
    step = across + (1 if across < 15 else 3)
    middle = left + (used - across) // 2
    indent = across // 4
    right = left + used - across
    half = round((height - down) / 2)
    quarter = round(half / 2)
    bottom = height - down
    corners = {
        11: (middle - step, 0),
        12: (middle, 0),
        1: (middle + step, 0),
        2: (right - indent, quarter),
        3: (right, half),
        4: (right - indent, bottom - quarter),
        5: (middle + step, bottom),
        6: (middle, bottom),
        7: (middle - step, bottom),
        8: (left + indent, bottom - quarter),
        9: (left, half),
        10: (left + indent, quarter),
    }
    slots = {hour: Region(x, y, across, down) for hour, (x, y) in corners.items()}
    counter = slots.pop(1)
    inner = left + indent + across
    return slots, counter, Region(inner, down, right - indent - inner, height - 2 * down)


class Board(Container):
    """Eleven cards, the counter, the table of rows and the middle; the size says which of them."""

    def __init__(self, glyphs: Glyphs, now: Callable[[], float], *, id: str | None = None) -> None:
        self.cards = {forest: ForestCard(forest, glyphs) for forest in FORESTS}
        self.counter = RoundCounter(glyphs)
        self.rows = TableOfRows(glyphs, id="rows")
        self.middle = Middle(glyphs, now, id="middle")
        self.rows_wanted = False
        self._arranged = _BoardLayout()
        super().__init__(*self.cards.values(), self.counter, self.rows, self.middle, id=id)

    @property
    def layout(self) -> Layout:
        return self._arranged

    @property
    def as_rows(self) -> bool:
        """Whether the forests stand in rows: where it is asked for, or the ring has no room."""
        size = self.screen.size
        return self.rows_wanted or size.width < RING_LEAST.width or size.height < RING_LEAST.height

    def want_rows(self, wanted: bool) -> None:
        """Change between ring and rows."""
        self.rows_wanted = wanted
        self.arrange_again()

    def arrange_again(self) -> None:
        """Work out anew where everything stands, also if the board's own size is the same."""
        # The toolkit forgets a container's arrangement only when one of its children asks.
        self.rows.refresh(layout=True)


class RoundCounter(Canvas):
    """How far the game is, and how many trees are left."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id="round")
        self._public = NO_GAME
        self._seat: Seat | None = None

    def show(self, public: PublicState, seat: Seat | None) -> None:
        """Show where a game stands."""
        self._public, self._seat = public, seat
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        public, glyphs = self._public, self.glyphs
        done = min(public.round, ROUNDS)
        lines = [
            Content.styled("ROUND", "bold $dim"),
            Content.assemble((f"{public.round}", "bold $accent-ink"), (f" of {ROUNDS}", "$ink")),
            Content.assemble(
                (glyphs.done * done, "$accent-ink"), (glyphs.left * (ROUNDS - done), "$faint")
            ),
        ]
        if public.tiebreak and public.phase is not Phase.OVER:
            lines[0] = Content.styled("TIE-BREAK", "bold $dim")
            lines[1] = Content.assemble(
                ("round ", "$ink"), (f"{public.tiebreak}", "bold $accent-ink")
            )
            lines[2] = Content.styled(f"{len(public.ties)} open", "$ink")
        elif self._seat is not None and public.phase is Phase.CHOOSING:
            lines.append(
                Content.styled(f"{public.supply(self._seat)} trees{' left' * (width > 12)}", "$dim")
            )
        return [*([Content("")] * ((height - 4) // 2)), *lines]


class _BoardLayout(Layout):
    """Arranges a board afresh for every size, so that no order of sizes leaves a trace."""

    name = "board"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        parent.pre_layout(self)
        if not isinstance(parent, Board):
            return []
        placed: list[tuple[Widget, Region]]
        if parent.as_rows:
            rows = min(_ROWS, size.height)
            placed = [
                (parent.rows, Region(0, 0, size.width, rows)),
                (parent.middle, Region(0, rows, size.width, size.height - rows)),
            ]
        else:
            slots, counter, middle = clock(size.width, size.height)
            placed = [(parent.cards[forest], region) for forest, region in slots.items()]
            placed += [(parent.counter, counter), (parent.middle, middle)]
        return [
            WidgetPlacement(region, NULL_OFFSET, Spacing(), widget)
            for widget, region in placed
            if region and widget in children
        ]
