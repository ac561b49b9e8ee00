"""What is published: built, looked into, installed where nothing else is, and started."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION: str = PROJECT["version"]
PROGRAMS = ("sequoia-server", "sequoia-tui")
PACKAGES = {
    "sequoia_tui": ROOT / "sequoia_tui",
    "sequoia_server": ROOT / "server/sequoia_server",
    "sequoia_protocol": ROOT / "protocol/sequoia_protocol",
    "sequoia_rules": ROOT / "protocol/sequoia_rules",
}


class Published(NamedTuple):
    sdist: Path
    wheel: Path


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program far from this checkout and give what it printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_"))}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    output = f"{done.stdout}{done.stderr}"
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{output}"
    return done.stdout


def new_environment(folder: Path, *requirements: str | Path) -> Path:
    """Make an environment that holds the requirements and nothing else; give its programs."""
    venv.create(folder, with_pip=False)
    pip = (sys.executable, "-m", "pip", "--python", folder, "--disable-pip-version-check")
    run(*pip, "install", "--quiet", *requirements, cwd=folder)
    run(*pip, "check", cwd=folder)
    return folder / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Both archives; the wheel is built from the unpacked sdist, so the sdist suffices for it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return Published(sdist, wheel)


def test_the_wheel_holds_the_four_packages_whole_and_nothing_else(published: Published) -> None:
    with zipfile.ZipFile(published.wheel) as wheel:
        names = set(wheel.namelist())
    information = f"sequoia_tui-{VERSION}.dist-info"
    assert {name.split("/")[0] for name in names} == {*PACKAGES, information}
    assert {name for name in names if not name.startswith(information)} == {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert f"{information}/licenses/LICENSE" in names


def test_the_sdist_holds_the_tests_and_nothing_that_lies_about(published: Published) -> None:
    with tarfile.open(published.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    tops = {name.split("/")[0] for name in names}
    assert tops <= {
        "sequoia_tui", "server", "protocol", "tests",
        "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "PKG-INFO", "README.md",
        "pyproject.toml", ".gitignore",
    }  # fmt: skip
    assert {"LICENSE", "README.md", "tests/test_wheel.py", "tests/vectors/games.json"} <= names
    assert not [name for name in names if re.search(r"\.(db|env|key|log|pem|sqlite3?)$", name)]


def test_both_programs_start_where_only_the_wheel_was_installed(
    published: Published, tmp_path: Path
) -> None:
    programs = new_environment(tmp_path / "venv", published.wheel)
    for program in PROGRAMS:
        assert run(programs / program, "--version", cwd=tmp_path) == f"{program} {VERSION}\n"


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_oldest_dependencies_that_are_allowed_suffice(
    published: Published, tmp_path: Path
) -> None:
    oldest = [
        re.sub(r"^([\w-]+)>=([\d.]+).*$", r"\1==\2", requirement)
        for requirement in PROJECT["dependencies"]
    ]
    assert all("==" in pin for pin in oldest)
    programs = new_environment(tmp_path / "venv", f"{published.wheel}[test]", *oldest)
    for program in PROGRAMS:
        assert run(programs / program, "--version", cwd=tmp_path) == f"{program} {VERSION}\n"
    folders = ("tests/wire", "tests/server", "tests/tui")
    pytest_there = (programs / "python", "-m", "pytest", "-p", "no:cacheprovider")
    run(*pytest_there, "-q", "-m", "not long", *folders, cwd=ROOT)
