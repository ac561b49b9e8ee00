"""The clock of a round, pauses, and bots that stand in for who is away."""

import pytest
from sequoia_protocol.codec import pad_choice
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    ChooseClock,
    ChoosePairs,
    Clock,
    Held,
    LeaveRoom,
    Pause,
    TakeChoiceBack,
)
from sequoia_protocol.room import (
    ClockChosen,
    GameContinued,
    GamePaused,
    PauseWanted,
    RoomSettings,
    StandInLeft,
    StandInSeated,
)
from sequoia_rules.events import Chosen, Revealed
from sequoia_rules.record import Chooser

from tests.kit import FixedEntropy, LivelyEntropy
from tests.server.driver import Driver

HOUR = 3600.0


def choosers(driver: Driver) -> dict[int, Chooser | None]:
    """Who chose for each seat, last."""
    found: dict[int, Chooser | None] = {}
    for entry in driver.entries:
        if isinstance(entry.event, Chosen):
            found[entry.event.seat] = entry.by
    return found


def test_a_round_closes_300_ms_after_zero_and_only_the_tardy_are_chosen_for() -> None:
    driver = Driver(RoomSettings(clock=15))
    ana, bo = driver.begin(2)
    driver.choose(ana)
    driver.advance(15.29)
    assert driver.chosen() == (0,)
    driver.advance(0.02)
    assert driver.game is not None
    assert driver.game.public.round == 2
    assert choosers(driver) == {0: Chooser.PERSON, 1: Chooser.STAND_IN}
    assert sum(isinstance(event, Revealed) for event in driver.seen[bo]) == 1


def test_a_choice_within_the_300_ms_counts_and_one_after_them_is_stale() -> None:
    driver = Driver(RoomSettings(clock=15))
    ana, bo = driver.begin(2)
    driver.choose(ana)
    driver.advance(15.2)
    sealed = driver.options(bo)[-1]
    driver.choose(bo, sealed)
    assert choosers(driver)[1] is Chooser.PERSON
    late, deal = pad_choice(driver.options(bo)[0]), driver.views[bo].deal
    driver.advance(15.31)
    driver.refuse(bo, ChoosePairs(*late), Code.STALE_DEAL, deal=deal)


def test_at_the_deadline_the_last_sealed_choice_counts_even_if_it_was_taken_back() -> None:
    driver = Driver(RoomSettings(clock=30))
    _, bo = driver.begin(2)
    first, second = driver.options(bo)[:2]
    for choice in (first, second):
        driver.choose(bo, choice)
        driver.ok(bo, TakeChoiceBack())
    driver.advance(30.3)
    by_bo = [entry for entry in driver.entries if isinstance(entry.event, Chosen)][-1]
    assert by_bo.event == Chosen(1, second)
    assert by_bo.by is Chooser.PERSON


def test_what_was_sealed_in_an_earlier_deal_does_not_count() -> None:
    driver = Driver(RoomSettings(clock=30))
    ana, bo = driver.begin(2)
    driver.choose(bo)
    driver.choose(ana)
    driver.advance(30.3)
    assert choosers(driver) == {0: Chooser.STAND_IN, 1: Chooser.STAND_IN}


def test_without_a_clock_a_round_takes_as_long_as_it_likes() -> None:
    driver = Driver(RoomSettings(clock=0))
    driver.begin(2)
    driver.advance(10 * HOUR)
    assert driver.chosen() == ()


def test_tie_break_rounds_have_the_clock_too() -> None:
    driver = Driver(RoomSettings(clock=15), entropy=LivelyEntropy(3))
    driver.begin(3)
    driver.to_tiebreak()
    assert driver.game is not None
    before = driver.game.public.deal
    driver.advance(15.3)
    assert driver.game.public.deal > before or not driver.playing()


def test_the_host_sets_the_clock_between_games() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.refuse(bo, ChooseClock(15), Code.NOT_HOST)
    driver.ok(ana, ChooseClock(15))
    assert driver.entries[-1].event == ClockChosen(15)
    number = driver.room.number
    driver.ok(ana, ChooseClock(15))
    assert driver.room.number == number, "nothing has changed"


def test_the_clock_is_not_changed_during_a_game() -> None:
    driver = Driver()
    ana, _ = driver.begin(2)
    driver.refuse(ana, ChooseClock(15), Code.GAME_RUNNING)


def test_reconnecting_moves_no_deadline_and_shows_what_is_left() -> None:
    driver = Driver(RoomSettings(clock=60))
    ana, bo = driver.begin(2)
    driver.advance(20)
    driver.lose(bo)
    driver.advance(5)
    driver.resume(bo)
    assert driver.clocks[bo] == Clock(35_000, None)
    for _ in range(5):
        driver.advance(4)
        driver.lose(ana)
        driver.lose(bo)
        driver.advance(3)
        driver.resume(bo)
        driver.resume(ana)
    assert driver.clocks[ana] == Clock(0, None)
    driver.advance(0.29)
    assert driver.chosen() == ()
    driver.advance(0.01)
    assert driver.game is not None
    assert driver.game.public.round == 2


def test_a_game_that_all_have_left_waits_and_goes_on_with_the_time_it_had() -> None:
    driver = Driver(RoomSettings(clock=60))
    ana, bo = driver.begin(2)
    driver.advance(10)
    driver.lose(ana)
    driver.lose(bo)
    driver.advance(20 * HOUR)
    assert driver.chosen() == ()
    driver.resume(bo)
    assert driver.clocks[bo] == Clock(20_000, None), "ten seconds of play and the grace are used"
    assert driver.stand_ins() == (), "who comes second has time, too"
    driver.advance(19.9)
    assert driver.chosen() == ()
    driver.advance(0.5)
    assert driver.game is not None
    assert driver.game.public.round == 2


def test_bots_wait_with_the_game() -> None:
    driver = Driver(entropy=FixedEntropy(delays=[40.0, 40.0]))
    ana, *_ = driver.begin(1, bots=2)
    driver.advance(5)
    driver.lose(ana)
    driver.advance(HOUR)
    assert driver.chosen() == ()
    driver.resume(ana)
    driver.advance(4.9)
    assert driver.chosen() == ()
    driver.advance(0.2)
    assert driver.chosen() == (1, 2)


def test_away_longer_than_the_grace_a_bot_plays_and_everybody_sees_it() -> None:
    driver = Driver(RoomSettings(clock=0))
    ana, bo = driver.begin(2)
    driver.choose(ana)
    driver.lose(bo)
    driver.advance(29.9)
    assert driver.stand_ins() == ()
    driver.advance(0.1)
    assert driver.seen[ana][-1] == StandInSeated(1)
    assert driver.views[ana].room.players[1].stand_in
    assert driver.views[ana].room.players[1].person == bo, "the seat stays theirs"
    driver.advance(3)
    assert driver.game is not None
    assert driver.game.public.round == 2
    assert choosers(driver)[1] is Chooser.STAND_IN
    for _ in range(30):
        if not driver.playing():
            break
        for _ in range(2):
            if driver.options(ana):
                driver.choose(ana)
            driver.advance(3)
    assert not driver.playing(), "nobody waited for somebody who was gone"


def test_who_is_back_has_the_seat_at_once_and_can_take_the_choice_back() -> None:
    driver = Driver(RoomSettings(clock=0))
    ana, bo = driver.begin(2)
    seen = driver.views[bo].number
    driver.lose(bo)
    driver.advance(33)
    assert driver.chosen() == (1,)
    driver.resume(bo, seen=seen)
    assert driver.seen[ana][-1] == StandInLeft(1)
    view = driver.views[bo].game
    assert view is not None
    assert view.dice is not None
    assert view.choice is not None, "they see what was sealed for them"
    driver.ok(bo, TakeChoiceBack())
    driver.choose(bo)
    driver.choose(ana)
    assert choosers(driver)[1] is Chooser.PERSON


def test_who_is_back_before_the_bot_has_chosen_chooses() -> None:
    driver = Driver(RoomSettings(clock=0), entropy=FixedEntropy(delays=[2.0]))
    ana, bo = driver.begin(2)
    driver.lose(bo)
    driver.advance(31)
    driver.resume(bo)
    driver.advance(HOUR)
    assert driver.chosen() == ()
    driver.choose(bo)
    driver.choose(ana)
    assert driver.game is not None
    assert driver.game.public.round == 2


def test_a_stand_in_ends_with_the_game() -> None:
    driver = Driver(RoomSettings(clock=0))
    _, bo = driver.begin(2)
    driver.lose(bo)
    driver.advance(31)
    driver.play()
    assert driver.stand_ins() == ()
    assert driver.state.person(bo) is None


def test_the_game_pauses_when_all_players_who_are_there_want_it() -> None:
    driver = Driver(RoomSettings(clock=60))
    ana, bo, cleo, watcher = driver.begin(3, watchers=1)
    driver.refuse(watcher, Pause(True), Code.NOT_SEATED)
    driver.lose(cleo)
    driver.advance(10)
    driver.ok(ana, Pause(True))
    assert driver.events()[-1] == PauseWanted(ana, True)
    assert not driver.paused()
    driver.ok(bo, Pause(True))
    assert driver.events()[-1] == GamePaused()
    assert driver.clocks[watcher] == Clock(50_000, Held.PAUSED)
    driver.refuse(ana, ChoosePairs(*pad_choice(driver.options(ana)[0])), Code.PAUSED)
    driver.advance(HOUR)
    assert driver.chosen() == ()
    assert driver.stand_ins() == (), "being away costs nothing meanwhile"
    driver.ok(bo, Pause(False))
    assert driver.events()[-1] == GameContinued(bo)
    assert driver.clocks[ana] == Clock(50_000, None)
    driver.advance(29.9)
    assert driver.stand_ins() == ()
    driver.advance(0.2)
    assert driver.stand_ins() == (2,)


def test_a_wish_can_be_taken_back_and_goes_with_who_leaves() -> None:
    driver = Driver()
    ana, bo, cleo = driver.begin(3)
    driver.ok(ana, Pause(True))
    driver.ok(ana, Pause(False))
    driver.ok(bo, Pause(True))
    driver.ok(cleo, Pause(True))
    assert not driver.paused()
    driver.ok(cleo, LeaveRoom())
    assert driver.state.pause_wanted == (bo,)
    driver.lose(ana)
    assert driver.paused(), "all who are there want it"


def test_a_paused_game_goes_on_when_no_player_is_left_to_say_so() -> None:
    driver = Driver()
    ana, *_, watcher = driver.begin(1, bots=1, watchers=1)
    driver.ok(ana, Pause(True))
    assert driver.paused()
    driver.ok(ana, LeaveRoom())
    assert driver.playing()
    assert not driver.paused()
    driver.advance(HOUR)
    assert not driver.playing(), "the bots have played it out"
    assert driver.views[watcher].game is not None


@pytest.mark.parametrize("restarts", [0, 1, 3])
def test_a_pause_and_what_was_left_survive_restarts(restarts: int) -> None:
    driver = Driver(RoomSettings(clock=60))
    ana, bo = driver.begin(2)
    driver.advance(15)
    driver.ok(ana, Pause(True))
    driver.ok(bo, Pause(True))
    for _ in range(restarts):
        driver.advance(1000)
        driver.restart()
        driver.resume(ana)
        driver.resume(bo)
    assert driver.paused()
    driver.ok(ana, Pause(False))
    assert driver.clocks[bo] == Clock(45_000, None)
