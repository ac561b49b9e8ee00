"""Coming in, sitting down, standing up, hosting, putting out: between games."""

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
    ListRooms,
    Pause,
    Ready,
    RemoveBot,
    Sit,
    Stand,
    Start,
    TakeChoiceBack,
)
from sequoia_protocol.room import (
    BotSeated,
    Colour,
    HostChanged,
    LeaveReason,
    PersonEntered,
    PersonLeft,
    RoomSettings,
    SeatTaken,
)
from sequoia_server.settings import Settings
from sequoia_server.turn import Refusal

from tests.server.driver import Driver


def refused_entry(driver: Driver, name: str, *, watch: bool = False) -> Refusal:
    before = driver.room.number
    with pytest.raises(Refusal) as refusal:
        driver.enter(name, watch=watch)
    assert driver.room.number == before
    return refusal.value


def test_the_first_person_sits_on_the_first_seat_and_hosts() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    assert driver.state.host == ana
    assert driver.seat(ana) == 0
    assert driver.entries[0].event == PersonEntered(ana, "Ana")
    assert driver.entries[1].event == SeatTaken(0, ana, Colour.PINK)
    assert driver.entries[2].event == HostChanged(ana)


def test_the_next_person_takes_the_first_free_seat_and_colour() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    assert driver.seat(bo) == 1
    assert driver.state.seats[1] is not None
    assert driver.state.seats[1].colour == Colour.GREEN
    assert driver.state.host == ana


def test_without_a_free_seat_a_newcomer_takes_the_first_bots_seat_in_its_colour() -> None:
    driver = Driver(RoomSettings(seats=2))
    ana = driver.enter("Ana")
    driver.ok(ana, AddBot(1))
    bo = driver.enter("Bo")
    assert driver.seat(bo) == 1
    assert driver.state.seats[1] is not None
    assert driver.state.seats[1].colour == Colour.GREEN
    assert driver.state.bot_seats == ()


def test_a_full_room_says_so_and_offers_to_watch_where_that_is_allowed() -> None:
    driver = Driver(RoomSettings(seats=2))
    driver.enter("Ana")
    driver.enter("Bo")
    refusal = refused_entry(driver, "Cleo")
    assert refusal.code == Code.ROOM_FULL
    assert "watch" in refusal.text
    cleo = driver.enter("Cleo", watch=True)
    assert driver.state.seat_of(cleo) is None

    closed = Driver(RoomSettings(seats=2, spectators=False))
    closed.enter("Ana")
    closed.enter("Bo")
    assert "watch" not in refused_entry(closed, "Cleo").text
    assert refused_entry(closed, "Cleo", watch=True).code == Code.NO_SPECTATORS


def test_a_private_room_tells_a_stranger_nothing() -> None:
    driver = Driver(RoomSettings(public=False, seats=2, spectators=False))
    driver.enter("Ana")
    driver.enter("Bo")
    full, forbidden = refused_entry(driver, "Cleo"), refused_entry(driver, "Cleo", watch=True)
    assert full.code == forbidden.code == Code.NO_SUCH_ROOM
    assert full.text == forbidden.text
    assert refused_entry(driver, "Ana").text == full.text


@pytest.mark.parametrize("name", ["Ana", "ANA", "ana"])
def test_a_name_is_there_once(name: str) -> None:
    driver = Driver()
    driver.enter("Ana")
    assert refused_entry(driver, name).code == Code.NAME_TAKEN
    assert refused_entry(driver, name, watch=True).code == Code.NAME_TAKEN


def test_a_bots_name_counts_and_a_bot_takes_a_free_one() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.enter("hazel", watch=True)
    driver.ok(ana, AddBot(1))
    assert driver.entries[-1].event == BotSeated(1, "Rowan", Colour.GREEN)
    assert refused_entry(driver, "rowan").code == Code.NAME_TAKEN


def test_sitting_down_elsewhere_keeps_the_colour_and_frees_the_seat_before() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.ok(ana, Ready(True))
    driver.ok(ana, Sit(3))
    assert driver.seat(ana) == 3
    assert driver.state.free_seats == (0, 1, 2, 4)
    seated = driver.state.seats[3]
    assert seated is not None
    assert (seated.colour, seated.ready) == (Colour.PINK, False)
    assert driver.ok(ana, Sit(3)).number == driver.room.number, "the own seat changes nothing"


def test_sitting_down_on_a_bots_seat_makes_it_go() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    watcher = driver.enter("Bo", watch=True)
    driver.ok(ana, AddBot(1))
    driver.ok(ana, ChooseColour(Colour.GOLD))
    driver.ok(watcher, Sit(1))
    assert driver.state.bot_seats == ()
    seated = driver.state.seats[1]
    assert seated is not None
    assert (seated.person, seated.colour) == (watcher, Colour.GREEN)


def test_seats_that_are_taken_or_not_there_are_refused() -> None:
    driver = Driver(RoomSettings(seats=3))
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.refuse(bo, Sit(0), Code.SEAT_TAKEN)
    driver.refuse(bo, Sit(3), Code.SEAT_TAKEN)
    driver.refuse(ana, AddBot(1), Code.SEAT_TAKEN)
    driver.refuse(ana, AddBot(4), Code.SEAT_TAKEN)


def test_a_spectator_can_take_a_free_seat() -> None:
    driver = Driver()
    driver.enter("Ana")
    bo = driver.enter("Bo", watch=True)
    driver.ok(bo, Sit(4))
    seated = driver.state.seats[4]
    assert seated is not None
    assert (seated.person, seated.colour, seated.ready) == (bo, Colour.GREEN, False)


def test_standing_up_frees_the_seat() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.ok(ana, Stand())
    assert driver.state.seats[0] is None
    driver.refuse(ana, Stand(), Code.NOT_SEATED)
    driver.refuse(ana, Ready(True), Code.NOT_SEATED)
    driver.refuse(ana, ChooseColour(Colour.BLUE), Code.NOT_SEATED)


def test_colours_are_there_once() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.refuse(bo, ChooseColour(Colour.PINK), Code.COLOUR_TAKEN)
    driver.ok(bo, ChooseColour(Colour.GOLD))
    driver.ok(ana, ChooseColour(Colour.GREEN))
    driver.ok(ana, ChooseColour(Colour.GREEN))
    assert driver.state.free_colours == (Colour.PINK, Colour.BLUE, Colour.GREY)


def test_only_the_host_seats_bots_and_starts_and_puts_out() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.ok(ana, AddBot(2))
    for request in (AddBot(3), RemoveBot(2), Start(), Kick(ana)):
        driver.refuse(bo, request, Code.NOT_HOST)


def test_bots_come_and_go() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    for seat in (1, 2, 3, 4):
        driver.ok(ana, AddBot(seat))
    names = [seated.name for seated in driver.state.seats if seated is not None]
    assert len(set(names)) == 5
    driver.ok(ana, RemoveBot(2))
    assert driver.state.bot_seats == (1, 3, 4)
    driver.refuse(ana, RemoveBot(2), Code.NOT_A_BOT)
    driver.refuse(ana, RemoveBot(0), Code.NOT_A_BOT)


def test_a_start_needs_two_seats_that_are_ready() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    bo = driver.enter("Bo")
    driver.refuse(ana, Start(), Code.TOO_FEW_READY)
    driver.ok(ana, Ready(True))
    driver.refuse(ana, Start(), Code.TOO_FEW_READY)
    driver.ok(bo, Ready(True))
    driver.ok(bo, Ready(True))
    driver.ok(bo, Ready(False))
    driver.refuse(ana, Start(), Code.TOO_FEW_READY)
    driver.ok(ana, AddBot(2))
    assert not driver.playing(), "the first game never starts by itself"
    driver.ok(ana, Start())
    assert driver.playing()


def test_who_is_not_ready_stays_seated_and_watches() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    bo = driver.enter("Bo")
    driver.ok(ana, AddBot(2))
    driver.ok(ana, Ready(True))
    driver.ok(ana, Start())
    assert [player.seat for player in driver.state.players] == [0, 2]
    assert driver.seat(bo) == 1
    game = driver.views[bo].game
    assert game is not None
    assert game.viewer is None
    driver.refuse(bo, ChoosePairs((6, 7), (0, 0, 0, 0, 0)), Code.NOT_SEATED)


def test_a_chat_line_is_cleaned_and_stamped() -> None:
    driver = Driver()
    driver.enter("Ana")
    bo = driver.enter("Bo", watch=True)
    driver.ok(bo, Chat("  well \u00a0 played "))
    assert [(line.name, line.text) for line in driver.state.chat] == [("Bo", "well played")]
    driver.refuse(bo, Chat("\x1b[2J"), Code.BAD_TEXT)
    driver.refuse(bo, Chat(" "), Code.BAD_TEXT)


def test_when_the_host_leaves_the_next_one_hosts_and_can_start() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    watcher = driver.enter("Bo", watch=True)
    cleo, dan = driver.enter("Cleo"), driver.enter("Dan")
    driver.ok(cleo, Ready(True))
    driver.ok(dan, Ready(True))
    driver.ok(ana, LeaveRoom())
    assert driver.unbound == [ana]
    assert driver.state.host == cleo, "who sits comes before who came earlier"
    assert driver.events()[-2:] == [PersonLeft(ana, LeaveReason.LEFT), HostChanged(cleo)]
    driver.refuse(watcher, Start(), Code.NOT_HOST)
    driver.ok(cleo, Start())
    assert driver.playing()


def test_who_leaves_gets_the_answer_and_no_event_any_more() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    before = len(driver.seen[bo])
    driver.ok(bo, LeaveRoom())
    assert len(driver.seen[bo]) == before
    assert driver.seen[ana][-1] == PersonLeft(bo, LeaveReason.LEFT)
    assert driver.state.seats[1] is None


def test_an_away_host_is_no_heir_and_a_lonely_room_gets_a_host_with_the_next_person() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.lose(bo)
    driver.ok(ana, LeaveRoom())
    assert driver.state.host is None, "nobody is there"
    cleo = driver.enter("Cleo", watch=True)
    assert driver.state.host == cleo


def test_putting_somebody_out() -> None:
    driver = Driver()
    ana, bo = driver.enter("Ana"), driver.enter("Bo")
    driver.refuse(ana, Kick(ana), Code.NO_SUCH_PERSON)
    driver.refuse(ana, Kick(99), Code.NO_SUCH_PERSON)
    driver.ok(ana, Kick(bo))
    assert driver.unbound == [bo]
    assert driver.seen[bo][-1] == PersonLeft(bo, LeaveReason.KICKED), "they are told why"
    assert driver.state.person(bo) is None
    with pytest.raises(Refusal, match="cannot be taken back"):
        driver.resume(bo)
    assert driver.seat(driver.enter("Bo")) == 1, "ids are never used again, names are"
    assert driver.state.people[-1].id == 3


def test_what_needs_a_game_is_refused_without_one() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    driver.refuse(ana, ChoosePairs((6, 7), (0, 0, 0, 0, 0)), Code.NO_GAME)
    driver.refuse(ana, TakeChoiceBack(), Code.NO_GAME)
    driver.refuse(ana, Pause(True), Code.NO_GAME)
    driver.refuse(ana, GetRecord(), Code.NO_RECORD)
    driver.refuse(ana, ListRooms(), Code.IN_A_ROOM)


def test_the_same_command_twice_has_one_effect_and_one_answer() -> None:
    driver = Driver()
    ana = driver.enter("Ana")
    first = driver.do(ana, Chat("hello"), command_id=70)
    driver.ok(ana, Chat("something else"))
    assert driver.do(ana, Chat("hello"), command_id=70) == first
    assert [line.text for line in driver.state.chat] == ["hello", "something else"]
    refused = driver.do(ana, Start(), command_id=71)
    driver.ok(ana, Ready(True))
    driver.ok(ana, AddBot(1))
    assert driver.do(ana, Start(), command_id=71) == refused
    assert not driver.playing()


def test_only_the_last_answers_are_kept() -> None:
    driver = Driver(settings=Settings(answers_kept=3))
    ana = driver.enter("Ana")
    for number in (50, 51, 52, 53):
        driver.do(ana, Chat("hello"), command_id=number)
    driver.do(ana, Chat("hello"), command_id=51)
    assert len(driver.state.chat) == 4
    driver.do(ana, Chat("hello"), command_id=50)
    assert len(driver.state.chat) == 5
