"""How a room changes, as every client sees it."""

import pytest
from sequoia_protocol.room import (
    CHAT_LINES,
    AnySeenEvent,
    BotSeated,
    Chatted,
    ClockChosen,
    Colour,
    GameContinued,
    GamePaused,
    HostChanged,
    LeaveReason,
    PauseWanted,
    PersonEntered,
    PersonLeft,
    ReadyChanged,
    RoomSettings,
    RoomState,
    RoomView,
    Score,
    SeatFreed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
    advance,
    fold,
)
from sequoia_rules.events import ChosenSeen, DealtSeen, Ended, GameStartedSeen
from sequoia_rules.phases import Phase
from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS, Choice
from sequoia_rules.view import GameView


def room_of(*events: AnySeenEvent) -> RoomState:
    state = RoomState("K7QM", RoomSettings(seats=3))
    for event in (
        PersonEntered(1, "Ana"),
        HostChanged(1),
        SeatTaken(0, 1, Colour.PINK),
        PersonEntered(2, "Bo"),
        SeatTaken(1, 2, Colour.BLUE),
        *events,
    ):
        state = advance(state, event)
    return state


def names(state: RoomState) -> list[str | None]:
    return [None if seated is None else seated.name for seated in state.seats]


def test_seats_fill_and_empty() -> None:
    state = room_of()
    assert names(state) == ["Ana", "Bo", None, None, None]
    assert state.free_seats == (2,)
    assert state.free_colours == (Colour.GREEN, Colour.GREY, Colour.GOLD)
    assert names(advance(state, SeatFreed(0))) == [None, "Bo", None, None, None]


def test_who_moves_to_another_seat_leaves_the_old_one() -> None:
    assert names(room_of(SeatTaken(2, 1, Colour.PINK))) == [None, "Bo", "Ana", None, None]


def test_who_leaves_takes_nothing_along() -> None:
    state = room_of(PersonLeft(1, LeaveReason.LEFT))
    assert names(state) == [None, "Bo", None, None, None]
    assert state.host is None
    assert state.person(1) is None


def test_a_bot_is_ready_and_a_person_is_asked() -> None:
    state = room_of(BotSeated(2, "Robin", Colour.GOLD), ReadyChanged(1, ready=True))
    assert state.ready_seats == (1, 2)
    assert state.bot_seats == (2,)


def test_only_the_last_lines_of_talk_are_kept() -> None:
    state = room_of(*(Chatted(1, "Ana", str(line)) for line in range(CHAT_LINES + 5)))
    assert [line.text for line in state.chat] == [str(n) for n in range(5, CHAT_LINES + 5)]


def ended(*points: tuple[int, int]) -> Ended:
    return Ended(FIRST_TOKENS, SECOND_TOKENS, points)


def test_the_evenings_score_adds_up_and_everybody_is_asked_again() -> None:
    game = (GameStartedSeen((0, 1), 0), ended((0, 20), (1, 30)))
    again = (GameStartedSeen((0, 1), 30), ended((0, 25), (1, 25)))
    state = room_of(ReadyChanged(0, ready=True), *game, *again)
    assert state.scores == (Score("Ana", 1, 2, 1, 45), Score("Bo", 2, 2, 2, 55))
    assert not state.playing
    assert state.ready_seats == ()


def test_the_players_of_a_game_stay_on_its_score_sheet_when_they_leave() -> None:
    state = room_of(
        GameStartedSeen((0, 1), 0), ended((0, 20), (1, 30)), PersonLeft(2, LeaveReason.LEFT)
    )
    player = state.player(1)
    assert player is not None
    assert player.name == "Bo"


def test_a_bot_that_takes_over_is_on_the_score_sheet() -> None:
    state = room_of(
        GameStartedSeen((0, 1), 0),
        BotSeated(1, "Robin", Colour.BLUE),
        ended((0, 20), (1, 30)),
    )
    assert [(score.name, score.person) for score in state.scores] == [("Ana", 1), ("Robin", None)]


def test_a_view_follows_its_own_seat_alone() -> None:
    view = RoomView(1, 5, room_of(), None)
    for event in (
        GameStartedSeen((0, 1), 0),
        DealtSeen(1, (0, 1), (), (1, 2, 3, 4, 5)),
        ChosenSeen(1, None),
        ChosenSeen(0, Choice((3, 7))),
    ):
        view = fold(view, event)
    assert view.number == 9
    assert view.game is not None
    assert view.game.public.phase is Phase.CHOOSING
    assert view.game.dice == (1, 2, 3, 4, 5)
    assert view.game.choice == Choice((3, 7))
    handed_over = fold(view, BotSeated(0, "Robin", Colour.PINK))
    assert handed_over.game is not None
    assert handed_over.game.viewer is None
    assert handed_over.game.dice is None


def test_a_bot_that_sits_down_after_a_game_leaves_its_player_the_game() -> None:
    view = RoomView(1, 5, room_of(), GameView(viewer=0))
    for event in (SeatFreed(0), BotSeated(0, "Robin", Colour.PINK)):
        view = fold(view, event)
    assert view.game is not None
    assert view.game.viewer == 0


def test_a_clock_a_stand_in_and_a_pause_are_seen_by_all() -> None:
    state = room_of(ClockChosen(15), GameStartedSeen((0, 1), 0), StandInSeated(1))
    assert state.settings.clock == 15
    assert state.stand_in_seats == (1,)
    player = state.player(1)
    assert player is not None
    assert (player.stand_in, player.person) == (True, 2)
    state = advance(state, StandInLeft(1))
    assert state.stand_in_seats == ()
    for event in (PauseWanted(2, wanted=True), PauseWanted(1, wanted=True)):
        state = advance(state, event)
    assert state.pause_wanted == (1, 2)
    assert advance(state, PauseWanted(1, wanted=False)).pause_wanted == (2,)
    paused = advance(state, GamePaused())
    assert (paused.paused, paused.pause_wanted) == (True, ())
    assert not advance(paused, GameContinued(1)).paused
    over = advance(advance(paused, StandInSeated(0)), ended((0, 1), (1, 2)))
    assert (over.paused, over.stand_in_seats) == (False, ())


def test_who_sits_but_does_not_play_this_game_only_watches() -> None:
    view = fold(
        RoomView(1, 5, room_of(BotSeated(2, "Robin", Colour.GOLD)), None),
        GameStartedSeen((1, 2), 0),
    )
    assert view.game is not None
    assert view.game.viewer is None


def test_a_game_event_without_a_game_is_refused() -> None:
    with pytest.raises(ValueError, match="before any game"):
        fold(RoomView(1, 5, room_of(), None), ended((0, 1), (1, 2)))
