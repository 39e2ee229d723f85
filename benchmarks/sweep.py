"""The sweep: what a newcomer tries, real tasks × policies, with the defaults and a time limit.

Each campaign is one `bugsieve test` in a process of its own. Its time and CPU time beyond the
limit leave out what the process takes to start and to load the task, which no time limit covers.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.fuzzing import LEARNING, benchmark_task
from benchmarks.tasks import CLASSICAL, PDDL, BenchmarkTask
from bugsieve.campaigns.cost.records import CostRecords, PoolColumns
from bugsieve.pipeline.bugs.groups import have_unique_fact_pair

POLICIES = ("greedy:hff", "hill-climbing:hff", "lazy:hff", "random")
PROBLEMS = {
    "blocks-8-0": CLASSICAL / "blocks/probBLOCKS-8-0.pddl",
    "floortile-opt11-1": CLASSICAL / "floortile-opt11-strips/opt-p01-001.pddl",
    "gripper-5": CLASSICAL / "gripper/prob05.pddl",
    "matching-blocksworld": CLASSICAL / "matching-blocksworld/test/mbw-b08-t1-s898.pddl",
    "satellite-5": CLASSICAL / "satellite/p05-pfile5.pddl",
    "scanalyzer-3": CLASSICAL / "scanalyzer-opt11-strips/p03.pddl",
    "storage-8": CLASSICAL / "storage/p08.pddl",
    "transport-opt08-4": CLASSICAL / "transport-opt08-strips/p04.pddl",
    "visitall-5-full": CLASSICAL / "visitall-opt11-strips/problem05-full.pddl",
    "easy-blocksworld-15": LEARNING / "blocksworld/testing/easy/p15.pddl",
    "easy-ferry-15": LEARNING / "ferry/testing/easy/p15.pddl",
    "easy-floortile-10": LEARNING / "floortile/testing/easy/p10.pddl",
    "easy-miconic-20": LEARNING / "miconic/testing/easy/p20.pddl",
    "easy-satellite-10": LEARNING / "satellite/testing/easy/p10.pddl",
    "easy-spanner-10": LEARNING / "spanner/testing/easy/p10.pddl",
    "medium-ferry-5": LEARNING / "ferry/testing/medium/p05.pddl",
    "medium-transport-2": LEARNING / "transport/testing/medium/p02.pddl",
}
LONGEST = 12
"""A process is killed after so many times its time limit."""
_LOAD = "import sys, bugsieve, bugsieve.cli; bugsieve.load_task(*sys.argv[1:])"


@dataclass(frozen=True)
class Usage:
    """What a process took; its memory is the most of it or of one of its children."""

    exit_code: int
    seconds: float
    cpu_seconds: float
    mebibytes: float


@dataclass(frozen=True)
class Found:
    """What a campaign has in its store; all 0 where there is none."""

    pool: int = 0
    judged: int = 0
    bugs: int = 0
    unique: int = 0
    """Bugs with a pair of facts that no other bug of the campaign has."""
    undecided: int = 0
    """Failing runs of which no oracle says whether they had to fail."""
    mean_depth: float = 0.0
    """Steps of the walks that lead from the start to a state of the pool."""
    median_depth: float = 0.0
    max_depth: int = 0


@dataclass(frozen=True)
class Line:
    """One campaign of the sweep."""

    task: str
    policy: str
    limit: float
    usage: Usage
    loading: Usage
    found: Found

    @property
    def over(self) -> tuple[float, float]:
        """Seconds and CPU seconds beyond the limit, start and loading left out."""
        return (
            max(0.0, self.usage.seconds - self.loading.seconds - self.limit),
            max(0.0, self.usage.cpu_seconds - self.loading.cpu_seconds - self.limit),
        )

    @property
    def is_late(self) -> bool:
        """Whether the CPU time is beyond the limit by more than 1 s and more than 10 %."""
        return self.over[1] > max(1.0, 0.1 * self.limit)

    def __str__(self) -> str:
        found = self.found
        cells = (
            f"{self.task:<21} {self.policy:<18} {self.usage.seconds:6.1f} {self.over[0]:5.1f}",
            f"{self.over[1]:5.1f}{'*' if self.is_late else ' '}",
            f"{found.judged:>4} of {found.pool:>3} {found.bugs:>5} {found.unique:>6}",
            f"{found.undecided:>9} {self.usage.exit_code:>4} {self.usage.mebibytes:>5.0f}",
            f"{found.mean_depth:>6.1f} {found.median_depth:>6.1f} {found.max_depth:>4}",
        )
        return " ".join(cells)


HEADING = (
    f"{'task':<21} {'policy':<18} {'time':>6} {'over':>5} {'CPU':>5}  {'judged':>11} {'bugs':>5} "
    f"{'unique':>6} {'undecided':>9} {'exit':>4} {'MiB':>5} {'mean':>6} {'median':>6} {'max':>4}"
)
LEGEND = """\
time: seconds of the process; over, CPU: seconds and CPU seconds beyond the limit, without start
and loading (*: more than 1 s and 10 % of CPU time); unique: bugs with a pair of facts that no
other bug has; undecided: failing runs that no oracle decided; mean, median, max: steps of the
walks that lead from the start to the states of the pool"""


def sweep_tasks(wanted: Sequence[str] = ()) -> list[BenchmarkTask]:
    """The tasks whose names contain one of the texts, and whose files are there."""
    return [
        benchmark_task(name, problem)
        for name, problem in PROBLEMS.items()
        if problem.is_file() and (not wanted or any(text in name for text in wanted))
    ]


def run_campaign(
    task: BenchmarkTask, policy: str, loading: Usage, *, limit: float, options: Sequence[str]
) -> Line:
    """Test the policy on the task within the limit, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "campaign")
        command = ["-m", "bugsieve", "test", str(task.domain), str(task.problem)]
        command += ["--policy", policy, "--max-time", f"{limit:g}", "-o", str(results), *options]
        usage = run_python(command, seconds=LONGEST * limit + loading.seconds)
        return Line(task.name, policy, limit, usage, loading, read_campaign(results))


def loading_of(task: BenchmarkTask) -> Usage:
    """What a process takes to start and to load the task."""
    return run_python(["-c", _LOAD, str(task.domain), str(task.problem)])


def run_python(arguments: Sequence[str], *, seconds: float | None = None) -> Usage:
    """Run Python without output until it ends or so many seconds have passed."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    killer = threading.Timer(seconds or threading.TIMEOUT_MAX, child.kill)
    killer.start()
    try:
        _, status, used = os.wait4(child.pid, 0)
    finally:
        killer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Usage(child.returncode, time.perf_counter() - start, *_cpu_and_memory(used))


def _cpu_and_memory(used: resource.struct_rusage) -> tuple[float, float]:
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def read_campaign(folder: Path) -> Found:
    """What the store of the campaign says, also where its process was killed."""
    if not (folder / "campaign.sqlite").is_file():
        return Found()
    with CostRecords(folder) as records:
        pool, judged = records.pool(), len(records.runs())
        depths = walk_depths(pool)
        bugs = pool.states[[row.case for row in records.bugs()]]
        task = records.header.subject.load()
        return Found(
            len(pool),
            judged,
            len(bugs),
            int(have_unique_fact_pair(task, bugs).sum()) if len(bugs) else 0,
            sum(records.undecided().values()),
            float(depths.mean()),
            float(np.median(depths)),
            int(depths.max()),
        )


def walk_depths(pool: PoolColumns) -> NDArray[np.int64]:
    """For each entry, the steps of all walks that lead to it from the root it descends from."""
    depths = np.diff(pool.offsets)
    for number, parent in enumerate(pool.parents):  # parents come before their children
        depths[number] += depths[parent] if parent >= 0 else 0
    return depths


def summary(lines: Iterable[Line]) -> str:
    """The lines that are late, and means over campaigns."""
    lines = list(lines)
    late = [line for line in lines if line.is_late]
    total = {
        field.name: sum(getattr(line.found, field.name) for line in lines)
        for field in fields(Found)
    }
    count = max(1, len(lines))
    return "\n".join(
        [
            f"{len(lines)} campaigns, {len(late)} with too much CPU time beyond the limit",
            f"{total['judged']} judged of {total['pool']}, {total['bugs']} bugs, "
            f"{total['unique']} of them with a unique fact pair, {total['undecided']} undecided",
            f"steps from the start, means over campaigns: mean {total['mean_depth'] / count:.1f}, "
            f"median {total['median_depth'] / count:.1f}, max {total['max_depth'] / count:.1f}",
        ]
    )


def sweep(tasks: Iterable[BenchmarkTask], args: argparse.Namespace) -> Iterable[Line]:
    """One line per task and policy, as soon as it is there."""
    for task in tasks:
        loading = loading_of(task)
        for policy in args.policies:
            options = ["--insert", args.insert]
            yield run_campaign(task, policy, loading, limit=args.max_time, options=options)


def main() -> None:
    """Print the table of the chosen tasks and policies, and what they come to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=(), metavar="TEXT", help="parts of names")
    parser.add_argument("--policies", nargs="+", default=POLICIES, metavar="SPEC")
    parser.add_argument("--max-time", type=float, default=10.0, metavar="S")
    parser.add_argument("--insert", default="one", metavar="HOW")
    args = parser.parse_args()
    tasks = sweep_tasks(args.tasks)
    if not tasks:
        sys.exit(f"no task to run: none in {PDDL} has such a name")
    print(HEADING, flush=True)
    lines = []
    for line in sweep(tasks, args):
        lines.append(line)
        print(line, flush=True)
    print(f"\n{LEGEND}\n\n{summary(lines)}")


if __name__ == "__main__":
    main()
