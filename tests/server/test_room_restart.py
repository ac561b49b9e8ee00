"""A room that is brought back from its journal, by a new process."""

from collections.abc import Callable

import pytest
from sequoia_protocol.codec import pad_choice
from sequoia_protocol.messages import (
    Chat,
    ChoosePairs,
    Clock,
    GetRecord,
    Kick,
    LeaveRoom,
    Ready,
    Record,
    Resumed,
    Sit,
    TakeChoiceBack,
)
from sequoia_protocol.room import RoomSettings
from sequoia_rules.events import Chosen
from sequoia_server.facts import BadFacts, Entry, StoredTurn
from sequoia_server.room import Room
from sequoia_server.settings import Settings
from sequoia_server.turn import Refusal

from tests.kit import FixedEntropy, LivelyEntropy
from tests.server.driver import NONCE, Driver


def restore(driver: Driver, turns: list[StoredTurn]) -> Room:
    return Room.restore(
        "ROOM",
        turns,
        settings=Settings(),
        entropy=FixedEntropy(),
        date=lambda: "",
        now=driver.clock(),
    )


def test_the_dice_the_sealed_choices_and_the_time_left_are_the_same() -> None:
    driver = Driver(RoomSettings(clock=60))
    ana, bo = driver.begin(2, bots=1)
    driver.choose(bo)
    driver.advance(20)
    before = dict(driver.views)
    driver.restart()
    for person in (ana, bo):
        seen = before[person].number
        assert isinstance(driver.resume(person, seen=seen), Resumed)
        assert driver.views[person] == before[person]
        assert driver.clocks[person] == Clock(40_000, None)
    driver.choose(ana)
    driver.play()


def test_after_a_restart_a_game_waits_until_somebody_is_back() -> None:
    driver = Driver(RoomSettings(clock=15))
    ana, bo = driver.begin(2, bots=1)
    driver.advance(5)
    driver.restart()
    driver.advance(3600)
    driver.resume(bo)
    assert driver.clocks[bo] == Clock(10_000, None)
    driver.advance(9.9)
    assert driver.chosen() == (2,), "the bot alone has chosen"
    driver.resume(ana)
    assert driver.state.stand_in_seats == ()


def test_at_the_deadline_after_a_restart_the_choice_taken_back_before_it_counts() -> None:
    driver = Driver(RoomSettings(clock=15))
    ana, bo = driver.begin(2)
    sealed = driver.options(bo)[-1]
    driver.choose(bo, sealed)
    driver.ok(bo, TakeChoiceBack())
    driver.restart()
    driver.resume(ana)
    driver.resume(bo)
    driver.advance(15.3)
    chosen = [entry.event for entry in driver.entries if isinstance(entry.event, Chosen)]
    assert chosen[-1] == Chosen(1, sealed)


def test_a_command_that_was_answered_before_the_restart_has_no_second_effect() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    chat = driver.do(ana, Chat("hello"), command_id=900)
    refused = driver.do(ana, Kick(ana), command_id=901)
    choice = ChoosePairs(*pad_choice(driver.options(bo)[0]))
    sealed = driver.do(bo, choice, command_id=902)
    driver.restart()
    driver.resume(ana)
    driver.resume(bo)
    assert driver.do(ana, Chat("hello"), command_id=900) == chat
    assert driver.do(ana, Kick(ana), command_id=901) == refused
    assert driver.do(bo, choice, command_id=902) == sealed
    assert len(driver.state.chat) == 1


def test_seat_keys_are_good_as_before_and_void_ones_stay_void() -> None:
    driver = Driver()
    ana, _ = driver.begin(2)
    void = driver.keys[ana]
    driver.lose(ana)
    old = driver.resume(ana).key
    driver.lose(ana)
    driver.resume(ana, old)
    unused = driver.keys[ana]
    driver.restart()
    with pytest.raises(Refusal):
        driver.resume(ana, void)
    driver.resume(ana, old)
    driver.lose(ana)
    with pytest.raises(Refusal):
        driver.resume(ana, unused)


def test_the_commands_by_which_people_came_in_are_known() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.ok(bo, LeaveRoom())
    driver.restart()
    assert driver.room.entrances == [((NONCE, 1), ana)]


def test_who_sat_down_on_a_roll_still_does_not_see_it() -> None:
    driver = Driver(entropy=FixedEntropy(delays=[50.0, 50.0]))
    _, watcher = driver.begin(1, bots=1, watchers=1)
    driver.do(watcher, Sit(1))
    driver.restart()
    driver.resume(watcher)
    game = driver.views[watcher].game
    assert game is not None
    assert game.viewer == 1
    assert game.dice is None


def test_lobby_standings_chat_and_record_are_the_same() -> None:
    driver = Driver(entropy=LivelyEntropy(5))
    ana, bo = driver.begin(2, bots=1)
    driver.play()
    driver.ok(ana, Chat("again?"))
    driver.ok(bo, Ready(True))
    record = driver.do(ana, GetRecord())
    assert isinstance(record, Record)
    before = driver.state
    driver.restart()
    assert driver.state == before
    driver.resume(ana)
    driver.resume(bo)
    after = driver.do(ana, GetRecord())
    assert isinstance(after, Record)
    assert after.text == record.text
    driver.ok(ana, Ready(True))
    assert driver.playing(), "the rematch is still what two readies start"


@pytest.mark.parametrize("seed", range(6))
def test_a_game_with_a_restart_after_every_step_ends_as_it_should(seed: int) -> None:
    driver = Driver(RoomSettings(clock=15), entropy=LivelyEntropy(seed))
    people = driver.begin(2, bots=1)
    steps = 0
    while driver.playing():
        steps += 1
        driver.restart()
        for person in people:
            driver.resume(person, seen=driver.views[person].number)
        ready = [person for person in people if driver.options(person)]
        if ready and steps % 5:
            driver.choose(ready[0])
        else:
            driver.advance(4)
    assert driver.game is not None


def test_a_checkpoint_stands_for_all_that_came_before() -> None:
    driver = Driver(entropy=LivelyEntropy(7))
    ana, bo = driver.begin(2, bots=1)
    while driver.playing():
        whole = driver.room.checkpoint()
        room = restore(driver, [StoredTurn(driver.clock(), [whole])])
        assert room.checkpoint() == whole
        ready = [person for person in (ana, bo) if driver.options(person)]
        if ready:
            driver.choose(ready[0])
        else:
            driver.advance(1)


@pytest.mark.parametrize("in_the_next_game", [False, True])
def test_the_record_of_the_last_game_is_in_a_checkpoint(*, in_the_next_game: bool) -> None:
    driver = Driver(entropy=LivelyEntropy(5))
    ana, bo = driver.begin(2)
    driver.play()
    record = driver.do(ana, GetRecord())
    assert isinstance(record, Record)
    if in_the_next_game:
        driver.ok(ana, Ready(True))
        driver.ok(bo, Ready(True))
        assert driver.playing()
    driver.turns = [StoredTurn(driver.clock(), [driver.room.checkpoint()])]
    driver.restart()
    driver.resume(ana)
    after = driver.do(ana, GetRecord())
    assert isinstance(after, Record)
    assert after.text == record.text


def without_the_beginning(turns: list[StoredTurn]) -> list[StoredTurn]:
    return turns[1:]


def without_an_event(turns: list[StoredTurn]) -> list[StoredTurn]:
    index = next(
        i for i in range(3, len(turns)) if any(isinstance(f, Entry) for f in turns[i].facts)
    )
    return turns[:index] + turns[index + 1 :]


def with_a_turn_twice(turns: list[StoredTurn]) -> list[StoredTurn]:
    return [*turns, turns[-1]]


def nothing(turns: list[StoredTurn]) -> list[StoredTurn]:
    return turns[:0]


@pytest.mark.parametrize(
    "damage", [without_the_beginning, without_an_event, with_a_turn_twice, nothing]
)
def test_turns_that_do_not_fit_together_are_no_room(
    damage: Callable[[list[StoredTurn]], list[StoredTurn]],
) -> None:
    driver = Driver()
    _, bo = driver.begin(2)
    driver.choose(bo)
    with pytest.raises((BadFacts, ValueError, LookupError)):
        restore(driver, damage(driver.turns))
