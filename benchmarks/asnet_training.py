"""Training of ASNets: seconds, the teacher's share of them, and test problems solved per epoch.

`python -m benchmarks.asnet_training gripper|ferry [--seeds N] [--epochs N] [--workers N]`. Each
seed is a training of its own, from new random weights. Gripper is trained on generated tasks of 1
to 6 balls and tested on the published problems, ferry on the first 20 training tasks of the
learning track of 2023 and tested on its easy ones. The coverage of all epochs of all seeds is
shown, and none is picked: to choose one by its test problems would be to peek. With `--tested`
models of ferry are tested while they are trained, learn from their bugs, and the one that tests
best on validation tasks is taken.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import ROOT
from bugsieve.campaigns.campaign import Campaign
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.graph import PolicyGraph
from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.asnets.line import train_line
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.asnets.trainer import Epoch
from bugsieve.rooms.training.campaign.choices import stored_signature, stored_weights
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import Schedule
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task

SHARED = ROOT.parent / "shared" / "benchmarks"
SECONDS = Bar(180.0, at_least=False)
TEACHER_SHARE = Bar(0.2, at_least=False)
COVERAGE = Bar(0.9, at_least=True)

Sets = tuple[list[Task], list[Task]]
"""Tasks to train on, and to test on."""


def gripper() -> Sets:
    """Two generated tasks of each size; the published problems."""
    training = [_generated(balls, seed) for balls in range(1, 7) for seed in range(2)]
    return training, _folder(SHARED / "asnets" / "gripper", "problems")


def ferry() -> Sets:
    """The first 20 training tasks; the easy test tasks."""
    place = SHARED / "pddl" / "ipc2023-learning" / "ferry"
    return _folder(place, "training/easy")[:20], _folder(place, "testing/easy")


DOMAINS: dict[str, Callable[[], Sets]] = {"gripper": gripper, "ferry": ferry}


def _generated(balls: int, seed: int) -> Task:
    made = generate("gripper", seed=seed, balls=balls)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        for path, text in zip(paths, (made.domain, made.problem), strict=True):
            path.write_text(text)
        return load_task(*map(str, paths))


def _folder(place: Path, problems: str) -> list[Task]:
    files = sorted((place / problems).glob("*.pddl"))
    return [load_task(str(place / "domain.pddl"), str(file)) for file in files]


def coverage(groundings: list[Grounding], weights: Weights) -> int:
    """How many of the tasks the network solves."""
    found = 0
    for grounding in groundings:
        graph = PolicyGraph(grounding.task, AsnetPolicy(grounding, weights, "asnets:benchmark"))
        found += int(graph.table(grounding.task.initial_state, step_limit=10_000).solved[0])
    return found


def bench_training(report: Report, domain: str, *, seeds: int, epochs: int, workers: int) -> None:
    """A row of seconds and one of the teacher's share for each seed, and a line per epoch."""
    training, testing = DOMAINS[domain]()
    groundings = [ground(task) for task in testing]
    report.section(
        f"training an ASNet for {domain}: {len(training)} training tasks, {epochs} epochs",
        figure="figure",
    )
    for seed in range(seeds):
        start, cpu = time.perf_counter(), time.process_time()
        line = train_line(training, AsnetOptions(), seed=seed, max_epochs=epochs, workers=workers)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        share = sum(epoch.seconds["teacher"] for epoch in line.epochs) / seconds
        report.add(Row(f"seed {seed}, seconds", f"{cpu:.1f} CPU", "", seconds, SECONDS))
        report.add(Row(f"seed {seed}, teacher's share", "", "", share, TEACHER_SHARE))
        for number, epoch in enumerate(line.epochs):
            print(_told(number, epoch, len(training), groundings), flush=True)


def bench_selection(report: Report, *, seeds: int) -> None:
    """Training with tests on ferry: seconds, and the share of test problems that are solved."""
    place = SHARED / "pddl" / "ipc2023-learning" / "ferry"
    files = sorted(map(str, (place / "training" / "easy").glob("*.pddl")))
    groundings = [ground(task) for task in ferry()[1]]
    report.section("training with tests for ferry, the model that tests best", figure="figure")
    for seed in range(seeds):
        options = TrainingOptions(
            domain=str(place / "domain.pddl"),
            training=tuple(files[:20]),
            validation=tuple(files[20::5][:15]),
            schedule=Schedule(inits=4, start_epochs=2, main_epochs=8),
            asnets=AsnetOptions(steps=200),
            fuzz=FuzzOptions(pool_size=20, bias="uniform", seed=seed),
            replay_bugs=True,
        )
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            with Campaign.create(Path(folder) / "training", options) as campaign:
                best = campaign.run().best
            assert best is not None
            with TrainingRecords(Path(folder) / "training") as records:
                weights = stored_weights(records, best.number, stored_signature(records))
        seconds = time.perf_counter() - start
        share = coverage(groundings, weights) / len(groundings)
        report.add(Row(f"seed {seed}, seconds", "", "", seconds, SECONDS))
        report.add(Row(f"seed {seed}, test problems solved", "", "", share, COVERAGE))


def _told(number: int, epoch: Epoch, training: int, groundings: list[Grounding]) -> str:
    solved = coverage(groundings, epoch.model.weights)
    return (
        f"  epoch {number + 1}: loss {epoch.loss:.3f}, {epoch.solved}/{training} training tasks, "
        f"{solved}/{len(groundings)} test problems, {epoch.teacher_calls} teacher calls, "
        f"{epoch.teacher_failures} without a plan"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="training of ASNets")
    parser.add_argument("domain", choices=DOMAINS)
    parser.add_argument("--seeds", type=int, default=4, help="trainings (4)")
    parser.add_argument("--epochs", type=int, default=3, help="epochs of each (3)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the teacher (2)")
    parser.add_argument("--tested", action="store_true", help="train with tests of models")
    given = parser.parse_args()
    if not SHARED.is_dir():
        print(f"the benchmarks are not beside the repository ({SHARED})")
        return
    report = Report()
    if given.tested:
        bench_selection(report, seeds=given.seeds)
    else:
        bench_training(
            report, given.domain, seeds=given.seeds, epochs=given.epochs, workers=given.workers
        )
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
