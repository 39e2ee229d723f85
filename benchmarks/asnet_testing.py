"""Campaigns that test the published ASNets, and where their time goes.

`python -m benchmarks.asnet_testing`; problems are those of the bars unless named. A pool of 200
from uniform walks is judged by bmo:100 under unit costs, in one process that finds nothing on
disk: translation, grounding, forward h² and the dominance function are in the seconds. What a
campaign is doing at a moment it says itself, for its signs of life; looking at that every few
milliseconds shows what each part takes. `--bias policy-quality` may take five times as long.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks.authors_policies import SHARED, Published, published
from benchmarks.table import Bar, Report, Row
from bugsieve.base.current_activity import Activities, activities
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.session_clock import MAX_TIME
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.tasks.grounded.loading import load_task

POOL_SIZE = 200
ORACLE = "bmo:100"
FIRST = 5
UNIFORM = "uniform"
SLOWER_WITH_BIAS = 5.0
SECONDS = {"gripper": 15.0, "transport": 15.0, "blocksworld": 60.0}
"""Bars of the first problems of a folder."""
LARGEST_SECONDS = 600.0
SAMPLING_SECONDS = 0.002
PARTS = {
    "preparing": "load",
    "computing the dominance": "function",
    "making walks": "pool",
    "running the policy": "runs",
    "telling": "judge",
    "judging": "judge",
    "proving": "prove",
    "storing": "store",
}
"""What a campaign says it is doing, by its first words; the rest is "else"."""


@dataclass(frozen=True)
class Tested:
    """A campaign: what it found, and the seconds of its parts."""

    judged: int
    bugs: int
    reason: str
    seconds: float
    parts: dict[str, float]

    @property
    def figure(self) -> float:
        """The seconds; without end where the campaign was stopped before its own."""
        return math.inf if self.reason == MAX_TIME else self.seconds

    def __str__(self) -> str:
        shown = (f"{part} {self.parts[part]:.1f}" for part in dict.fromkeys(PARTS.values()))
        rest = f"else {self.parts['else']:.1f}"
        found = f"{self.judged} judged, {self.bugs} bugs"
        return f"{', '.join((*shown, rest))}; {found}; {self.reason} after {self.seconds:.1f} s"


class Sampler(threading.Thread):
    """Looks now and then at what a thread says it is doing."""

    def __init__(self, watched: Activities) -> None:
        super().__init__(daemon=True)
        self._watched = watched
        self._over = threading.Event()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def run(self) -> None:
        """Count until told that it is over; each look stands for the time since the last."""
        before = time.perf_counter()
        while not self._over.wait(SAMPLING_SECONDS):
            now = time.perf_counter()
            self._seconds[self._part()] += now - before
            before = now

    def parts(self) -> dict[str, float]:
        """Stop looking; seconds by part."""
        self._over.set()
        self.join()
        return {part: self._seconds[part] for part in (*PARTS.values(), "else")}

    def _part(self) -> str:
        words = self._watched.innermost() or ""
        return next((part for start, part in PARTS.items() if words.startswith(start)), "else")


@contextmanager
def nothing_on_disk() -> Iterator[Path]:
    """A folder for results; what was computed before is out of sight."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"BUGSIEVE_CACHE": f"{folder}/cache"}),
    ):
        yield Path(folder)


def test(policy: Published, problem: Path, bias: str, seconds: float) -> Tested:
    """The campaign of a problem, which may take so many seconds beside its preparation."""
    options = CostOptions(
        task=(str(policy.folder / "domain.pddl"), str(problem)),
        policy=policy.spec,
        oracles=(ORACLE,),
        unit_cost=True,
        escalate_to=0,
        fuzz=FuzzOptions(pool_size=POOL_SIZE, novelty=0, bias=bias),
        stop=StopRules(max_time=seconds),
    )
    with nothing_on_disk() as folder:
        sampler = Sampler(activities())
        sampler.start()
        start = time.perf_counter()
        summary = Campaign.create(folder / "campaign", options).run()
        spent = time.perf_counter() - start
        parts = sampler.parts()
    return Tested(summary.judged, summary.bugs, summary.reason or "", spent, parts)


def largest(policy: Published) -> Path:
    """The problem with the most actions; each task is grounded to see."""
    domain = policy.folder / "domain.pddl"
    return max(policy.problems(), key=lambda p: load_task(domain, p).num_operators)


def chosen(policy: Published, which: str, names: Sequence[str]) -> list[tuple[Path, float]]:
    """Problems with the seconds they may take."""
    if which == "largest":
        return [(largest(policy), LARGEST_SECONDS)]
    limit = SECONDS.get(policy.folder.name, LARGEST_SECONDS)
    problems = policy.problems()
    if names:
        return [(problem, limit) for problem in problems if problem.stem in names]
    return [(p, limit) for p in problems[:FIRST]] if policy.folder.name in SECONDS else []


def bench_testing(report: Report, arguments: argparse.Namespace) -> None:
    """Seconds of whole campaigns, and where they go."""
    title = f"testing ASNets, pool of {POOL_SIZE}, {arguments.bias}, {ORACLE}, unit costs"
    report.section(title, figure="seconds")
    slower = 1.0 if arguments.bias == UNIFORM else SLOWER_WITH_BIAS
    for policy in published("asnets"):
        if arguments.folders and policy.folder.name not in arguments.folders:
            continue
        for problem, limit in chosen(policy, arguments.which, arguments.problems):
            tested = test(policy, problem, arguments.bias, arguments.seconds)
            label = f"{policy.folder.name} {problem.stem}"[-28:]
            bar = Bar(limit * slower, at_least=False)
            report.add(Row(label, f"{tested.judged} judged", "", tested.figure, bar))
            print(f"  {tested}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", nargs="+", default=[], help="only those of these names")
    parser.add_argument("--problems", nargs="+", default=[], help="only those of these names")
    parser.add_argument("--which", choices=("first", "largest"), default="first")
    parser.add_argument("--bias", default=UNIFORM)
    parser.add_argument("--seconds", type=float, default=LARGEST_SECONDS, help="most (600)")
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"the published policies are not beside the repository ({SHARED})")
        return
    report = Report()
    bench_testing(report, arguments)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
