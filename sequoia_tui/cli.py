"""The command `sequoia-tui`."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from sequoia_tui import DEFAULT_BOTS, MAX_BOTS, version
from sequoia_tui.address import Address, BadAddress, parse_address

if TYPE_CHECKING:
    from sequoia_tui.plans import Plan

PROGRAM: Final = "sequoia-tui"


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message} (--help tells more)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; give the status to exit with."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.version:
        print(f"{PROGRAM} {version()}")
        return 0
    if options.host is None and (options.room or options.watch):
        parser.error("--room and --watch need --host")
    if options.host is not None and options.solo is not None:
        parser.error("--solo and --host do not go together")
    # Not before it is needed: it costs more than everything above.
    from sequoia_tui import terminal

    if sentence := terminal.complaint():
        print(f"{PROGRAM}: {sentence}", file=sys.stderr)
        return 1
    terminal.prepare()
    # What is logged would be written over the screen.
    logging.basicConfig(handlers=[logging.NullHandler()])
    return _play(options)


def _play(options: argparse.Namespace) -> int:
    import asyncio

    from sequoia_tui.app import SequoiaApp

    app = SequoiaApp(_plan(options), name=options.name, ascii=options.ascii)

    async def play() -> None:
        try:
            await app.run_async()
        finally:
            await app.farewell()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(play())
    return app.return_code or 0


def _plan(options: argparse.Namespace) -> Plan | None:
    from sequoia_tui.plans import GoToServer, PlaySolo

    if options.solo is not None:
        return PlaySolo(options.solo)
    if options.host is not None:
        return GoToServer(options.host, options.room or "", options.watch)
    return None


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="The dice game Sequoia in the terminal. Without options it opens home.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--host", metavar="HOST[:PORT]", type=_address, help="go to the server there"
    )
    parser.add_argument("--room", metavar="CODE", type=_code, help="go right into this room of it")
    parser.add_argument("--watch", action="store_true", help="watch instead of playing")
    parser.add_argument("--name", type=_name, help="the name to play under; it is remembered")
    parser.add_argument(
        "--solo",
        metavar="BOTS",
        nargs="?",
        type=_bots,
        const=DEFAULT_BOTS,
        help=f"a game against 1 to {MAX_BOTS} bots, at once ({DEFAULT_BOTS} if not said)",
    )
    parser.add_argument(
        "--ascii", action="store_true", help="plain signs alone (by itself on the Linux console)"
    )
    parser.add_argument("--version", action="store_true", help="tell the version")
    return parser


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except BadAddress as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _code(text: str) -> str:
    code = text.strip().upper()
    if not (code.isascii() and code.isalnum() and len(code) <= 16):
        raise argparse.ArgumentTypeError("that is no code of a room")
    return code


def _name(text: str) -> str:
    from sequoia_protocol.text import BadText, clean_name

    try:
        return clean_name(text)
    except BadText as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _bots(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_BOTS):
        raise argparse.ArgumentTypeError(f"there can be 1 to {MAX_BOTS} bots")
    return int(text)
