"""Runs the policies that others have published on the problems they were published with.

`python -m benchmarks.authors_policies`, for ASNets and graph networks beside the repository. Per
folder: how many problems there are, how many the policy solves from the initial state, how many it
was known to solve, how the other runs end, and where the seconds go; then each problem that is not
solved. Graph networks run on the problems in the logs of their authors, in both of their ways,
and in a third one that is ours: how many endings, lengths and numbers of values are the same as in
the logs, and each difference with how close a decision was: the vectors with which the authors'
programme begins are half random, so that its values differ a little from run to run.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tasks import ROOT
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.policies import make_policy
from bugsieve.policies.decisions import Ending
from bugsieve.policies.runs import Run, run_policy
from bugsieve.rooms.formats.gnn.policy import ALONE, AVOID, AvoidingGnnPolicy, GnnPolicy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task

SHARED = ROOT.parent / "shared" / "benchmarks"
KNOWN = {"asnets/scanalyzer": 32}
"""ASNets were known to solve all others of their problems."""
VARIANTS = {"": "markovian", f":{AVOID}": "policy", f":{ALONE}": None}
"""What the logs call the ways in which graph networks decide; they do not have the last one."""
TIME_LIMIT = "time limit"
STEP_LIMIT = 10_000


@dataclass(frozen=True)
class Published:
    """A policy file with the problems beside it."""

    folder: Path
    spec: str
    way: str = ""
    """Of deciding, where there are several."""

    @property
    def name(self) -> str:
        """Kind and domain, and the way of deciding."""
        return f"{self.folder.parent.name}/{self.folder.name}{self.way}"

    @property
    def is_graph(self) -> bool:
        """Whether it is a graph network."""
        return self.spec.startswith("gnn:")

    def problems(self) -> list[Path]:
        """In the order of their names; of graph networks those that are in the logs."""
        found = sorted((self.folder / "problems").glob("*.pddl"))
        return [path for path in found if not self.is_graph or path.stem in self.logs]

    @property
    def logs(self) -> Mapping[str, Any]:
        """What the authors' own programme did with a graph network, by problem."""
        logs: Mapping[str, Any] = authors_runs()[self.folder.name]
        return logs

    def logged(self, problem: str) -> Mapping[str, Any] | None:
        """The same of one problem in this way of deciding."""
        variant = VARIANTS[self.way] if self.is_graph else None
        return None if variant is None else self.logs[problem][variant]


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
    differences: tuple[str, ...] | None = None
    """What is another thing in the logs; None if the problem is in none."""

    def __str__(self) -> str:
        end = f"{self.ending} after {self.steps} steps" if self.steps else self.ending
        note = f", {self.note}" if self.note else ""
        return f"{self.problem} ({self.actions} actions): {end}{note}"


@dataclass
class Coverage:
    """What became of the problems of a folder."""

    outcomes: list[Outcome] = field(default_factory=list)
    known: int | None = None
    """How many of them it was known to solve, where that is known."""

    @property
    def solved(self) -> int:
        """Problems whose initial state is solved."""
        return len(self.outcomes) - len(self.failures)

    @property
    def failures(self) -> list[Outcome]:
        """The other problems."""
        return [outcome for outcome in self.outcomes if outcome.ending != Ending.SOLVED.label]

    @property
    def same(self) -> int:
        """Problems of which the logs say the same."""
        return sum(outcome.differences == () for outcome in self.outcomes)

    def row(self, name: str) -> str:
        """A line of the table."""
        endings = Counter(outcome.ending for outcome in self.failures)
        others = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
        logged = any(outcome.differences is not None for outcome in self.outcomes)
        known = "–" if self.known is None else self.known
        sums = [sum(outcome.seconds[part] for outcome in self.outcomes) for part in range(3)]
        binding = max((outcome.seconds[1] for outcome in self.outcomes), default=0.0)
        times = "".join(f"{seconds:>10.1f}" for seconds in (sums[0], sums[1], binding, sums[2]))
        counts = f"{len(self.outcomes):>9}{self.solved:>8}{known:>7}"
        return f"{name:<30}{counts}{self.same if logged else '–':>6}{times}  {others}"


HEADER = (
    f"{'folder':<30}{'problems':>9}{'solved':>8}{'known':>7}{'same':>6}"
    f"{'load s':>10}{'ground s':>10}{'longest':>10}{'run s':>10}  other endings"
)


@cache
def authors_runs() -> Mapping[str, Any]:
    """The logs of the graph networks' authors."""
    logs: Mapping[str, Any] = json.loads((SHARED / "gnn" / "authors-runs.json").read_text())
    return logs


def published(kind: str) -> Iterator[Published]:
    """The policies of a kind, in each way of deciding."""
    pattern, ways = {"asnets": ("*.policy", ("",)), "gnn": ("*.ckpt", tuple(VARIANTS))}[kind]
    for file in sorted((SHARED / kind).glob(f"*/{pattern}")):
        for way in ways:
            yield Published(file.parent, f"{kind}:{file}{way}", way)


def differences(
    policy: Published, problem: str, task: Task, bound: Any, run: Run
) -> Iterator[str]:
    """What a run differs in from that in the logs."""
    known = policy.logged(problem) or {}
    choices = list(candidates(task, run, avoids=isinstance(bound, AvoidingGnnPolicy)))
    said = {
        "solved": run.solved,
        "actions": len(run.actions),
        "evaluations": 1 + sum(map(len, choices)),  # of the initial state as well
    }
    wrong = {name: value for name, value in said.items() if known.get(name) != value}
    if wrong:
        least = min((margin(bound, states) for states in choices), default=0.0)
        for name, value in wrong.items():
            yield (
                f"{name}: {value}, and {known.get(name)} in the logs; at some step the two best "
                f"values differ by {least:.4f}"
            )


def candidates(task: Task, run: Run, *, avoids: bool) -> Iterator[np.ndarray[Any, Any]]:
    """The successors between which the policy chose, step by step."""
    visited: set[bytes] = set()
    for state in run.states(task)[: len(run.actions)]:
        visited.add(state.tobytes())
        successors, _, _ = task.all_successors(state[None])
        kept = [not avoids or row.tobytes() not in visited for row in successors]
        yield successors[kept]


def margin(policy: GnnPolicy, states: np.ndarray[Any, Any]) -> float:
    """By how much the second best of different states is worse than the best; at least 0."""
    best = np.sort(policy.values_together(np.unique(states, axis=0)).astype(np.float64))
    return float(best[1] - best[0]) if len(best) > 1 else np.inf


def outcome_of(policy: Published, problem: Path, seconds: float) -> Outcome:
    """What the policy does on a problem."""
    clocks = [time.perf_counter()]
    task = load_task(policy.folder / "domain.pddl", problem, cache=False)
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
        found = None
        if run is not None and policy.logged(problem.stem) is not None:
            found = tuple(differences(policy, problem.stem, task, bound, run))
    spent = clocks[1] - clocks[0], clocks[2] - clocks[1], clocks[3] - clocks[2]
    if run is None:
        return Outcome(problem.stem, task.num_operators, TIME_LIMIT, 0, "", spent)
    note = run.detail
    if run.loop_start is not None:
        note = f"back to the state after {run.loop_start} steps"
    ending, steps = run.ending.label, len(run.actions)
    return Outcome(problem.stem, task.num_operators, ending, steps, note, spent, found)


def cover(policy: Published, seconds: float) -> Coverage:
    """All problems of the folder."""
    coverage = Coverage([outcome_of(policy, path, seconds) for path in policy.problems()])
    if not policy.is_graph:
        coverage.known = KNOWN.get(policy.name, len(coverage.outcomes))
    elif VARIANTS[policy.way] is not None:
        logs = [policy.logged(outcome.problem) for outcome in coverage.outcomes]
        coverage.known = sum(bool(log and log["solved"]) for log in logs)
    return coverage


def main() -> None:
    """Print the table, a row as soon as it is known, then what is not solved or not the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", default="", help="a regular expression in their names")
    parser.add_argument("--seconds", type=float, default=120.0, help="of a run (120)")
    arguments = parser.parse_args()
    print(HEADER, flush=True)
    told: list[str] = []
    for policy in (*published("asnets"), *published("gnn")):
        if re.search(arguments.folders, policy.name):
            coverage = cover(policy, arguments.seconds)
            print(coverage.row(policy.name), flush=True)
            told += [f"{policy.name} {outcome}" for outcome in coverage.failures]
            for outcome in coverage.outcomes:
                found = outcome.differences or ()
                told += [f"{policy.name} {outcome.problem}: {line}" for line in found]
    for line in told:
        print(f"  {line}")
    for domain, logs in authors_runs().items():
        files = {path.stem for path in (SHARED / "gnn" / domain / "problems").glob("*.pddl")}
        missing = sorted(logs.keys() - files)
        print(f"  gnn/{domain}: {len(missing)} problems in the logs are not here: {missing}")


if __name__ == "__main__":
    main()
