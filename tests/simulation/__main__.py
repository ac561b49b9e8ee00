"""Play whole games in simulated worlds: ``python -m tests.simulation --games 500 --seed 1``."""

from __future__ import annotations

import argparse
import os
import sys

from tests.simulation.report import DEFAULT_SEED, Report, run


class _Progress:
    """Says now and then how far a long run has come."""

    def __init__(self) -> None:
        self._next = 1000

    def __call__(self, report: Report) -> None:
        if report.games >= self._next:
            self._next += 1000
            text = f"{report.games} games, {len(report.broken)} broken worlds"
            print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Run as many games as asked, and print what came of them; 0 if every promise held."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--games", type=int, default=500, help="how many whole games at least")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="that of the first world")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at a time")
    options = parser.parse_args()
    report = run(options.games, options.seed, options.processes, on_outcome=_Progress())
    print(report.text())
    return 0 if report.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
