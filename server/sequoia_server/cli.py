"""The command `sequoia-server`."""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import os
import shlex
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Final

from sequoia_protocol import DEFAULT_PORT

from sequoia_server import records
from sequoia_server.data_dir import KEEP_DAYS, CannotOpen, default_directory, open_journal
from sequoia_server.embedded import EmbeddedServer
from sequoia_server.entropy import Entropy
from sequoia_server.sqlite_journal import SqliteJournal

_OWN_FILES: Final = 64
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None, *, entropy: Entropy | None = None) -> int:
    """Run a server until SIGINT or SIGTERM, or `records`; give the status to exit with.

    ``entropy`` is for tests alone: nothing that a user can set reaches it.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["records"]:
        return records.main(arguments[1:])
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        level=options.log_level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    stop = _Stop()
    journal: SqliteJournal | None = None
    try:
        if not options.ephemeral:
            directory = options.data or default_directory()
            journal = open_journal(directory, keep_days=options.keep_records)
        asyncio.run(_serve(options.bind, options.port, stop, entropy, journal))
    except CannotOpen as error:
        print(f"sequoia-server: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"sequoia-server: {_explain(error, options.bind, options.port)}", file=sys.stderr)
        return 1
    finally:
        stop.ignore_the_rest()
        if journal is not None:
            journal.close()
    return 0


class _Stop:
    """Ends the server at the first signal that asks for it; further ones change nothing.

    Until the process is gone: a second signal, however late, must not spoil a clean end.
    """

    def __init__(self) -> None:
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None
        for number in _SIGNALS:
            signal.signal(number, self._ask)

    def ignore_the_rest(self) -> None:
        """Take no notice of signals any more; what is ignored stays so while Python winds up."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    async def wait(self) -> None:
        """Wait for a signal, or return at once if there was one already."""
        self._event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        if not self._asked:
            await self._event.wait()
        self._loop = None

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._asked = True
        if self._loop is not None and self._event is not None:
            self._loop.call_soon_threadsafe(self._event.set)


async def _serve(
    bind: str | None,
    port: int,
    stop: _Stop,
    entropy: Entropy | None,
    journal: SqliteJournal | None,
) -> None:
    links = _raise_file_limit()
    server = EmbeddedServer(entropy=entropy, journal=journal)
    await server.start()
    try:
        hosts = await server.listen(bind, port)
        commands = "  |  ".join(f"sequoia-tui --host {shlex.quote(host)}" for host in hosts)
        if links is not None:
            _log.info("open files allow about %s links", links)
        print(f"Ready. Friends type:  {commands}", flush=True)
        await stop.wait()
        _log.info("closing")
    finally:
        await server.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sequoia-server",
        description="A server for the dice game Sequoia: friends play on it with sequoia-tui.",
        epilog="sequoia-server records --help tells how to see the records of finished games.",
    )
    parser.add_argument(
        "--bind",
        metavar="ADDR",
        help="listen on this address only (default: on every address, IPv4 and IPv6)",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=DEFAULT_PORT,
        help="listen on this port; 0 takes a free one (default: %(default)s)",
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help=f"keep rooms, games and records there (default: {default_directory()})",
    )
    kept.add_argument(
        "--ephemeral",
        action="store_true",
        help="keep nothing: every room and game ends with the server",
    )
    parser.add_argument(
        "--keep-records",
        metavar="DAYS",
        type=_days,
        default=KEEP_DAYS,
        help="keep the records of finished games so long; 0 for ever (default: %(default)s)",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="how much to log on standard error (default: %(default)s)",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('sequoia-tui')}")
    return parser


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) > 36500:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: it has to be 0 to 65535")
    return int(text)


def _explain(error: OSError, bind: str | None, port: int) -> str:
    """Say in a sentence why the server cannot listen, and what to do."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"'{bind}' is not an address of this machine."
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken: stop what uses it, or choose another one with --port."
    if error.errno == errno.EACCES:
        return f"Port {port} needs rights that you do not have: choose one above 1023 with --port."
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"The server cannot listen on port {port}: {reason}."


def _raise_file_limit() -> int | None:
    """Allow as many open files as the system lets us have, and tell how many links that makes.

    None stands for no limit.
    """
    try:
        import resource
    except ImportError:
        # Windows has no such limit.
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # A hard limit that the system then refuses is not worth failing for.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return None if soft == resource.RLIM_INFINITY else max(0, soft - _OWN_FILES)
