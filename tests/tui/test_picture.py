"""What a client knows of a room: what follows the view, and what the clock shows."""

import time

import pytest
from msgspec.structs import replace
from sequoia_protocol.messages import Away, Clock, Entered, Held, Resumed, Update
from sequoia_protocol.room import Chatted, GameContinued, GamePaused, RoomView

from sequoia_tui.picture import OutOfStep, Picture
from tests.tui.states import Play


class Round:
    """A game of two at its first roll, and the picture that Ana's client has of it."""

    def __init__(self, seconds: int) -> None:
        self.play = Play(names=("Ana", "Bo"))
        room = self.play.room
        self.play.room = replace(room, settings=replace(room.settings, clock=seconds))
        self.picture = Picture()
        self.picture.enter(Entered(1, "k" * 32, self.view, ()))

    @property
    def view(self) -> RoomView:
        return self.play.view(0)

    def catch_up(self, clock: Clock | None = None) -> None:
        """Let the picture follow what has happened."""
        known = self.picture.number
        events = tuple(see(0) for see in self.play.events[known:])
        self.picture.follow(Update(known + 1, events=events, clock=clock))
        assert self.picture.view == self.view

    def held(self) -> Held | None:
        """Why the table stands still."""
        return self.picture.held

    def shown(self) -> int | None:
        """The whole seconds that the clock shows, None for no clock."""
        timer = self.picture.timer
        return None if timer is None else round(timer.seconds(time.monotonic()))


def test_a_roll_starts_the_clock_at_the_seconds_of_the_room() -> None:
    table = Round(seconds=30)
    assert table.shown() is None
    table.play.deal()
    table.catch_up()
    assert table.shown() == 30
    # Nothing that happens within the round moves it, and the next roll starts it anew.
    timer = table.picture.timer
    table.play.choose(0, table.play.any_choice(0))
    table.play.say(1, "wait")
    table.catch_up()
    assert table.picture.timer is timer
    table.play.choose(1, table.play.any_choice(1))
    table.play.deal()
    table.catch_up()
    assert table.picture.timer is not timer
    assert table.shown() == 30


def test_without_a_clock_nothing_is_timed() -> None:
    table = Round(seconds=0)
    table.play.deal()
    table.catch_up(Clock(None, None))
    assert table.shown() is None
    assert table.held() is None


def test_what_the_server_says_of_its_clock_counts_more_than_the_roll() -> None:
    table = Round(seconds=60)
    table.play.deal()
    table.catch_up(Clock(12_000, None))
    assert table.shown() == 12


def test_the_clock_is_gone_with_the_game() -> None:
    table = Round(seconds=60)
    # Nobody is ever tied, so that the game ends with its last round.
    for number in range(10):
        sums = (2, 3) if number % 2 else (4, 5)
        table.play.round({0: sums, 1: (11, 12)})
        table.catch_up()
    assert table.picture.view is not None
    assert not table.picture.view.room.playing
    assert table.shown() is None


@pytest.mark.parametrize("held", [Held.STORAGE, Held.PAUSED])
def test_a_clock_that_is_held_shows_what_is_left_and_says_why(held: Held) -> None:
    table = Round(seconds=60)
    table.play.deal()
    table.catch_up(Clock(42_000, held))
    assert table.held() is held
    timer = table.picture.timer
    assert timer is not None
    assert (timer.held, timer.zero) == (held, None)
    assert timer.seconds(time.monotonic() + 100) == 42
    table.catch_up(Clock(42_000, None))
    assert table.held() is None
    assert table.shown() == 42


def test_a_paused_table_is_held_even_without_a_clock() -> None:
    table = Round(seconds=0)
    table.play.deal()
    reasons: list[Held | None] = []
    for event in (GamePaused(), GameContinued(1)):
        table.play.happen(event)
        table.catch_up()
        reasons.append(table.held())
    assert reasons == [Held.PAUSED, None]


def test_what_was_missed_follows_and_the_clock_is_as_the_server_says() -> None:
    table = Round(seconds=60)
    known = table.picture.number
    table.picture.resume(Resumed(2, "n" * 32, known, (Away(2, 5),)))
    table.play.deal()
    table.catch_up(Clock(3_000, None))
    assert table.shown() == 3
    assert 4.9 < time.monotonic() - table.picture.away[2] < 6


def test_what_cannot_follow_is_said_to_be_out_of_step() -> None:
    table = Round(seconds=60)
    with pytest.raises(OutOfStep):
        table.picture.resume(Resumed(2, "n" * 32, table.picture.number + 1, ()))
    with pytest.raises(OutOfStep):
        Picture().resume(Resumed(2, "n" * 32, 0, ()))
    with pytest.raises(OutOfStep):
        table.picture.follow(Update(table.picture.number + 2, events=(Chatted(1, "Ana", "hi"),)))
    assert table.picture.view == table.view


def test_the_whole_view_of_the_same_running_game_leaves_its_clock() -> None:
    # As when a spectator takes over a bot's seat: nothing is said of the clock then.
    table = Round(seconds=60)
    table.play.deal()
    table.catch_up(Clock(20_000, None))
    table.picture.enter(Entered(3, "k" * 32, table.view, ()))
    assert table.shown() == 20
    table.picture.clear()
    assert table.picture.view is None
    assert table.shown() is None
