"""Two hundred whole games over real sockets, several rooms at once, by clients without a screen.

Every game's final points are those to which its record leads when it is replayed, for every
client. On the way choices are taken back, links are lost with a command on its way, players
leave and come back; how often is counted and printed.
"""

import asyncio
import random
from collections import Counter

from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import (
    AddBot,
    ChoosePairs,
    CreateRoom,
    Done,
    GetRecord,
    LeaveRoom,
    Ready,
    Record,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import RoomSettings, RoomView
from sequoia_rules.events import Chosen, Dealt, Revealed, TakenBack
from sequoia_rules.phases import Phase
from sequoia_rules.record import Chooser, GameRecord, read_record, replay
from sequoia_rules.values import Choice, is_sequoia
from sequoia_server.embedded import EmbeddedServer

from tests.kit import LivelyEntropy, Player, SocketTransport

GAMES_PER_ROOM = 25
ROOMS = ((2, 0), (2, 0), (3, 0), (1, 2), (4, 0), (3, 1), (5, 0), (4, 1))
"""People and bots of each room: as many rooms for each number of seats."""

WANTED = (
    "choice taken back",
    "sequoia",
    "forced none",
    "equal sums",
    "spectator",
    "leaver",
    "lost link",
    "rematch",
)


class Guest:
    """Somebody at a table, over as many links as it takes."""

    def __init__(self, port: int, player: Player, rng: random.Random, counts: Counter[str]) -> None:
        self.port = port
        self.player = player
        self.rng = rng
        self.counts = counts

    @property
    def is_asked(self) -> bool:
        """Whether there is something to choose: a forced "none" is left to the rule."""
        return self.player.choices not in ((), (Choice(()),))

    async def until_begun(self) -> None:
        """Wait for the first or next game."""
        await self.player.until(lambda: not self.player.is_over)

    async def play(self) -> None:
        """Play the running game to its end."""
        while not self.player.is_over:
            await self.player.until(lambda: self.is_asked or self.player.is_over)
            if self.is_asked:
                await self.choose(self.rng.choice(self.player.choices))

    async def choose(self, choice: Choice) -> None:
        match self.rng.randrange(40):
            case 0 | 1 | 2:
                await self.player.choose(self.rng.choice(self.player.choices))
                await self.player.command(TakeChoiceBack())
            case 3:
                await self.leave_and_return()
            case 4:
                await self.choose_on_a_link_that_breaks(choice)
            case _:
                pass
        if self.is_asked and choice in self.player.choices:
            await self.player.choose(choice)

    async def leave_and_return(self) -> None:
        """Leave for good, and come in again, on the seat that a bot has now."""
        code = self.player.here.room.code
        assert isinstance(await self.player.command(LeaveRoom()), Done)
        await self.player.join(code)
        self.counts["leaver"] += 1

    async def choose_on_a_link_that_breaks(self, choice: Choice) -> None:
        """Lose the link with a choice on its way, come back, and send the same command again."""
        before = self.player
        request, deal, number = ChoosePairs(*pad_choice(choice)), before.here.deal, next(before.ids)
        await before.send(request, deal=deal, command_id=number)
        for _ in range(self.rng.randrange(3)):
            await asyncio.sleep(0)
        await before.lose_link()
        self.player = before.again(await SocketTransport.open(self.port))
        await self.player.hello()
        await self.player.resume()
        assert isinstance(await self.player.command(request, deal=deal, command_id=number), Done), (
            "whether it had arrived or not, the choice is sealed now"
        )
        self.counts["lost link"] += 1


async def sit_down(
    port: int, number: int, people: int, bots: int, counts: Counter[str]
) -> list[Guest]:
    """Open a room and fill it: people, bots, and one spectator as the last guest."""
    rng = random.Random(number)
    guests = [
        Guest(port, await Player.on_socket(port, f"Guest {i}"), random.Random(rng.random()), counts)
        for i in range(people + 1)
    ]
    host = guests[0].player
    settings = RoomSettings(public=bool(number % 2), seats=people + bots)
    view = host.entered(await host.command(CreateRoom(settings)))
    for guest in guests[1:-1]:
        await guest.player.join(view.room.code)
    await guests[-1].player.join(view.room.code, watch=True)
    for seat in range(people, people + bots):
        assert isinstance(await host.command(AddBot(seat)), Done)
    return guests


async def run_room(port: int, number: int, people: int, bots: int, counts: Counter[str]) -> None:
    """Play one game after another in a room."""
    *players, watcher = await sit_down(port, number, people, bots, counts)
    for game in range(GAMES_PER_ROOM):
        await asyncio.gather(*(guest.player.command(Ready(True)) for guest in players))
        if game == 0:
            await players[0].player.command(Start())
        else:
            counts["rematch"] += 1
        for guest in (*players, watcher):
            await guest.until_begun()
        await asyncio.gather(*(guest.play() for guest in players))
        await watcher.player.until(lambda: watcher.player.is_over)
        counts["spectator"] += 1
        counts[f"games of {people + bots}"] += 1
        texts = {await record_of(guest.player) for guest in (*players, watcher)}
        assert len(texts) == 1
        record = read_record(texts.pop())
        check(record, [guest.player.here for guest in (*players, watcher)])
        count(record, counts)
    for guest in (*players, watcher):
        await guest.player.close()


async def record_of(player: Player) -> str:
    answer = await player.command(GetRecord())
    assert isinstance(answer, Record), answer
    return answer.text


def check(record: GameRecord, views: list[RoomView]) -> None:
    """Compare what everybody sees with what the record leads to."""
    final = replay(record.events).public
    assert final.phase is Phase.OVER
    for view in views:
        assert view.game is not None
        assert view.game.public == final
    assert len({view.room.scores for view in views}) == 1
    points = dict(final.points or ())
    assert sum(points.values()) <= 44 + 12
    assert sum(score.games for score in views[0].room.scores) % len(points) == 0


def count(record: GameRecord, counts: Counter[str]) -> None:
    """Count what a game had in it."""
    counts["forced none"] += record.choosers.count(Chooser.RULE)
    for event in record.events:
        match event:
            case Dealt(_, rolls):
                counts["sequoia"] += sum(is_sequoia(dice) for _, dice in rolls)
                counts["deals"] += 1
            case TakenBack():
                counts["choice taken back"] += 1
            case Chosen(_, Choice(_, turned)):
                counts["turned sequoia"] += turned is not None
            case Revealed(sums):
                counts["equal sums"] += sum(
                    len(forests) == 2 and forests[0] == forests[1] for _, forests in sums
                )
            case _:
                pass


async def test_two_hundred_whole_games_over_sockets() -> None:
    server = EmbeddedServer(entropy=LivelyEntropy(2026))
    await server.start()
    await server.listen("127.0.0.1", 0)
    port = server.addresses[0][1]
    counts: Counter[str] = Counter()
    async with asyncio.TaskGroup() as rooms:
        for number, (people, bots) in enumerate(ROOMS):
            rooms.create_task(run_room(port, number, people, bots, counts))
    await server.stop()
    print(*(f"{what}: {often}" for what, often in sorted(counts.items())), sep="\n")
    for seats in (2, 3, 4, 5):
        assert counts[f"games of {seats}"] == 2 * GAMES_PER_ROOM
    assert all(counts[what] >= 20 for what in WANTED), counts
