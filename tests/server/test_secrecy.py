"""What leaves a room for anybody else does not depend on a seat's secret."""

from collections import deque

import msgpack
import pytest
from sequoia_protocol.codec import encode_event, pad_choice
from sequoia_protocol.messages import ChoosePairs
from sequoia_protocol.room import AnySeenEvent
from sequoia_rules.events import Chosen, ChosenSeen, Dealt, DealtSeen, GameStartedSeen
from sequoia_rules.phases import Phase
from sequoia_rules.values import Choice, Dice
from sequoia_server.room import Room

from tests.kit import FixedEntropy
from tests.server.driver import Driver

PLAIN: Dice = (1, 2, 3, 4, 5)


def test_a_deal_shows_everybody_their_own_dice_and_spectators_none() -> None:
    driver = Driver()
    persons = driver.begin(3, bots=1, watchers=1)
    (dealt,) = [event for event in driver.events() if isinstance(event, Dealt)]
    rolls = dict(dealt.rolls)
    for person in persons:
        seen = next(event for event in driver.seen[person] if isinstance(event, DealtSeen))
        seat = driver.state.seat_of(person)
        assert seen.dice == (None if seat is None else rolls[seat])


def test_a_choice_is_seen_by_nobody_else() -> None:
    driver = Driver()
    ana, bo, watcher = driver.begin(2, watchers=1)
    driver.choose(ana)
    (chosen,) = [event for event in driver.events() if isinstance(event, Chosen)]
    assert driver.seen[ana][-1] == ChosenSeen(0, chosen.choice)
    assert driver.seen[bo][-1] == driver.seen[watcher][-1] == ChosenSeen(0, None)


def test_the_start_shows_no_token() -> None:
    driver = Driver()
    ana, *_ = driver.begin(2)
    started = next(event for event in driver.seen[ana] if isinstance(event, GameStartedSeen))
    assert started == GameStartedSeen((0, 1), 0)


def test_one_encoding_is_shared_by_all_who_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []

    def counted(event: AnySeenEvent) -> bytes:
        encoded.append(event)
        return encode_event(event)

    monkeypatch.setattr("sequoia_server.delivery.encode_event", counted)
    driver = Driver()
    ana, *_ = driver.begin(2, watchers=10)
    encoded.clear()
    driver.choose(ana)
    assert len(encoded) == 2, "one for the chooser, one for the eleven others"


def frames_of_others(dice: Dice, choice: Choice) -> tuple[list[bytes], list[bytes], list[int]]:
    """Play a deal with this secret of Ana's, and give what reaches others before the reveal.

    The last element are the lengths of what reaches Ana herself.
    """
    driver = Driver(entropy=FixedEntropy(dice=[dice, PLAIN, PLAIN]))
    ana, bo, cleo, watcher = driver.begin(3, watchers=1)
    driver.choose(ana, choice)
    driver.choose(bo, Choice((5, 6)))
    driver.lose(cleo)
    driver.resume(cleo)
    assert driver.phase() is Phase.CHOOSING
    others = driver.frames[bo] + driver.frames[cleo]
    return others, driver.frames[watcher], [len(frame) for frame in driver.frames[ana]]


def test_rolls_and_choices_change_no_byte_that_others_get() -> None:
    one = frames_of_others((1, 2, 3, 4, 6), Choice((3, 7)))
    other = frames_of_others((6, 6, 5, 5, 4), Choice((10, 12)))
    assert one == other


def test_a_turned_sequoia_changes_no_byte_that_others_get() -> None:
    one = frames_of_others((1, 1, 1, 1, 1), Choice((2, 2)))
    other = frames_of_others((6, 6, 6, 6, 6), Choice((2, 7), (1, 1, 3, 4, 6)))
    assert one == other


def frames_of_tiebreak(dice: Dice, choice: Choice | None) -> list[bytes]:
    """Play a tie-break in which Ana rolls this, and give what reaches Bo and the watcher.

    With no choice the rule chooses "none" for her, at the moment at which she would.
    """
    driver = Driver(entropy=FixedEntropy(dice=[PLAIN] * 20 + [dice, PLAIN]))
    ana, bo, watcher = driver.begin(2, watchers=1)
    for _ in range(10):
        driver.choose(ana, Choice((5, 6)))
        driver.entropy.scripted_delays = deque([2.0, 1.0])
        driver.choose(bo, Choice((5, 6)))
    driver.frames.clear()
    driver.advance(1.0)
    if choice is None:
        driver.advance(1.0)
    else:
        driver.clock.advance(1.0)
        driver.choose(ana, choice)
    assert driver.game is not None
    assert driver.chosen() == (0,)
    return driver.frames[bo] + driver.frames[watcher]


def test_a_forced_none_looks_like_any_choice() -> None:
    forced = frames_of_tiebreak((1, 1, 1, 1, 2), None)
    assert len(forced) == 2
    assert forced == frames_of_tiebreak((1, 4, 2, 4, 6), Choice((5, 6)))
    assert forced == frames_of_tiebreak((1, 4, 2, 4, 6), Choice(()))
    assert all(msgpack.unpackb(frame)["events"][0]["choice"] is None for frame in forced)


def test_draws_of_a_tiebreak_do_not_tell_who_can_place_nothing() -> None:
    drawn = []
    for dice in ((1, 1, 1, 1, 2), (1, 4, 2, 4, 6)):
        entropy = FixedEntropy(dice=[PLAIN] * 20 + [dice, PLAIN])
        driver = Driver(entropy=entropy)
        ana, bo = driver.begin(2)
        for _ in range(10):
            driver.choose(ana, Choice((5, 6)))
            driver.choose(bo, Choice((5, 6)))
        drawn.append(entropy.drawn)
    assert drawn[0] == drawn[1]


def test_a_refusal_reaches_nobody_else() -> None:
    driver = Driver(entropy=FixedEntropy(dice=[PLAIN, PLAIN]))
    ana, bo = driver.begin(2)
    before = len(driver.frames[bo])
    driver.do(ana, ChoosePairs(*pad_choice(Choice((2, 12)))))
    assert len(driver.frames[bo]) == before


def test_a_room_shows_no_secret_when_it_is_printed() -> None:
    driver = Driver()
    driver.begin(2)
    assert repr(driver.room).startswith(f"<{Room.__module__}.Room object")
