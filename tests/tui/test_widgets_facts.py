"""What is worked out for drawing: standings, places in lists, words cut to cells."""

import pytest
from rich.cells import cell_len
from sequoia_protocol.room import Colour
from sequoia_rules.values import Dice, pairings

from sequoia_tui.themes import ASCII, PALETTE, SEQUOIA, UNICODE, ink, plain_terminal
from sequoia_tui.widgets.facts import leaders, ordinal, place_at, ranks, standing, worth
from sequoia_tui.widgets.footer import FooterBar, KeyHint
from sequoia_tui.widgets.header import round_trip
from sequoia_tui.widgets.pairing_list import ListState, list_lines
from sequoia_tui.widgets.picker import ENTRY_KEYS, Picker
from sequoia_tui.widgets.ring import clock
from tests.tui import states


def test_a_leader_is_single_or_tied_and_nobody_leads_an_empty_forest() -> None:
    assert leaders((0, 0, 0)) == ()
    assert leaders((1, 3, 2)) == (1,)
    assert leaders((3, 1, 3)) == (0, 2)
    assert ranks((1, 3, 1)) == ((1,), (0, 2))
    assert ranks((3, 3, 1)) == ((0, 1), ())


def test_the_standing_after_a_choice_counts_its_trees() -> None:
    public = states.choosing().state.public
    assert public.row(7) == (3, 1, 1, 4, 0)
    assert standing(public, (6, 7), 0) == "6 =1st  7 =1st"
    assert standing(public, (7, 7), 0) == "7 1st"
    assert standing(public, (2, 8), 2) == "2 =1st  8 =2nd"
    assert place_at(public, 7, 4, 0) == (5, False)
    assert ordinal(5) == "5th"


def test_in_a_tie_for_second_the_best_place_is_the_second() -> None:
    public = states.scored().state.public
    tie = next(tie for tie in public.ties if not tie.for_first)
    assert place_at(public, tie.forest, tie.seats[0], 0) == (2, True)
    assert place_at(public, tie.forest, tie.seats[0], 1) == (2, False)


def test_the_hint_prefers_winning_a_forest_to_piling_up_on_one() -> None:
    public = states.choosing().state.public
    assert worth(public, (12, 12), 0) < worth(public, (6, 7), 0)


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("Bartholomew", 9, "Barthol…"),
        ("Bo", 2, "Bo"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 6, "漢字…"),
        ("Bo", 0, ""),
    ],
)
def test_names_are_cut_by_cells(text: str, width: int, cut: str) -> None:
    result = UNICODE.clip(text, width)
    assert cell_len(result) <= width
    if cut:
        assert result.startswith(cut[:2])
        assert result in (cut, text, "Bartholo…")


def test_plain_signs_stay_plain_whatever_the_name() -> None:
    assert ASCII.clean("Zoë 漢\x1b[2J") == "Zoe ??[2J"
    assert UNICODE.clean("Zoë\u202e") == "Zoë?"
    for signs in (ASCII, UNICODE):
        assert len({signs.players[colour] for colour in Colour}) == 5
    assert all(sign.isascii() for sign in ASCII.players.values())


def test_every_player_has_a_colour_of_the_theme() -> None:
    for colour in Colour:
        assert ink(colour).removeprefix("$") in PALETTE
    assert SEQUOIA.variables["pink"] == "#E76BB0"


def test_the_linux_console_gets_plain_signs() -> None:
    assert plain_terminal({"TERM": "linux"})
    assert not plain_terminal({"TERM": "xterm-256color"})


def test_the_round_trip_is_told_by_its_class() -> None:
    assert [round_trip(ms) for ms in (0, 3, 4, 5, 90, 9000)] == [
        "1 ms", "3 ms", "5 ms", "5 ms", "100 ms", "slow",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [32, 36, 40])
def test_every_roll_fits_the_list_with_its_keys(width: int) -> None:
    rolls: list[Dice] = [(1, 2, 4, 6, 3), (1, 1, 1, 1, 1), (6, 6, 5, 4, 3), (1, 2, 2, 5, 6)]
    for dice in rolls:
        ways = pairings(dice)
        lines = list_lines(ListState(ways, 0, dice), width, 5, UNICODE)
        text = "\n".join(line.plain for line in lines)
        assert len(lines) <= 5
        for key, way in zip(ENTRY_KEYS, ways, strict=False):
            assert f" {key}  {way.sums[0]}+{way.sums[1]}" in text


def test_the_forests_stand_at_their_hours() -> None:
    for width, height in ((58, 22), (72, 28), (86, 34), (106, 43), (160, 58), (77, 22)):
        slots, counter, middle = clock(width, height)
        regions = [*slots.values(), counter, middle]
        assert all(r.x >= 0 and r.right <= width for r in regions)
        assert all(r.y >= 0 and r.bottom <= height for r in regions)
        for index, one in enumerate(regions):
            assert not any(one.overlaps(other) for other in regions[index + 1 :])
        assert slots[12].y == counter.y == slots[11].y == 0
        assert slots[3].x > slots[2].x > slots[12].x > slots[10].x > slots[9].x
        assert slots[6].x == slots[12].x
        assert middle.width >= 32


def test_the_footer_gives_up_words_before_keys() -> None:
    bar = FooterBar(UNICODE)
    bar.hints = (KeyHint("a", "one"), KeyHint("b", "two"), KeyHint("Esc", "menu"))
    assert bar.draw(40, 1)[0].plain == " a one  b two  Esc menu"
    assert bar.draw(21, 1)[0].plain == " a one b two Esc menu"
    assert bar.draw(16, 1)[0].plain == " a one b two Esc"


def test_a_picker_forgets_with_every_deal() -> None:
    play = states.choosing()
    picker = Picker()
    picker.follow(play.view(0).game)
    picker.show((6, 7))
    assert picker.sums == (6, 7)
    assert not picker.follow(play.view(0).game), "the same deal again"
    assert picker.sums == (6, 7)
    later, _ = states.revealed()
    assert picker.follow(later.view(0).game)
    assert not picker.sums
