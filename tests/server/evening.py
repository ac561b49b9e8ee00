"""One evening of four people, always the same: every request and every event that there is.

Nobody does anything before everybody has seen what was done before. So the room comes to the same
end, event by event, whatever happens to messages and links on the way.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import (
    AddBot,
    Answer,
    Chat,
    ChooseClock,
    ChooseColour,
    ChoosePairs,
    CreateRoom,
    Done,
    Entered,
    GetRecord,
    JoinRoom,
    Kick,
    LeaveRoom,
    ListRooms,
    Pause,
    Ready,
    Record,
    Refused,
    RemoveBot,
    Request,
    Rooms,
    Sit,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import AnySeenEvent, RoomSettings, RoomView
from sequoia_rules.game import choices_for
from sequoia_rules.record import GameRecord, read_record
from sequoia_rules.values import Choice, Dice, Seat
from sequoia_server.entropy import SystemEntropy
from sequoia_server.settings import Settings

from sequoia_tui.address import Address
from sequoia_tui.connection import Connection
from sequoia_tui.link import Link, LinkState
from sequoia_tui.listener import Ending, Place, SeatKey
from sequoia_tui.transports.websocket import WebSocketTransport
from tests.kit import LivelyEntropy
from tests.server.meddler import Meddler

PATIENCE = 15.0
NONE = Choice(())


class SteadyEntropy(LivelyEntropy):
    """Dice and tokens that are the same however often somebody has to come back for a key."""

    def __init__(self) -> None:
        super().__init__(42)
        self._keys = SystemEntropy()
        self._bots = random.Random(42)

    def key(self) -> str:
        return self._keys.key()

    def code(self, length: int) -> str:
        return "OAKELMFIR"[:length]

    def delay(self, low: float, high: float) -> float:
        del low, high
        return 0.0

    def dice(self) -> Dice:
        return self.roll()


class Guest:
    """Somebody at the table, with the real client's connection."""

    def __init__(self, evening: Evening, name: str) -> None:
        address = Address("127.0.0.1", evening.meddler.port)
        self.name = name
        self.is_out = False
        self.ending: Ending | None = None
        self._evening = evening
        self.connection = Connection(
            Place("oak.local", lambda: WebSocketTransport(address)),
            name,
            self,
            delay=lambda _: 0.01,
        )
        self._task = asyncio.create_task(self.connection.run())

    @property
    def view(self) -> RoomView:
        view = self.connection.view
        assert view is not None, f"{self.name} is in no room"
        return view

    @property
    def is_here(self) -> bool:
        return self.connection.view is not None

    async def ask(self, request: Request, deal: int = 0) -> Answer:
        """Ask for something, and wait until everybody has seen what came of it."""
        async with asyncio.timeout(PATIENCE):
            answer = await self.connection.request(request, deal)
        if isinstance(answer, Done):
            await self._evening.all_at(answer.number)
        elif isinstance(answer, Entered):
            await self._evening.all_at(answer.view.number)
        return answer

    async def do(self, request: Request, deal: int = 0) -> None:
        """Ask for something that must be done."""
        answer = await self.ask(request, deal)
        assert isinstance(answer, Done | Entered), f"{self.name}: {request} led to {answer}"

    async def close(self) -> None:
        await self.connection.close()
        await asyncio.gather(self._task, return_exceptions=True)

    # What the connection tells

    def on_link(self, link: Link) -> None:
        self._evening.changed.set()

    def on_view(
        self, view: RoomView, events: Sequence[AnySeenEvent], away: Mapping[int, float]
    ) -> None:
        self._evening.changed.set()

    def on_seat(self, seat: SeatKey | None) -> bool:
        return True

    def on_out(self, sentence: str) -> None:
        self.is_out = True
        self._evening.changed.set()

    def on_end(self, ending: Ending, sentence: str) -> None:
        self.ending = ending
        self._evening.changed.set()


class Evening:
    """The whole script; :meth:`play` gives what is left of it at the end."""

    settings = Settings(grace=0.5)

    def __init__(self, meddler: Meddler) -> None:
        self.meddler = meddler
        self.changed = asyncio.Event()
        self.guests: list[Guest] = []

    async def until(self, predicate: Callable[[], bool]) -> None:
        """Wait until something is so; it is looked at whenever anybody hears anything."""
        async with asyncio.timeout(PATIENCE):
            while not predicate():
                self.changed.clear()
                await self.changed.wait()

    async def all_at(self, number: int) -> None:
        """Wait until everybody in the room who can be reached has seen this event."""
        there = [guest for guest in self.guests if guest.name != self.meddler.unwelcome]
        await self.until(
            lambda: all(guest.view.number >= number for guest in there if guest.is_here)
        )

    def come(self, name: str) -> Guest:
        """Let somebody come to the server."""
        guest = Guest(self, name)
        self.guests.append(guest)
        return guest

    async def play(self) -> tuple[list[RoomView], GameRecord]:
        """Spend the evening; give the views of those who stay, and the record of the game."""
        try:
            ana, ben, cleo = await self._gather()
            await self._game(ana, ben)
            record = await _record(ana, ben, cleo)
            watched = cleo.view
            # Who has lost the answer to this is told that the room is gone: out they are anyway.
            # Cleo goes first: the next host must be the same, whoever's link is down just then.
            await cleo.ask(LeaveRoom())
            await ana.ask(LeaveRoom())
            await self.until(lambda: ben.view.is_host)
            await ben.do(Chat("Good night!"))
            assert [guest.is_out for guest in self.guests] == [True, False, True, True]
            assert [guest.ending for guest in self.guests] == [None] * 4
            return [ben.view, watched], record
        finally:
            for guest in self.guests:
                await guest.close()

    async def _gather(self) -> tuple[Guest, Guest, Guest]:
        """Come together, sit down, and try everything that a lobby has."""
        ana, ben = self.come("Ana"), self.come("Ben")
        assert isinstance(await ana.ask(ListRooms()), Rooms)
        await ana.do(CreateRoom(RoomSettings(seats=3)))
        code = ana.view.room.code
        await ben.do(JoinRoom(code, watch=False))
        cleo = self.come("Cleo")
        await cleo.do(JoinRoom(code, watch=True))
        dan = self.come("Dan")
        await dan.do(JoinRoom(code, watch=False))
        await ana.do(Kick(dan.view.you))
        await self.until(lambda: dan.is_out)
        await cleo.do(Sit(2))
        await cleo.do(Stand())
        assert isinstance(await cleo.ask(Start()), Refused)
        await ben.do(ChooseColour(ben.view.room.free_colours[-1]))
        await ana.do(AddBot(2))
        await ana.do(RemoveBot(2))
        await ana.do(AddBot(2))
        await ana.do(ChooseClock(120))
        await cleo.do(Chat("I keep the score."))
        for guest in (ana, ben):
            await guest.do(Ready(True))
        await ana.do(Start())
        return ana, ben, cleo

    async def _game(self, ana: Guest, ben: Guest) -> None:
        """Play one game to its end; the bot chooses first, so that there is one order."""
        deal = 0
        while True:
            await self.until(lambda deal=deal: _is_settled(ana.view, deal))  # type: ignore[misc]
            await self.all_at(ana.view.number)
            if not ana.view.room.playing:
                return
            deal = ana.view.deal
            if deal == 3:
                self.meddler.cut("Ben")
            elif deal == 4:
                await self._change_of_mind(ana)
            for guest in (ana, ben):
                # Who cannot place a pair is sealed by the server.
                await self.until(lambda guest=guest: choices_of(guest.view) != (NONE,))  # type: ignore[misc]
            for guest in (ana, ben):
                choices = choices_of(guest.view)
                if choices and guest.view.deal == deal:
                    await guest.do(ChoosePairs(*pad_choice(choices[deal % len(choices)])), deal)

    async def play_without_ben(self) -> tuple[list[RoomView], GameRecord]:
        """Play a game in which Ben is away for longer than the grace, and comes back."""
        try:
            ana, ben = self.come("Ana"), self.come("Ben")
            await ana.do(CreateRoom(RoomSettings(seats=2, clock=0)))
            await ben.do(JoinRoom(ana.view.room.code, watch=False))
            for guest in (ana, ben):
                await guest.do(Ready(True))
            await ana.do(Start())
            await self.until(lambda: bool(choices_of(ben.view)))
            self.meddler.shut_out("Ben")
            await self.until(lambda: ben.view.you in ana.connection.picture.away)
            # Of those who are there, all want it.
            await ana.do(Pause(True))
            assert ana.view.room.paused
            await ana.do(Pause(False))
            # The stand-in has sealed a choice already, which Ben may take back.
            await self.until(lambda: _awaited(ana.view) == (0,))
            assert ana.view.room.stand_in_seats == (1,)
            self.meddler.shut_out("")
            await self.until(lambda: ben.view.room.stand_in_seats == ())
            await self.until(lambda: ben.connection.link.state is LinkState.ONLINE)
            await self.all_at(ana.view.number)
            await ben.do(TakeChoiceBack(), ben.view.deal)
            await self._game(ana, ben)
            return [ana.view, ben.view], await _record(ana, ben)
        finally:
            for guest in self.guests:
                await guest.close()

    async def _change_of_mind(self, ana: Guest) -> None:
        if choices := choices_of(ana.view):
            await ana.do(ChoosePairs(*pad_choice(choices[-1])), ana.view.deal)
            await ana.do(TakeChoiceBack(), ana.view.deal)


def choices_of(view: RoomView) -> tuple[Choice, ...]:
    """Give what a player may choose; nothing if nothing is asked."""
    game = view.game
    if game is None or game.dice is None or game.viewer not in game.public.awaited:
        return ()
    return choices_for(game.public, game.viewer, game.dice)


async def _record(*guests: Guest) -> GameRecord:
    """Let everybody have the record of the game, and see that it is the same one."""
    texts = set()
    for guest in guests:
        answer = await guest.ask(GetRecord())
        assert isinstance(answer, Record)
        texts.add(answer.text)
    (text,) = texts
    return read_record(text)


def _awaited(view: RoomView) -> tuple[Seat, ...]:
    return () if view.game is None else tuple(view.game.public.awaited)


def _is_settled(view: RoomView, deal: int) -> bool:
    """Tell whether it is the people's turn, in another round than this, or the game is over."""
    if not view.room.playing:
        return True
    waits_for_bot = any(seat in view.room.bot_seats for seat in _awaited(view))
    return view.deal > deal and not waits_for_bot
