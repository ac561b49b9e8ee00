"""What strace saw a program do: which writes left it, and which of its syncs had returned by then.

Trace a program with :func:`command`, and read the log with :func:`read_trace`::

    write(1, "ack 7\\n", 6) = 6
    [pid 12] fdatasync(9</data/journal.sqlite3-wal> <unfinished ...>
    [pid 12] <... fdatasync resumed>) = 0
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MISSING: Final = shutil.which("strace") is None
"""Whether there is no strace on this machine."""

_CALLS: Final = "write,pwrite64,writev,pwritev,sendto,sendmsg,fsync,fdatasync,sync_file_range"
_SYNCS: Final = frozenset({"fsync", "fdatasync"})

_LINE: Final = re.compile(
    r"(?P<thread>\d+) +"
    r"(?:<\.\.\. (?P<resumed>\w+) resumed>.*\) += (?P<result>-?\d+)"
    r"|(?P<call>\w+)\((?P<file>\d+)<(?P<path>[^>]*)>(?P<rest>.*))"
)
_RESULT: Final = re.compile(r"\) += (-?\d+)")
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Began:
    """A call that writes or syncs has begun; ``data`` is what it writes, as far as it is shown."""

    call: str
    file: int
    path: str
    data: bytes


@dataclass(frozen=True)
class Synced:
    """A sync of a file has returned without an error."""

    path: str


Step = Began | Synced


def command(log: Path, *, shown: int = 4096) -> Sequence[str]:
    """Give what to put before a command to trace it and its threads; ``shown`` is in bytes."""
    return (
        "strace", "-f", "-qq", "-y", "-xx", "-s", str(shown), "-o", str(log),
        "-e", f"trace={_CALLS}", "-e", "signal=none",
    )  # fmt: skip


def read_trace(log: Path) -> list[Step]:
    """Give, in order, where writes and syncs began and where syncs returned."""
    steps: list[Step] = []
    syncing: dict[str, str] = {}
    for line in log.read_text(encoding="ascii", errors="replace").splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        thread = found["thread"]
        if found["resumed"] is not None:
            path = syncing.pop(thread, None)
            if path is not None and found["result"] == "0":
                steps.append(Synced(path))
            continue
        call, path = found["call"], _plain(found["path"]).decode(errors="replace")
        data = b"".join(map(_plain, _TEXT.findall(found["rest"])))
        steps.append(Began(call, int(found["file"]), path, data))
        if call not in _SYNCS:
            continue
        result = _RESULT.search(found["rest"])
        if result is None:
            syncing[thread] = path
        elif result[1] == "0":
            steps.append(Synced(path))
    return steps


def is_synced(steps: Sequence[Step], data: bytes, before: int) -> bool:
    """Tell whether ``data`` was written to a file whose sync had returned before a step.

    ``before`` is the number of that step.
    """
    written: set[str] = set()
    for step in steps[:before]:
        if isinstance(step, Synced):
            if step.path in written:
                return True
        elif data in step.data:
            written.add(step.path)
    return False


def _plain(text: str) -> bytes:
    r"""Undo `-xx`, which writes every byte as \x41."""
    if not text.startswith("\\x"):
        return text.encode()
    return bytes.fromhex(text.replace("\\x", ""))
