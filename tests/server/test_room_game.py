"""A game in a room: dealing, choosing, bots, forced none, taking over, rematch, record."""

from collections import deque

import pytest
from sequoia_protocol.errors import Code
from sequoia_protocol.messages import (
    AddBot,
    Chat,
    ChooseColour,
    ChoosePairs,
    GetRecord,
    Kick,
    LeaveRoom,
    Ready,
    Record,
    RemoveBot,
    Sit,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import BotSeated, Colour, LeaveReason, PersonLeft, RoomSettings
from sequoia_rules.events import Chosen, Dealt, Ended, GameStarted, Revealed
from sequoia_rules.game import forced_none
from sequoia_rules.phases import Phase
from sequoia_rules.record import Chooser, read_record, replay
from sequoia_rules.values import Choice, Dice
from sequoia_server.settings import Settings
from sequoia_server.turn import Refusal

from tests.kit import FixedEntropy, LivelyEntropy
from tests.server.driver import Driver

NONE_TURNED = (0, 0, 0, 0, 0)
PLAIN: Dice = (1, 2, 3, 4, 5)
TWOS: Dice = (2, 2, 2, 2, 2)


def test_the_deal_comes_in_the_same_turn_as_the_start() -> None:
    driver = Driver()
    driver.begin(2)
    kinds = [type(event) for event in driver.events()[-2:]]
    assert kinds == [GameStarted, Dealt]
    assert driver.phase() is Phase.CHOOSING
    assert driver.entropy.drawn == ["tokens", "dice", "dice"]


def test_the_last_choice_reveals_and_deals_again_in_one_turn() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.choose(ana)
    assert driver.phase() is Phase.CHOOSING
    before = driver.room.number
    frames = len(driver.frames[ana])
    driver.choose(bo)
    assert [type(event) for event in driver.events(before)] == [Chosen, Revealed, Dealt]
    assert len(driver.frames[ana]) == frames + 1
    assert driver.views[ana].deal == 2


def test_a_choice_can_be_taken_back_until_the_last_has_chosen() -> None:
    driver = Driver(entropy=FixedEntropy(dice=[PLAIN, PLAIN]))
    ana, bo = driver.begin(2)
    driver.choose(ana)
    driver.refuse(ana, ChoosePairs((3, 7), NONE_TURNED), Code.ILLEGAL_CHOICE)
    driver.ok(ana, TakeChoiceBack())
    driver.refuse(ana, TakeChoiceBack(), Code.ILLEGAL_CHOICE)
    driver.choose(ana, Choice((3, 9)))
    driver.choose(bo, Choice((5, 6)))
    revealed = next(e for e in driver.events() if isinstance(e, Revealed))
    assert revealed.sums == ((0, (3, 9)), (1, (5, 6)))


def test_a_choice_for_an_earlier_deal_is_refused_as_such() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    for person in (ana, bo):
        driver.choose(person)
    choice = ChoosePairs((6, 7), NONE_TURNED)
    for deal in (0, 1, 3):
        driver.refuse(ana, choice, Code.STALE_DEAL, deal=deal)
        driver.refuse(ana, TakeChoiceBack(), Code.STALE_DEAL, deal=deal)


@pytest.mark.parametrize(
    ("sums", "turned", "code", "word"),
    [
        ((0, 7), NONE_TURNED, Code.INVALID_CHOICE, "0"),
        ((7, 6), NONE_TURNED, Code.INVALID_CHOICE, "ascend"),
        ((1, 7), NONE_TURNED, Code.INVALID_CHOICE, "1"),
        ((3, 9), (0, 1, 2, 3, 4), Code.INVALID_CHOICE, "0 1 2 3 4"),
        ((3, 7), (1, 2, 3, 4, 6), Code.ILLEGAL_CHOICE, "Sequoia"),
        ((2, 12), NONE_TURNED, Code.ILLEGAL_CHOICE, "2 12"),
        ((7, 0), NONE_TURNED, Code.ILLEGAL_CHOICE, "two pairs"),
        ((0, 0), NONE_TURNED, Code.ILLEGAL_CHOICE, "two pairs"),
    ],
)
def test_a_choice_against_the_rules_is_refused_with_their_sentence(
    sums: tuple[int, int], turned: Dice, code: Code, word: str
) -> None:
    driver = Driver(entropy=FixedEntropy(dice=[PLAIN]))
    ana, _ = driver.begin(2)
    text = driver.refuse(ana, ChoosePairs(sums, turned), code)
    assert word in text
    assert "(R" in text or "(C" in text


def test_a_sequoia_is_called_at_once_and_its_dice_can_be_turned() -> None:
    driver = Driver(entropy=FixedEntropy(dice=[TWOS, PLAIN]))
    ana, bo = driver.begin(2)
    game = driver.views[bo].game
    assert game is not None
    assert game.public.sequoias == (0,)
    driver.choose(ana, Choice((2, 12), (1, 1, 6, 6, 2)))
    driver.choose(bo)
    revealed = next(e for e in driver.events() if isinstance(e, Revealed))
    assert revealed.sums[0] == (0, (2, 12))


def test_bots_seal_at_moments_that_are_drawn_before_the_roll() -> None:
    driver = Driver(entropy=FixedEntropy(delays=[2.0, 1.0]))
    ana, *_ = driver.begin(1, bots=2)
    delay = "delay 0.8 2.4"
    assert driver.entropy.drawn == ["tokens", delay, delay, "dice", "dice", "dice"]
    driver.advance(0.99)
    assert driver.game is not None
    assert driver.chosen() == ()
    driver.advance(0.02)
    assert driver.chosen() == (2,)
    driver.choose(ana)
    driver.advance(0.98)
    assert driver.chosen() == (0, 2)
    driver.advance(0.02)
    assert driver.game.public.round == 2


def test_a_game_of_one_person_and_four_bots_ends_and_has_a_record() -> None:
    driver = Driver(entropy=LivelyEntropy(1, delay_scale=1.0))
    ana, *_ = driver.begin(1, bots=4)
    driver.refuse(ana, GetRecord(), Code.NO_RECORD)
    driver.play()
    answer = driver.do(ana, GetRecord())
    assert isinstance(answer, Record)
    record = read_record(answer.text)
    assert [player.kind for player in record.players] == ["person", *["bot"] * 4]
    assert set(record.choosers) <= {Chooser.PERSON, Chooser.BOT, Chooser.RULE}
    assert driver.game is not None
    assert replay(record.events) == driver.game
    assert record.players[0].name == "Ana"
    assert record.started == "2026-11-30 23:15 UTC"


def test_the_running_score_of_the_evening() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    points = {1: 0, 2: 0}
    for game in (1, 2):
        driver.play()
        (ended,) = [e for e in driver.events() if isinstance(e, Ended)][game - 1 :]
        points = {person: points[person] + dict(ended.points)[person - 1] for person in points}
        driver.ok(bo, Ready(True))
        assert not driver.playing()
        driver.ok(ana, Ready(True))
        assert driver.playing(), "the rematch starts when everybody wants it"
    scores = {score.person: score for score in driver.state.scores}
    assert {person: score.games for person, score in scores.items()} == {ana: 2, bo: 2}
    assert {person: score.points for person, score in scores.items()} == points


def test_deals_are_numbered_on_from_game_to_game() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.play()
    last = driver.views[ana].deal
    assert last >= 10
    driver.ok(ana, Ready(True))
    driver.ok(bo, Ready(True))
    assert driver.views[ana].deal == last + 1


def test_declining_the_rematch_frees_the_seat_and_lets_the_others_start() -> None:
    driver = Driver()
    ana, bo, cleo = driver.begin(3)
    driver.play()
    driver.ok(ana, Ready(True))
    driver.ok(cleo, Ready(True))
    assert not driver.playing()
    driver.ok(bo, Stand())
    assert driver.playing()
    assert [player.person for player in driver.state.players] == [ana, cleo]


def test_a_rematch_waits_for_a_second_seat() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    driver.play()
    driver.ok(ana, Ready(True))
    driver.ok(bo, LeaveRoom())
    assert not driver.playing()
    driver.ok(ana, AddBot(1))
    assert driver.playing(), "a bot is always ready"


def test_the_host_may_start_the_rematch_before_everybody_is_ready() -> None:
    driver = Driver()
    ana, _, cleo = driver.begin(3)
    driver.play()
    driver.ok(ana, Ready(True))
    driver.ok(cleo, Ready(True))
    driver.ok(ana, Start())
    assert [player.seat for player in driver.state.players] == [0, 2]


def test_bots_alone_start_no_rematch() -> None:
    driver = Driver()
    ana, *_ = driver.begin(1, bots=2)
    driver.play()
    driver.ok(ana, Stand())
    assert not driver.playing()


def test_while_a_game_runs_seats_stay_as_they_are() -> None:
    driver = Driver()
    ana, bo = driver.begin(2, bots=1)
    driver.ok(ana, AddBot(4))
    for person, request in (
        (bo, Sit(3)),
        (bo, Sit(2)),
        (bo, Stand()),
        (bo, ChooseColour(Colour.GOLD)),
        (bo, Ready(False)),
        (ana, RemoveBot(2)),
        (ana, Start()),
    ):
        driver.refuse(person, request, Code.GAME_RUNNING)
    driver.ok(bo, Chat("talking is allowed"))
    watcher = driver.enter("Cleo", watch=True)
    driver.refuse(watcher, Sit(3), Code.GAME_RUNNING)
    driver.refuse(watcher, Sit(4), Code.GAME_RUNNING)
    driver.refuse(watcher, Sit(0), Code.GAME_RUNNING)


def test_a_late_arrival_takes_over_a_bot_and_begins_with_the_next_roll() -> None:
    driver = Driver(RoomSettings(seats=4), entropy=FixedEntropy(delays=[9.0, 1.0]))
    ana, *_ = driver.begin(1, bots=2)
    driver.advance(1.5)
    dan = driver.enter("Dan")
    assert driver.seat(dan) == 1, "not the free seat: that one does not play"
    eve = driver.enter("Eve")
    for person in (dan, eve):
        game = driver.views[person].game
        assert game is not None
        assert (game.dice, game.choice) == (None, None), "what lies there is not theirs to see"
    driver.refuse(eve, TakeChoiceBack(), Code.NOT_SEATED)
    driver.refuse(dan, ChoosePairs((2, 2), (0, 0, 0, 0, 0)), Code.NOT_SEATED)
    driver.choose(ana)
    driver.advance(8)
    assert driver.game is not None
    assert driver.game.public.round == 2, "the bot has played its roll to the end"
    for person in (dan, eve, ana):
        driver.choose(person)
    assert driver.game.public.round == 3
    with pytest.raises(Refusal) as refusal:
        driver.enter("Fay")
    assert refusal.value.code == Code.GAME_RUNNING
    assert "watch" in refusal.value.text


def test_a_spectator_takes_over_a_bots_seat_and_gets_the_whole_view() -> None:
    driver = Driver()
    _, watcher = driver.begin(1, bots=2, watchers=1)
    key = driver.keys[watcher]
    answer = driver.do(watcher, Sit(1), command_id=77)
    assert driver.game is not None
    view = driver.views[watcher]
    assert view.game is not None
    assert view.game.viewer == 1
    assert driver.keys[watcher] != key
    again = driver.do(watcher, Sit(1), command_id=77)
    assert type(again) is type(answer), "the same command gets the view once more"


def test_whoever_sits_down_on_a_seat_never_sees_what_its_player_rolled_and_sealed() -> None:
    driver = Driver()
    ana, bo, watcher = driver.begin(2, watchers=1)
    driver.choose(bo)
    driver.ok(ana, Kick(bo))
    driver.do(watcher, Sit(1))
    game = driver.views[watcher].game
    assert game is not None
    assert game.viewer == 1
    assert (game.dice, game.choice) == (None, None)
    assert driver.chosen() == (1,)
    driver.choose(ana)
    driver.choose(watcher)
    driver.choose(ana)
    assert driver.game is not None
    assert driver.game.public.round == 3


def test_putting_out_a_player_in_a_game_seats_a_bot_there() -> None:
    driver = Driver()
    ana, bo = driver.begin(2)
    before = driver.room.number
    driver.ok(ana, Kick(bo))
    assert driver.game is not None
    events = driver.events(before)
    assert [type(event) for event in events] == [BotSeated, PersonLeft]
    assert events[1] == PersonLeft(bo, LeaveReason.KICKED)
    assert driver.unbound == [bo]
    driver.advance(5)
    assert driver.chosen() == (1,)
    driver.play()
    answer = driver.do(ana, GetRecord())
    assert isinstance(answer, Record)
    record = read_record(answer.text)
    assert [player.kind for player in record.players] == ["person", "person"]
    assert Chooser.STAND_IN in record.choosers


def forced_in_tiebreak(driver: Driver) -> tuple[int, ...]:
    """The seats that can place nothing in the deal that is on the table."""
    assert driver.game is not None
    return tuple(
        seat
        for seat, dice in enumerate(driver.game.rolls)
        if dice is not None and forced_none(driver.game.public, seat, dice)
    )


def tied_room(*, rolls: list[Dice], delays: list[float]) -> Driver:
    """A game in its first tie-break, in which everybody is tied, with these dice.

    Every roll of the ten rounds is the same, so that everybody plants the same trees.
    """
    entropy = FixedEntropy(dice=[PLAIN] * 20 + rolls)
    settings = Settings(bot_delay=(0.5, 0.5), forced_none_delay=(1.0, 4.0))
    driver = Driver(entropy=entropy, settings=settings)
    ana, bo = driver.begin(2)
    for _ in range(10):
        driver.choose(ana, Choice((5, 6)))
        entropy.drawn.clear()
        entropy.scripted_delays = deque(delays)
        driver.choose(bo, Choice((5, 6)))
    assert driver.phase() is Phase.TIEBREAK
    return driver


def test_none_is_chosen_for_a_person_who_can_place_nothing_at_a_moment_drawn_before() -> None:
    driver = tied_room(rolls=[(1, 1, 1, 1, 2), (1, 4, 2, 3, 6)], delays=[3.0, 2.0])
    delay = "delay 1.0 4.0"
    assert driver.entropy.drawn == [delay, delay, "dice", "dice"], "for everybody, needed or not"
    assert forced_in_tiebreak(driver) == (0,)
    assert driver.game is not None
    driver.advance(2.9)
    assert driver.chosen() == (), "who can place something is asked"
    driver.advance(0.2)
    assert driver.chosen() == (0,)
    assert driver.game.choices[0] == Choice(())


def test_who_can_place_nothing_may_say_so_before_and_take_it_back() -> None:
    driver = tied_room(rolls=[(1, 1, 1, 1, 2), (1, 4, 2, 3, 6)], delays=[3.0, 2.0, 1.5])
    assert driver.game is not None
    driver.advance(1)
    driver.choose(1, Choice(()))
    driver.ok(1, TakeChoiceBack())
    driver.advance(1.4)
    assert driver.chosen() == ()
    driver.advance(0.2)
    assert driver.chosen() == (0,), "the rule chooses again, at a new moment"


def test_a_sequoia_is_never_a_forced_none() -> None:
    driver = tied_room(rolls=[TWOS, (1, 4, 2, 3, 6)], delays=[3.0, 2.0])
    assert forced_in_tiebreak(driver) == ()
    driver.advance(10)
    assert driver.game is not None
    assert driver.chosen() == ()


def test_a_round_in_which_nobody_places_is_shown_and_the_next_begins() -> None:
    nothing: Dice = (1, 1, 1, 1, 2)
    driver = tied_room(rolls=[nothing, nothing], delays=[3.0, 2.0])
    driver.advance(3.1)
    revealed = [event for event in driver.events() if isinstance(event, Revealed)][-1]
    assert revealed.sums == ((0, ()), (1, ()))
    assert driver.game is not None
    assert driver.game.public.tiebreak == 2


def test_a_bot_that_can_place_nothing_uses_its_own_moment() -> None:
    settings = Settings(bot_delay=(0.5, 0.5), forced_none_delay=(1.0, 4.0))
    driver = Driver(settings=settings, entropy=LivelyEntropy(5, delay_scale=1.0))
    driver.begin(1, bots=2)
    for _ in range(60):
        driver.to_tiebreak()
        if set(forced_in_tiebreak(driver)) & set(driver.state.bot_seats):
            break
        if driver.options(1):
            driver.choose(1)
        driver.advance(5)
        if not driver.playing():
            driver.ok(1, Ready(True))
    assert driver.game is not None
    (bot, *_) = set(forced_in_tiebreak(driver)) & set(driver.state.bot_seats)
    driver.advance(0.6)
    assert bot in driver.chosen()


def test_in_a_tiebreak_the_bots_moment_stays_when_a_person_sits_down() -> None:
    driver = tied_room(rolls=[(1, 4, 2, 3, 6), (1, 1, 1, 1, 2)], delays=[2.0, 99.0, 2.5])
    assert driver.game is not None
    driver.ok(2, LeaveRoom())
    cleo = driver.enter("Cleo")
    assert driver.seat(cleo) == 1
    assert driver.entropy.drawn[-1] == "delay 0.5 0.5", "sitting down draws nothing"
    driver.advance(2.4)
    assert driver.chosen() == ()
    driver.advance(0.2)
    assert driver.chosen() == (1,)


def test_a_seat_left_to_a_bot_keeps_its_choice_or_gets_a_moment() -> None:
    driver = Driver(entropy=FixedEntropy(delays=[1.0]))
    ana, bo, cleo = driver.begin(3)
    driver.choose(cleo)
    driver.ok(cleo, LeaveRoom())
    assert driver.game is not None
    assert driver.entropy.drawn[-1] == "dice", "no moment for a seat that has chosen"
    assert driver.chosen() == (2,)
    driver.ok(bo, LeaveRoom())
    driver.advance(1.1)
    assert driver.chosen() == (1, 2)
    driver.choose(ana)
    assert driver.game.public.round == 2
