"""The speed of fuzzing beside the tool that the papers came with.

That tool does not run here: its figures are CPU seconds measured once on a machine of this kind,
translation and process start left out. Ours are taken in the same way.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import bugsieve
from benchmarks import memory
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import CLASSICAL, PDDL, BenchmarkTask
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import INSERT_ALL, FuzzOptions

POLICY = "hill-climbing:hadd"
LEARNING = PDDL / "ipc2023-learning"
INSTANCES = {
    "gripper": ("gripper-10", CLASSICAL / "gripper/prob10.pddl"),
    "blocks": ("blocks-10-0", CLASSICAL / "blocks/probBLOCKS-10-0.pddl"),
    "transport": ("transport-opt08-4", CLASSICAL / "transport-opt08-strips/p04.pddl"),
    "satellite": ("satellite-5", CLASSICAL / "satellite/p05-pfile5.pddl"),
    "visitall": ("visitall-6-half", CLASSICAL / "visitall-opt11-strips/problem06-half.pddl"),
    "floortile": ("floortile-1", CLASSICAL / "floortile-opt11-strips/opt-p01-001.pddl"),
    "scanalyzer": ("scanalyzer-5", CLASSICAL / "scanalyzer-opt11-strips/p05.pddl"),
    "ferry": ("ferry-easy-20", LEARNING / "ferry/testing/easy/p20.pddl"),
}
SPANNER = ("spanner-easy-25", LEARNING / "spanner/testing/easy/p25.pddl")

PUBLISHED: dict[str, tuple[float, ...]] = {
    "policy-quality": (1.13, 0.28, 0.68, 0.54, 0.23, 0.21, 7.7, 0.83),
    "surface": (1.15, 0.55, 1.16, 0.63, 0.37, 0.67, 9.2, 0.99),
    "detour": (19.2, 28.6, 35.8, 7.8, 8.5, 8.8, 19.0, 19.0),
    "loopiness": (21.2, 26.6, 38.0, 6.4, 6.5, 5.9, 19.0, 19.0),
}
"""Seconds for a pool of 200, in the order of INSTANCES."""
CUT_SHORT = {
    *(("detour", name) for name in ("scanalyzer", "ferry")),
    *(("loopiness", name) for name in ("transport", "scanalyzer", "ferry")),
}
"""Where the published tool was stopped after those seconds: it takes longer."""
BARS = {"policy-quality": 1 / 3, "surface": 1 / 3, "detour": 0.1, "loopiness": 0.1}

PUBLISHED_STEPS = 41_000.0
"""Steps per second of walks without a policy on SPANNER."""
LARGE_POOL = 20_000
BYTES_PER_STATE = 300.0

PUBLISHED_WAY = FuzzOptions(insert=INSERT_ALL, round_walks=1)
"""Fills pools as the published tool does."""

Wanted = Callable[[BenchmarkTask], bool]


def bench_fuzzing(report: Report, repetitions: int, wanted: Wanted) -> None:
    """Seconds until the pool has 200 states, for each bias on each instance.

    One walk a round is what the published tool does; rounds of more are what ours is made for.
    """
    for (bias, limit), walks in product(BARS.items(), (1, FuzzOptions().round_walks)):
        title = f"fuzzing with {bias}, {walks} at a time, CPU seconds"
        report.section(f"{title} (peer: published tool, CPU seconds)")
        ratios = []
        for (name, instance), peer in zip(INSTANCES.items(), PUBLISHED[bias], strict=True):
            benchmark = benchmark_task(*instance)
            if not benchmark.problem.is_file() or not wanted(benchmark):
                continue
            ours = min(fuzzing_seconds(benchmark, bias, walks) for _ in range(repetitions))
            ratios.append(ours / peer)
            shown = f"{'> ' if (bias, name) in CUT_SHORT else ''}{peer:.2f}"
            report.add(Row(benchmark.name, f"{ours:.3f}", shown, ours / peer))
        report.add_mean(ratios, Bar(limit, at_least=False))


def bench_pool(report: Report, repetitions: int, wanted: Wanted) -> None:
    """Walks without a policy until the pool is large: their steps per second, and the memory."""
    benchmark = benchmark_task(*SPANNER)
    if not benchmark.problem.is_file() or not wanted(benchmark):
        return
    report.section(f"walks to a pool of {LARGE_POOL}, steps per CPU second (peer: published tool)")
    ours = max(walking_rate(benchmark) for _ in range(repetitions))
    peer = PUBLISHED_STEPS
    shown = (f"{ours:.0f}", f"{peer:.0f}")
    report.add(Row(benchmark.name, *shown, ours / peer, Bar(3.0)))
    report.section("pool, bytes per state beside the packed state", figure="bytes")
    measured = memory.pool_memory(benchmark.sas_file())
    used = measured.resident_bytes / measured.states - measured.packed_bytes
    packed = str(measured.packed_bytes)
    report.add(
        Row(benchmark.name, f"{used:.0f}", packed, used, Bar(BYTES_PER_STATE, at_least=False))
    )


def fuzzing_seconds(benchmark: BenchmarkTask, bias: str, round_walks: int) -> float:
    """CPU seconds that a new fuzzer with a new policy takes to fill its pool."""
    task = bugsieve.load_task(str(benchmark.sas_file()))
    start = time.process_time()
    bench = Bench(task, bugsieve.make_policy(POLICY, task), Quantitative(task))
    fuzzer = Fuzzer(bench, replace(PUBLISHED_WAY, bias=bias, round_walks=round_walks))
    while fuzzer.finished is None:
        fuzzer.round()
    return time.process_time() - start


def walking_rate(benchmark: BenchmarkTask) -> float:
    """Steps per CPU second of walks that ask no policy, until the pool is large."""
    task = bugsieve.load_task(str(benchmark.sas_file()))
    fuzzer = uniform_fuzzer(task, LARGE_POOL)
    start = time.process_time()
    while fuzzer.finished is None:
        fuzzer.round()
    return fuzzer.steps_done / (time.process_time() - start)


def uniform_fuzzer(task: bugsieve.Task, pool_size: int) -> Fuzzer:
    """A fuzzer that takes every new state it meets."""
    bench = Bench(task, bugsieve.make_policy("random", task), Quantitative(task))
    return Fuzzer(bench, FuzzOptions(pool_size=pool_size, novelty=0, bias="uniform"))


def benchmark_task(name: str, problem: Path) -> BenchmarkTask:
    """The problem with the domain file nearest to it."""
    folder = problem.parent
    while not (folder / "domain.pddl").is_file() and folder != folder.parent:
        folder = folder.parent
    return BenchmarkTask(name, folder / "domain.pddl", problem)


def main() -> None:
    """Print both sections and the bars that are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--tasks", default="", help="only tasks whose name contains this")
    options = parser.parse_args()
    report = Report()
    for section in (bench_pool, bench_fuzzing):
        section(report, options.repetitions, lambda task: options.tasks in task.name)
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
