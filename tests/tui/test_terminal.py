"""The environment before the toolkit reads it, and the last gate of plain terminals."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rich.cells import cell_len

from sequoia_tui import terminal
from sequoia_tui.plain import plain


@pytest.mark.parametrize(
    "term",
    ["xterm-ghostty", "ghostty", "alacritty", "foot", "wezterm", "xterm-kitty", "xterm-direct"],
)
def test_terminals_of_every_colour_are_known_by_name(term: str) -> None:
    environ = {"TERM": term}
    terminal.prepare(environ)
    assert environ["COLORTERM"] == "truecolor"


@pytest.mark.parametrize("term", ["xterm-256color", "screen", "linux", "vt100", ""])
def test_what_is_not_known_is_left_alone(term: str) -> None:
    environ = {"TERM": term}
    terminal.prepare(environ)
    assert environ == {"TERM": term}


def test_what_is_set_already_stays_and_sizes_go() -> None:
    environ = {"TERM": "foot", "COLORTERM": "24bit", "COLUMNS": "80", "LINES": "24"}
    terminal.prepare(environ)
    assert environ == {"TERM": "foot", "COLORTERM": "24bit"}


def test_output_never_waits_and_is_painted_anew_after_a_stall() -> None:
    reader, writer = os.pipe()
    painted = threading.Event()
    with os.fdopen(writer, "w") as file:
        output = terminal._Output(file, painted.set)
        output.start()
        started = time.monotonic()
        for _ in range(4 * terminal.BACKLOG):
            output.write("x" * 1000)
        assert time.monotonic() - started < 1
        assert not painted.is_set()
        with ThreadPoolExecutor(1) as pool:
            screen = pool.submit(Path(f"/dev/fd/{reader}").read_bytes)
            assert painted.wait(10)
            output.write("the end")
            output.stop(10)
            assert not output.is_alive()
            file.close()
            assert screen.result().endswith(b"the end")
    os.close(reader)


def test_output_to_a_terminal_that_is_gone_ends_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as file:
        output = terminal._Output(file, lambda: None)
        output.start()
        output.write("hello?")
        output.stop(1)
        assert not output.is_alive()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ana", "Ana"),
        ("Zoë", "Zoe"),
        ("╭─ Chat ─╮", "+- Chat -+"),
        ("◆ 日本 ✓", "? ???? *"),
        ("▶ … › “x”", '> ~ > "x"'),
    ],
)
def test_plain_text_fills_the_same_cells(text: str, shown: str) -> None:
    assert plain(text) == shown
    assert cell_len(plain(text)) == cell_len(text)
