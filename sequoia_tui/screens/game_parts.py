"""The widgets of the game, and what each of them shows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sequoia_protocol.messages import Held
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.values import FORESTS, Seat
from textual.content import Content

from sequoia_tui.link import Table
from sequoia_tui.screens.game_moments import Moments
from sequoia_tui.screens.game_rights import can_pause, next_stand_in, wants_pause, within
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.card import card_state
from sequoia_tui.widgets.countdown import CountdownState, time_is_up
from sequoia_tui.widgets.dice import DiceState
from sequoia_tui.widgets.facts import NO_GAME, Cast, asked_line, held, online, phase_line
from sequoia_tui.widgets.footer import FooterBar
from sequoia_tui.widgets.header import HeaderBar
from sequoia_tui.widgets.log import LogPanel, Story
from sequoia_tui.widgets.middle import BESIDE, Head, Matter, middle_slots
from sequoia_tui.widgets.notes import (
    advice_lines,
    banner,
    duel_lines,
    forced_lines,
    live_line,
    paused_lines,
    sealed_lines,
    turning_lines,
    watching_lines,
)
from sequoia_tui.widgets.pairing_list import ListState
from sequoia_tui.widgets.picker import Picker
from sequoia_tui.widgets.players import PlayersPanel, final_places, player_state
from sequoia_tui.widgets.prompt import Prompt
from sequoia_tui.widgets.ring import Board
from sequoia_tui.widgets.rows import RowsState
from sequoia_tui.widgets.standings import FinalState
from sequoia_tui.widgets.too_small import TooSmall


@dataclass(frozen=True, slots=True)
class Scene:
    """All that there is to draw: the table, the choice in the making, and what moves."""

    table: Table
    people: Cast
    picker: Picker
    moments: Moments
    now: float = 0.0
    """Monotonic time in seconds."""
    told: str = ""
    """What was chosen in the viewer's stead."""
    refused: bool = False
    """Whether the viewer has tried to choose during the pause."""

    @property
    def public(self) -> PublicState:
        """The open part of the game."""
        game = self.table.view.game
        return NO_GAME if game is None else game.public

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.public.phase is Phase.OVER

    @property
    def paused(self) -> bool:
        """Whether the players have stopped the game."""
        return self.table.view.room.paused

    @property
    def head(self) -> Head:
        """What is above the dice."""
        room = self.table.view.room
        if self.over or not (self.table.timer or (room.playing and room.settings.clock)):
            return Head.PLAIN
        return Head.CALLED if self.public.sequoias else Head.TIMED

    @property
    def advice(self) -> list[tuple[str, str]]:
        """What else the viewer should know, the most urgent first: sentences and their styles."""
        table, people = self.table, self.people
        said = []
        if held(table) is Held.STORAGE:
            text = "The server cannot store moves now: it waits for its disk."
            said.append((text, "bold $alert"))
        wish = _pause_wish(table, people)
        if wish and not self.paused:
            said.append((wish, "bold $accent-ink"))
        if self.told:
            said.append((self.told, "bold $ice"))
        # Who picks has no time to wait for anybody.
        next_one = None if self.picker.asked else next_stand_in(table, people, self.now)
        if next_one is not None:
            who, left = next_one
            said.append((f"a bot plays for {who.name} within {within(left)} s", "$dim"))
        return said

    @property
    def counting(self) -> bool:
        """Whether tokens are still being turned over; who has won is not told before."""
        return self.over and self.moments.counted < len(FORESTS)

    @property
    def places(self) -> Mapping[Seat, int]:
        """The final places by seat, as soon as they may be known."""
        return {} if self.counting else final_places(self.table.view)

    @property
    def matter(self) -> Matter:
        """What the middle of the table is about."""
        picker = self.picker
        if self.over:
            return Matter.FINAL
        if picker.rolled is None:
            return Matter.WATCHING
        if self.paused:
            return Matter.PAUSED
        if picker.forced:
            return Matter.FORCED
        if picker.sealed:
            return Matter.SEALED
        if picker.turning:
            return Matter.TURNING
        return Matter.DUELLING if self.public.phase is Phase.TIEBREAK else Matter.PICKING


class Parts:
    """Makes the widgets once, and brings them up to date with a scene."""

    def __init__(self, glyphs: Glyphs, now: Callable[[], float]) -> None:
        self.glyphs = glyphs
        self.story = Story()
        self.board = Board(glyphs, now, id="board")
        self.header = HeaderBar(glyphs, id="header")
        self.footer = FooterBar(glyphs, id="footer")
        self.players = PlayersPanel(glyphs, id="players")
        self.log = LogPanel(glyphs, id="log")
        self.large_log = LogPanel(glyphs, id="large-log")
        self.prompt = Prompt(glyphs, id="prompt")
        self.too_small = TooSmall(glyphs, id="too-small")

    def draw(self, scene: Scene) -> None:
        """Show a scene; what has not changed is not written again."""
        table, picker = scene.table, scene.picker
        asked = asked_line(
            table,
            scene.people,
            turning=picker.turning,
            forced=picker.forced,
            time_up=time_is_up(table.timer, scene.now),
        )
        if scene.counting:
            asked = "the tokens are turned over"
        elif not (held(table) or scene.over or self._has_notes(scene)) and scene.advice:
            asked = self.glyphs.clean(scene.advice[0][0])
        urgent = picker.asked or scene.over
        self.header.show(phase_line(table), asked, table.link, urgent=urgent)
        self.players.show(table, scene.people, scene.places)
        for log in (self.log, self.large_log):
            log.show(self.story, to_the_end=not scene.counting)
        self.board.counter.show(scene.public, scene.people.viewer if picker.rolled else None)
        self._draw_forests(scene)
        self._draw_middle(scene)

    def _draw_forests(self, scene: Scene) -> None:
        sums, moments, people = scene.picker.sums, scene.moments, scene.people
        cards = []
        for at, forest in enumerate(FORESTS):
            state = card_state(
                scene.public,
                people,
                forest,
                plus=sums.count(forest),
                grown={} if sums else moments.grown.get(forest),
                turned=scene.over and at < moments.counted,
            )
            cards.append(state)
            card = self.board.cards[forest]
            card.set_class(state.dim and not state.plus, "-settled")
            card.show(state)
        states = (player_state(scene.table, who, self.glyphs, scene.places) for who in people)
        marks = tuple(_mark(state, self.glyphs) for state in states)
        self.board.rows.show(RowsState(tuple(cards), people, marks))

    def _draw_middle(self, scene: Scene) -> None:
        picker, public, people = scene.picker, scene.public, scene.people
        middle, matter = self.board.middle, scene.matter
        picking = matter in (Matter.PICKING, Matter.DUELLING)
        entries = ListState()
        if picking:
            # While the dice tumble the list would tell how they fall.
            ways = picker.entries if scene.moments.dice is None else ()
            entries = ListState(ways, picker.shown, picker.dice, public, picker.seat)
        call = middle.size.width - (BESIDE if scene.head is Head.CALLED else 0)
        middle.banner.show([banner(public, people, self.glyphs, call)])
        middle.dice.show(_dice_state(scene))
        middle.pairings.show(entries)
        middle.live.show([live_line(picker) if picking else Content("")])
        middle.notes.show(self._notes(scene))
        counted = scene.moments.counted
        scores = scene.table.view.room.scores
        middle.standings.show(FinalState(public, people, counted, scores))
        calm = not picker.asked
        middle.countdown.show(
            CountdownState(scene.table.timer, held(scene.table), calm, online(scene.table))
        )
        middle.show(matter, scene.head)

    def _has_notes(self, scene: Scene) -> bool:
        """Whether the middle has a line for advice."""
        width, height = self.board.middle.size
        entries = () if scene.moments.dice else scene.picker.entries
        return "notes" in middle_slots(scene.matter, width, height, entries, scene.head)

    def _notes(self, scene: Scene) -> list[Content]:
        picker, people, signs = scene.picker, scene.people, self.glyphs
        width, height = self.board.middle.size
        short = height < 12
        more = advice_lines(scene.advice, width, signs)
        if scene.paused and not scene.over:
            lines = paused_lines(picker, people, signs, refused=scene.refused, short=short)
            return [*lines, *more]
        match scene.matter:
            case Matter.PICKING:
                return more
            case Matter.DUELLING:
                return [*more, *duel_lines(scene.public, people, picker.sums, mine=True)]
            case Matter.TURNING:
                # What it may push out at the end is in the footer as well.
                lines = turning_lines(signs, short=short)
                return [*more, *lines] if short else [*lines, *more]
            case Matter.SEALED:
                return sealed_lines(
                    scene.table, picker, people, signs, width, more=more, short=short
                )
            case Matter.FORCED:
                return forced_lines(picker, people, signs, width, more=more)
            case Matter.WATCHING:
                return watching_lines(picker, people, signs, width, more=more)
            case _:
                return []


def _pause_wish(table: Table, people: Cast) -> str:
    """Say who asks for a pause, and how the viewer answers."""
    room = table.view.room
    if wants_pause(table):
        return "You ask for a pause; the others have to agree."
    wishing = [who.name for who in people if who.person in room.pause_wanted]
    if not wishing:
        return ""
    asking = " and ".join(wishing[:2]) if len(wishing) <= 2 else f"{len(wishing)} players"
    asks = "asks" if len(wishing) == 1 else "ask"
    agree = ": p agrees" if can_pause(table) else ""
    return f"{asking} {asks} for a pause{agree}"


def _dice_state(scene: Scene) -> DiceState:
    picker = scene.picker
    tumbling = scene.moments.dice
    turning = picker.turning and tumbling is None
    return DiceState(
        dice=tumbling or picker.dice,
        way=None if tumbling else picker.way,
        cursor=picker.cursor if turning else None,
        rolled=picker.rolled if turning else None,
        caption="TURN YOUR DICE" if turning else "YOUR ROLL",
        faint=scene.paused or (picker.sealed and picker.way is not None and not picker.sums),
    )


def _mark(state: Content, glyphs: Glyphs) -> Content:
    """Shorten a player's state to one sign, where there is no room for its words."""
    if state.plain.startswith("SEQUOIA"):
        return Content.styled("!", "bold $accent-ink")
    if state.plain.startswith(glyphs.stand_in):
        sealed = state.plain.endswith(glyphs.tick)
        return Content.assemble(state[:1], state[-1:] if sealed else "")
    return Content("") if state.plain[:1] in ("", "…", "~", "·", ".") else state[:1]
