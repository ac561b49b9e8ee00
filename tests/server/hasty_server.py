"""A planted bug: `tests.scripted_server` that acknowledges before anything is committed."""

import sys
from collections.abc import Callable

from sequoia_server.cli import main
from sequoia_server.journal import Batch
from sequoia_server.sqlite_journal import SqliteJournal

from tests.kit import LivelyEntropy

_append = SqliteJournal.append


def _hasty(self: SqliteJournal, batch: Batch, on_durable: Callable[[], None]) -> None:
    _append(self, batch, lambda: None)
    on_durable()


if __name__ == "__main__":
    SqliteJournal.append = _hasty  # type: ignore[method-assign]  # the planted bug
    sys.exit(main(sys.argv[2:], entropy=LivelyEntropy(int(sys.argv[1]), delay_scale=0.2)))
