"""Who sits at the table, and what each of them is doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from sequoia_protocol.room import RoomView
from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.scoring import standings
from textual.content import Content

from sequoia_tui.link import Table
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, ends
from sequoia_tui.widgets.card import title
from sequoia_tui.widgets.facts import NOBODY, Cast, Who, ordinal


class PlayersPanel(Canvas):
    """A line for each player: sign, name, whether it is a bot, and a state."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._table: Table | None = None
        self._cast = NOBODY
        self._places: Mapping[int, int] = {}

    def show(self, table: Table, cast: Cast, places: Mapping[int, int]) -> None:
        """Show the players of another table; ``places`` are empty until they may be known."""
        self._table, self._cast, self._places = table, cast, places
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        lines = [title("PLAYERS", width, self.glyphs)]
        if self._table is None:
            return lines
        for who in self._cast:
            state = player_state(self._table, who, self.glyphs, self._places)
            lines.append(player_line(who, state, width, self.glyphs))
        return lines


def player_line(who: Who, state: Content, width: int, glyphs: Glyphs) -> Content:
    """Write a player's line; a long name gives way to the state."""
    bot = " bot" if who.bot else ""
    room = width - 3 - state.cell_length
    words = state.plain.split(" ")
    if bot and cell_len(who.name) > room - len(bot) and len(words) > 1:
        # No room for a word of its own: it stands for the state's, whose sign says enough.
        bot = ""
        state = Content.assemble(state[:2], ("bot", "$dim"), state[2 + len(words[1]) :])
        room = width - 3 - state.cell_length
    name = glyphs.clip(who.name, room - len(bot))
    style = f"bold {who.ink}" if who.you else "$ink"
    left = Content.assemble((who.sign, who.ink), " ", (name, style), (bot, "$dim"))
    return ends(left, state, width)


def final_places(view: RoomView) -> Mapping[int, int]:
    """Give the place of each seat once the points are known."""
    points = None if view.game is None else view.game.public.points
    return {} if points is None else {s.seat: s.place for s in standings(dict(points))}


def player_state(table: Table, who: Who, glyphs: Glyphs, places: Mapping[int, int]) -> Content:
    """Say in a word or two what a player is doing."""
    game = table.view.game
    if game is None:
        return Content("")
    public = game.public
    away = who.person is not None and who.person in table.away
    if public.phase is Phase.OVER:
        return _after(table, who, glyphs, places)
    chosen = who.seat in public.chosen
    tick = f"{glyphs.tick} "
    if who.stand_in:
        return Content.styled(f"{glyphs.stand_in} bot{f' {glyphs.tick}' if chosen else ''}", "$ice")
    if away:
        return Content.styled(f"{tick if chosen else '! '}away", "bold $alert")
    if public.phase not in CHOICE_PHASES:
        return Content.styled(f"{glyphs.dot} waits", "$dim")
    if who.seat not in public.rolling:
        return Content.styled(f"{glyphs.dot} no tie", "$dim")
    if chosen:
        return Content.styled(f"{tick}sealed", "$good")
    if who.seat in public.sequoias:
        return Content.styled("SEQUOIA!", "bold $accent-ink")
    return Content.styled(f"{glyphs.wait} picks", "$dim")


def _after(table: Table, who: Who, glyphs: Glyphs, places: Mapping[int, int]) -> Content:
    """After the end: the place, and whether the player is ready for another game."""
    seated = table.view.room.seats[who.seat]
    same = seated is not None and seated.person == who.person
    if not same:
        ready = ("left", "$dim")
    elif seated is not None and seated.ready:
        ready = (f"{glyphs.tick} again", "$good")
    else:
        ready = (f"{glyphs.wait} again?", "$dim")
    place = places.get(who.seat)
    if place is None:
        return Content.styled(*ready)
    style = "bold $accent-ink" if place == 1 else "$dim"
    return Content.assemble(ready, " ", (ordinal(place), style))
