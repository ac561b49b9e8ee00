"""The server's clock: it stands still whenever the server could not act."""

from sequoia_server.clock import RoundClock, ServerClock

from tests.kit import FakeClock


def test_it_runs_on_from_where_the_journal_left_it() -> None:
    monotonic = FakeClock(5000.0)
    clock = ServerClock(monotonic, 123.5)
    assert clock.now() == 123.5
    monotonic.advance(0.75)
    assert clock.now() == 124.25


def test_a_gap_of_more_than_a_second_between_two_looks_did_not_happen() -> None:
    monotonic = FakeClock()
    clock = ServerClock(monotonic, 0.0)
    monotonic.advance(1.0)
    assert clock.now() == 1.0, "a second is no gap"
    monotonic.advance(60.0)
    assert clock.now() == 1.0
    monotonic.advance(0.5)
    assert clock.now() == 1.5
    assert clock.monotonic(2.0) == monotonic.now + 0.5, "what was due moves by the gap"


def test_time_in_which_nothing_depended_on_it_is_no_gap() -> None:
    monotonic = FakeClock()
    clock = ServerClock(monotonic, 0.0)
    monotonic.advance(3600.0)
    clock.look_again()
    assert clock.now() == 3600.0


def test_held_it_stands_still_and_released_it_runs_on() -> None:
    monotonic = FakeClock()
    clock = ServerClock(monotonic, 10.0)
    clock.hold()
    monotonic.advance(90.0)
    assert clock.now() == 10.0
    clock.release()
    assert clock.now() == 10.0
    monotonic.advance(0.5)
    assert clock.now() == 10.5


def shown(clock: RoundClock, now: float) -> tuple[int | None, float | None]:
    """What is left on the screens (ms), and when the round closes."""
    return clock.left(now), clock.closes


def test_the_clock_of_a_round_shows_what_is_left_while_it_runs_and_while_it_stands() -> None:
    clock = RoundClock()
    assert shown(clock, 100.0) == (None, None)
    clock.start(100.0, 30)
    assert clock.left(112.5) == 17_500
    assert clock.closes == 130.3
    clock.deadline, clock.stopped = clock.when_stopped(112.5).deadline, 112.5
    assert shown(clock, 500.0) == (17_500, None)
    again = clock.when_going_on(200.0)
    clock.deadline, clock.stopped = again.deadline, again.stopped
    assert clock.left(200.0) == 17_500
    assert clock.left(1000.0) == 0
    clock.start(1000.0, 0)
    assert shown(clock, 1000.0) == (None, None)
