"""The game by example, paragraph by paragraph, up to the scoring."""

import pytest
from sequoia_rules.commands import Choose, StartGame, TakeBack
from sequoia_rules.errors import IllegalCommand
from sequoia_rules.events import Chosen, Dealt, Revealed
from sequoia_rules.game import (
    choices_for,
    decide,
    legal_commands,
    new_game,
)
from sequoia_rules.phases import Phase
from sequoia_rules.values import FIRST_TOKENS, FORESTS, SECOND_TOKENS, Choice, Dice, Seat, Sums
from sequoia_rules.view import redact, view_for

from tests.rules.games import (
    FOURS,
    PLAIN,
    A,
    B,
    C,
    after,
    dealt,
    owners,
    played,
    started,
    ten_rounds,
)


def test_c1_any_two_to_five_of_the_five_seats_can_play() -> None:
    for seats in ((0, 1), (1, 4), (0, 2, 3), (0, 1, 2, 3, 4)):
        public = started(*seats).public
        assert public.seats == seats
        assert [public.supply(seat) for seat in range(5)] == [
            20 if seat in seats else 0 for seat in range(5)
        ]


def test_s1_tokens_lie_face_down_on_every_forest() -> None:
    state = started(A, B)
    assert (state.first_tokens, state.second_tokens) == (FIRST_TOKENS, SECOND_TOKENS)
    for viewer in (None, A, B):
        public = view_for(state, viewer).public
        assert (public.first_tokens, public.second_tokens, public.points) == (None, None, None)


def test_r1_a_roll_is_for_its_player_alone() -> None:
    state = dealt(started(A, B), {A: PLAIN, B: FOURS})
    assert view_for(state, A).dice == PLAIN
    assert view_for(state, B).dice == FOURS
    assert view_for(state, None).dice is None
    assert view_for(state, C).dice is None


def test_r2_the_whole_table_hears_of_a_sequoia_but_not_its_value() -> None:
    for viewer in (None, A, C):
        heard = {
            redact(Dealt(1, ((A, PLAIN), (B, (face, face, face, face, face)))), viewer)
            for face in range(1, 7)
        }
        assert len(heard) == 1
    public = dealt(started(A, B), {A: PLAIN, B: FOURS}).public
    assert public.sequoias == (B,)


@pytest.mark.parametrize(
    ("sums", "turned"),
    [
        ((8, 8), None),  # none
        ((8, 9), (4, 4, 4, 5, 4)),  # some
        ((2, 12), (1, 1, 6, 6, 2)),  # all
        ((8, 8), (4, 4, 4, 4, 1)),  # one that is then left out
        ((2, 2), (1, 1, 1, 1, 1)),  # to another Sequoia
    ],
)
def test_r2_none_some_or_all_dice_of_a_sequoia_may_be_turned(
    sums: Sums, turned: Dice | None
) -> None:
    state = dealt(started(A, B), {A: FOURS, B: PLAIN})
    assert decide(state, Choose(A, sums, turned)) == (Chosen(A, Choice(sums, turned)),)
    state = after(state, Choose(A, sums, turned), Choose(B, (3, 7)))
    assert state.public.revealed == ((A, sums), (B, (3, 7)))


def test_r2_a_sequoia_turned_to_what_fell_was_not_turned() -> None:
    state = dealt(started(A, B), {A: FOURS, B: PLAIN})
    assert decide(state, Choose(A, (8, 8), FOURS)) == decide(state, Choose(A, (8, 8)))


def test_r2_a_sequoia_can_be_turned_again_until_the_reveal() -> None:
    state = dealt(started(A, B), {A: FOURS, B: PLAIN})
    state = after(state, Choose(A, (2, 12), (1, 1, 6, 6, 2)), TakeBack(A))
    state = after(state, Choose(A, (3, 12), (1, 2, 6, 6, 2)), Choose(B, (3, 7)))
    assert state.public.revealed[0] == (A, (3, 12))


def test_r2_a_sequoia_reaches_all_sums_and_each_is_offered_once() -> None:
    state = dealt(started(A, B), {A: FOURS, B: PLAIN})
    offered = [command.sums for command in legal_commands(state, A) if isinstance(command, Choose)]
    assert offered == [(low, high) for low in FORESTS for high in FORESTS if low <= high]


def test_r2_holds_in_a_tie_break_too() -> None:
    state = ten_rounds(7, {A: 2, B: 2})
    state = dealt(state, {A: FOURS, B: (5, 5, 5, 5, 5)})
    assert state.public.sequoias == (A, B)
    # As they lie the dice make 8 and 10: only who turns can plant on forest 7.
    with pytest.raises(IllegalCommand):
        decide(state, Choose(A, (7,)))
    state = after(state, Choose(A, (7,), (4, 3, 4, 4, 4)), Choose(B, ()))
    assert owners(state.public, 7) == (A, B)


def test_r3_ways_with_equal_sums_are_one_choice() -> None:
    # Either 5 goes with the 2.
    state = dealt(started(A, B), {A: (1, 6, 2, 5, 5), B: PLAIN})
    sums = [choice.sums for choice in choices_for(state.public, A, (1, 6, 2, 5, 5))]
    assert sums == sorted(set(sums))
    assert sums.count((7, 7)) == 1


def test_r4_all_pairs_are_revealed_together_with_the_last_choice() -> None:
    state = dealt(started(A, B, C), {A: PLAIN, B: PLAIN, C: PLAIN})
    state = after(state, Choose(C, (3, 7)), Choose(A, (5, 10)))
    assert state.public.chosen == (A, C)
    assert not any(map(any, state.public.trees))
    assert view_for(state, B).choice is None
    assert view_for(state, C).choice == Choice((3, 7))
    events = decide(state, Choose(B, (3, 7)))
    assert events == (
        Chosen(B, Choice((3, 7))),
        Revealed(((A, (5, 10)), (B, (3, 7)), (C, (3, 7)))),
    )
    public = after(state, Choose(B, (3, 7))).public
    assert public.row(3) == public.row(7) == (0, 1, 1, 0, 0)
    assert public.row(5) == public.row(10) == (1, 0, 0, 0, 0)
    assert [public.supply(seat) for seat in (A, B, C)] == [18, 18, 18]


def test_r4_equal_sums_plant_both_trees_on_one_forest() -> None:
    public = played(started(A, B), {A: (7, 7), B: (2, 12)}).public
    assert public.row(7) == (2, 0, 0, 0, 0)


def test_r5_a_choice_can_be_taken_back_until_the_last_player_has_chosen() -> None:
    state = dealt(started(A, B), {A: PLAIN, B: PLAIN})
    state = after(state, Choose(A, (3, 7)))
    assert legal_commands(state, A) == (TakeBack(A),)
    state = after(state, TakeBack(A))
    assert state.public.chosen == ()
    assert view_for(state, A).choice is None
    state = after(state, Choose(A, (5, 10)), Choose(B, (3, 7)))
    assert state.public.revealed == ((A, (5, 10)), (B, (3, 7)))
    with pytest.raises(IllegalCommand):
        decide(state, TakeBack(A))


def test_r5_who_is_awaited_alone_after_a_take_back_ends_the_round() -> None:
    state = dealt(started(A, B, C), {A: PLAIN, B: PLAIN, C: PLAIN})
    state = after(state, Choose(A, (3, 7)), Choose(B, (3, 7)), TakeBack(A), Choose(C, (3, 7)))
    assert state.public.awaited == (A,)
    state = after(state, Choose(A, (5, 10)))
    assert state.public.phase is Phase.REVEALED


def test_r5_holds_in_a_tie_break_too() -> None:
    state = dealt(ten_rounds(7, {A: 2, B: 2}), {A: PLAIN, B: PLAIN})
    state = after(state, Choose(A, ()), TakeBack(A), Choose(A, (7,)), Choose(B, ()))
    assert owners(state.public, 7) == (A, B)


def test_r6_nothing_is_scored_before_ten_rounds_are_played() -> None:
    state = started(A, B)
    for number in range(1, 10):
        state = played(state, {A: (6, 7), B: (8, 9)})
        assert (state.public.phase, state.public.round) == (Phase.REVEALED, number)
        assert not any(seat is not None for seat in state.public.first_owners)
    state = played(state, {A: (6, 7), B: (8, 9)})
    assert state.public.round == 10
    assert [state.public.supply(seat) for seat in (A, B)] == [0, 0]
    assert [owners(state.public, forest) for forest in (6, 7, 8, 9)] == [
        (A, None), (A, None), (B, None), (B, None),
    ]  # fmt: skip


def test_deals_are_counted_on_from_the_room_s_last() -> None:
    state = after(new_game(), StartGame((A, B), FIRST_TOKENS, SECOND_TOKENS, deal=37))
    state = dealt(state, {A: PLAIN, B: PLAIN})
    assert (state.public.deal, state.public.round) == (38, 1)


@pytest.mark.parametrize("seat", [-1, 5])
def test_there_is_no_view_for_a_seat_that_there_is_not(seat: Seat) -> None:
    # -1 would be a way into the last seat's hand.
    state = dealt(started(0, 4), {0: PLAIN, 4: FOURS})
    with pytest.raises(ValueError, match=f"no seat {seat}"):
        view_for(state, seat)
    assert legal_commands(state, seat) == ()
