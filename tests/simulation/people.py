"""Who sits at the tables: people who choose by chance among what is allowed, and then some."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    ChooseClock,
    ChooseColour,
    ChoosePairs,
    CreateRoom,
    GetRecord,
    JoinRoom,
    Kick,
    LeaveRoom,
    Pause,
    Ready,
    Refused,
    RemoveBot,
    Request,
    Sit,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import ClockSeconds, Colour, RoomSettings, RoomView
from sequoia_rules.game import choices_for
from sequoia_rules.view import GameView

from tests.simulation.client import Client, Pocket
from tests.simulation.loop import Handle, Timeline

CLOCKS: Final[tuple[ClockSeconds, ...]] = (0, 15, 30, 60, 120)


@dataclass
class Plan:
    """One table of a world: its settings, and how many games are to be played there."""

    settings: RoomSettings
    games: int
    players: int
    watchers: int
    code: str = ""
    finished: int = 0

    @property
    def is_done(self) -> bool:
        return self.finished >= self.games


class Human:
    """Somebody with a will: runs one program after another, and never more than one for long.

    Who is loyal leaves no table on purpose, so that its games come to their end.
    """

    def __init__(
        self,
        name: str,
        plan: Plan,
        timeline: Timeline,
        *,
        rng: random.Random,
        start: Callable[[Human], Client],
        deeds: Counter[str],
        loyal: bool,
        watches: bool,
    ) -> None:
        self.name = name
        self.plan = plan
        self.pocket = Pocket()
        self.loyal = loyal
        self.watches = watches
        self._timeline = timeline
        self._rng = rng
        self._start = start
        self._deeds = deeds
        self._names = 1
        self._said = 0
        self._dawdles = -1
        self._thought: Handle | None = None
        self._deal = -1
        self.client = self._run()

    def restart(self, pause: float) -> None:
        """Start the program again after a while; it has what is in the pocket, and no more."""
        self._timeline.at(self._timeline.now + pause, self._run_again)

    def move(self) -> None:
        """Start a second program while the first still runs, and end that one soon afterwards."""
        older = self.client
        if any(isinstance(request, CreateRoom | JoinRoom) for request, _ in older.asked.values()):
            # The other program would have no seat to come back to, and this person no room.
            return
        older.on_change = older.on_death = lambda: None
        self.client = self._run()
        # Nobody lets two programs compete for a seat: the older does not come back by itself.
        older.may_dial_from = float("inf")
        self._timeline.at(self._timeline.now + self._rng.uniform(1.0, 6.0), older.stop)

    def say(self) -> None:
        """Say something that was never said before."""
        self._said += 1
        self._do(Chat(f"{self.name} {self._said}"))

    # Programs

    def _run_again(self) -> None:
        if not self.client.process.is_alive:
            self.client = self._run()

    def _run(self) -> Client:
        client = self._start(self)
        client.on_change = self._look
        client.on_death = lambda: self.restart(self._rng.uniform(0.5, 3.0))
        client.connect()
        self._think_in(self._rng.uniform(0.1, 1.0))
        return client

    @property
    def shown_name(self) -> str:
        return self.name if self._names == 1 else f"{self.name} {self._names}"

    # Thoughts

    def _look(self) -> None:
        """Something has changed on the screen: think about it if it is a roll."""
        view = self.client.view
        if view is not None and self.loyal and not self.plan.is_done:
            self.plan.code = view.room.code
        deal = -1 if view is None or not self._is_asked(view) else view.deal
        if deal != self._deal:
            self._deal = deal
            if deal >= 0:
                slow = 8.0 if self._rng.random() < 0.1 else 2.5
                self._think_in(self._rng.uniform(0.2, slow))

    def _think_in(self, seconds: float) -> None:
        if self._thought is not None:
            self._thought.cancel()
        self._thought = self._timeline.at(self._timeline.now + seconds, self._think)

    def _think(self) -> None:
        self._think_in(self._rng.uniform(1.5, 7.0))
        client = self.client
        if not client.process.is_alive or client.is_replaced or len(client.asked) > 2:
            return
        view = client.view
        if view is None:
            self._enter()
        elif view.room.playing:
            self._play(view)
        else:
            self._prepare(view)

    def _enter(self) -> None:
        client, plan = self.client, self.plan
        if client.asked or client.pocket.key or not client.is_online:
            return
        refusal = next(reversed(client.answers.values()), None)
        if isinstance(refusal, Refused):
            if refusal.code == Code.NAME_TAKEN:
                # Who lost even the seat key is another person to the server.
                client.stop()
                self._names += 1
                self.restart(0.5)
                return
            if refusal.code == Code.NO_SUCH_ROOM and self.loyal and plan.settings.public:
                plan.code = ""
        if not plan.code:
            if self.loyal:
                self._do(CreateRoom(plan.settings))
        else:
            watch = self.watches or (plan.settings.spectators and self._rng.random() < 0.1)
            self._do(JoinRoom(plan.code, watch))

    def _prepare(self, view: RoomView) -> None:
        """Between games: get ready, and let the game begin."""
        rng, room, seat = self._rng, view.room, view.seat
        mine = None if seat is None else room.seats[seat]
        roll = rng.random()
        if self.plan.is_done:
            if roll < 0.1:
                self.say()
        elif roll < 0.06:
            self.say()
        elif roll < 0.09 and not self.loyal:
            self._do(LeaveRoom())
        elif roll < 0.12 and mine is not None and room.free_colours:
            self._do(ChooseColour(rng.choice(list(Colour))))
        elif roll < 0.14 and mine is not None:
            self._do(Stand() if not self.loyal else Ready(False))
        elif roll < 0.17 and view.game is not None:
            self._do(GetRecord())
        elif view.is_host and roll < 0.4:
            self._host(view)
        elif mine is None:
            if not self.watches or view.is_host:
                self._do(Sit(rng.randrange(room.settings.seats)))
        elif not mine.ready:
            self._do(Ready(True))
        elif view.is_host:
            self._start_game(view)

    def _host(self, view: RoomView) -> None:
        rng, room = self._rng, view.room
        roll = rng.random()
        others = [person.id for person in room.people if person.id != view.you]
        if roll < 0.35 and room.free_seats:
            self._do(AddBot(rng.choice(room.free_seats)))
        elif roll < 0.5 and room.bot_seats:
            self._do(RemoveBot(rng.choice(room.bot_seats)))
        elif roll < 0.8:
            self._do(ChooseClock(rng.choice(CLOCKS)))
        elif roll < 0.9 and others:
            self._do(Kick(rng.choice(others)))
        else:
            self._start_game(view)

    def _start_game(self, view: RoomView) -> None:
        room = view.room
        seated = [seated for seated in room.seats if seated is not None]
        ready = len(room.ready_seats)
        if ready < 2 and room.free_seats:
            self._do(AddBot(room.free_seats[0]))
        elif all(one.ready for one in seated) or self._rng.random() < 0.15:
            self._do(Start())

    def _play(self, view: RoomView) -> None:
        rng, room, game = self._rng, view.room, view.game
        assert game is not None
        plays = game.viewer is not None and room.seat_of(view.you) == game.viewer
        roll = rng.random()
        if room.paused:
            if plays and roll < 0.25:
                self._do(Pause(False))
            elif roll < 0.5:
                self.say()
        elif plays and room.pause_wanted and view.you not in room.pause_wanted and roll < 0.7:
            self._do(Pause(True))
        elif roll < 0.03:
            self.say()
        elif roll < 0.055 and plays:
            self._do(Pause(rng.random() < 0.8))
        elif roll < 0.062 and not self.loyal:
            self._do(LeaveRoom())
        elif roll < 0.066 and view.is_host and len(room.people) > 1:
            self._do(Kick(rng.choice([p.id for p in room.people if p.id != view.you])))
        elif not plays:
            if room.bot_seats and not self.watches and roll < 0.5:
                self._do(Sit(rng.choice(room.bot_seats)))
        elif self._is_asked(view):
            self._choose(view, game)
        elif game.choice is not None and roll < 0.12:
            self._do(TakeChoiceBack())

    def _choose(self, view: RoomView, game: GameView) -> None:
        rng = self._rng
        if self._dawdles == view.deal:
            return
        if view.room.settings.clock and rng.random() < 0.05:
            # Lets the time run out, some with a choice that was sealed and taken back.
            self._dawdles = view.deal
            self._deeds["dawdles"] += 1
            if rng.random() < 0.5:
                return
            self._seal(game)
            self._do(TakeChoiceBack())
            return
        if rng.random() < 0.01:
            self._do(ChoosePairs((2, 2), (0, 0, 0, 0, 0)))
        self._seal(game)

    def _seal(self, game: GameView) -> None:
        assert game.dice is not None
        assert game.viewer is not None
        choice = self._rng.choice(choices_for(game.public, game.viewer, game.dice))
        self._do(ChoosePairs(*pad_choice(choice)))

    def _is_asked(self, view: RoomView) -> bool:
        game = view.game
        return (
            view.room.playing
            and game is not None
            and game.dice is not None
            and game.viewer in game.public.awaited
        )

    def _do(self, request: Request) -> None:
        self._deeds[type(request).__name__] += 1
        self.client.request(request)
