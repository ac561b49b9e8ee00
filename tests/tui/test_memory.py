"""What is remembered from one start to the next."""

from pathlib import Path

import pytest

from sequoia_tui.screens.dialogs import NameDialog
from sequoia_tui.screens.home import HomeScreen
from sequoia_tui.screens.join import JoinScreen
from sequoia_tui.screens.rooms import RoomsScreen
from sequoia_tui.settings import Remembered, recall, remember
from tests.tui.people import a_person, at, mode_of
from tests.tui.support import a_server


async def test_the_name_is_asked_once_and_remembered(memory: Path, tmp_path: Path) -> None:
    async with a_server() as (_, port):
        async with a_person(memory, at(port), name=None) as ana:
            await ana.see(NameDialog)
            await ana.press("ctrl+u")
            await ana.press("enter")
            await ana.read("needs at least one character")
            await ana.write("Zo")
            await ana.press("enter")
            await ana.see(RoomsScreen)
        assert mode_of(memory) == 0o600
        assert recall(memory) == Remembered("Zo", (f"127.0.0.1:{port}",))
        async with a_person(memory, at(port), name=None) as ana:
            await ana.see(RoomsScreen)
        async with a_person(memory, name=None) as ana:
            await ana.see(HomeScreen)
            assert "Zo" in ana.text
            await ana.press("j")
            await ana.see(JoinScreen)
            assert f"127.0.0.1:{port}" in ana.text
            await ana.press("enter")
            await ana.see(RoomsScreen)


async def test_who_gives_no_name_stays_at_home(memory: Path) -> None:
    async with a_person(memory, name=None) as ana:
        await ana.see(HomeScreen)
        await ana.press("h")
        await ana.see(NameDialog)
        await ana.press("escape")
        await ana.see(HomeScreen)
        await ana.press("n")
        await ana.see(NameDialog)
        await ana.press("ctrl+u")
        await ana.write("Kim")
        await ana.press("enter")
        await ana.see(HomeScreen)
        await ana.read("Kim")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"name": 5, "hosts": "x"}', '{"name": "\\u001b[2J"}', "[" * 100_000]
)
def test_a_memory_that_is_odd_is_as_good_as_none(memory: Path, text: str) -> None:
    memory.parent.mkdir(parents=True)
    memory.write_text(text)
    assert recall(memory) == Remembered()


def test_a_memory_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not remember(tmp_path / "file" / "remembered.json", Remembered("Ana"))
    assert remember(tmp_path / "dir" / "remembered.json", Remembered("Ana"))
    assert [path.name for path in (tmp_path / "dir").iterdir()] == ["remembered.json"]


def test_only_the_latest_hosts_are_kept() -> None:
    remembered = Remembered("Ana")
    for number in (*range(9), 5):
        remembered = remembered.with_host(f"oak{number}")
    assert remembered.hosts == ("oak5", "oak8", "oak7", "oak6", "oak4", "oak3")
