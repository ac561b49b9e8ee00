"""Make the pictures of the README: from the running program, at a real table.

Run it as `python -m docs.pictures` from the root of the repository. A server plays with fixed
chance, four friends without a screen sit at it, and the app is the fifth.
"""

import asyncio
import random
import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sequoia_protocol import DEFAULT_PORT
from sequoia_protocol.messages import CreateRoom, Ready, Start
from sequoia_protocol.room import RoomSettings
from sequoia_server.embedded import EmbeddedServer
from textual.pilot import Pilot

from sequoia_tui.address import parse_address
from sequoia_tui.app import SequoiaApp
from sequoia_tui.plans import GoToServer
from tests.kit import FixedEntropy, Player

HERE = Path(__file__).parent
SIZE = (100, 30)
ROUND = 4


async def main() -> None:
    """Set the table, play to the round of the picture, and write `table.svg` beside this file."""
    """Set the table, play to the round of the picture, and write `table.svg` beside this file."""
    server = EmbeddedServer(entropy=FixedEntropy(11))
    await server.start()
    await server.listen("127.0.0.1", DEFAULT_PORT)
    friends = [await Player.on_pipe(server, name) for name in ("Bo", "Chen", "Dee", "Eli")]
    host = friends[0]
    code = host.entered(await host.command(CreateRoom(RoomSettings()))).room.code
    for friend in friends[1:]:
        await friend.join(code)
    with TemporaryDirectory() as folder:
        app = SequoiaApp(
            GoToServer(parse_address("127.0.0.1"), code),
            name="Ana",
            memory=Path(folder) / "memory",
            data=Path(folder) / "data",
        )
        async with app.run_test(size=SIZE) as pilot:
            await host.until(lambda: len(host.here.room.people) == 5)
            for friend in friends:
                await friend.command(Ready(True))
            await pilot.press("r")
            await host.until(lambda: len(host.here.room.ready_seats) == 5)
            await host.command(Start())
            await play(app, pilot, friends)
            picture = app.export_screenshot(title="Sequoia")
        (HERE / "table.svg").write_text(without_fonts(picture), "utf-8")
    for friend in friends:
        await friend.close()
    await server.stop()


async def play(app: SequoiaApp, pilot: Pilot[int], friends: list[Player]) -> None:
    """Play to the round of the picture; there two friends have sealed, and Ana looks."""
    chance = random.Random(7)
    for number in range(1, ROUND + 1):
        for friend in friends:
            await friend.until(partial(is_asked, friend, number))
        for friend in friends[: 2 if number == ROUND else 4]:
            await friend.choose(chance.choice(friend.choices))
        await pilot.pause(1.5)
        await pilot.press("h")
        if number < ROUND:
            await pilot.press("enter")
    await pilot.pause(1.0)


def is_asked(friend: Player, number: int) -> bool:
    """Tell whether a friend has to choose in this round."""
    """Tell whether a friend has to choose in this round."""
    game = friend.here.game
    return game is not None and game.public.round == number and bool(friend.choices)


def without_fonts(svg: str) -> str:
    """Take out the fonts that the picture would fetch from elsewhere."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    asyncio.run(main())
