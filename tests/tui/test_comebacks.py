"""Servers and programs are killed and started again while people play at real terminals."""

import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.kit import ServerProcess
from tests.terminal import Terminal

HOME = "Play now"
PAIRS = "choose your two pairs"
COMMAND = [sys.executable, "-m", "sequoia_tui"]
AT = ("--bind", "127.0.0.1", "--port")

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the program as somebody; everybody has a home of their own."""
    with ExitStack() as stack:

        def start(name: str, *arguments: str) -> Terminal:
            command = [*COMMAND, "--name", name, *arguments]
            return stack.enter_context(Terminal(command, environment=home(tmp_path, name)))

        yield start


def home(directory: Path, name: str) -> Mapping[str, str]:
    return {
        variable: str(directory / name / variable)
        for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    }


def a_server(directory: Path, port: int = 0) -> ServerProcess:
    """A server whose dice are the same in every run, and whose first roll holds no Sequoia."""
    arguments = ("5", *AT, str(port), "--data", str(directory / "data"))
    return ServerProcess(*arguments, module="tests.scripted_server")


def board(text: str) -> str:
    """The part of the screen that tells the ring, the roll and what is chosen."""
    return "\n".join(line.partition("▏")[0].rstrip() for line in text.splitlines()[1:-1])


def sit_down_and_start(start: Start, port: int) -> tuple[Terminal, Terminal]:
    """Let Ana open a room and Bo come in, and begin."""
    ana = start("Ana", "--host", f"127.0.0.1:{port}")
    ana.wait_for("No table stands open here")
    ana.type("n")
    ana.wait_for("Enter open the room")
    # No clock, so that the screen stands still.
    ana.type("down", "down", "down", "left", "left", "left")
    ana.wait_for("no clock")
    ana.type("enter")
    found = re.search(r"\b([2-9A-HJ-NP-Z]{4})\b", ana.wait_for("r ready"))
    assert found is not None
    bo = start("Bo", "--host", f"127.0.0.1:{port}", "--room", found[1])
    bo.wait_for("r ready")
    ana.wait_for("Bo")
    ana.type("r")
    bo.type("r")
    ana.wait_for(lambda text: text.count("✓ ready") == 2)
    ana.type("g")
    for terminal in (ana, bo):
        terminal.wait_for(PAIRS)
    return ana, bo


def seal(terminal: Terminal) -> str:
    """Show the first choice and seal it; Enter again if the roll had not been seen yet."""
    terminal.type("1")
    terminal.wait_for("▶")
    while PAIRS in terminal.text:
        terminal.type("enter")
        with suppress(AssertionError):
            terminal.wait_for(lambda text: PAIRS not in text, seconds=1)
    return terminal.text


def test_a_server_that_is_killed_goes_on_where_it_was(start: Start, tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        port = server.port
        ana, bo = sit_down_and_start(start, port)
        seal(ana)
        sealed = ana.wait_for("SEALED")
        rolled = bo.text
        server.process.kill()
        for terminal in (ana, bo):
            terminal.wait_for("lost, trying")
    with a_server(tmp_path, port):
        for terminal in (ana, bo):
            terminal.wait_for(lambda text: "lost, trying" not in text)
        assert board(ana.text) == board(sealed)
        assert board(bo.text) == board(rolled)
        # Both seats are really theirs: the round can be ended, and the next one begins.
        seal(bo)
        for terminal in (ana, bo):
            terminal.wait_for("Round 2 of 10")


def test_a_server_that_is_stopped_says_so_and_everybody_comes_back(
    start: Start, tmp_path: Path
) -> None:
    with a_server(tmp_path) as server:
        port = server.port
        people = sit_down_and_start(start, port)
        status, _, _ = server.stop(signal.SIGTERM)
        assert status == 0
        for terminal in people:
            terminal.wait_for("The server is closing")
    with a_server(tmp_path, port):
        for terminal in people:
            terminal.wait_for(lambda text: "lost, trying" not in text)
            seal(terminal)
        for terminal in people:
            terminal.wait_for("Round 2 of 10")


def test_a_program_that_is_killed_is_led_back_to_seat_dice_and_choice(
    start: Start, tmp_path: Path
) -> None:
    with a_server(tmp_path) as server:
        ana, bo = sit_down_and_start(start, server.port)
        seal(ana)
        sealed = ana.wait_for("SEALED")
        ana.process.kill()
        bo.wait_for("away")
        again = start("Ana")
        again.wait_for("Back to your game")
        again.type("b")
        again.wait_for(lambda text: board(text) == board(sealed))
        seal(bo)
        for terminal in (again, bo):
            terminal.wait_for("Round 2 of 10")


def test_a_game_against_bots_outlives_its_program(start: Start) -> None:
    ana = start("Ana", "--solo", "1")
    rolled = ana.wait_for(lambda text: "YOUR ROLL" in text and "✓ sealed" in text)
    ana.process.kill()
    ana.wait_closed()
    again = start("Ana")
    again.wait_for("against the bots")
    again.type("b")
    again.wait_for(lambda text: board(text) == board(rolled))
    again.type("escape")
    again.wait_for("Quit Sequoia")
    again.type("q")
    again.wait_for("The game is kept")
    again.type("y")
    assert again.wait_closed() == 0
    start("Ana").wait_for("Back to your game")


def test_two_windows_of_one_user(start: Start, tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        at = ("--host", f"127.0.0.1:{server.port}")
        ana = start("Ana", *at)
        ana.wait_for("No table stands open here")
        ana.type("n")
        ana.wait_for("Enter open the room")
        ana.type("enter")
        ana.wait_for("r ready")
        second = start("Ana", *at)
        text = second.wait_for("Enter join")
        assert "waits for you" not in text
        second.type("escape")
        text = second.wait_for(HOME)
        assert "Back to your game" not in text
        # Once the first window is gone, the second one can have the seat.
        ana.process.kill()
        ana.wait_closed()
        second.type("j")
        second.wait_for("Where is the table?")
        second.type("escape")
        second.wait_for("Back to your game")
        second.type("b")
        second.wait_for("you host")
