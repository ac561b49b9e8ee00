"""The countdown, pauses, stand-ins, and what is chosen in the viewer's stead."""

from collections.abc import Callable
from time import monotonic

import pytest
from sequoia_protocol.messages import ChoosePairs, Held, Pause, TakeChoiceBack
from sequoia_protocol.room import (
    BotSeated,
    ClockChosen,
    Colour,
    GameContinued,
    GamePaused,
    LeaveReason,
    PauseWanted,
    PersonLeft,
    RoomEvent,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from textual.geometry import Region
from textual.pilot import Pilot

from sequoia_tui.link import Link, LinkState, RoundTimer
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.themes import ASCII, UNICODE
from sequoia_tui.widgets.canvas import Canvas
from sequoia_tui.widgets.countdown import (
    NARROW,
    WIDE,
    CountdownState,
    countdown_text,
    seconds_shown,
)
from tests.tui import states
from tests.tui.states import GameApp, Play, grid
from tests.tui.support import until

LOST = Link(LinkState.RECONNECTING, "oak.local", retry_in=3.0)


@pytest.fixture(autouse=True)
def _no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameScreen, "UNSEEN", 0.0)


def still() -> float:
    """A clock that stands at 0, where the states have it."""
    return 0.0


def shown(app: GameApp) -> str:
    """All the text on the screen, with single blanks between words."""
    return " ".join(" ".join(grid(app)).split())


def middle(app: GameApp) -> str:
    """The text in the middle of the table, with single blanks between words."""
    region = app.screen.query_one("#middle").region
    lines = grid(app)[region.y : region.bottom]
    return " ".join(" ".join(line[region.x : region.right] for line in lines).split())


def log(app: GameApp) -> list[str]:
    """Every line of the log, without its headings."""
    return [entry.text for part in app.game.parts.story.sections.values() for entry in part]


async def update(pilot: Pilot[None], play: Play, since: int, seat: int | None = 0) -> None:
    """Show a viewer what the play has come to, with the events after so many."""
    app = pilot.app
    assert isinstance(app, GameApp)
    app.game.show(play.table(seat), play.seen(seat, since))
    await pilot.pause()


# The countdown


@pytest.mark.parametrize(
    ("left", "long", "short"),
    [
        (120.0, "120 s left", "120 s"),
        (42.3, "43 s left", "43 s"),
        (10.2, "11 s left", "11 s"),
        (10.0, "! 10 s left", "! 10 s"),
        (5.0, "!! 5 s left", "!! 5 s"),
        (0.4, "!! 1 s left", "!! 1 s"),
        (0.0, "time is up", "time up"),
        (-1.0, "time is up", "time up"),
    ],
)
def test_the_countdown_warns_with_marks_and_words(left: float, long: str, short: str) -> None:
    state = CountdownState(RoundTimer(zero=100.0 + left))
    assert countdown_text(state, 100.0, UNICODE, wide=True).plain.strip() == long
    assert countdown_text(state, 100.0, UNICODE, wide=False).plain.strip() == short


def test_the_countdown_says_why_it_stands_and_that_the_link_is_lost() -> None:
    def text(state: CountdownState, *, wide: bool) -> str:
        return countdown_text(state, 0.0, ASCII, wide=wide).plain.strip()

    for held, long, short in (
        (Held.PAUSED, "paused, 43 s", "paused"),
        (Held.STORAGE, "43 s, waits", "waits"),
    ):
        state = CountdownState(RoundTimer(left=42.5, held=held), held)
        assert (text(state, wide=True), text(state, wide=False)) == (long, short)
    state = CountdownState(RoundTimer(zero=4.5), linked=False)
    assert (text(state, wide=True), text(state, wide=False)) == ("!! 5 s, no link", "!!x 5 s")
    assert text(CountdownState(), wide=True) == "", "without a clock there is nothing"


def test_the_countdown_always_finds_room_and_is_calm_for_who_has_chosen() -> None:
    for left in (120.0, 10.0, 5.0, 1.0, 0.0):
        for held in (None, *Held):
            for linked in (True, False):
                state = CountdownState(RoundTimer(zero=left), held, linked=linked)
                for wide, width in ((True, WIDE), (False, NARROW)):
                    text = countdown_text(state, 0.0, UNICODE, wide=wide)
                    assert text.cell_length <= width
    calm = CountdownState(RoundTimer(zero=4.0), calm=True)
    assert countdown_text(calm, 0.0, UNICODE, wide=True).plain == "4 s left"


def test_a_second_is_shown_until_it_is_over() -> None:
    assert [seconds_shown(left) for left in (1.0, 1.0004, 1.01, 0.3, 0.0, -5.0)] == [
        1,
        1,
        2,
        1,
        0,
        0,
    ]


async def test_it_counts_down_by_itself_and_writes_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play = states.choosing()
    play.timer = RoundTimer(zero=monotonic() + 43.3)
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        written: list[tuple[str | None, tuple[Region, ...]]] = []
        refresh = Canvas.refresh

        def noted(self: Canvas, *regions: Region, **how: bool) -> Canvas:
            written.append((self.id, regions))
            return refresh(self, *regions, **how)

        before = grid(app)
        monkeypatch.setattr(Canvas, "refresh", noted)
        await until(lambda: "43 s left" in shown(app))
        await until(lambda: "42 s left" in shown(app))
        assert {name for name, _ in written} == {"countdown"}
        assert all(region.size.area <= 2 for _, regions in written for region in regions)
        changed = [y for y, line in enumerate(grid(app)) if line != before[y]]
        assert len(changed) == 1


async def test_at_zero_the_screen_says_so() -> None:
    play = states.choosing()
    play.timer = RoundTimer(zero=monotonic() + 0.3)
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)):
        await until(lambda: "│ time is up" in grid(app)[0])
        assert "time is up" in middle(app)


async def test_without_a_timer_there_is_no_cell_of_it() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert " s left" not in shown(app)
        assert not app.screen.query_one("#countdown").region


async def test_while_the_link_is_lost_the_clock_goes_on_and_says_so() -> None:
    play = states.timed(states.choosing, 43.0)()
    play.link = LOST
    app = GameApp(play.table(), clock=still)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "the clock runs on" in grid(app)[0]
        assert "43 s, no link" in middle(app)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (60, 18)])
async def test_a_server_that_cannot_store_says_so_at_every_size(size: tuple[int, int]) -> None:
    app = GameApp(states.no_storage().table(), clock=still)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "the server waits for its disk" in grid(app)[0]
        assert "waits" in middle(app)
        await pilot.press("5", "5")
        await pilot.pause()
        assert len(app.requests) == 1, "the server keeps what is chosen now until it can store it"


# The pause


async def test_the_pause_key_asks_agrees_takes_back_and_goes_on() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()

        async def step(event: RoomEvent | None, label: str, request: Pause) -> None:
            if event is not None:
                play.happen(event)
                await update(pilot, play, len(play.events) - 1)
            assert f"p {label} " in grid(app)[-1]
            await pilot.press("p")
            await pilot.pause()
            assert app.requests.pop()[0] == request

        await step(None, "pause", Pause(wanted=True))
        await step(PauseWanted(1, wanted=True), "no pause", Pause(wanted=False))
        assert "You ask for a pause" in middle(app)
        await step(PauseWanted(1, wanted=False), "pause", Pause(wanted=True))
        await step(PauseWanted(2, wanted=True), "agree", Pause(wanted=True))
        assert "Bo asks for a pause: p agrees" in middle(app)
        await step(GamePaused(), "go on", Pause(wanted=False))
        await step(GameContinued(2), "pause", Pause(wanted=True))
    assert log(app)[-5:] == [
        "Ana would like a pause",
        "Ana wants no pause any more",
        "Bo would like a pause",
        "The game is paused",
        "Bo goes on",
    ]


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (60, 18)])
async def test_a_wish_for_a_pause_is_seen_at_every_size(size: tuple[int, int]) -> None:
    play = states.choosing()
    play.happen(PauseWanted(2, wanted=True))
    app = GameApp(play.table())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "Bo asks for a pause: p agrees" in shown(app)


async def test_in_the_shortest_table_a_long_list_leaves_the_wish_to_the_header() -> None:
    play = states.worst()
    play.link = states.LINK
    play.happen(PauseWanted(3, wanted=True))
    app = GameApp(play.table())
    async with app.run_test(size=(60, 18)) as pilot:
        await pilot.pause()
        assert "asks for a pa" in grid(app)[0]


async def test_during_a_pause_keys_choose_nothing_and_say_so() -> None:
    play = states.paused()
    app = GameApp(play.table(), clock=still)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "PAUSED" in middle(app)
        assert "4+8" not in middle(app)
        assert "No choices" not in middle(app)
        await pilot.press("5", "5", "enter", "h", "backspace", "down")
        await pilot.pause()
        assert "No choices until it goes on." in middle(app)
        assert app.requests == []
        assert app.game.picker.shown is None
        play.happen(GameContinued(2))
        play.timer, play.held = RoundTimer(zero=42.5), None
        await update(pilot, play, len(play.events) - 1)
        assert "43 s left" in middle(app)
        await pilot.press("5", "5")
        await pilot.pause()
        assert isinstance(app.requests[0][0], ChoosePairs)


@pytest.mark.parametrize("build", [states.choosing, states.paused, states.pause_asked])
async def test_a_spectator_has_no_pause_key(build: Callable[[], Play]) -> None:
    app = GameApp(build().table(None), clock=still)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert " p " not in grid(app)[-1]
        assert "p agrees" not in shown(app)
        assert "p goes on" not in shown(app)
        await pilot.press("p")
        await pilot.pause()
        assert app.requests == []


async def test_the_pause_key_needs_a_link_and_a_game() -> None:
    lost = states.choosing()
    lost.link = LOST
    for play in (lost, states.finished()):
        app = GameApp(play.table())
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            await pilot.press("p")
            await pilot.pause()
            assert app.requests == []


# Stand-ins


async def test_a_stand_in_is_seen_in_the_panel_and_in_the_log() -> None:
    play = states.sealed()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = len(play.events)
        play.away[5] = monotonic() - 60
        play.happen(StandInSeated(4))
        await update(pilot, play, before)
        assert "★ Eli ⇄ bot" in shown(app)
        play.choose(4, play.any_choice(4))
        await update(pilot, play, before + 1)
        assert "★ Eli ⇄ bot ✓" in shown(app)
        play.away.clear()
        play.happen(StandInLeft(4))
        await update(pilot, play, before + 2)
        assert "★ Eli ✓ sealed" in shown(app)
    assert log(app)[-2:] == ["Eli is away: a bot plays for Eli", "Eli is back"]


async def test_who_waits_sees_how_long_until_a_stand_in_comes() -> None:
    play = states.sealed()
    play.away[5] = -24.7
    now = [0.0]
    app = GameApp(play.table(), clock=lambda: now[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "a bot plays for Eli within 10 s" in middle(app)
        assert " o " not in grid(app)[-1]
        await pilot.press("o")
        now[0] = 0.4
        await until(lambda: "a bot plays for Eli within 5 s" in middle(app))
        assert app.requests == []
        play.happen(StandInSeated(4))
        await update(pilot, play, len(play.events) - 1)
        assert "a bot plays for Eli" not in middle(app)


async def test_who_picks_waits_for_nobody_and_no_bot_comes_while_the_table_stands_still() -> None:
    held = states.sealed()
    held.held = Held.STORAGE
    stopped = states.sealed()
    stopped.happen(GamePaused())
    for play in (states.choosing(), held, stopped):
        play.away[5] = monotonic() - 10
        app = GameApp(play.table())
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "a bot plays" not in middle(app)


# In the viewer's stead


def choosing_by_the_clock() -> Play:
    """Round 4, in a room whose rounds take 60 seconds."""
    play = states.choosing()
    play.happen(ClockChosen(60))
    return play


async def test_who_comes_back_is_told_what_a_bot_chose_and_can_take_it_back() -> None:
    play, before = states.returned()
    app = GameApp(states.timed(states.choosing, 30.0)().table(), clock=still)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await update(pilot, play, before)
        assert "A bot chose 4+8 for you: Backspace takes it back." in middle(app)
        await pilot.press("backspace")
        await pilot.pause()
        assert [request for request, _ in app.requests] == [TakeChoiceBack()]
        play.take_back(0)
        await update(pilot, play, len(play.events) - 1)
        assert "A bot chose" not in middle(app)
    assert log(app)[-3:] == [
        "You are away: a bot plays for you",
        "A bot chose 4+8 for you",
        "You are back",
    ]


async def test_who_comes_back_to_a_whole_view_is_told_as_well() -> None:
    play = states.choosing()
    play.happen(StandInSeated(0))
    play.choose(0, (4, 8))
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        play.happen(StandInLeft(0))
        await update(pilot, play, len(play.events) - 1)
        told = "While you were away 4+8 was sealed: Backspace takes it back."
        assert told in middle(app)


async def test_when_time_is_up_the_screen_says_what_was_chosen() -> None:
    play = choosing_by_the_clock()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = len(play.events)
        for seat, sums in ((0, (4, 8)), (2, play.any_choice(2)), (4, play.any_choice(4))):
            play.choose(seat, sums)
        play.deal({0: (1, 2, 2, 5, 6)})
        await update(pilot, play, before)
        assert "Round 5" in grid(app)[0]
        told = "Time was up: a stand-in chose 4+8 for you"
        assert f"{told}." in middle(app), "although the next roll lies there already"
        assert told in log(app)
        await pilot.press("5", "5")
        play.choose(0, app.game.picker.sums)
        await update(pilot, play, len(play.events) - 1)
        assert "Time was up" not in middle(app)


async def test_the_last_sealed_choice_counts_when_time_is_up() -> None:
    play = choosing_by_the_clock()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("5", "5")
        before = len(play.events)
        play.choose(0, (6, 7))
        await update(pilot, play, before)
        assert "Time was up" not in shown(app), "that was the viewer's own choice"
        play.take_back(0)
        await update(pilot, play, before + 1)
        play.choose(0, (6, 7))
        await update(pilot, play, before + 2)
        assert "Time was up: your last sealed choice counts, 6+7." in middle(app)


async def test_a_choice_that_came_too_late_is_not_taken_for_the_one_that_counts() -> None:
    play = choosing_by_the_clock()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("5", "5")
        play.choose(0, (8, 9))
        await update(pilot, play, len(play.events) - 1)
        assert "Time was up: a stand-in chose 8+9 for you." in middle(app)


async def test_a_forced_none_is_nobody_s_choice() -> None:
    play = states.forced()
    play.happen(ClockChosen(60))
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        play.choose(0, ())
        await update(pilot, play, len(play.events) - 1)
        assert "Time was up" not in shown(app)


async def test_without_a_clock_no_time_is_ever_up() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        play.choose(0, (4, 8))
        await update(pilot, play, len(play.events) - 1)
        assert "Time was up" not in shown(app)


# The log


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (
            [BotSeated(4, "Hazel", Colour.GREEN), PersonLeft(5, LeaveReason.LEFT)],
            "Eli has left: Hazel, a bot, plays on",
        ),
        (
            [BotSeated(4, "Hazel", Colour.GREEN), PersonLeft(5, LeaveReason.KICKED)],
            "Eli was put out: Hazel, a bot, plays on",
        ),
        ([BotSeated(4, "Hazel", Colour.GREEN)], "Hazel, a bot, plays on"),
        ([SeatTaken(2, 99, Colour.GREY)], "Zoe takes over from Chen"),
        ([PersonLeft(99, LeaveReason.LEFT)], "Zoe has left"),
        ([ClockChosen(30)], "From now on: 30 s a round"),
        ([ClockChosen(0)], "From now on: no clock"),
        ([GamePaused(), GameContinued(0)], "The game goes on"),
    ],
)
async def test_the_log_tells_what_becomes_of_seats_and_clock(
    events: list[RoomEvent], told: str
) -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = len(play.events)
        for event in events:
            play.happen(event)
        await update(pilot, play, before)
    assert log(app)[-1] == told
    assert sum("Hazel" in line for line in log(app)) == ("Hazel" in told)
