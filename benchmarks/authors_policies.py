"""What the policies that others have published do on the problems they were published with.

`python -m benchmarks.authors_policies`, for ASNets and graph networks beside the repository. Per
folder: how many problems there are, how many the policy solves from the initial state, how many it
was known to solve, how the other runs end, and where the seconds go; then each problem that is not
solved. Graph networks decide in both of their ways, on problems of at most so many objects.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.tasks import ROOT
from bugsieve.basis.stopping import Stopped, StopToken
from bugsieve.policies import make_policy
from bugsieve.policies.decisions import Ending
from bugsieve.policies.runs import Run, run_policy
from bugsieve.tasks.fdr.loading import load_task

SHARED = ROOT.parent / "shared" / "benchmarks"
KNOWN = {"asnets/scanalyzer": 32}
"""ASNets were known to solve all others of their problems; of graph networks nothing was said."""
TIME_LIMIT = "time limit"
STEP_LIMIT = 10_000
MANY = 10**9


@dataclass(frozen=True)
class Published:
    """A policy file with the problems beside it."""

    folder: Path
    spec: str

    @property
    def name(self) -> str:
        """Kind and domain, and the way of deciding where there are two."""
        way = " (successors)" if self.spec.endswith(":successors") else ""
        return f"{self.folder.parent.name}/{self.folder.name}{way}"

    def problems(self) -> list[Path]:
        """In the order of their names."""
        return sorted((self.folder / "problems").glob("*.pddl"))


@dataclass(frozen=True)
class Outcome:
    """The run from the initial state of one problem, and what it took."""

    problem: str
    actions: int
    ending: str
    steps: int
    note: str
    seconds: tuple[float, float, float]
    """Translating, binding the policy (grounding, forward h²), running."""

    def __str__(self) -> str:
        end = f"{self.ending} after {self.steps} steps" if self.steps else self.ending
        note = f", {self.note}" if self.note else ""
        return f"{self.problem} ({self.actions} actions): {end}{note}"


@dataclass
class Coverage:
    """What became of the problems of a folder."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_out: int = 0

    @property
    def solved(self) -> int:
        """Problems whose initial state is solved."""
        return len(self.outcomes) - len(self.failures)

    @property
    def failures(self) -> list[Outcome]:
        """The other problems."""
        return [outcome for outcome in self.outcomes if outcome.ending != Ending.SOLVED.label]

    def row(self, name: str) -> str:
        """A line of the table."""
        endings = Counter(outcome.ending for outcome in self.failures)
        others = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
        known = KNOWN.get(name, len(self.outcomes)) if name.startswith("asnets") else "–"
        sums = [sum(outcome.seconds[part] for outcome in self.outcomes) for part in range(3)]
        binding = max((outcome.seconds[1] for outcome in self.outcomes), default=0.0)
        times = "".join(f"{seconds:>10.1f}" for seconds in (sums[0], sums[1], binding, sums[2]))
        counts = f"{len(self.outcomes):>9}{self.left_out:>9}{self.solved:>8}{known:>7}"
        return f"{name:<30}{counts}{times}  {others}"


HEADER = (
    f"{'folder':<30}{'problems':>9}{'left out':>9}{'solved':>8}{'known':>7}"
    f"{'load s':>10}{'ground s':>10}{'longest':>10}{'run s':>10}  other endings"
)


def published(kind: str) -> Iterator[Published]:
    """The policies of a kind, in each way of deciding."""
    pattern, ways = {"asnets": ("*.policy", ("",)), "gnn": ("*.ckpt", ("", ":successors"))}[kind]
    for file in sorted((SHARED / kind).glob(f"*/{pattern}")):
        for way in ways:
            yield Published(file.parent, f"{kind}:{file}{way}")


def outcome_of(policy: Published, problem: Path, objects: int, seconds: float) -> Outcome | None:
    """What the policy does on a problem; None if that has more objects."""
    clocks = [time.perf_counter()]
    task = load_task(policy.folder / "domain.pddl", problem, cache=False)
    if len(task.objects) > objects:
        return None
    clocks.append(time.perf_counter())
    with make_policy(policy.spec, task) as bound:
        clocks.append(time.perf_counter())
        run: Run | None = None
        try:
            with StopToken(time.monotonic() + seconds).active():
                (run,) = run_policy(task, bound, task.initial_state, step_limit=STEP_LIMIT)
        except Stopped:
            pass
    clocks.append(time.perf_counter())
    spent = clocks[1] - clocks[0], clocks[2] - clocks[1], clocks[3] - clocks[2]
    if run is None:
        return Outcome(problem.stem, task.num_operators, TIME_LIMIT, 0, "", spent)
    note = run.detail
    if run.loop_start is not None:
        note = f"back to the state after {run.loop_start} steps"
    ending, steps = run.ending.label, len(run.actions)
    return Outcome(problem.stem, task.num_operators, ending, steps, note, spent)


def cover(policy: Published, objects: int, seconds: float) -> Coverage:
    """All problems of the folder."""
    coverage = Coverage()
    for problem in policy.problems():
        outcome = outcome_of(policy, problem, objects, seconds)
        if outcome is None:
            coverage.left_out += 1
        else:
            coverage.outcomes.append(outcome)
    return coverage


def main() -> None:
    """Print the table, a row as soon as it is known, then what is not solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", default="", help="only those whose names contain this")
    parser.add_argument("--objects", type=int, default=15, help="of graph networks' problems (15)")
    parser.add_argument("--seconds", type=float, default=120.0, help="of a run (120)")
    arguments = parser.parse_args()
    print(HEADER, flush=True)
    failures: list[tuple[str, Outcome]] = []
    for kind, objects in (("asnets", MANY), ("gnn", arguments.objects)):
        for policy in published(kind):
            if arguments.folders in policy.name:
                coverage = cover(policy, objects, arguments.seconds)
                print(coverage.row(policy.name), flush=True)
                failures += [(policy.name, outcome) for outcome in coverage.failures]
    for name, outcome in failures:
        print(f"  {name} {outcome}")


if __name__ == "__main__":
    main()
