"""What dominance functions take, beside the tool that the papers came with.

That tool does not run here: its figures are CPU seconds measured once on a machine of this kind.
Functions with smaller factors are cheap and say little, so what each is worth stands below it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bugsieve
from benchmarks import memory
from benchmarks.fuzzing import INSTANCES, SPANNER, benchmark_task
from benchmarks.ours import WALK_LENGTH, walk_ends
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import CLASSICAL, PDDL, BenchmarkTask
from bugsieve.rooms.dominance.function import DominanceFunction

MEGABYTE = 1e6
FAMILIES = {
    **{name: benchmark_task(*instance) for name, instance in INSTANCES.items()},
    "spanner": benchmark_task(*SPANNER),
    "storage": benchmark_task("storage-10", CLASSICAL / "storage/p10.pddl"),
    "childsnack": benchmark_task(
        "childsnack-opt14-1", CLASSICAL / "childsnack-opt14-strips/child-snack_pfile01.pddl"
    ),
    "miconic": benchmark_task("miconic-10-0", CLASSICAL / "miconic/s10-0.pddl"),
    "rovers": benchmark_task("rovers-7", CLASSICAL / "rovers/p07.pddl"),
}

PUBLISHED_FUNCTION = {
    "gripper": 25.5,
    "blocks": 189.0,
    "transport": 6.9,
    "satellite": 3.7,
    "floortile": 0.8,
    "storage": 81.0,
    "scanalyzer": 1.7,
    "spanner": 3.7,
    "ferry": 5.5,
    "childsnack": 3.3,
    "miconic": 20.5,
}
"""Seconds for the function, factors merged by DFP up to 10 000 transitions."""
UNFINISHED = ("visitall", "rovers")
"""Where the published tool had no function after 92 s."""
ASNETS = PDDL.parent / "asnets"
LARGE = {
    "asnets-blocks-35": "blocksworld/problems/prob-blocks-blocks-nblk35-seed2107726020-seq1.pddl",
    "asnets-blocks-50": "blocksworld/problems/prob-blocks-blocks-nblk50-seed1184714140-seq11.pddl",
    "asnets-satellite-9": "satellite/problems/pfile9.pddl",
    "asnets-storage-19": "storage/problems/p19.pddl",
    "asnets-transport-27": "transport/problems/sat-p27.pddl",
}
PAIRED_STATES = 100
"""Each of so many random states with each of as many others: 10 000 pairs."""

Wanted = Callable[[BenchmarkTask], bool]


@dataclass(frozen=True)
class FunctionFigures:
    """What a function took, and what it is worth."""

    seconds: float
    peak_bytes: int
    factors: int
    largest: int
    finite: float
    truncated: int
    cut: str

    def __str__(self) -> str:
        cells = [
            f"{self.factors} factors, the largest of {self.largest}",
            f"{100 * self.finite:.1f} % finite",
            f"{self.truncated} truncated",
            f"{self.peak_bytes / MEGABYTE:.0f} MB",
        ]
        return "  " + "; ".join([*cells, self.cut] if self.cut else cells)


def bench_function(report: Report, repetitions: int, wanted: Wanted) -> None:
    """Seconds and memory for the function of each task; what it is worth is printed below."""
    report.section("dominance function, CPU seconds (peer: published tool, CPU seconds)")
    ratios = []
    for name, peer in PUBLISHED_FUNCTION.items():
        for benchmark in present_task(FAMILIES[name], wanted):
            figures = best_figures((benchmark.sas_file(),), repetitions)
            ratios.append(figures.seconds / peer)
            shown = f"{figures.seconds:.3f}", f"{peer:.2f}"
            report.add(Row(benchmark.name, *shown, ratios[-1], Bar(1 / 3, at_least=False)))
            _add_worth(report, figures, megabytes=100)
    if ratios:
        report.add_mean(ratios, Bar(1 / 40, at_least=False))
        tenths = sum(ratio <= 1 / 10 for ratio in ratios)
        shown = f"{tenths} of {len(ratios)}", "8 of 11"
        report.add(Row("at most a tenth", *shown, tenths, Bar(min(8, len(ratios)))))
    for name in UNFINISHED:
        for benchmark in present_task(FAMILIES[name], wanted):
            figures = best_figures((benchmark.sas_file(),), repetitions)
            _add_function(report, benchmark.name, figures, seconds=10, megabytes=100)


def bench_large_functions(report: Report, repetitions: int, wanted: Wanted) -> None:
    """The same on tasks that policies were trained for, where a limit may be met."""
    report.section("dominance function of large tasks, CPU seconds", figure="seconds")
    for name, path in LARGE.items():
        benchmark = benchmark_task(name, ASNETS / path)
        for present in present_task(benchmark, wanted):
            # As users load them: their costs are incomplete, which the translator alone takes for
            # operators that never apply.
            figures = best_figures((present.domain, present.problem), repetitions)
            _add_function(report, name, figures, seconds=60, megabytes=500)


def _add_function(
    report: Report, name: str, figures: FunctionFigures, *, seconds: float, megabytes: float
) -> None:
    bar = Bar(seconds, at_least=False)
    report.add(Row(name, f"{figures.seconds:.2f}", "", figures.seconds, bar))
    _add_worth(report, figures, megabytes=megabytes)


def _add_worth(report: Report, figures: FunctionFigures, *, megabytes: float) -> None:
    used = figures.peak_bytes / MEGABYTE
    report.add(Row("  peak, MB", f"{used:.1f}", "", used, Bar(megabytes, at_least=False)))
    print(figures, flush=True)


def best_figures(files: tuple[Path, ...], repetitions: int) -> FunctionFigures:
    """The fastest of several computations, each in a process of its own."""
    measured = [FunctionFigures(**memory.function_figures(*files)) for _ in range(repetitions)]
    return min(measured, key=lambda figures: figures.seconds)


def measured_function(*files: Path) -> FunctionFigures:
    """Compute the function in this process, whose peak of memory counts."""
    task = bugsieve.load_task(*map(str, files))
    before = memory.resident_bytes()
    memory.forget_peak()
    start = time.thread_time()
    function = DominanceFunction.compute(task)
    seconds = time.thread_time() - start
    peak = memory.peak_bytes() - before
    sizes = [len(function.table(factor)) for factor in range(len(function.blocks))]
    rng = np.random.default_rng(1)
    states = walk_ends(task, rng.integers(1, WALK_LENGTH + 1, 2 * PAIRED_STATES), rng)
    values = function.between(states[:PAIRED_STATES], states[PAIRED_STATES:])
    finite = float(np.isfinite(values).mean())
    truncated = function.native.truncated
    return FunctionFigures(seconds, peak, len(sizes), max(sizes), finite, truncated, function.cut)


def present_task(benchmark: BenchmarkTask, wanted: Wanted) -> Iterator[BenchmarkTask]:
    """The task, if it is wanted; where its file is not there, that is said."""
    if not wanted(benchmark):
        return
    if benchmark.problem.is_file():
        yield benchmark
    else:
        print(f"{benchmark.name:<28} not measured: its file is not here", flush=True)
