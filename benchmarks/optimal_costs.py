"""`make check-optimal`: our optimal costs against Fast Downward's on the classical instances.

Fast Downward runs A* with LM-cut for at most `--seconds` CPU seconds per instance; where it finds
a plan we get twice its time. Results are appended to a file of JSON lines, one per run, so that a
later call continues where an earlier one stopped. Our plans are replayed on the PDDL files.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers import astar, run_downward
from benchmarks.tasks import BUILD, CLASSICAL, ROOT, TranslationError, translate

RESULTS = BUILD / "optimal-costs.jsonl"
SECONDS_TO_READ = 10
LEAST_SECONDS = 5.0
"""Twice a few milliseconds would measure the start of the process, not the search."""


@dataclass(frozen=True)
class Outcome:
    """What one planner did on one instance within a time limit."""

    instance: str
    planner: str
    limit: float
    status: str
    cost: int | None = None
    seconds: float = 0.0


class Outcomes:
    """The outcomes so far, in memory and in the results file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[tuple[str, str], Outcome] = {}
        if path.is_file():
            for line in path.read_text().splitlines():
                self._remember(Outcome(**json.loads(line)))

    def get(self, instance: str, planner: str, limit: float) -> Outcome | None:
        """A solved outcome, or one that failed with at least this limit.

        Only the peer's failures are believed: ours may be gone since the code has changed.
        """
        known = self._known.get((instance, planner))
        if known is None or known.status == "solved":
            return known
        return known if planner == "downward" and known.limit >= limit else None

    def add(self, outcome: Outcome) -> Outcome:
        """Keep the outcome and append it to the file."""
        self._remember(outcome)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            print(json.dumps(asdict(outcome)), file=file)
        return outcome

    def _remember(self, outcome: Outcome) -> None:
        self._known[outcome.instance, outcome.planner] = outcome


def instances(text: str) -> Iterator[tuple[str, Path, Path]]:
    """Name, domain file and problem file of every classical instance whose name has the text."""
    for domain in sorted(CLASSICAL.glob("*/domain.pddl")):
        for problem in sorted(domain.parent.rglob("*.pddl")):
            name = problem.relative_to(CLASSICAL).with_suffix("").as_posix()
            if problem != domain and text in name:
                yield name, domain, problem


def run_peer(name: str, domain: Path, problem: Path, seconds: float) -> Outcome:
    """Fast Downward's A* with LM-cut on the translated instance."""
    sas_file = BUILD / "sas" / "classical" / f"{name}.sas"
    try:
        translate(domain, problem, sas_file, seconds=seconds + 60)
    except TranslationError:
        return Outcome(name, "downward", seconds, "not translated")
    limit = math.ceil(seconds) + SECONDS_TO_READ
    done = run_downward(sas_file, astar("lmcut", seconds), cpu_limit=limit)
    status = "unsolved" if done.plan_cost is None else "solved"
    return Outcome(name, "downward", seconds, status, done.plan_cost, done.search_seconds)


def run_ours(name: str, domain: Path, problem: Path, seconds: float) -> Outcome:
    """Our A* with LM-cut from the PDDL files, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.optimal_costs", "--solve"]
    command += [str(domain), str(problem), str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return Outcome(name, "ours", seconds, f"failed: {lines[-1]}")
    return Outcome(name, "ours", seconds, **json.loads(done.stdout))


def solve(domain: str, problem: str, seconds: float) -> dict[str, object]:
    """Solve one instance in this process and check the plan on the PDDL files."""
    import bugsieve
    from bugsieve.tasks.search import Limits, astar

    task = bugsieve.load_task(domain, problem)
    start = time.process_time()
    # The limit is one of wall-clock time: a busy machine must not look like a slow search.
    result = astar(task, task.initial_state, "lmcut", limits=Limits(seconds=20 * seconds))
    elapsed = time.process_time() - start
    status = str(result.status)
    if result.plan is not None:
        plan = [task.operator_names[operator] for operator in result.plan]
        status = judge_plan(domain, problem, plan, result.cost)
    return {"status": status, "cost": result.cost, "seconds": elapsed}


def judge_plan(domain: str, problem: str, plan: list[str], cost: int | None) -> str:
    """ "solved" when the reference simulator accepts the plan at this cost, else what is wrong."""
    from tests.reference.pddl import PlanError, load, validate_plan

    try:
        actual = validate_plan(load(domain, problem), plan)
    except PlanError as error:
        return f"invalid plan: {error}"
    return "solved" if actual == cost else f"invalid plan: it costs {actual}, not {cost}"


def compare(peer: Outcome, ours: Outcome) -> str:
    """What is wrong with our outcome where the peer solved the instance, or nothing."""
    if ours.cost is None:
        return f"we found no plan in {ours.seconds:.1f} s ({ours.status})"
    if ours.status != "solved":
        return ours.status
    if ours.cost != peer.cost:
        return f"our cost is {ours.cost}, the peer's {peer.cost}"
    return "" if ours.seconds <= time_limit(peer) else f"we took {ours.seconds:.1f} s"


def time_limit(peer: Outcome) -> float:
    """CPU seconds in which we should solve what the peer solved."""
    return max(2 * peer.seconds, LEAST_SECONDS)


def check(options: argparse.Namespace) -> list[str]:
    """Run what is not known yet, print a line per instance, return the complaints."""
    outcomes = Outcomes(options.results)
    complaints = []
    solved = 0
    for name, domain, problem in instances(options.instances):
        peer = outcomes.get(name, "downward", options.seconds)
        peer = peer or outcomes.add(run_peer(name, domain, problem, options.seconds))
        if peer.cost is None or peer.seconds > options.seconds:
            continue
        solved += 1
        limit = time_limit(peer)
        ours = None if options.fresh else outcomes.get(name, "ours", limit)
        ours = ours or outcomes.add(run_ours(name, domain, problem, limit))
        complaint = compare(peer, ours)
        times = f"{ours.seconds:8.2f} s {peer.seconds:8.2f} s"
        print(f"{name:<50} {peer.cost:>6} {times}  {complaint or 'ok'}", flush=True)
        complaints += [f"{name}: {complaint}"] if complaint else []
    print(f"\nFast Downward solved {solved} instances, we failed on {len(complaints)} of them")
    return complaints


def main() -> int:
    """Exit code 1 when a cost differs, a plan is invalid or an instance is not solved in time."""
    parser = argparse.ArgumentParser(prog="make check-optimal", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for Fast Downward")
    parser.add_argument("--instances", default="", help="only those whose name contains this")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--fresh", action="store_true", help="run our side again")
    parser.add_argument("--solve", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solve:
        domain, problem, seconds = options.solve
        print(json.dumps(solve(domain, problem, float(seconds))))
        return 0
    print(f"{'instance':<50} {'cost':>6} {'ours':>10} {'peer':>10}")
    complaints = check(options)
    for complaint in complaints:
        print(f"  {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
