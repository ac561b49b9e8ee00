"""The first line: the phase, what is asked of the viewer, and how the link is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from sequoia_tui.link import Link, LinkState
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, ends

_CLASSES: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500)


class HeaderBar(Canvas):
    """``SEQUOIA │ Round 4 of 10 │ choose your two pairs          ● oak.local  3 ms``."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._texts: tuple[str, str] = ("", "")
        self._link = Link(LinkState.CONNECTING, "")
        self._urgent = False

    def show(self, phase: str, asked: str, link: Link, *, urgent: bool = False) -> None:
        """Show the phase and what is asked; ``urgent`` if it is asked of the viewer."""
        self._texts, self._link, self._urgent = (phase, asked), link, urgent
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        glyphs = self.glyphs
        phase, asked = self._texts
        end = link_text(self._link, glyphs, width)
        bar = (f" {glyphs.bar} ", "$faint")
        start = Content.assemble((" SEQUOIA", "bold $accent-ink"), bar, (phase, "$ink"), bar)
        room = width - start.cell_length - end.cell_length - 1
        if room < len(asked):
            # The game's name is what one can do without.
            start = Content.assemble((f" {phase}", "$ink"), bar)
            room = width - start.cell_length - end.cell_length - 1
        text = glyphs.clip(asked, room)
        return [
            ends(start + Content.styled(text, "bold $ink" if self._urgent else "$ink"), end, width)
        ]


def link_text(link: Link, glyphs: Glyphs, width: int) -> Content:
    """Say how the link is; the round trip by its class alone, so that it seldom changes."""
    short = width < 80
    server = glyphs.clip(glyphs.clean(link.server), 12 if short else 24)
    style, sign, more = "bold $alert", glyphs.times, "  closed"
    if link.state is LinkState.ONLINE:
        style, sign = "$good", glyphs.link
        more = "" if link.latency is None or short else f"  {round_trip(link.latency)}"
    elif link.state is LinkState.CONNECTING:
        style, sign, more = "$dim", glyphs.dot, "  connecting"
    elif link.state is LinkState.RECONNECTING:
        wait = "" if link.retry_in is None else f" in {max(1, round(link.retry_in))} s"
        more = f"  lost, trying{wait}"
        if width < 100:
            server, more = "lost", f", trying{wait}"
    return Content.assemble(
        (f"{sign} ", style), (server, "$dim"), (more, "$dim"), "" if short else " "
    )


def round_trip(milliseconds: int) -> str:
    """Name the class of a round trip by its upper bound."""
    for bound in _CLASSES:
        if milliseconds <= bound:
            return f"{bound} ms"
    return "slow"
