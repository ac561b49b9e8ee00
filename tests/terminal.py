"""A program on a pseudo-terminal of its own, typed at and read like a person would.

What the program writes goes through a terminal emulator (pyte) on a thread, and whoever waits
for something on the screen is woken when it changes.
"""

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import pyte

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "backspace": "\x7f",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "ctrl+q": "\x11",
}


class Terminal:
    """A running program and the screen that it draws. Use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._changed = threading.Condition()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._closed = False
        self.output = bytearray()
        self._master, slave = pty.openpty()
        self._set_size(columns, rows)
        clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        clean |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**clean, **(environment or {})},
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            error.add_note(f"The screen of {self.process.args!r} was:\n{self.text}")
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(5)
        with contextlib.suppress(OSError):
            os.close(self._master)

    @property
    def lines(self) -> list[str]:
        """The rows of the screen."""
        with self._changed:
            return list(self._screen.display)

    @property
    def text(self) -> str:
        """The whole screen, rows ending without blanks."""
        return "\n".join(line.rstrip() for line in self.lines)

    def type(self, *keys: str) -> None:
        """Press keys: a name of `KEYS`, or text that is typed as it is."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key).encode())

    def wait_for(self, what: str | Callable[[str], object], *, seconds: float = 15) -> str:
        """Wait until the screen holds a text, or makes a predicate true, and give it."""

        def is_there(text: str) -> object:
            return what in text if isinstance(what, str) else what(text)

        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                text = "\n".join(line.rstrip() for line in self._screen.display)
                if is_there(text):
                    return text
                left = deadline - time.monotonic()
                if left <= 0 or (self._closed and self.process.poll() is not None):
                    raise AssertionError(f"never saw {what!r}; the screen is:\n{text}")
                self._changed.wait(min(left, 1))

    def wait_closed(self, seconds: float = 10) -> int:
        """Wait until the program has ended, and give its exit status."""
        status = self.process.wait(seconds)
        self._reader.join(seconds)
        return status

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        with self._changed:
            self._screen.resize(rows, columns)
        self._set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            with self._changed:
                if data:
                    self.output += data
                    self._stream.feed(data)
                else:
                    self._closed = True
                self._changed.notify_all()
            if not data:
                return
