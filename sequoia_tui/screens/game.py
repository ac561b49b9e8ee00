"""The game: the table as the view says it is, and the keys that play."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar, Final, cast

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import (
    Chat,
    ChoosePairs,
    HandOver,
    Ready,
    Request,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import AnySeenEvent, RoomView, fold
from sequoia_rules.events import Ended, Revealed
from sequoia_rules.public import PublicState
from sequoia_rules.values import Choice
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key as KeyPressed
from textual.events import Resize, ScreenResume
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from sequoia_tui.link import Table
from sequoia_tui.messages import (
    ChatWritten,
    ChoiceTakenBack,
    HelpAsked,
    MenuAsked,
    PairingChosen,
    RequestMade,
    RoomAsked,
)
from sequoia_tui.screens.game_keys import BINDINGS, KEYS, entry_range
from sequoia_tui.screens.game_moments import Moments
from sequoia_tui.screens.game_parts import Parts, Scene
from sequoia_tui.screens.game_rights import can_start, over, ready, to_hand_over, until_hand_over
from sequoia_tui.themes import glyphs
from sequoia_tui.widgets.facts import NO_GAME, Who, cast_of, online
from sequoia_tui.widgets.footer import KeyHint
from sequoia_tui.widgets.pairing_list import PairingList
from sequoia_tui.widgets.picker import Picker, Step
from sequoia_tui.widgets.prompt import Prompt
from sequoia_tui.widgets.ring import RING_LEAST
from sequoia_tui.widgets.too_small import LEAST_HEIGHT, LEAST_WIDTH

_CHAT_RECALLED: Final = 5


class GameScreen(Screen[None], inherit_bindings=False):
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

    UNSEEN: ClassVar[float] = 0.5
    """Seconds after a deal appears in which no key seals: it may have been meant for the last."""

    def __init__(self, table: Table, *, ascii: bool = False) -> None:
        super().__init__()
        self.table = table
        self.glyphs = glyphs(ascii=ascii)
        self.picker = Picker()
        self.moments = Moments(self, self.draw_table)
        self._pressed_at = 0.0
        self._seen_at: float | None = None
        self._asked_deal: int | None = None
        self._log_open = False
        self._away_timer: Timer | None = None
        self.parts = Parts(self.glyphs)
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
        if self.is_mounted:
            self.draw_table()

    def _tell(self, before: RoomView, view: RoomView, events: Sequence[AnySeenEvent]) -> None:
        """Write the log, and start the moments that events are worth."""
        if before.number + len(events) == view.number:
            for event in events:
                after = fold(before, event)
                self.parts.story.tell(event, before, after, cast_of(after, self.glyphs))
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
        self.parts.draw(Scene(table, people, self.picker, self.moments))
        self.parts.footer.show(self._hints())
        self._watch_the_clock()

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
        if action == "hand_over":
            away = self._to_hand_over()
            return label if away is None else f"bot for {self.glyphs.clip(away.name, 8)}"
        return label

    # Which keys work

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell whether an action can do something now; without parameters, whether any can."""
        if self.too_small:
            return action == "quit"
        if self.parts.prompt.display:
            return False
        picker = self.picker
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
            case "hand_over":
                return self._to_hand_over() is not None
            case "quit" | "scroll" | "close_log":
                return False
            case "chat":
                return online(self.table)
            case _:
                return True

    @property
    def _can_send(self) -> bool:
        asked_already = self._asked_deal == self.table.view.deal
        return online(self.table) and not self.table.sending and not asked_already

    def _to_hand_over(self) -> Who | None:
        people = cast_of(self.table.view, self.glyphs)
        return to_hand_over(self.table, people, monotonic())

    def _watch_the_clock(self) -> None:
        """Draw again when the next absent player has been away long enough."""
        if self._away_timer is not None:
            self._away_timer.stop()
            self._away_timer = None
        wait = until_hand_over(self.table, monotonic())
        if wait is not None:
            self._away_timer = self.set_timer(wait, self.draw_table)

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
        if skipped:
            self.draw_table()

    def on_resize(self, _: Resize) -> None:
        # The middle and the footer say different things at different sizes.
        self.parts.board.arrange_again()
        self.call_after_refresh(self.draw_table)

    def on_screen_resume(self, _: ScreenResume) -> None:
        self._wait_until_seen()

    def _wait_until_seen(self) -> None:
        """From now on no key seals, until the deal has been on screen for a moment."""
        self._seen_at = None
        self.call_after_refresh(self._seen)

    def _seen(self) -> None:
        # The toolkit's own clock, by which it stamps keys; which one that is depends on the system.
        self._seen_at = Message().time

    def _was_seen(self, pressed_at: float) -> bool:
        return self._seen_at is not None and pressed_at - self._seen_at >= self.UNSEEN

    def action_pick(self, key: str) -> None:
        position = self.picker.position_of(key)
        if position is not None:
            self._pick(position, self._pressed_at)

    def on_pairing_list_clicked(self, event: PairingList.Clicked) -> None:
        self.moments.skip()
        if self.check_action("pick", ()):
            self._pick(event.position, event.pressed)

    def _pick(self, position: int, pressed_at: float) -> None:
        if position == self.picker.shown:
            self._seal(pressed_at)
        else:
            self.picker.shown = position
            self.draw_table()

    def action_seal(self) -> None:
        if self.picker.shown is None:
            self.action_browse("next")
        else:
            self._seal(self._pressed_at)

    def _seal(self, pressed_at: float) -> None:
        picker = self.picker
        if picker.way is None or not self._can_send or not self._was_seen(pressed_at):
            return
        self._asked_deal = picker.deal
        self.post_message(PairingChosen(picker.way.sums, picker.turned, picker.deal))

    def on_pairing_chosen(self, event: PairingChosen) -> None:
        event.stop()
        sums, turned = pad_choice(Choice(event.sums, event.turned))
        self._request(ChoosePairs(sums, turned), event.deal)

    def action_take_back(self) -> None:
        self._asked_deal = self.picker.deal
        self.post_message(ChoiceTakenBack(self.picker.deal))

    def on_choice_taken_back(self, event: ChoiceTakenBack) -> None:
        event.stop()
        self._request(TakeChoiceBack(), event.deal)

    def _request(self, request: Request, deal: int = 0) -> None:
        self.post_message(RequestMade(request, deal))

    def action_browse(self, step: str) -> None:
        self.picker.browse(cast(Step, step), self.parts.board.middle.pairings.rows)
        self.draw_table()

    def action_turn(self, face: int) -> None:
        self.picker.turn(face)
        self.draw_table()

    def action_move(self, step: str) -> None:
        self.picker.move(cast(Step, step))
        self.draw_table()

    def action_pair(self) -> None:
        self.picker.pair()
        self.draw_table()

    def action_turn_again(self) -> None:
        self.picker.turn_again()
        self.draw_table()

    def action_hint(self) -> None:
        self.picker.hint()
        self.draw_table()

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

    def action_hand_over(self) -> None:
        away = self._to_hand_over()
        if away is not None:
            self._request(HandOver(away.seat))

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
