"""Links that go and come back: who is away, seat keys, leaving, passing on the host, ends."""

import pytest
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    Away,
    Chat,
    Entered,
    LeaveRoom,
    Ready,
    Resumed,
    Sit,
    Start,
)
from sequoia_protocol.room import BotSeated, HostChanged, LeaveReason, PersonLeft
from sequoia_server.keys import KeyRing, digest_of
from sequoia_server.turn import Refusal

from tests.server.driver import Driver

HOUR = 3600.0


def test_everybody_is_told_who_is_away_and_when_they_are_back() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    number = driver.room.number
    driver.lose(bo)
    assert driver.away[ana] == (Away(bo, 0),)
    driver.advance(12.9)
    cleo = driver.enter("Cleo", watch=True)
    assert driver.away[cleo] == (Away(bo, 12),)
    driver.resume(bo)
    assert driver.away[ana] == driver.away[bo] == ()
    assert driver.room.number == number + 1, "links are not numbered, only Cleo's entering is"


def test_presence_is_sent_only_when_it_changes() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.lose(bo)
    told = len(driver.frames[ana])
    driver.away.clear()
    driver.ok(ana, Chat("hello"))
    assert len(driver.frames[ana]) == told + 1
    assert driver.away == {}


def test_coming_back_shows_the_same_dice_and_the_sealed_choice() -> None:
    driver = Driver()
    _, bo = driver.begin(2)
    driver.choose(bo)
    before = driver.views[bo].game
    driver.lose(bo)
    driver.advance(10)
    driver.resume(bo)
    assert driver.views[bo].game == before
    assert before is not None
    assert before.choice is not None


def test_keys_rotate_and_the_old_one_is_good_until_the_new_one_is_used() -> None:
    driver = Driver()
    driver.enter("Ana")
    bo = driver.enter("Bo")
    first = driver.keys[bo]
    driver.lose(bo)
    lost_reply = driver.resume(bo).key
    second = driver.resume(bo, first).key
    third = driver.resume(bo, second).key
    assert len({first, lost_reply, second, third}) == 4
    for key in (first, lost_reply, "an-invented-key-of-some-length"):
        with pytest.raises(Refusal) as refusal:
            driver.resume(bo, key)
        assert refusal.value.code == Code.BAD_KEY


def test_a_wrong_key_changes_nothing_and_disturbs_no_grace() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.lose(bo)
    driver.advance(29)
    for person, key in ((bo, driver.keys[ana]), (77, driver.keys[bo])):
        with pytest.raises(Refusal):
            driver.resume(person, key)
    assert driver.away[ana] == (Away(bo, 0),)
    driver.advance(1)
    assert driver.state.stand_in_seats == (1,), "the grace ran on from when the link was lost"


def test_a_key_ring_keeps_hashes_of_the_last_few_keys_only() -> None:
    ring = KeyRing()
    keys = [f"key number {i}" for i in range(12)]
    for key in keys:
        ring.issue(digest_of(key))
    assert not any(key.encode() in part for key in keys for part in ring.digests)
    assert len(ring.digests) == 8
    assert ring.find(keys[0]) is None
    digest = ring.find(keys[5])
    assert digest is not None
    ring.use(digest)
    assert ring.find(keys[11]) is None
    assert ring.find(keys[5]) == digest


def test_who_missed_something_is_told_just_that() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    seen = driver.views[bo].number
    driver.lose(bo)
    driver.ok(ana, Chat("hello"))
    driver.choose(ana)
    answer = driver.resume(bo, seen=seen)
    assert isinstance(answer, Resumed)
    assert answer.number == seen
    assert [type(event).__name__ for event in driver.seen[bo][-2:]] == ["Chatted", "ChosenSeen"]
    driver.lose(bo)
    assert isinstance(driver.resume(bo, seen=driver.views[bo].number), Resumed)


def test_who_missed_too_much_or_claims_too_much_gets_the_whole_view() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    seen = driver.views[bo].number
    for number in (0, seen + 1000):
        driver.lose(bo)
        assert isinstance(driver.resume(bo, seen=number), Entered)
    driver.lose(bo)
    for _ in range(41):
        driver.ok(ana, Chat("hello"))
    assert isinstance(driver.resume(bo, seen=seen), Entered)


def test_who_sat_down_on_a_bots_seat_unheard_gets_the_view_of_the_seat() -> None:
    driver = Driver()
    _, watcher = driver.begin(1, bots=1, watchers=1)
    seen = driver.views[watcher].number
    driver.do(watcher, Sit(1))
    for number in (seen, seen + 1):
        driver.lose(watcher)
        assert isinstance(driver.resume(watcher, seen=number), Entered)
        game = driver.views[watcher].game
        assert game is not None
        assert game.viewer == 1


def test_who_leaves_a_running_game_gives_the_seat_to_a_bot_for_good() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.ok(bo, LeaveRoom())
    assert driver.unbound == [bo]
    assert driver.state.bot_seats == (1,)
    assert driver.state.person(bo) is None
    assert [type(event) for event in driver.seen[ana][-2:]] == [BotSeated, PersonLeft]
    with pytest.raises(Refusal):
        driver.resume(bo)
    driver.play()


def test_a_host_who_leaves_a_running_game_hosts_no_more() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.ok(ana, LeaveRoom())
    assert driver.state.host == bo


def test_the_host_passes_on_after_the_grace() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.lose(ana)
    driver.advance(29.9)
    assert driver.state.host == ana
    driver.advance(0.2)
    assert driver.state.host == bo
    assert HostChanged(bo) in driver.events()
    driver.resume(ana)
    assert driver.state.host == bo


def test_a_host_who_is_back_in_time_stays_host() -> None:
    driver = Driver()
    ana, _ = driver.begin(2)
    driver.lose(ana)
    driver.advance(29)
    driver.resume(ana)
    driver.advance(HOUR)
    assert driver.state.host == ana


def test_after_nobody_was_there_the_host_has_time_to_come_back() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.lose(bo)
    driver.lose(ana)
    driver.advance(60)
    driver.resume(bo)
    driver.advance(29.9)
    assert driver.state.host == ana
    driver.advance(0.1)
    assert driver.state.host == bo


def test_between_games_who_is_away_too_long_is_gone() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.lose(bo)
    driver.advance(29.9)
    assert driver.state.seat_of(bo) == 1
    driver.advance(0.2)
    assert driver.entries[-1].event == PersonLeft(bo, LeaveReason.GONE)
    assert driver.state.seats[1] is None
    assert driver.away[ana] == ()
    with pytest.raises(Refusal):
        driver.resume(bo)


def test_spectators_who_are_away_go_even_while_a_game_runs() -> None:
    driver = Driver()
    _, bo, watcher = driver.begin(2, watchers=1)
    driver.lose(watcher)
    driver.lose(bo)
    driver.advance(31)
    assert driver.state.person(watcher) is None
    assert driver.state.person(bo) is not None, "who plays is kept"


def test_the_last_person_stays_and_can_come_back() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.lose(ana)
    driver.advance(600)
    driver.resume(ana)
    assert driver.views[ana].is_host


def test_who_was_away_through_the_end_of_a_game_is_gone_after_it() -> None:
    driver = Driver()
    _, bo, cleo = driver.begin(3)
    driver.lose(cleo)
    driver.advance(31)
    driver.play()
    assert driver.state.person(cleo) is None
    assert driver.state.person(bo) is not None


def test_a_rematch_waits_for_a_lost_link_until_the_grace_is_over() -> None:
    driver = Driver()
    ana, bo, cleo = driver.begin(3)
    driver.play()
    driver.lose(cleo)
    driver.ok(ana, Ready(True))
    driver.ok(bo, Ready(True))
    assert not driver.playing()
    driver.advance(31)
    assert driver.playing()
    assert [player.person for player in driver.state.players] == [ana, bo]


def test_an_empty_room_ends_after_15_minutes() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.lose(ana)
    driver.advance(15 * 60 - 1)
    assert not driver.closed()
    driver.advance(1)
    assert driver.closed()


def test_a_room_that_everybody_left_ends_after_15_minutes_and_lets_people_in_until_then() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.ok(ana, LeaveRoom())
    assert (driver.state.people, driver.state.host) == ((), None)
    driver.advance(14 * 60)
    bo = driver.enter("Bo")
    assert driver.state.host == bo
    driver.advance(HOUR)
    assert not driver.closed()
    driver.lose(bo)
    driver.advance(15 * 60)
    assert driver.closed()


def test_an_unfinished_game_is_kept_for_a_day() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.lose(ana)
    driver.lose(bo)
    driver.advance(24 * HOUR - 1)
    assert not driver.closed()
    driver.resume(bo)
    driver.lose(bo)
    driver.advance(24 * HOUR - 1)
    assert not driver.closed()
    driver.advance(1)
    assert driver.closed()


def test_a_start_counts_a_ready_person_whose_link_is_down_for_a_moment() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.ok(ana, Ready(True))
    driver.ok(bo, Ready(True))
    driver.lose(bo)
    driver.ok(ana, Start())
    assert [player.person for player in driver.state.players] == [ana, bo]


def test_the_command_that_led_in_can_be_answered_again_until_one_has_left() -> None:
    driver = Driver()
    driver.enter("Ana")
    bo = driver.enter("Bo")
    driver.lose(bo)
    driver.linked.add(bo)
    driver._take(driver.room.enter_again(bo, 99, driver.clock()))
    assert len(driver.state.people) == 2
    driver.ok(bo, LeaveRoom())
    with pytest.raises(Refusal) as refusal:
        driver.room.enter_again(bo, 99, driver.clock())
    assert refusal.value.code == Code.NOT_IN_A_ROOM
