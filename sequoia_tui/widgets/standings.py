"""The final count: who has how many points, from which tokens, and whether there is a rematch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sequoia_protocol.room import Score
from sequoia_rules.public import PublicState
from sequoia_rules.scoring import Standing, standings
from sequoia_rules.values import FORESTS, Seat, forest_index
from textual.content import Content

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, centred, put
from sequoia_tui.widgets.facts import NO_GAME, NOBODY, Cast


@dataclass(frozen=True, slots=True)
class FinalState:
    """The count after ``counted`` of the eleven forests have turned over their tokens."""

    public: PublicState = NO_GAME
    cast: Cast = NOBODY
    counted: int = len(FORESTS)
    scores: tuple[Score, ...] = ()

    @property
    def done(self) -> bool:
        """Whether everything is turned over."""
        return self.counted >= len(FORESTS)


class Standings(Canvas):
    """The final scores as bars, best first."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.state = FinalState()

    def show(self, state: FinalState) -> None:
        """Show another state of the count."""
        if state != self.state:
            self.state = state
            self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        return final_lines(self.state, width, height, self.glyphs)


def counted_points(public: PublicState, counted: int) -> dict[Seat, tuple[int, int]]:
    """Points of first and of second tokens after so many forests, for each seat."""
    points = {seat: [0, 0] for seat in public.seats}
    for forest in FORESTS[:counted]:
        index = forest_index(forest)
        for kind, owners, values in (
            (0, public.first_owners, public.first_tokens),
            (1, public.second_owners, public.second_tokens),
        ):
            owner = owners[index]
            if owner is not None and values is not None:
                points[owner][kind] += values[index]
    return {seat: (first, second) for seat, (first, second) in points.items()}


@dataclass(frozen=True, slots=True)
class _Scale:
    """How wide names and bars are, and how many points the longest bar stands for."""

    name: int
    bar: int
    most: int


def final_lines(state: FinalState, width: int, height: int, glyphs: Glyphs) -> list[Content]:
    """Draw the standings, a legend, and the running score of the evening where it fits."""
    public = state.public
    if public.points is None:
        return []
    points = counted_points(public, state.counted)
    order = standings({seat: first + second for seat, (first, second) in points.items()})
    name = min(16, max(6, min(width, 60) - 26))
    # Bars race on one scale from the first token on, so that growing means getting closer.
    most = max(1, *(total for _, total in public.points))
    scale = _Scale(name, min(width, 60) - name - 12, most)
    bars = [centred(_bar(state, line, points[line.seat], scale, glyphs), width) for line in order]
    if height < len(bars):
        return _short_lines(state, order, width, height, glyphs)
    if height < len(bars) + 4:
        return bars
    head = "FINAL SCORES" if state.done else "COUNTING"
    legend = Content.assemble(
        (glyphs.first, "$ink"),
        (" first tokens  ", "$dim"),
        (glyphs.second, "$ink"),
        (" second tokens", "$dim"),
    )
    lines = [centred(Content.styled(head, "bold $accent-ink"), width), Content(""), *bars]
    lines += [Content(""), centred(legend, width)]
    if state.done:
        lines += [Content(""), *(centred(line, width) for line in _evening(state, width, glyphs))]
    above = min(4, max(0, height - len(lines)) // 3)
    return [*([Content("")] * above), *lines]


def _short_lines(
    state: FinalState, order: Sequence[Standing], width: int, height: int, glyphs: Glyphs
) -> list[Content]:
    """Draw the standings side by side, where there are not even lines enough for bars."""
    column = width // 2
    rows: list[list[tuple[int, Content | str]]] = [[] for _ in range(height)]
    for at, line in enumerate(order):
        who = state.cast[line.seat]
        wins = state.done and line.place == 1
        name = glyphs.clip(who.name, column - 10)
        piece = Content.assemble(
            (f"{line.place if state.done else '':>2} ", "bold $accent-ink" if wins else "$dim"),
            (who.sign, who.ink),
            (f" {name} ", f"bold {who.ink}" if who.you or wins else "$ink"),
            (f"{line.points}", "bold $ink"),
        )
        rows[at % height].append((at // height * column, piece))
    return [put(*row) for row in rows]


def _bar(
    state: FinalState, line: Standing, points: tuple[int, int], scale: _Scale, glyphs: Glyphs
) -> Content:
    who = state.cast[line.seat]
    wins = state.done and line.place == 1
    place = str(line.place) if state.done else ""
    long = round(points[0] * scale.bar / scale.most)
    short = round(sum(points) * scale.bar / scale.most) - long
    name = Content.styled(
        glyphs.clip(who.name, scale.name), f"bold {who.ink}" if who.you or wins else "$ink"
    )
    return Content.assemble(
        (f"{place:>2} ", "bold $accent-ink" if wins else "$dim"),
        (who.sign, who.ink),
        " ",
        name,
        " " * (scale.name - name.cell_length + 1),
        (f"{sum(points):>3} ", "bold $ink"),
        (glyphs.first * long, who.ink),
        (glyphs.second * short, who.ink),
        " " * (scale.bar - long - short),
    )


def _evening(state: FinalState, width: int, glyphs: Glyphs) -> list[Content]:
    """Tell the running score over several games."""
    if not state.scores or max(score.games for score in state.scores) < 2:
        return []
    best = sorted(state.scores, key=lambda score: (-score.wins, -score.points))[:5]
    text = ", ".join(f"{glyphs.clip(glyphs.clean(score.name), 8)} {score.wins}" for score in best)
    line = f"wins this evening: {text}"
    return [Content.styled(glyphs.clip(line, width), "$dim")]
