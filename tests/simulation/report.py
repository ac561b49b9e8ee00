"""Many worlds, one after another or side by side, and what is told of them afterwards."""

from __future__ import annotations

import hashlib
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.simulation.faults import Fault, Met, Moment
from tests.simulation.world import Outcome, games_of, play

DEFAULT_SEED = 1

_COVERED_FROM = 500
"""Games from which on every fault must have met every moment."""

_ENOUGH = 3
"""Broken worlds after which a run ends."""


@dataclass
class Report:
    """What came of a run. ``digest`` is that of everything that went over any link."""

    seed: int
    worlds: int = 0
    games: int = 0
    steps: int = 0
    seconds: float = 0.0
    digest: str = ""
    met: Met = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)
    broken: list[Outcome] = field(default_factory=list)

    @property
    def missing(self) -> list[tuple[Fault, Moment]]:
        """What never met, in a run that is long enough for that."""
        if self.games < _COVERED_FROM:
            return []
        return [(f, m) for f in Fault for m in Moment if not self.met[f, m]]

    @property
    def is_good(self) -> bool:
        return not self.broken and not self.missing

    def text(self) -> str:
        """Write the report."""
        last = self.seed + self.worlds - 1
        lines = [
            f"seeds {self.seed} to {last}: {self.games} games in {self.worlds} worlds, "
            f"{sum(self.met.values())} faults met a table, {self.steps} steps, "
            f"{self.seconds:.1f} s",
            f"log {self.digest}",
            "",
            f"{'':26}" + "".join(f"{moment:>14}" for moment in Moment),
        ]
        lines += [
            f"{fault:26}" + "".join(f"{self.met[fault, moment]:>14}" for moment in Moment)
            for fault in Fault
        ]
        deeds = sorted(self.deeds.items())
        lines += ["", "deeds: " + ", ".join(f"{deed} {count}" for deed, count in deeds)]
        lines += [f"{fault} never met {moment}" for fault, moment in self.missing]
        for outcome in self.broken:
            lines += ["", *outcome.log[-60:]]
            lines.append(f"seed {outcome.seed}, step {outcome.steps}: {outcome.broken}")
            lines.append(f"    again: python -m tests.simulation --games 1 --seed {outcome.seed}")
        return "\n".join(lines)


def run(
    games: int,
    seed: int,
    processes: int = 1,
    *,
    on_outcome: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Play so many games in the worlds from a seed on; stop early when too much is broken.

    ``on_outcome`` is called after each world.
    """
    report = Report(seed)
    seeds: list[int] = []
    planned = 0
    while planned < games:
        seeds.append(seed + len(seeds))
        planned += games_of(seeds[-1])
    began = time.perf_counter()
    digest = hashlib.sha256()
    if processes == 1:
        _gather(report, map(play, seeds), digest, on_outcome)
    else:
        # Fresh interpreters: whatever the parent has loaded or patched is no part of a world.
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            _gather(report, pool.imap(play, seeds, chunksize=4), digest, on_outcome)
    report.seconds = time.perf_counter() - began
    report.digest = digest.hexdigest()
    return report


def _gather(
    report: Report,
    outcomes: Iterable[Outcome],
    digest: hashlib._Hash,
    on_outcome: Callable[[Report], None],
) -> None:
    for outcome in outcomes:
        report.worlds += 1
        report.games += outcome.games
        report.steps += outcome.steps
        report.met += outcome.met
        report.deeds += outcome.deeds
        digest.update(outcome.digest.encode())
        if outcome.broken:
            report.broken.append(outcome)
        on_outcome(report)
        if len(report.broken) >= _ENOUGH:
            return
