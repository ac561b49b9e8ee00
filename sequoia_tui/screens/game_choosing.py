"""What keys and clicks choose: from showing an entry to asking the server to seal it."""

from __future__ import annotations

from typing import ClassVar, cast

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import ChoosePairs, Request, TakeChoiceBack
from sequoia_rules.values import Choice
from textual.events import ScreenResume
from textual.message import Message
from textual.screen import Screen

from sequoia_tui.link import Table
from sequoia_tui.messages import ChoiceTakenBack, PairingChosen, RequestMade
from sequoia_tui.screens.game_moments import Moments
from sequoia_tui.screens.game_parts import Parts
from sequoia_tui.screens.game_stead import Stead
from sequoia_tui.widgets.facts import online
from sequoia_tui.widgets.pairing_list import PairingList
from sequoia_tui.widgets.picker import Picker, Step


class Choosing(Screen[None], inherit_bindings=False):
    """The part of the game's screen that chooses, and sees that nobody seals an unseen roll."""

    UNSEEN: ClassVar[float] = 0.5
    """Seconds after a deal appears in which no key seals: it may have been meant for the last."""

    def __init__(self, table: Table, parts: Parts) -> None:
        super().__init__()
        self.table = table
        self.parts = parts
        self.picker = Picker()
        self.moments = Moments(self, self.draw_table)
        self.stead = Stead(table.view)
        self._pressed_at = 0.0
        self._seen_at: float | None = None
        self._asked_deal: int | None = None

    def draw_table(self) -> None:
        """Bring every widget up to date."""
        raise NotImplementedError

    def _request(self, request: Request, deal: int = 0) -> None:
        self.post_message(RequestMade(request, deal))

    @property
    def _can_send(self) -> bool:
        asked_already = self._asked_deal == self.table.view.deal
        return online(self.table) and not self.table.sending and not asked_already

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
        self.stead.asked(picker.deal, picker.way.sums)
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
