"""A record: one whole game as text, and back to the very same game."""

import contextlib
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pytest
import sequoia_rules.record
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sequoia_rules.commands import Choose, Command, Deal, StartGame, TakeBack
from sequoia_rules.events import Chosen, Ended, Event, Revealed, Scored, TakenBack
from sequoia_rules.game import decide, forced_none, new_game
from sequoia_rules.notation import UNSAFE, event_of, line_of
from sequoia_rules.phases import Phase
from sequoia_rules.record import (
    Chooser,
    GameRecord,
    RecordError,
    RecordPlayer,
    Section,
    check_record,
    read_record,
    replay,
    write_record,
)
from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS, Seat

from tests.rules.games import (
    FOURS,
    PLAIN,
    A,
    B,
    Plan,
    follow,
    moments,
    plans,
    play,
    record_of,
    roll_of,
)

# A game of two, as the first version wrote it: what was once written has to be read for good.
TEXT = Path(__file__).with_name("small_game.txt").read_text("utf-8")
LINES = TEXT.split("\n")
FIRST_EVENT = LINES.index("[events]") + 1
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\ufeff]")


@cache
def small() -> GameRecord:
    return read_record(TEXT)


def refusal(text: str) -> RecordError:
    with pytest.raises(RecordError) as caught:
        read_record(text)
    assert caught.value.line is not None
    assert str(caught.value) == f"line {caught.value.line}: {caught.value.reason}"
    return caught.value


def with_line(index: int, line: str) -> str:
    """The text with another line, and the check sum that belongs to it: a careful forger's."""
    return summed("\n".join([*LINES[:index], line, *LINES[index + 1 :]]))


def summed(text: str) -> str:
    body = text[: text.index("\n[check]\n")]
    return f"{body}\n[check]\nsha256 {sha256(body.encode()).hexdigest()}\n"


def altered(line: str) -> list[str]:
    """The line with each of its digits made another, one at a time."""
    return [
        f"{line[:at]}{(int(digit) + 1) % 10}{line[at + 1 :]}"
        for at, digit in enumerate(line)
        if digit in "0123456789"
    ]


@settings(max_examples=500)
@given(plans)
def test_a_record_is_read_back_to_the_same_game(plan: Plan) -> None:
    game = play(plan)
    record = record_of(game)
    text = write_record(record)
    # What is written depends on the record alone: it would be written the same again.
    assert read_record(text) == record
    assert record.events == game.events


texts = st.text(max_size=20) | st.sampled_from(
    ['"', "\\", "#", "=", "\n", "\r\n[check]\n", '" "', "\u202e", "\x1b[31m", "\x00", "Zoë", "🌲"]
)


@settings(max_examples=500)
@given(texts, texts, texts, texts, texts)
@example('"#=', "\n[events]\n", "\u2028", "\U000e0041", "\ufeff")
def test_no_text_can_break_the_form(
    game_id: str, started: str, name: str, colour: str, kind: str
) -> None:
    record = replace(
        small(),
        game_id=game_id,
        started=started,
        players=tuple(RecordPlayer(seat, name, colour, kind) for seat in (0, 2)),
    )
    text = write_record(record)
    assert read_record(text) == record
    assert len(text.split("\n")) == len(LINES)
    assert not UNSEEN.search(text)


@settings(max_examples=100)
@given(st.lists(texts))
@example(["secret 831e", "seat 0 c32a", '# any = "line"'])
def test_further_sections_are_kept_as_they_are(lines: list[str]) -> None:
    lines = [f"| {UNSAFE.sub('', line)}" for line in lines]
    sections = (Section("evidence", tuple(lines)), Section("what comes later", ("x = 1",)))
    record = replace(small(), sections=sections)
    text = write_record(record)
    assert "\n".join(["", "[evidence]", *lines, "", "[what comes later]", "x = 1", ""]) in text
    assert read_record(text) == record


@pytest.mark.parametrize("line", ["", "[evidence]", "a\nb", "a\r", "\x1b[2J", "\u202eb", "\ud800"])
def test_a_line_of_a_section_cannot_break_the_form(line: str) -> None:
    sections = (Section("evidence", ("secret 831e", line)),)
    with pytest.raises(RecordError, match=r"cannot be a line of \[evidence\]"):
        write_record(replace(small(), sections=sections))


def test_it_can_be_read_by_a_person() -> None:
    state = new_game()
    events: list[Event] = []
    script: list[Command] = [StartGame((A, B), FIRST_TOKENS, SECOND_TOKENS, deal=7)]
    script += [Deal(((A, PLAIN), (B, FOURS))), Choose(B, (7, 8), (1, 6, 4, 4, 4)), TakeBack(B)]
    script += [Choose(A, (3, 7)), Choose(B, (8, 8))]
    for _ in range(9):
        script += [Deal(((A, PLAIN), (B, PLAIN))), Choose(A, (3, 7)), Choose(B, (3, 7))]
    for command in script:
        decided = decide(state, command)
        events += decided
        state = follow(decided, state)
    record = GameRecord(
        "c3aa7655",
        "2026-11-30 23:15 UTC",
        (RecordPlayer(A, 'Anna "#1"', "pink", "person"), RecordPlayer(B, "Bo", "gold", "bot")),
        tuple(events),
        (Chooser.BOT, Chooser.PERSON, Chooser.BOT, *[Chooser.BOT, Chooser.STAND_IN] * 9),
    )
    assert write_record(record).startswith(
        """\
Sequoia record 1

[game]
id "c3aa7655"
started "2026-11-30 23:15 UTC"
seat 0 "Anna \\"#1\\"" "pink" "person"
seat 1 "Bo" "gold" "bot"

[events]
start: seats 0 1, first 2 3 3 3 4 4 4 5 5 5 6, second 1 1 1 1 1 1 1 1 1 1 2, after deal 7
round 1 (deal 8): 0 12346, 1 44444
1 turns to 16444 and chooses 7 8 (bot)
1 takes back
0 chooses 3 7 (person)
1 chooses 8 8 (bot)
reveal: 0 3 7, 1 8 8
round 2 (deal 9): 0 12346, 1 12346
"""
    )
    assert "\nround 10 (deal 17): " in write_record(record)


def test_the_documentation_shows_true_lines() -> None:
    example_text = sequoia_rules.record.__doc__ or ""
    shown = [line.strip() for line in example_text.split("[events]\n")[1].split("\n")]
    lines = [re.sub(r" \([a-z-]+\)$", "", line) for line in shown[: shown.index("")]]
    for line in lines:
        if line != "...":
            dealt = 10 if line.startswith("tie") else 0
            assert line_of(event_of(line), dealt=dealt) == line


def test_it_is_small() -> None:
    # Five players, as chance has it.
    chance = [Plan((0, 1, 2, 3, 4), seed, 0, 0, 0, 0) for seed in range(40)]
    sizes = sorted(len(write_record(record_of(play(plan)))) for plan in chance)
    assert sizes[20] < 6_000
    assert sizes[-1] < 10_000


def test_what_was_once_written_is_written_the_same_still() -> None:
    assert write_record(small()) == TEXT
    assert {type(event) for event in small().events} == set(get_args(Event))
    assert replay(small().events).public.points == ((0, 24), (2, 21))


def test_lines_may_end_as_windows_ends_them() -> None:
    assert read_record(TEXT.replace("\n", "\r\n")) == small()


def test_no_digit_can_be_altered() -> None:
    for index, line in enumerate(LINES):
        for other in altered(line):
            refusal("\n".join([*LINES[:index], other, *LINES[index + 1 :]]))


def test_no_line_can_be_left_out_doubled_or_moved() -> None:
    for index in range(len(LINES)):
        refusal("\n".join([*LINES[:index], *LINES[index + 1 :]]))
        refusal("\n".join([*LINES[:index], LINES[index], *LINES[index:]]))
    for index in range(len(LINES) - 1):
        if LINES[index] != LINES[index + 1]:
            refusal(
                "\n".join([*LINES[:index], *LINES[index : index + 2][::-1], *LINES[index + 2 :]])
            )


@pytest.mark.parametrize("kind", [Revealed, Scored, Ended])
def test_what_follows_from_the_choices_cannot_be_forged(kind: type[Event]) -> None:
    found = [i for i, event in enumerate(small().events) if isinstance(event, kind)]
    assert found
    for event in found:
        index = FIRST_EVENT + event
        for line in altered(LINES[index]):
            error = refusal(with_line(index, line))
            assert (error.line, error.event) == (index + 1, event)
            assert error.reason == (
                f"'{line}' does not follow from what was chosen: it has to be '{LINES[index]}'"
            )


def test_a_name_can_be_forged_only_with_the_check_sum() -> None:
    index = LINES.index('seat 0 "Player 0" "gold" "person"')
    line = LINES[index].replace("Player", "Slayer")
    error = refusal(TEXT.replace(LINES[index], line))
    assert (error.line, error.reason) == (
        len(LINES) - 1,
        "the check sum is another: the record was altered",
    )
    assert read_record(with_line(index, line)).players[0].name == "Slayer 0"


@pytest.mark.parametrize(
    ("pattern", "replacement", "reason"),
    [
        ("^Sequoia record 1$", "Sequoia record 2", "of version 2, and only version 1 can be read"),
        ("^Sequoia record 1$", "Chess record 1", "a record begins with 'Sequoia record 1'"),
        ("^id .*$", "id c3aa", "begins with the lines 'id' and 'started'"),
        ("^started .*\n", "", "begins with the lines 'id' and 'started'"),
        (r'"Player 0"', r'"\\x"', "is not a text in quotes"),
        (r'"Player 0"', r'"\\ud800"', "holds half a character"),
        (r'"Player 0"', r'"\\u0041"', "has to be written as"),
        ('^seat 2 "', 'seat 3 "', r"the players sit in \(0, 3\), but \(0, 2\) play"),
        ('^seat 2 "', "seat two", "is no player"),
        (r"\(deal ", "(deal 9", "does not follow from what was chosen"),
        ("^round 2 ", "round 3 ", "has to be written as 'round 2 "),
        ("^tie-break 1 ", "round 11 ", "has to be written as 'tie-break 1 "),
        ("^(round 1 .*: 0 )[0-9]{5}", r"\g<1>12347", r"1 2 3 4 7 are not five dice \(R1\)"),
        ("^(round 1 .*: 0 )[0-9]{5}", r"\g<1>1234", "is no roll of a seat"),
        (" (chooses [0-9]+ [0-9]+) .*$", r" \1", "has to say who chose"),
        (" takes back$", " takes back (bot)", "has to say who chose, or nobody did"),
        (r"\(stand-in\)$", "(nobody)", "is no event"),
        ("^reveal: ", "reveal ", "is no event"),
        ("^reveal: 0 .*$", "reveal: nobody", "is no choice of a seat"),
        ("^reveal: .*$", "0 takes back", "'0 takes back' does not follow"),
        ("^0 chooses .*$", "0 takes back", r"seat 0 has no sealed choice \(R5\)"),
        ("^score: .*$", "score: nothing", "is nothing that scoring decides"),
        ("points .*$", "points many", "is no total of a seat"),
        ("^start: .*\n", "", "is against the rules: no roll is due in phase setup"),
        ("^end: .*\n", "", "the game breaks off; 'end: "),
        (r"\[events\]", "[deeds]", "a record has the sections"),
        ("^sha256 .*\n", "", "a record has the sections"),
        ("\n\n\\[events", "\n[events", "a record has the sections"),
        (r"^id", "\x1b[31mid", "U\\+001B has no place in a record"),
        (r"\Z", "\n", "an empty line and a \\[section\\] have to stand"),
        (r"\n\Z", "", "the last line does not end"),
        (r"^(\[events\])", r"[evidence]\nx\n\n\1", "a record has the sections"),
        (r"^(\[check\])", r"[game]\nx\n\n\1", 'can be called "game"'),
    ],
)
def test_a_broken_record_is_refused_with_a_sentence(
    pattern: str, replacement: str, reason: str
) -> None:
    text, count = re.subn(pattern, replacement, TEXT, count=1, flags=re.MULTILINE)
    assert count == 1
    error = refusal(text)
    assert re.search(reason, error.reason), error.reason


@pytest.mark.parametrize("text", ["", "\n", "Sequoia record 1", "Sequoia record 1\n", TEXT[:-1]])
def test_a_piece_of_a_record_is_refused(text: str) -> None:
    refusal(text)


fragments = st.lists(
    st.sampled_from([*LINES, "[evidence]", "0 takes back", "end: first 1, second 1, points 0 has"])
    | st.text(max_size=10),
    max_size=30,
).map("\n".join)
cuts = st.tuples(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=5)).map(
    lambda cut: TEXT[: cut[0]] + cut[2] + TEXT[cut[0] + cut[1] :]
)
numbers = st.tuples(st.sampled_from([*re.finditer("[0-9]+", TEXT)]), st.integers(0, 10**12)).map(
    lambda found: f"{TEXT[: found[0].start()]}{found[1]}{TEXT[found[0].end() :]}"
)
summed_numbers = numbers.filter(lambda text: "\n[check]\n" in text).map(summed)


@settings(max_examples=1000)
@given(st.text() | fragments | cuts | numbers | summed_numbers)
@example("Sequoia record 1\n\n[game]\n")
@example(TEXT.replace("after deal ", "after deal " + "9" * 5000))
@example(TEXT.replace("Player", "\ud800"))
def test_whatever_is_read_is_a_record_or_a_record_error(text: str) -> None:
    record = read_or_none(text)
    if record is not None:
        assert write_record(record) == text.replace("\r\n", "\n")
        assert replay(record.events).public.phase is Phase.OVER


def read_or_none(text: str) -> GameRecord | None:
    """Read a record. Any other error than a RecordError with a line comes through."""
    with contextlib.suppress(RecordError):
        return read_record(text)
    refusal(text)
    return None


def test_only_a_finished_game_has_a_record() -> None:
    events = small().events
    for done in range(len(events)):
        choices = sum(isinstance(event, Chosen) for event in events[:done])
        unfinished = replace(small(), events=events[:done], choosers=small().choosers[:choices])
        follows = isinstance(events[done], Revealed | Scored | Ended)
        reason = "the game breaks off; '" if follows else "the game is not over yet"
        with pytest.raises(RecordError, match=f"event {done}: {reason}"):
            write_record(unfinished)


def test_every_event_has_to_be_what_the_rules_decide() -> None:
    for index, event in enumerate(small().events):
        for wrong in (TakenBack(4), Revealed(()), Scored((), ()), Ended((), (), ())):
            if wrong != event:
                events = (*small().events[:index], wrong, *small().events[index + 1 :])
                with pytest.raises(RecordError) as caught:
                    check_record(replace(small(), events=events))
                assert caught.value.event == index


def test_somebody_has_to_have_made_each_choice() -> None:
    for choosers in (small().choosers[1:], (*small().choosers, Chooser.BOT), ()):
        with pytest.raises(RecordError, match=f"{len(choosers)} choosers are named for"):
            write_record(replace(small(), choosers=choosers))


def test_t5_can_have_chosen_only_for_who_could_place_none() -> None:
    forced = 0
    choice = -1
    for state, event, _ in moments(small().events):
        if not isinstance(event, Chosen):
            continue
        choice += 1
        choosers = list(small().choosers)
        choosers[choice] = Chooser.RULE
        record = replace(small(), choosers=tuple(choosers))
        if forced_none(state.public, event.seat, roll_of(state, event.seat)):
            forced += 1
            assert read_record(write_record(record)) == record
        else:
            with pytest.raises(RecordError, match=f"seat {event.seat} had a choice of its own"):
                write_record(record)
    assert forced


@pytest.mark.parametrize("seats", [(0,), (2, 0), (0, 1), (0, 2, 3), ()])
def test_the_players_are_those_who_played(seats: tuple[Seat, ...]) -> None:
    players = tuple(RecordPlayer(seat, "Anna", "pink", "person") for seat in seats)
    with pytest.raises(RecordError, match="the players sit in"):
        write_record(replace(small(), players=players))


@pytest.mark.parametrize("name", ["game", "events", "check", "", "Evidence", "a]", "a\nb", "-"])
def test_a_section_needs_a_name_of_its_own(name: str) -> None:
    with pytest.raises(RecordError, match="no further section can be called"):
        write_record(replace(small(), sections=(Section(name, ()),)))
    twice = (Section("evidence", ("a",)), Section("evidence", ("b",)))
    with pytest.raises(RecordError, match='can be called "evidence"'):
        write_record(replace(small(), sections=twice))


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(RecordError, match="half a character"):
        write_record(replace(small(), started="\ud83d"))
