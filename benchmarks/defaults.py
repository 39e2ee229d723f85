"""Which oracles `bugsieve test` should ask where nobody is named: bugs within some seconds.

Every candidate gets the same tasks, policies and time, with a pool that never gets full. The tasks
are the first instance of each domain in experiments/icaps23-small.toml.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.sweep import loading_of, run_campaign
from benchmarks.tasks import ROOT, BenchmarkTask
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.rooms.zoo.domains import generate

CANDIDATES = {
    "before": ("lookahead", "aras", "planner:gbfs-20000"),
    "bmo": ("bmo:100",),
    "aras/ehc": ("combined:bmo:100+aras-or-ehc",),
    "aras/gbfs": ("combined:bmo:100+split:(planner:gbfs-20000+aras)",),
    "0+aras/gbfs": ("combined:bmo:0+split:(planner:gbfs-20000+aras)",),
    "split": ("split:planner:gbfs-20000+aras",),
}
POOL = ("--pool-size", "1000000", "--escalate-to", "0")


def tasks(folder: Path, wanted: str) -> Iterator[tuple[BenchmarkTask, str]]:
    """A task of each domain, and the policy that the experiment tests on it."""
    path = ROOT / "experiments" / "icaps23-small.toml"
    for entry in parse_toml(path.read_text(), str(path))["domains"]:
        name, parameters = entry["generator"], entry["parameters"]
        if wanted not in name:
            continue
        first = parameters[0] if isinstance(parameters, list) else parameters
        values = {key: v[0] if isinstance(v, list) else v for key, v in first.items()}
        drawn = generate(name, seed=entry["seeds"][0], **values)
        place = folder / name
        place.mkdir()
        (place / "domain.pddl").write_text(drawn.domain)
        (place / "problem.pddl").write_text(drawn.problem)
        task = BenchmarkTask(name, place / "domain.pddl", place / "problem.pddl")
        yield task, entry["policies"]["tested"]


def main() -> None:
    """Print the bugs of every candidate on every task, and their shares of the most."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each campaign (60)")
    parser.add_argument("--tasks", default="", help="only domains whose names contain this")
    parser.add_argument("--only", nargs="+", default=list(CANDIDATES), choices=CANDIDATES)
    args = parser.parse_args()
    print(f"{'domain':<21}" + "".join(f"{name:>13}" for name in args.only), flush=True)
    shares: dict[str, list[float]] = {name: [] for name in args.only}
    with tempfile.TemporaryDirectory() as folder:
        for task, policy in tasks(Path(folder), args.tasks):
            loading = loading_of(task)
            bugs = {}
            for name, oracles in ((name, CANDIDATES[name]) for name in args.only):
                options = [*POOL, *(word for spec in oracles for word in ("--oracle", spec))]
                line = run_campaign(task, policy, loading, limit=args.seconds, options=options)
                bugs[name] = line.found.bugs
            for name, count in bugs.items():
                shares[name].append(count / max(1, *bugs.values()))
            row = "".join(f"{count:>13}" for count in bugs.values())
            print(f"{task.name:<21}{row}", flush=True)
    means = "".join(f"{sum(values) / len(values):>13.2f}" for values in shares.values())
    print(f"{'mean share of most':<21}{means}")


if __name__ == "__main__":
    main()
