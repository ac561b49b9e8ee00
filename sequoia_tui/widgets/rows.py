"""The table of rows: all forests one below the other, where the ring finds no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, put
from sequoia_tui.widgets.card import CardState, token_text
from sequoia_tui.widgets.facts import NOBODY, Cast, Who, leaders


@dataclass(frozen=True, slots=True)
class RowsState:
    """The cards of all forests, who plays, and the state of each in one sign."""

    cards: tuple[CardState, ...] = ()
    cast: Cast = NOBODY
    marks: tuple[Content, ...] = ()


class TableOfRows(Canvas):
    """Forests down, players across."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.state = RowsState()

    def show(self, state: RowsState) -> None:
        """Show another state."""
        self.state = state
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        state, glyphs = self.state, self.glyphs
        column = min(14, max(7, (width - 18) // max(1, len(state.cast))))
        head: list[tuple[int, Content | str]] = [(1, Content.styled("forest", "$dim"))]
        for index, who in enumerate(state.cast):
            mark = state.marks[index] if index < len(state.marks) else Content("")
            head.append((9 + index * column, _heading(who, mark, column, glyphs)))
        tokens = 9 + max(1, len(state.cast)) * column
        head.append((tokens, Content.styled("tokens", "$dim")))
        return [put(*head), *(_row(card, column, tokens, glyphs) for card in state.cards)]


def _heading(who: Who, mark: Content, column: int, glyphs: Glyphs) -> Content:
    room = column - 3 - mark.cell_length - (mark.cell_length and column > 8)
    name = Content.styled(
        glyphs.clip(who.name, room), f"bold {who.ink}" if who.you else "bold $ink"
    )
    return Content.assemble((who.sign, who.ink), " ", name, " " if column > 8 else "", mark)


def _row(card: CardState, column: int, tokens: int, glyphs: Glyphs) -> Content:
    lead = leaders(card.row or (0,))
    grown = {seat for seat, _ in card.grown}
    number = "bold $accent-ink" if card.plus else "bold $good" if grown else "bold $ink"
    if card.dim and not card.plus:
        number = "$dim"
    more = card.plus or sum(count for _, count in card.grown)
    start = [
        (1, Content.styled(glyphs.pointer if more else " ", number)),
        (3, Content.styled(f"{card.forest:>3}", number)),
    ]
    if more:
        start.append((6, Content.styled(f"+{more}", number)))
    placed: list[tuple[int, Content | str]] = [*start]
    for index, (who, count) in enumerate(card.trees):
        text = f" {count}".rjust(3) if count else f"  {glyphs.dot}"
        style = who.ink if count else f"{who.ink} 60%"
        if card.dim and not card.plus:
            style = f"{who.ink} {60 if count else 35}%"
        if card.plus and who.you:
            style = "bold $night on $accent-ink"
        elif who.seat in grown:
            style = f"bold $night on {who.ink}"
        elif index in lead:
            style = f"bold{' underline' if len(lead) == 1 else ''} {style}"
        lead_space = len(text) - len(text.lstrip())
        placed.append((9 + index * column + lead_space, Content.styled(text.lstrip(), style)))
    pair = [token_text(token, glyphs, "$dim") for token in card.tokens]
    placed.append((tokens, Content(" ").join(pair)))
    return put(*placed)
