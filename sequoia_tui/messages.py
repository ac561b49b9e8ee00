"""Facts that widgets and screens post upwards; none of them says what shall be done about it."""

from __future__ import annotations

from sequoia_protocol.messages import Request
from sequoia_rules.values import Dice, Sums
from textual.message import Message


class PairingChosen(Message):
    """The player sealed an entry of the pairing list that belongs to this deal."""

    def __init__(self, sums: Sums, turned: Dice | None, deal: int) -> None:
        super().__init__()
        self.sums = sums
        self.turned = turned
        self.deal = deal


class ChoiceTakenBack(Message):
    """The player asked for the sealed choice of this deal back."""

    def __init__(self, deal: int) -> None:
        super().__init__()
        self.deal = deal


class ChatWritten(Message):
    """The player finished a chat line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class RequestMade(Message):
    """A screen's request to the server, for the deal that was on screen (0 outside games)."""

    def __init__(self, request: Request, deal: int = 0) -> None:
        super().__init__()
        self.request = request
        self.deal = deal


class MenuAsked(Message):
    """The player wants the menu: resume, rules, settings, leave, quit."""


class HelpAsked(Message):
    """The player wants to know which keys work on this screen."""


class LeaveAsked(Message):
    """The player wants to leave the room."""


class RoomAsked(Message):
    """The player wants to see the room and its seats; possible between games."""
