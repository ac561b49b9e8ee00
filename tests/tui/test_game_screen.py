"""The game's keys: what they ask the server for, and when they do nothing."""

import pytest
from sequoia_protocol.messages import (
    Chat,
    ChoosePairs,
    Ready,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_rules.values import FORESTS
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot

from sequoia_tui.link import Link, LinkState, Table
from sequoia_tui.screens.game import GameScreen
from sequoia_tui.widgets.canvas import Canvas
from tests.tui import states
from tests.tui.states import GameApp, Play, grid

NOTHING = (0, 0, 0, 0, 0)


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the time in which a new deal is unseen far too long to wait for."""
    monkeypatch.setattr(GameScreen, "UNSEEN", 3600.0)


@pytest.fixture(autouse=True)
def _no_guard(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "guard" not in request.fixturenames:
        monkeypatch.setattr(GameScreen, "UNSEEN", 0.0)


def at(app: GameApp, text: str) -> tuple[int, int]:
    """Where a text stands on the screen."""
    for y, line in enumerate(grid(app)):
        if text in line:
            return line.index(text) + 1, y
    raise AssertionError(f"{text!r} is not on the screen")


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def update(pilot: Pilot[None], play: Play, since: int | None = None) -> None:
    """Show the viewer what the play has come to, with the events after so many."""
    app = pilot.app
    assert isinstance(app, GameApp)
    seen = [] if since is None else play.seen(0, since)
    app.game.show(play.table(), seen)
    await pilot.pause()


async def test_a_key_shows_and_the_same_key_seals() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5")
        assert "▶ 5  6+7" in "\n".join(grid(app))
        assert "6 =1st  7 =1st" in "\n".join(grid(app))
        assert app.requests == []
        await press(pilot, "4", "5")
        assert app.requests == [], "going to another choice and back only shows"
        await press(pilot, "5")
        assert app.requests == [(ChoosePairs((6, 7), NOTHING), play.state.public.deal)]


async def test_enter_seals_what_the_arrows_show() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "down", "right", "tab", "up", "shift+tab", "left")
        assert app.game.picker.sums == (8, 9), "round the end, from the first to the last"
        await press(pilot, "enter")
        assert [request for request, _ in app.requests] == [ChoosePairs((8, 9), NOTHING)]


async def test_a_choice_is_asked_for_only_once() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5", "enter", "enter", "5", "enter")
        assert len(app.requests) == 1


async def test_a_click_shows_and_another_seals() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click(offset=at(app, "6+9"))
        await pilot.pause()
        assert app.game.picker.sums == (6, 9)
        assert app.requests == []
        await pilot.click(offset=at(app, "6+9"))
        await pilot.pause()
        assert [request for request, _ in app.requests] == [ChoosePairs((6, 9), NOTHING)]


async def test_a_sealed_choice_can_be_taken_back_and_the_others_are_seen() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5", "5")
        app.game.show(play.table(sending=True), [])
        await pilot.pause()
        assert "sending" in grid(app)[0]
        await press(pilot, "backspace")
        assert len(app.requests) == 1, "nothing can be asked while something is under way"
        play.choose(0, (6, 7))
        await update(pilot, play, len(play.events) - 1)
        text = "\n".join(grid(app))
        assert "SEALED  6+7" in text
        assert "▲✓  ●✓  ■…  ◆✓  ★…" in text
        play.choose(4, play.any_choice(4))
        await update(pilot, play, len(play.events) - 1)
        assert "▲✓  ●✓  ■…  ◆✓  ★✓" in "\n".join(grid(app))
        assert "waiting for Chen" in "\n".join(grid(app))
        await press(pilot, "6", "enter")
        assert len(app.requests) == 1, "a sealed choice is not chosen anew"
        await press(pilot, "backspace")
        assert app.requests[1] == (TakeChoiceBack(), play.state.public.deal)
        play.take_back(0)
        await update(pilot, play, len(play.events) - 1)
        assert "▶ 5  6+7" in "\n".join(grid(app))


async def test_a_refused_choice_can_be_made_again() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5", "5")
        app.game.show(play.table(sending=True), [])
        app.game.show(play.table(), [])
        await press(pilot, "5")
        assert len(app.requests) == 2


async def test_coming_back_shows_the_very_same_screen() -> None:
    play = states.sealed()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = grid(app)
        app.game.show(
            Table(play.view(0), Link(LinkState.RECONNECTING, "oak.local", retry_in=3.0)), []
        )
        await pilot.pause()
        assert "lost, trying in 3 s" in grid(app)[0]
        assert grid(app)[1:-1] == before[1:-1]
        await update(pilot, play)
        assert grid(app) == before


async def test_without_a_link_choices_are_shown_but_not_sealed() -> None:
    play = states.choosing()
    play.link = Link(LinkState.RECONNECTING, "oak.local", retry_in=3.0)
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5", "5", "enter")
        assert app.game.picker.sums == (6, 7)
        assert app.requests == []


@pytest.mark.usefixtures("guard")
async def test_a_double_tap_never_seals_an_unseen_roll() -> None:
    play, before = states.revealed()
    app = GameApp(states.sealed().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await update(pilot, play, before)
        await press(pilot, "5", "5", "enter", "enter")
        assert app.game.picker.sums == (4, 7), "the keys show"
        await pilot.click(offset=at(app, "4+7"))
        await pilot.pause()
        assert app.requests == []


async def test_a_key_pressed_before_the_roll_was_on_screen_never_seals_it() -> None:
    play, before = states.revealed()
    app = GameApp(states.sealed().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await update(pilot, play, before)
        await press(pilot, "5")
        late = events.Key("5", "5")
        late.time -= 1000.0
        app.game.post_message(late)
        await pilot.pause()
        assert app.requests == []
        await press(pilot, "5")
        assert len(app.requests) == 1


async def test_a_new_deal_starts_with_nothing_shown() -> None:
    play, before = states.revealed()
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5")
        await update(pilot, play, before - 1)
        assert app.game.picker.shown is None
        await press(pilot, "5")
        assert app.requests == []


async def test_sequoia_dice_are_turned_then_paired() -> None:
    play = states.sequoia()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "▲■ call SEQUOIA!" in text
        assert "SEQUOIA! turn your dice" in grid(app)[0]
        await press(pilot, "3", "right", "left", "6")
        assert app.game.picker.dice == (3, 6, 4, 4, 4)
        assert "was 4 was 4" in "\n".join(grid(app))
        await press(pilot, "enter")
        assert [way.sums for way in app.game.picker.entries][:2] == [(7, 8), (7, 10)]
        await press(pilot, "backspace")
        assert app.game.picker.turning
        await press(pilot, "enter", "2", "2")
        assert app.requests == [(ChoosePairs((7, 10), (3, 6, 4, 4, 4)), play.state.public.deal)]


async def test_a_sequoia_that_is_not_turned_says_so() -> None:
    app = GameApp(states.sequoia().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "enter", "1", "1")
        assert [request for request, _ in app.requests] == [ChoosePairs((8, 8), NOTHING)]


async def test_none_has_a_key_of_its_own_in_a_tie_break() -> None:
    app = GameApp(states.many_ties().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert len(app.game.picker.entries) > 15, "more than there are keys"
        await press(pilot, "n")
        assert "none" in "\n".join(grid(app))
        await press(pilot, "n")
        assert [request for request, _ in app.requests] == [ChoosePairs((0, 0), NOTHING)]


async def test_every_entry_of_a_long_list_can_be_seen() -> None:
    app = GameApp(states.many_ties().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for way in app.game.picker.entries:
            await press(pilot, "tab")
            assert app.game.picker.way == way
            shown = next(line for line in grid(app) if "▶" in line)
            name = "+".join(map(str, way.sums)) or "none"
            assert name in shown


async def test_who_cannot_place_is_not_asked() -> None:
    app = GameApp(states.forced().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "none is chosen" in grid(app)[0]
        await press(pilot, "1", "1", "n", "n", "enter", "enter", "h")
        assert app.requests == []


async def test_who_has_no_tie_is_told_what_is_waited_for() -> None:
    play = states.scored()
    public = play.state.public
    while 0 in public.tied_seats:
        mine = public.tied_forests(0)
        play.round({0: mine[:2]})
        public = play.state.public
    play.deal()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "You have no tie to break." in text
        assert "DUELS" in text
        assert "· no tie" in text


async def test_the_hint_shows_a_choice_and_seals_nothing() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "h")
        assert app.game.picker.sums
        assert app.requests == []


async def test_below_the_least_size_only_q_works() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(59, 18)) as pilot:
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "59x18" in text
        assert "60x18" in text
        await press(pilot, "5", "5", "enter", "v", "l", "t", "escape", "question_mark")
        assert (app.requests, app.asked) == ([], [])
        await press(pilot, "q")
        assert app.asked == ["quit"]
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.game.picker.shown is None


async def test_menu_help_and_log() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "q", "escape", "question_mark")
        assert app.asked == ["menu", "menu", "help"]
        before = grid(app)
        await press(pilot, "l")
        assert "LOG ────" in grid(app)[1]
        await press(pilot, "5", "5")
        assert app.requests == [], "a choice that is not on screen is not sealed"
        await press(pilot, "escape")
        assert grid(app) == before
        assert app.asked == ["menu", "menu", "help"]


async def test_the_log_scrolls() -> None:
    play = Play()
    play.rounds(*states.TEN_ROUNDS[:6])
    app = GameApp(Play().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.game.show(play.table(), play.seen(0, 1))
        await press(pilot, "l")
        assert "R6" in "\n".join(grid(app))
        await press(pilot, "up", "pageup", "pageup")
        assert "R1" in "\n".join(grid(app))
        await press(pilot, "pagedown", "pagedown", "pagedown")
        assert "R6" in "\n".join(grid(app))


async def test_chat_is_typed_in_the_footer_and_survives_updates() -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        board = grid(app)[:-1]
        await press(pilot, "t", *"q5 [/")
        assert "Say: q5 [/" in grid(app)[-1]
        assert grid(app)[:-1] == board, "nothing else moves"
        play.say(1, "hello [there]")
        await update(pilot, play, len(play.events) - 1)
        await press(pilot, *"x")
        assert "Say: q5 [/x" in grid(app)[-1]
        assert "Bo: hello" in "\n".join(grid(app))
        await press(pilot, "escape")
        assert "Say:" not in grid(app)[-1]
        await press(pilot, "t", "enter")
        assert app.requests == [(Chat("q5 [/x"), 0)]
        assert app.game.picker.shown is None


async def test_while_typing_no_other_key_plays() -> None:
    app = GameApp(states.choosing().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "t", "tab", "down", "enter")
        assert app.game.picker.shown is None
        assert app.requests == [], "an empty line is not said"


async def test_before_any_game_the_table_is_empty() -> None:
    play = Play()
    view = type(play.view(0))(1, 0, play.room, None)
    app = GameApp(Table(view, play.link))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "no game has begun" in grid(app)[0]
        await press(pilot, "1", "enter", "h", "v", "l")
        assert app.requests == []


async def test_another_game_starts_afresh() -> None:
    play = states.finished()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = len(play.events)
        play.start()
        play.deal({0: (3, 3, 6, 1, 5)})
        app.game.show(play.table(), play.seen(0, before))
        await pilot.pause()
        text = "\n".join(grid(app))
        assert "Round 1 of 10" in text
        assert "FINAL SCORES" not in text
        assert "20 trees" in text
        assert list(app.game.parts.story.sections) == ["R1"]
        await press(pilot, "5", "5")
        assert app.requests == [(ChoosePairs((6, 7), NOTHING), play.state.public.deal)]


async def test_the_rematch() -> None:
    play = states.finished()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "g")
        await press(pilot, "r", "s", "enter")
        assert [request for request, _ in app.requests] == [Ready(True), Stand()]
        assert app.asked == ["room"]


async def test_the_host_starts_once_two_are_ready() -> None:
    play = states.finished()
    seats = [
        seated and type(seated)(seated.name, seated.colour, seated.person, ready=seat < 2)
        for seat, seated in enumerate(play.room.seats)
    ]
    play.room = type(play.room)(
        play.room.code,
        play.room.settings,
        play.room.people,
        play.room.host,
        tuple(seats),
        players=play.room.players,
    )
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "✓ again" in "\n".join(grid(app))
        await press(pilot, "g", "r")
        assert [request for request, _ in app.requests] == [Start(), Ready(False)]


async def test_the_reveal_is_pointed_out_until_the_next_key() -> None:
    play, before = states.revealed()
    app = GameApp(states.sealed().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await update(pilot, play, before)
        text = "\n".join(grid(app))
        assert "┏ 7 +5━━??┓" in text
        assert "R4" in text
        await press(pilot, "5")
        text = "\n".join(grid(app))
        assert "┏ 7 +1━━??┓" in text
        assert "▶ 5" in text, "the key that ends it works as well"


async def test_dice_tumble_until_any_key() -> None:
    play, before = states.revealed()
    app = GameApp(states.sealed().table(), moving=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.game.show(play.table(), play.seen(0, before))
        tumbling = [app.game.moments.dice is not None]
        await press(pilot, "5")
        tumbling.append(app.game.moments.dice is not None)
        assert tumbling == [True, False]
        assert "▶ 5" in "\n".join(grid(app))


async def count(app: GameApp, play: states.Play, pilot: Pilot[None]) -> None:
    """Let the game come to its end, up to where the tokens are being turned over."""
    await pilot.pause()
    before = len(play.events)
    states.finish(play)
    app.game.show(play.table(), play.seen(0, before))
    await pilot.pause()
    assert "COUNTING" in "\n".join(grid(app))


async def test_the_count_turns_over_forest_by_forest_until_any_key() -> None:
    play = states.scored()
    app = GameApp(play.table(), moving=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await count(app, play, pilot)
        assert app.game.moments.counted < len(FORESTS)
        await press(pilot, "v", "v")
        assert "FINAL SCORES" in "\n".join(grid(app))


async def test_a_key_that_ends_the_count_does_nothing_else() -> None:
    play = states.scored()
    app = GameApp(play.table(), moving=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await count(app, play, pilot)
        assert "again" not in grid(app)[-1]
        await press(pilot, "enter")
        assert "FINAL SCORES" in "\n".join(grid(app))
        assert app.asked == []
        await press(pilot, "enter")
        assert app.asked == ["room"]


@pytest.mark.usefixtures("guard")
async def test_a_key_meant_for_the_last_deal_does_not_leave_the_standings() -> None:
    app = GameApp(states.finished().table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "enter", "r", "s", "g")
        assert app.requests == []
        assert app.asked == []
        assert "FINAL SCORES" in "\n".join(grid(app))


async def test_what_has_not_changed_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    play = states.choosing()
    app = GameApp(play.table())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "5")
        written: list[str] = []
        refresh = Canvas.refresh

        def noted(self: Canvas, *regions: Region, **how: bool) -> Canvas:
            written.append(self.id or type(self).__name__)
            return refresh(self, *regions, **how)

        monkeypatch.setattr(Canvas, "refresh", noted)
        await update(pilot, play)
        assert written == []
        await press(pilot, "6")
        assert set(written) == {"pairings", "live", "forest-7", "forest-9", "_Die", "_Brackets"}


async def test_the_log_of_a_whole_game_tells_all_and_a_resumed_one_the_end() -> None:
    play = states.finished()
    app = GameApp(Play().table())
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        app.game.show(play.table(), play.seen(0, 1))
        sections = app.game.parts.story.sections
        assert list(sections)[:11] == [*(f"R{n}" for n in range(1, 11)), "TB1"]
        assert list(sections)[-1] == "END"
        placed = sections["R1"][0]
        assert placed.text == "You planted 7 8"

    app = GameApp(play.table())
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        assert app.game.parts.story.sections["END"] == sections["END"]
