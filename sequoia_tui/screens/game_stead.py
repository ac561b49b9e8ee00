"""What was chosen in the viewer's stead: by a bot while they were away, or when time was up."""

from __future__ import annotations

from sequoia_protocol.room import AnySeenEvent, RoomView
from sequoia_rules.events import ChosenSeen, TakenBack
from sequoia_rules.game import forced_none
from sequoia_rules.values import Choice, Sums


class Stead:
    """Follows the events of one viewer's game, and tells their own choices from the others.

    The sentence stands until the viewer seals a later choice themselves, for at the deadline the
    next roll comes with the choice.
    """

    def __init__(self, view: RoomView) -> None:
        self._asked: tuple[int, Sums] | None = None
        self._last: tuple[int, Choice] | None = None
        self._said: tuple[int, str] | None = None
        self._bot = False
        game = view.game
        player = None if view.seat is None else view.room.player(view.seat)
        if game is not None and game.choice is not None and player is not None and player.stand_in:
            self._say(game.public.deal, f"While you were away {_sums(game.choice.sums)} was sealed")
            self._bot = True

    def asked(self, deal: int, sums: Sums) -> None:
        """Note what the viewer asks for."""
        self._asked = (deal, sums)

    def follow(self, event: AnySeenEvent, before: RoomView) -> str:
        """Note an event, and say what was chosen in the viewer's stead by it, if anything."""
        game = before.game
        if game is None or game.viewer is None:
            return ""
        deal = game.public.deal
        match event:
            case ChosenSeen(seat, Choice() as choice) if seat == game.viewer:
                last, self._last = self._last, (deal, choice)
                asked, self._asked = self._asked, None
                player = before.room.player(seat)
                self._bot = player is not None and player.stand_in
                dice = game.dice
                if dice is not None and forced_none(game.public, seat, dice):
                    return ""
                if self._bot:
                    return self._say(deal, f"A bot chose {_sums(choice.sums)} for you")
                if asked == (deal, choice.sums) or not before.room.settings.clock:
                    self._said = None
                    return ""
                if last == (deal, choice):
                    text = f"Time was up: your last sealed choice counts, {_sums(choice.sums)}"
                    return self._say(deal, text)
                return self._say(
                    deal, f"Time was up: a stand-in chose {_sums(choice.sums)} for you"
                )
            case TakenBack(seat) if seat == game.viewer:
                self._said = None
        return ""

    def sentence(self, deal: int, *, can_take_back: bool) -> str:
        """Give what there is to say while this deal lies on the table."""
        if self._said is None or deal - self._said[0] not in (0, 1):
            return ""
        more = ": Backspace takes it back." if self._bot and can_take_back else "."
        return self._said[1] + more

    def _say(self, deal: int, text: str) -> str:
        self._said = (deal, text)
        return text


def _sums(sums: Sums) -> str:
    return "+".join(map(str, sums)) or "none"
