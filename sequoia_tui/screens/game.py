"""The game: the table as the view says it is, and the keys that play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar, Final

from sequoia_protocol.messages import Chat, Pause, Ready, Stand, Start
from sequoia_protocol.room import AnySeenEvent, RoomView, fold
from sequoia_rules.events import Ended, Revealed
from sequoia_rules.public import PublicState
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.timer import Timer

from sequoia_tui.link import Table
from sequoia_tui.messages import ChatWritten, HelpAsked, MenuAsked, RoomAsked
from sequoia_tui.screens.game_choosing import Choosing
from sequoia_tui.screens.game_keys import (
    BINDINGS,
    CHOICE_ACTIONS,
    CHOICE_KEYS,
    KEYS,
    entry_range,
)
from sequoia_tui.screens.game_parts import Parts, Scene
from sequoia_tui.screens.game_rights import (
    can_pause,
    can_start,
    next_stand_in,
    over,
    pause_label,
    ready,
    wants_pause,
    within,
)
from sequoia_tui.themes import glyphs
from sequoia_tui.widgets.countdown import Countdown
from sequoia_tui.widgets.facts import NO_GAME, cast_of, online
from sequoia_tui.widgets.footer import KeyHint
from sequoia_tui.widgets.prompt import Prompt
from sequoia_tui.widgets.ring import RING_LEAST
from sequoia_tui.widgets.too_small import LEAST_HEIGHT, LEAST_WIDTH

_CHAT_RECALLED: Final = 5


class GameScreen(Choosing, inherit_bindings=False):
    """Draws a table and turns keys into requests; it predicts nothing."""

    NAME: ClassVar[str] = "game"
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    CSS_PATH = "game.tcss"
    AUTO_FOCUS = ""
    # The toolkit declares these two as attributes of the instance.
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (LEAST_WIDTH, "-narrow"),
        (80, "-normal"),
        (100, "-wide"),
        (120, "-wider"),
        (160, "-widest"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (LEAST_HEIGHT, "-high")]

    def __init__(
        self,
        table: Table,
        *,
        ascii: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Show a table; ``clock`` gives the monotonic time by which rounds are timed."""
        signs = glyphs(ascii=ascii)
        super().__init__(table, Parts(signs, clock))
        self.clock = clock
        self.glyphs = signs
        self._log_open = False
        self._refused = False
        self._away_timer: Timer | None = None
        self.set_class(ascii, "-ascii")

    def compose(self) -> ComposeResult:
        parts = self.parts
        yield parts.header
        with Horizontal(id="play"):
            yield parts.board
            yield parts.large_log
            with Vertical(id="side"):
                yield parts.players
                yield parts.log
        with Horizontal(id="bottom"):
            yield parts.prompt
            yield parts.footer
        yield parts.too_small

    def on_mount(self) -> None:
        view = self.table.view
        people = cast_of(view, self.glyphs)
        self.parts.story.recall_chat(view, people, _CHAT_RECALLED)
        self.parts.story.recall(view, people)
        self.picker.follow(view.game)
        self._wait_until_seen()
        self.draw_table()

    def show(self, table: Table, events: Sequence[AnySeenEvent]) -> None:
        """Show another table; ``events`` are what led from the last one to it, if that is known."""
        before, self.table = self.table, table
        view = table.view
        self._tell(before.view, view, events)
        ended = self.over and not over(before)
        if self.picker.follow(view.game) or ended:
            self._wait_until_seen()
            if self.picker.rolled is not None and events and not self.picker.sealed:
                self.moments.tumble(self.picker.rolled)
        if table.sending or self.picker.sealed or view.deal != self._asked_deal:
            self._asked_deal = None
        self._refused = self._refused and view.room.paused
        if self.is_mounted:
            self.draw_table()

    def _tell(self, before: RoomView, view: RoomView, events: Sequence[AnySeenEvent]) -> None:
        """Write the log, and start the moments that events are worth."""
        if before.number + len(events) == view.number:
            for event in events:
                after = fold(before, event)
                people = cast_of(after, self.glyphs)
                self.parts.story.tell(event, before, after, people)
                self.parts.story.tell_viewer(self.stead.follow(event, before), after, people)
                before = after
                if isinstance(event, Revealed):
                    self.moments.reveal(event.sums)
                elif isinstance(event, Ended):
                    self.moments.count()
        self.parts.story.recall(view, cast_of(view, self.glyphs))

    # What is drawn

    @property
    def public(self) -> PublicState:
        """The open part of the game on screen."""
        game = self.table.view.game
        return NO_GAME if game is None else game.public

    @property
    def over(self) -> bool:
        """Whether the game on screen has ended."""
        return over(self.table)

    @property
    def too_small(self) -> bool:
        """Whether not even the table of rows finds room."""
        return self.size.width < LEAST_WIDTH or self.size.height < LEAST_HEIGHT

    def draw_table(self) -> None:
        """Bring every widget up to date; what has not changed is not written again."""
        table = self.table
        people = cast_of(table.view, self.glyphs)
        can_take_back = self.picker.sealed and bool(self.public.awaited)
        told = self.stead.sentence(self.public.deal, can_take_back=can_take_back)
        now = self.clock()
        self.parts.draw(
            Scene(table, people, self.picker, self.moments, now, told, refused=self._refused)
        )
        self.parts.footer.show(self._hints())
        self._watch_the_absent(now)

    def _hints(self) -> list[KeyHint]:
        """List the keys that work now, for the footer."""
        if self.parts.prompt.display:
            return [KeyHint("Enter", "send"), KeyHint("Esc", "close")]
        counting = self.moments.counting
        hints = [KeyHint("any key", "to the scores")] if counting else []
        for key in KEYS:
            if counting and key.action in _AFTER_THE_GAME:
                continue
            if key.label and self.check_action(key.action.partition("(")[0], ()):
                shown = entry_range(self.picker.entries) if key.action == "pick" else key.shown
                action = "" if key.action in _WITHOUT_CLICK else key.action
                hints.append(KeyHint(shown, self._label(key.action, key.label), action))
        return hints

    def _label(self, action: str, label: str) -> str:
        if action == "view":
            return "ring" if self.parts.board.rows_wanted else "table"
        if action == "again" and ready(self.table):
            return "not yet"
        if action == "pause":
            return pause_label(self.table)
        return label

    # Which keys work

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell whether an action can do something now; without parameters, whether any can."""
        if self.too_small:
            return action == "quit"
        if self.parts.prompt.display:
            return False
        picker = self.picker
        if self.table.view.room.paused and action in CHOICE_ACTIONS:
            return False
        if self._log_open:
            return action in ("scroll", "log", "close_log", "help")
        match action:
            case "pick":
                if not parameters:
                    return picker.picking and self.moments.dice is None
                return picker.picking and picker.position_of(str(parameters[0])) is not None
            case "browse":
                return picker.picking
            case "turn" | "move" | "pair":
                return picker.asked and picker.turning
            case "seal":
                # Without a choice on show it shows the first one, so the key always does something.
                return picker.picking and (picker.shown is None or self._can_send)
            case "turn_again":
                return picker.picking and picker.sequoia
            case "take_back":
                return picker.sealed and bool(self.public.awaited) and self._can_send
            case "hint":
                return picker.asked
            case "view":
                return self.size.width >= RING_LEAST.width and self.size.height >= RING_LEAST.height
            case "again" | "decline":
                return self.over and self.table.view.seat is not None and online(self.table)
            case "start":
                return can_start(self.table)
            case "room":
                return self.over
            case "pause":
                return can_pause(self.table)
            case "quit" | "scroll" | "close_log":
                return False
            case "chat":
                return online(self.table)
            case _:
                return True

    def _watch_the_absent(self, now: float) -> None:
        """Draw again once the time until a stand-in comes is told in another way."""
        if self._away_timer is not None:
            self._away_timer.stop()
            self._away_timer = None
        people = cast_of(self.table.view, self.glyphs)
        coming = next_stand_in(self.table, people, now)
        if coming is not None and coming[1] > 0 and not self.picker.asked:
            wait = coming[1] - within(coming[1]) + within(0)
            self._away_timer = self.set_timer(wait, self.draw_table)

    def on_countdown_zero(self, _: Countdown.Zero) -> None:
        self.draw_table()

    # What keys and clicks do

    async def on_key(self, event: KeyPressed) -> None:
        """Run the key's action here and now, so that the key's own time is known to it."""
        self._pressed_at = event.time
        counting = self.moments.counting
        skipped = self.moments.skip()
        active = self.active_bindings.get(event.key)
        if active is not None and active.node is self:
            event.stop()
            event.prevent_default()
            action = active.binding.action
            unmeant = counting or not self._was_seen(event.time)
            if counting:
                self._wait_until_seen()
            if not (unmeant and action in _AFTER_THE_GAME):
                await self.run_action(action)
        elif self.table.view.room.paused and event.key in CHOICE_KEYS and not self.too_small:
            self._refused = skipped = not self.parts.prompt.display
        if skipped:
            self.draw_table()

    def on_resize(self, _: Resize) -> None:
        # The middle and the footer say different things at different sizes.
        self.parts.board.arrange_again()
        self.call_after_refresh(self.draw_table)

    def action_view(self) -> None:
        self.parts.board.want_rows(not self.parts.board.rows_wanted)
        self.call_after_refresh(self.draw_table)

    def action_log(self) -> None:
        self._log_open = not self._log_open
        self.parts.large_log.back = 0
        self.query_one("#play").set_class(self._log_open, "-log")
        self.draw_table()

    def action_close_log(self) -> None:
        self.action_log()

    def action_scroll(self, lines: int) -> None:
        log = self.parts.large_log
        page = log.size.height - 2
        log.scroll_by(lines if abs(lines) == 1 else page * (1 if lines > 0 else -1))

    def action_chat(self) -> None:
        self.query_one("#bottom").add_class("-chat")
        self.parts.prompt.open()
        self.draw_table()

    def on_prompt_closed(self, _: Prompt.Closed) -> None:
        self.query_one("#bottom").remove_class("-chat")
        self.draw_table()

    def on_chat_written(self, event: ChatWritten) -> None:
        event.stop()
        self._request(Chat(event.text))

    def action_again(self) -> None:
        self._request(Ready(not ready(self.table)))

    def action_decline(self) -> None:
        self._request(Stand())

    def action_start(self) -> None:
        self._request(Start())

    def action_room(self) -> None:
        self.post_message(RoomAsked())

    def action_pause(self) -> None:
        self._request(Pause(not (self.table.view.room.paused or wants_pause(self.table))))

    def action_help(self) -> None:
        self.post_message(HelpAsked())

    def action_menu(self) -> None:
        self.post_message(MenuAsked())

    async def action_quit(self) -> None:
        await self.app.action_quit()


_WITHOUT_CLICK: Final = ("pick", "browse", "move", "turn", "scroll")
"""Actions that need a parameter, which a click on the footer cannot say."""

_AFTER_THE_GAME: Final = ("again", "decline", "start", "room")
"""What no key does before its player can have seen the end: it was meant for the last deal."""
