"""Somebody at the app without a terminal."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sequoia_rules.phases import Phase
from textual.pilot import Pilot
from textual.screen import Screen

from sequoia_tui import messages
from sequoia_tui.address import Address
from sequoia_tui.app import SequoiaApp
from sequoia_tui.plans import GoToServer, Plan
from tests.tui.support import until


class Person:
    """Somebody at an app: presses keys, and looks at the screen."""

    def __init__(self, app: SequoiaApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        await self.press(*("space" if c == " " else c for c in text))

    async def see(self, screen: type[Screen[Any]]) -> None:
        """Wait until a screen is the one that shows, and has settled."""
        await until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_mounted)
        await self.pilot.pause()

    async def read(self, text: str, *, seconds: float = 10) -> None:
        """Wait until the screen says something."""
        deadline = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < deadline, f"never read {text!r}:\n{self.text}"
            await self.pilot.pause(0.02)

    @property
    def text(self) -> str:
        """All that is on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


@asynccontextmanager
async def a_person(
    memory: Path,
    plan: Plan | None = None,
    *,
    name: str | None = "Ana",
    size: tuple[int, int] = (80, 24),
) -> AsyncIterator[Person]:
    app = SequoiaApp(plan, name=name, memory=memory, data=memory.parent / "data")
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            yield Person(app, pilot)
    finally:
        await app.farewell()


def at(port: int, **more: Any) -> GoToServer:
    return GoToServer(Address("127.0.0.1", port), **more)


async def play_on(person: Person) -> None:
    """Seal the first choice of each roll until the game is over, past the screen's keys."""
    journey = person.app.journey
    visit = journey.visit
    assert visit is not None
    done = 0
    while True:
        view = visit.view
        assert view is not None
        assert view.game is not None
        game = view.game
        if game.public.phase is Phase.OVER:
            return
        if game.dice is not None and game.viewer in game.public.awaited and view.deal > done:
            done = view.deal
            person.app.screen.post_message(
                messages.RequestMade(first_choice(game), view.deal)  # type: ignore[arg-type]
            )
        await person.pilot.pause(0.005)


def first_choice(game: Any) -> object:
    from sequoia_protocol.codec import pad_choice
    from sequoia_protocol.messages import ChoosePairs
    from sequoia_rules.game import choices_for

    return ChoosePairs(*pad_choice(choices_for(game.public, game.viewer, game.dice)[0]))


def mode_of(path: Path) -> int:
    """The rights on a file."""
    return path.stat().st_mode & 0o777
