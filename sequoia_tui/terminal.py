"""Being a good citizen of the terminal: what the toolkit leaves to us.

:func:`prepare` runs before the toolkit is imported. :func:`driver` gives a driver that survives
what terminals do: rubbish on the input, a terminal that stops reading, one that goes away.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from textual.driver import Driver

TRUE_COLOUR_TERMS: Final = (
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "kitty",
    "rio",
    "wezterm",
    "xterm-ghostty",
    "xterm-kitty",
)
"""Terminals that show every colour, and whose names alone do not tell the toolkit so."""

BACKLOG: Final = 256
"""Pieces of output that may wait for a terminal that is slow to read."""

LEAVE_TIMEOUT: Final = 1.0
"""Seconds that a terminal gets to take the last output, those that restore it."""


def complaint(environ: Mapping[str, str] = os.environ) -> str:
    """Say why a full-screen program cannot run here; empty if it can."""
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in streams):
        return "Sequoia fills a terminal, and this is none: start it without pipes or redirection."
    if environ.get("TERM", "") in ("", "dumb", "unknown") and os.name == "posix":
        return "Sequoia fills a terminal, and this one cannot place text: TERM says it is dumb."
    return ""


def prepare(environ: MutableMapping[str, str] = os.environ) -> None:
    """Mend the environment before the toolkit reads it."""
    # With these two set the toolkit never notices another size of the terminal.
    environ.pop("COLUMNS", None)
    environ.pop("LINES", None)
    term = environ.get("TERM", "")
    # ssh does not pass COLORTERM on, and then these fall to 16 colours.
    if not environ.get("COLORTERM") and (
        term.endswith("-direct") or term.split("-256color")[0] in TRUE_COLOUR_TERMS
    ):
        environ["COLORTERM"] = "truecolor"


def driver(gone: Callable[[], None]) -> type[Driver] | None:
    """Give the driver for this system; ``gone`` is called when the terminal goes away.

    None means the toolkit's own (Windows).
    """
    if os.name != "posix":
        return None
    from textual._xterm_parser import XTermParser
    from textual.drivers.linux_driver import LinuxDriver

    class TerminalDriver(LinuxDriver):
        """The toolkit's driver, with an input and an output of our own."""

        _output: _Output | None = None

        def start_application_mode(self) -> None:
            """Start the output before anything is written."""
            self._output = _Output(sys.__stderr__, self._repaint)
            self._output.start()
            super().start_application_mode()  # type: ignore[no-untyped-call]

        def write(self, data: str) -> None:
            """Write without ever waiting: the event loop has a network to serve."""
            if self._output is not None:
                self._output.write(data)

        def close(self) -> None:
            """Let the terminal take what is left, but not for ever."""
            super().close()
            if self._output is not None:
                self._output.stop(LEAVE_TIMEOUT)

        def run_input_thread(self) -> None:
            """Read keys until told to stop. Bytes that are no text become a mark, not an end."""
            import selectors

            # The select call finds the terminal readable for ever once it is gone.
            selector = selectors.SelectSelector()
            selector.register(self.fileno, selectors.EVENT_READ)
            parser = XTermParser(self._debug)
            decode = getincrementaldecoder("utf-8")("replace").decode
            try:
                while not self.exit_event.is_set():
                    if selector.select(0.1):
                        data = _read(self.fileno)
                        if not data:
                            gone()
                            return
                        for event in parser.feed(decode(data)):
                            self.process_message(event)
                    for event in parser.tick():
                        self.process_message(event)
            finally:
                selector.close()

        def _repaint(self) -> None:
            self._app.call_later(self._app.refresh, layout=True)

    return TerminalDriver


class _Output(threading.Thread):
    """Writes to the terminal from a thread of its own.

    While the terminal reads nothing, output waits up to a limit; what is too much is dropped, and
    the whole screen is painted anew when it reads again.
    """

    def __init__(self, file: TextIO | None, repaint: Callable[[], None]) -> None:
        super().__init__(daemon=True, name="sequoia-output")
        self._fileno = 2 if file is None else file.fileno()
        self._repaint = repaint
        self._queue: queue.Queue[bytes | None] = queue.Queue(BACKLOG)
        self._dropped = False

    def write(self, text: str) -> None:
        """Take output; never wait."""
        try:
            self._queue.put_nowait(text.encode("utf-8", "replace"))
        except queue.Full:
            self._dropped = True

    def stop(self, timeout: float) -> None:
        """Write what waits, unless the terminal does not take it in time."""
        with suppress(queue.Full):
            self._queue.put(None, timeout=timeout)
        self.join(timeout)

    def run(self) -> None:
        """Write until told to stop, or until the terminal is gone."""
        while (data := self._queue.get()) is not None:
            try:
                while data:
                    data = data[os.write(self._fileno, data) :]
            except OSError:
                return
            if self._dropped and self._queue.empty():
                self._dropped = False
                self._repaint()


def _read(fileno: int) -> bytes:
    try:
        return os.read(fileno, 4096)
    except OSError:
        return b""
