"""A player without a screen, on the client's own connection."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Answer,
    Chat,
    ChoosePairs,
    Done,
    Entered,
    GetRecord,
    Ready,
    Record,
    Refused,
    Request,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import AnySeenEvent, RoomView
from sequoia_rules.game import choices_for
from sequoia_rules.phases import Phase
from sequoia_rules.record import read_record, replay
from sequoia_rules.values import Choice

from sequoia_tui.address import parse_address
from sequoia_tui.connection import Connection
from sequoia_tui.link import Link, LinkState
from sequoia_tui.listener import Ending, Place, SeatKey
from sequoia_tui.transports.websocket import WebSocketTransport
from tests.crash.history import Broken, History


class Guest:
    """Plays one game after another, whatever happens to the link.

    ``choosing`` is set whenever a choice is on its way.
    """

    def __init__(
        self,
        name: str,
        port: int,
        history: History,
        rng: random.Random,
        choosing: asyncio.Event,
    ) -> None:
        address = parse_address(f"127.0.0.1:{port}")
        place = Place("server", lambda: WebSocketTransport(address))
        self.name = name
        self.history = history
        self.rng = rng
        self.choosing = choosing
        self.connection = Connection(place, name, self)
        self.online_since: float | None = None
        self.sent = 0
        self.answered = 0
        self._checked: set[int] = set()
        self.acknowledged: set[str] = set()
        self.trouble: BaseException | None = None
        self._number = 0
        # The one is the player's own, the other for whoever waits for the player.
        self._changed = asyncio.Event()
        self._heard = asyncio.Event()
        self._stay = asyncio.create_task(self.connection.run())

    @property
    def view(self) -> RoomView | None:
        """The room as it is now."""
        return self.connection.view

    # What the connection tells

    def on_link(self, link: Link) -> None:
        """Note when the seat was there again."""
        if link.state is not LinkState.ONLINE:
            self.online_since = None
        elif self.online_since is None:
            self.online_since = time.monotonic()
        self._hear()

    def on_view(
        self, view: RoomView, events: Sequence[AnySeenEvent], away: Mapping[int, float]
    ) -> None:
        """Note what was shown."""
        del away
        try:
            if view.number < self._number:
                raise Broken(f"{self.name} has seen event {self._number}, and now {view.number}")
            self.history.add(view, events)
        except Broken as broken:
            self.trouble = broken
        self._number = view.number
        self._hear()

    def on_seat(self, seat: SeatKey | None) -> bool:
        """Keep the key nowhere but in the connection."""
        del seat
        return True

    def on_out(self, sentence: str) -> None:
        """Nobody is ever put out here."""
        self.trouble = Broken(f"{self.name} has lost the seat: {sentence}")
        self._hear()

    def on_end(self, ending: Ending, sentence: str) -> None:
        """No connection ever ends here."""
        self.trouble = Broken(f"{self.name} has no connection any more: {ending} {sentence}")
        self._hear()

    def _hear(self) -> None:
        self._changed.set()
        self._heard.set()

    # What the player does

    async def ask(self, request: Request, deal: int = 0) -> Answer:
        """Send a command, and wait for its answer over however many links it takes."""
        self.sent += 1
        waiting = self.connection.request(request, deal)
        if isinstance(request, ChoosePairs):
            self.choosing.set()
        answer = await waiting
        self.answered += 1
        self._heard.set()
        if isinstance(answer, Refused) and not _may_be_refused(request, answer.code):
            raise Broken(f"{self.name} was refused {type(request).__name__}: {answer.text}")
        view = self.view
        if isinstance(answer, Done) and view is not None and answer.number > view.number + 1000:
            raise Broken("an answer from the future")
        return answer

    async def enter(self, request: Request) -> RoomView:
        """Come into a room."""
        answer = await self.ask(request)
        assert isinstance(answer, Entered), answer
        return answer.view

    async def play_on(self, *, host: bool) -> None:
        """Play until cancelled; the first game is the host's to start."""
        lines = 0
        while True:
            self._changed.clear()
            if self.trouble is not None:
                raise self.trouble
            view = self.view
            if view is not None and not view.room.playing:
                await self._between_games(view, host=host)
            elif view is not None and (choices := _choices(view)):
                if self.rng.random() < 0.1:
                    lines += 1
                    text = f"{self.name} {lines}"
                    await self.ask(Chat(text))
                    self.acknowledged.add(text)
                await self._choose(view, self.rng.choice(choices))
            if not self._changed.is_set():
                await self._changed.wait()

    async def _choose(self, view: RoomView, choice: Choice) -> None:
        answer = await self.ask(ChoosePairs(*pad_choice(choice)), view.deal)
        if isinstance(answer, Done) and self.rng.random() < 0.1:
            await self.ask(TakeChoiceBack(), view.deal)

    async def _between_games(self, view: RoomView, *, host: bool) -> None:
        seat = view.seat
        seated = None if seat is None else view.room.seats[seat]
        over = view.game is not None and view.game.public.phase is Phase.OVER
        if over and view.deal not in self._checked:
            await self._check_record(view)
        if seated is not None and not seated.ready:
            await self.ask(Ready(True))
        elif host and view.game is None and len(view.room.ready_seats) == view.room.settings.seats:
            await self.ask(Start())

    async def _check_record(self, view: RoomView) -> None:
        answer = await self.ask(GetRecord())
        now = self.view
        if not isinstance(answer, Record) or now is None or now.deal != view.deal:
            return
        game = view.game
        if game is None or replay(read_record(answer.text).events).public != game.public:
            raise Broken("the record leads to another end than the one that was shown")
        self._checked.add(view.deal)

    @property
    def games(self) -> int:
        """How many games this player has seen to their end, and compared with their record."""
        return len(self._checked)

    async def until_online(self) -> None:
        """Wait until the link is up and the seat is there."""
        await self._until(lambda: self.online_since is not None and self.view is not None)

    async def until_playing(self) -> None:
        """Wait until the player goes on: a command has been answered from now on."""
        before = self.answered
        await self._until(lambda: self.answered > before)

    async def _until(self, predicate: Callable[[], bool]) -> None:
        while not predicate():
            if self.trouble is not None:
                raise self.trouble
            self._heard.clear()
            await self._heard.wait()

    async def close(self) -> None:
        """Go."""
        await self.connection.close()
        self._stay.cancel()


def _may_be_refused(request: Request, code: Code) -> bool:
    """Tell whether a refusal is what comes of playing; any other means that something was lost.

    Or was done twice: a choice that comes a second time under the same id is no second choice.
    """
    match request:
        case ChoosePairs(sums=(0, 0)):
            # Whoever cannot place a pair is sealed by the server as well.
            return code in {Code.STALE_DEAL, Code.NO_GAME, Code.ILLEGAL_CHOICE}
        case TakeChoiceBack():
            # The last of the others may have chosen meanwhile.
            return code in {Code.STALE_DEAL, Code.NO_GAME}
        case _:
            return False


def _choices(view: RoomView) -> tuple[Choice, ...]:
    game = view.game
    if game is None or game.dice is None or game.viewer not in game.public.awaited:
        return ()
    return choices_for(game.public, game.viewer, game.dice)
