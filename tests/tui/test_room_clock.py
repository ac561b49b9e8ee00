"""The clock of a room: who sees it, who changes it, and the choice for a new room."""

import pytest
from sequoia_protocol.messages import ChooseClock, Request
from sequoia_protocol.room import ClockChosen, ClockSeconds, RoomSettings, RoomState, RoomView
from textual.app import App

from sequoia_tui.link import Table
from sequoia_tui.messages import RequestMade
from sequoia_tui.screens.dialogs import CreateDialog
from sequoia_tui.screens.room import RoomScreen
from sequoia_tui.themes import SEQUOIA
from sequoia_tui.widgets.facts import next_clock
from tests.tui.states import LINK, Play, grid


class RoomApp(App[None]):
    """Nothing but the room's screen; it remembers what the screen asked for."""

    CSS_PATH = "../../sequoia_tui/app.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, play: Play, you: int) -> None:
        super().__init__()
        self.register_theme(SEQUOIA)
        self.theme = SEQUOIA.name
        self.play = play
        self.you = you
        self.room = RoomScreen(self.table())
        self.requests: list[Request] = []

    def table(self) -> Table:
        room: RoomState = self.play.room
        return Table(RoomView(self.you, len(self.play.events), room, None), LINK)

    def on_mount(self) -> None:
        self.push_screen(self.room)

    def on_request_made(self, message: RequestMade) -> None:
        self.requests.append(message.request)

    @property
    def text(self) -> str:
        return "\n".join(grid(self))


def between_games() -> Play:
    """A room with five people in which nothing is played, with a clock of 60 s a round."""
    play = Play()
    play.room = RoomState(
        "FERN", RoomSettings(), people=play.room.people, host=1, seats=play.room.seats
    )
    return play


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (140, 45)])
async def test_everybody_sees_the_clock_and_its_change(size: tuple[int, int]) -> None:
    play = between_games()
    app = RoomApp(play, you=2)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "60 s a round" in app.text
        play.say(1, "before")
        app.room.show(app.table())
        seconds: tuple[ClockSeconds, ...] = (120, 0)
        for chosen in seconds:
            play.happen(ClockChosen(chosen))
            app.room.show(app.table())
        play.say(2, "after")
        app.room.show(app.table())
        await pilot.pause()
        assert "60 s a round" not in app.text
        assert " no clock " in app.text
        told = app.text
        order = [told.index(word) for word in ("before", "From now on:", "after")]
        assert order == sorted(order), "the news stand where they came"


async def test_the_host_goes_through_the_clocks() -> None:
    play = between_games()
    app = RoomApp(play, you=1)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "l clock" in app.text.splitlines()[-1]
        for expected in (120, 0, 15, 30, 60):
            await pilot.press("l")
            await pilot.pause()
            request = app.requests[-1]
            assert request == ChooseClock(expected)
            assert isinstance(request, ChooseClock)
            play.happen(ClockChosen(request.seconds))
            app.room.show(app.table())


async def test_nobody_but_the_host_has_the_key() -> None:
    app = RoomApp(between_games(), you=2)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "l clock" not in app.text.splitlines()[-1]
        await pilot.press("l")
        await pilot.pause()
        assert app.requests == []


async def test_a_new_room_has_a_clock_of_a_minute_and_offers_the_others() -> None:
    app = RoomApp(between_games(), you=1)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        made: list[RoomSettings | None] = []
        app.push_screen(CreateDialog(), made.append)
        await pilot.pause()
        assert "60 s a round" in app.text
        await pilot.press("end", "right")
        await pilot.pause()
        assert "120 s a round" in app.text
        await pilot.press("right")
        await pilot.pause()
        assert "no clock" in app.text
        await pilot.press("left", "left", "left", "enter")
        await pilot.pause()
        assert made == [RoomSettings(clock=30)]


def test_the_clocks_go_round_both_ways() -> None:
    assert [next_clock(clock) for clock in (0, 15, 30, 60, 120)] == [15, 30, 60, 120, 0]
    assert [next_clock(clock, -1) for clock in (0, 15, 30, 60, 120)] == [120, 0, 15, 30, 60]
