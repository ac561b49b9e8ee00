"""A forest card: its number, its two tokens, and everybody's trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from sequoia_rules.public import PublicState
from sequoia_rules.values import Forest, Seat
from textual.content import Content

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, ends
from sequoia_tui.widgets.facts import Cast, Token, Who, leaders, planted, ranks, tokens_at

_MEDIUM: Final = (15, 5)
_LARGE: Final = (20, 8)


@dataclass(frozen=True, slots=True)
class CardState:
    """All that a card shows.

    ``trees`` are counts in the order of display. ``plus`` are trees that the highlighted
    pairing would plant; the count of the viewer holds them already. ``grown`` are the trees of
    the last reveal, by seat, while they are to be noticed. ``dim`` sets a settled forest back.
    """

    forest: Forest
    trees: tuple[tuple[Who, int], ...]
    tokens: tuple[Token, ...]
    plus: int = 0
    grown: tuple[tuple[Seat, int], ...] = ()
    dim: bool = False

    @property
    def row(self) -> tuple[int, ...]:
        """Trees by the order of display."""
        return tuple(count for _, count in self.trees)


def card_state(
    public: PublicState,
    cast: Cast,
    forest: Forest,
    *,
    plus: int = 0,
    grown: Mapping[Seat, int] | None = None,
    turned: bool = False,
) -> CardState:
    """Work out a card from what the table knows."""
    row = public.row(forest)
    if cast.viewer is not None and plus:
        row = planted(row, cast.viewer, plus)
    return CardState(
        forest,
        tuple((who, row[who.seat]) for who in cast),
        tokens_at(public, cast, forest, turned=turned),
        plus,
        tuple((grown or {}).items()),
        dim=bool(public.ties) and public.tie_at(forest) is None,
    )


class ForestCard(Canvas):
    """One forest on the ring."""

    def __init__(self, forest: Forest, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id=f"forest-{forest}")
        self.forest = forest
        self.state = CardState(forest, (), ())

    def show(self, state: CardState) -> None:
        """Show another state; nothing is repainted if it is the same."""
        if state != self.state:
            self.state = state
            self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        return card_lines(self.state, width, height, self.glyphs)


def card_lines(state: CardState, width: int, height: int, glyphs: Glyphs) -> list[Content]:
    """Draw a card in whatever detail its size allows."""
    if width >= _LARGE[0] and height >= _LARGE[1]:
        inside = _bars(state, width - 4, glyphs)
    else:
        inside = _slots(state, (width - 2) // 3 if width < _MEDIUM[0] else 4)
        if height >= _MEDIUM[1]:
            inside.append(_ranking(state, width - 3))
    marked = bool(state.plus or state.grown)
    box = glyphs.heavy if marked else glyphs.light
    line = "$accent-ink" if state.plus else "$good" if marked else "$faint"
    if state.dim and not marked:
        line = "$faint 60%"
    pad = 0 if width < _MEDIUM[0] else 1
    lines = [_top(state, width, glyphs, line)]
    for row in range(height - 2):
        text = inside[row] if row < len(inside) else Content("")
        fill = " " * (width - 2 - pad - text.cell_length)
        lines.append(Content.assemble((box.down, line), " " * pad, text, fill, (box.down, line)))
    bottom = f"{box.bottom_left}{box.across * (width - 2)}{box.bottom_right}"
    return [*lines, Content.styled(bottom, line)]


def token_text(token: Token, glyphs: Glyphs, face_down: str = "$ink on $chip") -> Content:
    """Write a token: face down, its owner's with a question mark, or turned over."""
    value = "?" if token.value is None else str(token.value)
    if token.owner is not None:
        return Content.styled(f"{token.owner.sign}{value}", f"bold {token.owner.ink}")
    if token.open and token.value is None:
        return Content.styled("?", face_down)
    return Content.styled(f"{glyphs.dot}{value}", "$dim")


def _top(state: CardState, width: int, glyphs: Glyphs, line: str) -> Content:
    box = glyphs.heavy if state.plus or state.grown else glyphs.light
    number = "dim $ink" if state.dim and not state.plus else "bold $ink"
    grown = sum(count for _, count in state.grown)
    mark = Content("")
    if state.plus:
        number = "bold $accent-ink"
        mark = Content.styled(f"+{state.plus}", "bold $night on $accent-ink")
    elif grown:
        number = "bold $good"
        mark = Content.styled(f"+{grown}", "bold $night on $good")
    tokens = [token_text(token, glyphs) for token in state.tokens]
    if width >= _MEDIUM[0] and all(token.open and token.value is None for token in state.tokens):
        tokens = [Content.styled(" ? ", "$ink on $chip") for _ in tokens]
    apart = " " if width >= _MEDIUM[0] else ""
    right = Content(apart).join(tokens)
    left = Content.assemble(
        (box.top_left, line), (f" {state.forest} ", number), mark, " " if mark and apart else ""
    )
    rule = box.across * (width - 1 - left.cell_length - right.cell_length)
    return Content.assemble(left, (rule, line), right, (box.top_right, line))


def _slots(state: CardState, slot: int) -> list[Content]:
    """Three players a line, each a sign and a count."""
    lead = _leading(state)
    grown = {seat for seat, _ in state.grown}
    pieces = []
    for who, count in state.trees:
        piece = Content.assemble(
            (who.sign, _faded(who.ink, state, count)),
            _count(who, count, state, lead, grown),
        )
        pieces.append(Content.assemble(piece, " " * (slot - piece.cell_length)))
    return [Content.assemble(*pieces[at : at + 3]).rstrip() for at in range(0, len(pieces), 3)]


def _bars(state: CardState, width: int, glyphs: Glyphs) -> list[Content]:
    """Write a line for each player, with a sign for each tree."""
    lead = _leading(state)
    grown = {seat for seat, _ in state.grown}
    room = width - 5
    lines = []
    for who, count in state.trees:
        full = min(count, room)
        text = _count(who, count, state, lead, grown)
        lines.append(
            Content.assemble(
                (who.sign, _faded(who.ink, state, count)),
                " " * (3 - text.cell_length),
                text,
                " ",
                (who.sign * full, _faded(who.ink, state, count)),
                (glyphs.dot * (room - full), "$faint 50%"),
            )
        )
    lines += [Content("")] * (5 - len(lines))
    return [*lines, _ranking(state, width)]


def _ranking(state: CardState, width: int) -> Content:
    """Say who is first and who second: ``1st ■ 2nd ★``; by trees, and once won by tokens."""
    leading, following = ranks(state.row)
    first = [state.trees[place][0] for place in leading]
    second = [state.trees[place][0] for place in following]
    if state.tokens and state.tokens[0].owner is not None:
        # The trees of whoever won a token may have left the forest.
        rival = state.tokens[1].owner
        second = first if state.tokens[1].at_stake else [] if rival is None else [rival]
        first = [state.tokens[0].owner]
    line = Content("")
    for labels in (("1st ", "2nd "), ("1", "2")):
        parts: list[tuple[str, str] | str] = []
        for label, people in zip(labels, (first, second), strict=True):
            if people:
                parts += [" " if parts else "", (label, "$dim")]
                parts += [(who.sign, _faded(who.ink, state, 1)) for who in people]
        line = Content.assemble(*parts)
        if line.cell_length <= width:
            break
    return line


def _leading(state: CardState) -> tuple[Seat, ...]:
    return tuple(state.trees[place][0].seat for place in leaders(state.row or (0,)))


def _faded(colour: str, state: CardState, count: int) -> str:
    if state.dim and not state.plus:
        return f"{colour} {55 if count else 35}%"
    return colour if count else f"{colour} 60%"


def _count(
    who: Who,
    count: int,
    state: CardState,
    lead: tuple[Seat, ...],
    grown: set[Seat],
) -> Content:
    """Write a count: zero a dim dot, leaders bold, a single one underlined, a new one reversed."""
    if not count:
        return Content.styled("·" if not who.sign.isascii() else ".", f"{who.ink} 60%")
    text = str(count)
    style = _faded(who.ink, state, count)
    if state.plus and who.you:
        return Content.styled(text, "bold $night on $accent-ink")
    if who.seat in grown:
        return Content.styled(text, f"bold $night on {who.ink}")
    if who.seat in lead:
        style = f"bold underline {style}" if len(lead) == 1 else f"bold {style}"
    return Content.styled(text, style)


def title(text: str, width: int, glyphs: Glyphs) -> Content:
    """Draw a heading with a line to the end."""
    rest = width - cell_len(text) - 1
    return ends(
        Content.styled(text, "bold $dim"), Content.styled(glyphs.rule * rest, "$faint"), width
    )
