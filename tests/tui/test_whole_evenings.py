"""People at terminals of 80 by 24 play whole games against a real server, by keys alone."""

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.kit import ServerProcess
from tests.terminal import Terminal

PAIRS = "choose your two pairs"
FORESTS = "up to two open forests"
SEQUOIA = "SEQUOIA! turn"
OVER = "FINAL SCORES"


@pytest.fixture
def port() -> Iterator[int]:
    with ServerProcess(
        "5", "--port", "0", "--bind", "127.0.0.1", "--ephemeral", module="tests.scripted_server"
    ) as server:
        yield server.port


class Person:
    """Somebody who sits at a terminal and plays by what it shows."""

    def __init__(self, terminal: Terminal, name: str) -> None:
        self.terminal = terminal
        self.name = name
        self.seen: set[str] = set()

    def play(self) -> None:
        """Seal the first choice of every roll until the tokens are counted."""
        while True:
            text = self.terminal.wait_for(self.is_asked, seconds=60)
            header = text.splitlines()[0]
            self.seen.update(re.findall(r"Round \d+|Tie-break|SEQUOIA!", header))
            if OVER in text:
                return
            if SEQUOIA in header:
                self.terminal.type("enter")
                self.terminal.wait_for(lambda text: SEQUOIA not in text.splitlines()[0])
            else:
                self.seal(header)

    def seal(self, header: str) -> None:
        """Show the first choice and seal it; Enter again if the roll had not been seen yet."""
        self.terminal.type("1")
        self.terminal.wait_for("▶")
        while self.terminal.text.splitlines()[0] == header:
            self.terminal.type("enter")
            with suppress(AssertionError):
                self.terminal.wait_for(lambda text: text.splitlines()[0] != header, seconds=1)

    @staticmethod
    def is_asked(text: str) -> bool:
        header = text.splitlines()[0]
        return OVER in text or any(words in header for words in (PAIRS, FORESTS, SEQUOIA))


@pytest.fixture
def sit_down(port: int, tmp_path: Path) -> Iterator[Callable[..., Person]]:
    with ExitStack() as stack:

        def sit(name: str, *arguments: str) -> Person:
            command = [sys.executable, "-m", "sequoia_tui", "--host", f"127.0.0.1:{port}"]
            home = {
                variable: str(tmp_path / name / variable)
                for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
            }
            terminal = stack.enter_context(
                Terminal([*command, "--name", name, *arguments], environment=home)
            )
            return Person(terminal, name)

        yield sit


def open_room(host: Person) -> str:
    """Let somebody open a room, and give its code as the screen shows it."""
    host.terminal.wait_for("No table stands open here")
    host.terminal.type("n")
    host.terminal.wait_for("Enter open the room")
    host.terminal.type("enter")
    text = host.terminal.wait_for("r ready")
    found = re.search(r"\b([2-9A-HJ-NP-Z]{4})\b", text)
    assert found is not None, text
    return found[1]


def play_to_the_end(people: list[Person]) -> None:
    with ThreadPoolExecutor(len(people)) as pool:
        for playing in [pool.submit(person.play) for person in people]:
            playing.result()
    for person in people:
        assert OVER in person.terminal.text
        assert {f"Round {number}" for number in range(1, 11)} <= person.seen
    assert any("Tie-break" in person.seen for person in people), "no tie-break in this game"


def final_scores(person: Person, count: int) -> list[str]:
    """The lines of the final table, once all tokens are turned over."""

    def lines(text: str) -> list[str]:
        return re.findall(r"^.*\b[1-5] [◆★●■▲] (?:\w+) +\d+ .*$", text, re.MULTILINE)

    text = person.terminal.wait_for(lambda text: len(lines(text)) == count and "You" in text)
    return lines(text)


@pytest.mark.parametrize(
    ("people", "bots"), [(2, 0), (2, 3), (5, 0)], ids=["two", "two and three bots", "five"]
)
def test_a_whole_game_by_keys_alone(
    sit_down: Callable[..., Person], people: int, bots: int
) -> None:
    host = sit_down("Ana")
    code = open_room(host)
    names = ["Bo", "Chen", "Dee", "Eli"][: people - 1]
    everybody = [host, *(sit_down(name, "--room", code) for name in names)]
    for person in everybody[1:]:
        person.terminal.wait_for("r ready")
    for name in names:
        host.terminal.wait_for(name)
    for _ in range(bots):
        host.terminal.type("+")
    for person in everybody:
        person.terminal.type("r")
    host.terminal.wait_for(lambda text: text.count("✓ ready") == people + bots)
    host.terminal.type("g")
    play_to_the_end(everybody)
    for person in everybody:
        assert final_scores(person, people + bots)
