"""The command itself: real processes, on pipes and on pseudo-terminals."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from sequoia_tui import version
from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "sequoia_tui"]
HOME = "Play now"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {
        variable: str(tmp_path / variable)
        for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    }


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def test_the_version_is_told_at_once() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sequoia-tui {version()}\n", "")


def test_neither_version_nor_help_waits_for_the_toolkit() -> None:
    code = (
        "import sys; from sequoia_tui.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "main(['--version'])\n"
        "heavy = {'textual', 'rich', 'websockets', 'asyncio', 'sequoia_server'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--hots", "oak"], "--hots"),
        (["--host", "oak:port"], "A port is a number from 1 to 65535."),
        (["--host", ""], "An address is needed"),
        (["--host", "oak/local"], "That is no address"),
        (["--solo", "9"], "there can be 1 to 4 bots"),
        (["--solo", "many"], "there can be 1 to 4 bots"),
        (["--name", "a" * 17], "A name may be 16 cells wide at most."),
        (["--room", "K7MQ"], "need --host"),
        (["--watch"], "need --host"),
        (["--host", "oak", "--room", "../.."], "no code of a room"),
        (["--host", "oak", "--solo"], "do not go together"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_arguments_are_one_clear_line(arguments: list[str], complaint: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.startswith("sequoia-tui: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_without_a_terminal_it_says_so_and_ends() -> None:
    done = run("--solo")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "without pipes" in done.stderr


def test_a_terminal_that_cannot_place_text_is_told_apart(home: dict[str, str]) -> None:
    with Terminal(COMMAND, environment=home | {"TERM": "dumb"}) as terminal:
        assert terminal.wait_closed() == 1
        assert "TERM says it is dumb" in " ".join(terminal.text.split())


def test_it_opens_home_and_q_quits(home: dict[str, str]) -> None:
    with Terminal(COMMAND, environment=home) as terminal:
        terminal.wait_for(HOME)
        terminal.type("q")
        assert terminal.wait_closed() == 0
        assert is_restored(bytes(terminal.output))


def is_restored(output: bytes) -> bool:
    """Whether the last of these modes that was said was to leave it."""
    return all(
        output.rfind(b"\x1b[?%d%s" % (mode, off)) > output.rfind(b"\x1b[?%d%s" % (mode, on))
        for mode, on, off in (
            (1049, b"h", b"l"),
            (1003, b"h", b"l"),
            (2004, b"h", b"l"),
            (25, b"l", b"h"),
        )
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("plan", [[], ["--solo"]], ids=["home", "game"])
def test_a_signal_restores_the_terminal(home: dict[str, str], name: str, plan: list[str]) -> None:
    number = signal.Signals[name]
    with Terminal([*COMMAND, *plan], environment=home) as terminal:
        terminal.wait_for("choose your two pairs" if plan else HOME)
        terminal.process.send_signal(number)
        assert terminal.wait_closed() == 128 + number
        assert is_restored(bytes(terminal.output))
        assert "Traceback" not in terminal.text


def test_bytes_that_are_no_text_change_nothing(home: dict[str, str]) -> None:
    with Terminal(COMMAND, environment=home) as terminal:
        terminal.wait_for(HOME)
        os.write(terminal._master, b"\xe9\xff\xc3")
        terminal.type("j")
        terminal.wait_for("Where is the table?")
        terminal.type("escape")
        terminal.wait_for(HOME)


def test_columns_and_lines_in_the_environment_do_not_stop_resizing(home: dict[str, str]) -> None:
    size = {"COLUMNS": "80", "LINES": "24"}
    with Terminal(COMMAND, environment=home | size) as terminal:
        terminal.wait_for(HOME)
        terminal.resize(40, 10)
        terminal.wait_for("it needs 60x18")
        terminal.resize(100, 30)
        terminal.wait_for(HOME)


def test_where_it_is_too_small_only_q_does_something(home: dict[str, str]) -> None:
    with Terminal([*COMMAND, "--solo"], environment=home, columns=50, rows=12) as terminal:
        terminal.wait_for("this is 50x12")
        terminal.type("1", "enter", "escape", "j", "q")
        assert terminal.wait_closed() == 0


def test_ssh_drops_colorterm_and_the_colours_stay(home: dict[str, str]) -> None:
    bare = {"TERM": "xterm-ghostty", "COLORTERM": ""}
    with Terminal(COMMAND, environment=home | bare) as terminal:
        terminal.wait_for(HOME)
        assert b"38;2;" in bytes(terminal.output)


def showing(what: str, gone: str) -> Callable[[str], bool]:
    """Whether a screen shows one thing and the other no longer."""
    return lambda text: what in text and gone not in text


@pytest.mark.parametrize("columns", [80, 60])
def test_ascii_keeps_every_cell_plain(home: dict[str, str], columns: int) -> None:
    command = [*COMMAND, "--ascii", "--name", "Zoë"]
    with Terminal(command, environment=home, columns=columns, rows=24) as terminal:
        # What shows after each key, and what has gone from the screen by then.
        for key, shows, gone in (
            ("", HOME, "never"),
            ("r", "The rules of Sequoia", "never"),
            ("escape", HOME, "The rules of Sequoia"),
            ("?", "Keys: home", "The rules of Sequoia"),
            ("escape", HOME, "Keys: home"),
            ("j", "Where is the table?", HOME),
            ("escape", HOME, "Where is the table?"),
            ("h", "Friends type", HOME),
            ("c", "Your colour", "never"),
            ("escape", "Friends type", "Your colour"),
            ("escape", "n new room", "Friends type"),
            ("escape", HOME, "n new room"),
            ("p", "Round 1 of 10", HOME),
            ("escape", "Quit Sequoia", "never"),
        ):
            terminal.type(key)
            text = terminal.wait_for(showing(shows, gone))
            assert text.isascii(), text


def test_what_is_typed_right_after_t_is_said_and_plays_nothing(home: dict[str, str]) -> None:
    with Terminal([*COMMAND, "--solo", "1"], environment=home) as terminal:
        terminal.wait_for("choose your two pairs")
        terminal.type("th1 v well played\r")
        text = terminal.wait_for("h1 v well")
        assert "choose your two pairs" in text
        assert "▶" not in text


def test_the_linux_console_is_plain_by_itself(home: dict[str, str]) -> None:
    with Terminal(COMMAND, environment=home | {"TERM": "linux"}) as terminal:
        assert terminal.wait_for(HOME).isascii()


def test_a_refused_connection_is_a_sentence_with_the_way_back(home: dict[str, str]) -> None:
    command = [*COMMAND, "--host", "127.0.0.1:1", "--name", "Ana"]
    with Terminal(command, environment=home) as terminal:
        terminal.wait_for("Nobody is listening at 127.0.0.1 port 1.")
        terminal.type("j")
        terminal.wait_for("Where is the table?")
        terminal.type("escape")
        terminal.wait_for(HOME)
        terminal.type("q")
        assert terminal.wait_closed() == 0


@contextmanager
def on_a_bare_pty(
    command: Sequence[str], home: dict[str, str]
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A process on a pseudo-terminal whose other end is in our hands alone."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "xterm-256color"} | home,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield master, process
    finally:
        process.kill()
        process.wait()


def read_until(master: int, what: bytes) -> None:
    seen = b""
    while what not in seen:
        seen += os.read(master, 65536)


def test_a_terminal_that_is_gone_ends_it(home: dict[str, str]) -> None:
    with on_a_bare_pty(COMMAND, home) as (master, process):
        read_until(master, HOME.encode())
        os.close(master)
        assert process.wait(5) == 128 + signal.SIGHUP


def test_a_terminal_that_reads_nothing_cannot_keep_it_from_ending(home: dict[str, str]) -> None:
    with on_a_bare_pty([*COMMAND, "--solo"], home) as (master, process):
        read_until(master, b"YOUR ROLL")
        # Nobody reads any more, while keys make it draw: far more than the kernel takes.
        for _ in range(400):
            os.write(master, b"v")
            time.sleep(0.005)
        process.terminate()
        assert process.wait(8) == 128 + signal.SIGTERM
        os.close(master)


FAULT = """
import sys
from sequoia_tui import cli
from sequoia_tui.screens.home import HomeScreen
def fails(self):
    seat_key, dice = "key-" + "a-very-secret-one", (6, 6, 6, 6, 5)
    raise RuntimeError(f"the dice are {dice} and the key is {seat_key}")
HomeScreen.action_help = fails
sys.exit(cli.main([]))
"""


def test_a_fault_is_an_apology_without_anything_secret(home: dict[str, str]) -> None:
    with Terminal([sys.executable, "-c", FAULT], environment=home) as terminal:
        terminal.wait_for(HOME)
        terminal.type("?")
        assert terminal.wait_closed() == 1
        output = bytes(terminal.output)
        assert is_restored(output)
        assert b"Sorry!" in output
        assert b"RuntimeError" in output
        assert b"a-very-secret-one" not in output
        assert b"6, 6, 6" not in output
