"""What the program remembers from one start to the next: a name, and the servers visited."""

from __future__ import annotations

import getpass
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import platformdirs
from sequoia_protocol.text import BadText, clean_name

from sequoia_tui.address import BadAddress, parse_address

HOSTS_KEPT: Final = 6


@dataclass(frozen=True, slots=True)
class Remembered:
    """The player's name, None before the first was given, and the latest hosts, newest first."""

    name: str | None = None
    hosts: tuple[str, ...] = ()

    def with_host(self, host: str) -> Self:
        """Put a host first."""
        others = tuple(other for other in self.hosts if other != host)
        return type(self)(self.name, (host, *others)[:HOSTS_KEPT])

    def with_name(self, name: str) -> Self:
        """Take another name."""
        return type(self)(name, self.hosts)


def memory_file() -> Path:
    """Tell where all this is kept; the seats to come back to are beside it."""
    return platformdirs.user_state_path("sequoia-tui") / "remembered.json"


def data_directory() -> Path:
    """Tell where the server inside this program keeps its games."""
    return platformdirs.user_data_path("sequoia-tui", appauthor=False)


def recall(path: Path) -> Remembered:
    """Read what is remembered. A file that is missing, unreadable or odd is as good as empty."""
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Remembered()
    if not isinstance(raw, dict):
        return Remembered()
    hosts = raw.get("hosts")
    kept = [host for host in hosts if _is_host(host)] if isinstance(hosts, list) else []
    return Remembered(_name(raw.get("name")), tuple(kept[:HOSTS_KEPT]))


def remember(path: Path, remembered: Remembered) -> bool:
    """Write it so that only this user can read it, and never half; tell whether it worked."""
    text = json.dumps({"name": remembered.name, "hosts": remembered.hosts}, ensure_ascii=False)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp gives the file to this user alone.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    except OSError:
        return False
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        return False
    return True


def login_name() -> str:
    """Give a name for somebody who was not asked for one: the login name, or else "You"."""
    try:
        return clean_name(getpass.getuser())
    except (BadText, OSError, KeyError, ImportError):
        return "You"


def _name(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        return clean_name(value)
    except BadText:
        return None


def _is_host(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse_address(value)
    except BadAddress:
        return False
    return True
