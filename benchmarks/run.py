"""`make bench`: our figures beside the peers', on the same tasks, in one run.

All figures are CPU time. Ours and the peer's measurements alternate and the best of several
repetitions counts on both sides, because the machine may be busy with something else.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import bugsieve
from benchmarks import (
    asnets,
    bounds,
    cluster,
    dominance,
    fuzzing,
    graph_networks,
    jani,
    landmarks,
    long_campaigns,
    ltl,
    memory,
    networks,
    ours,
    peers,
    rules,
    safety,
    testing,
    unsafe_runs,
)
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import (
    PDDL,
    BenchmarkTask,
    figure_tasks,
    large_tasks,
    small_tasks,
    walk_tasks,
)
from bugsieve.tasks.grounded.task import Task

GREEDY_CALLS = 20
MEGABYTE = 1e6


@dataclass(frozen=True)
class Effort:
    """How long each measurement takes, how often it is repeated, and on which tasks."""

    seconds: float
    repetitions: int
    tasks: str

    def wants(self, task: BenchmarkTask) -> bool:
        """Whether the task's name contains the wanted text."""
        return self.tasks in task.name

    def best(self, *measures: Callable[[], float], lowest: bool = False) -> list[float]:
        """The best value of each measure over repetitions in which they alternate."""
        rounds = [[measure() for measure in measures] for _ in range(self.repetitions)]
        return [min(values) if lowest else max(values) for values in zip(*rounds, strict=True)]


def bench_astar(report: Report, effort: Effort) -> None:
    """A* with h^max and with LM-cut: evaluations per second against Fast Downward's."""
    for heuristic in ("hmax", "lmcut"):
        report.section(f"A* with {heuristic}, evaluations per CPU second (peer: Fast Downward)")
        ratios = []
        for benchmark in filter(effort.wants, figure_tasks()):
            mine, peer = _astar_rates(benchmark, heuristic, effort)
            ratios.append(mine / peer)
            report.add(Row(benchmark.name, _count(mine), _count(peer), mine / peer, Bar(1.0)))
        report.add_mean(ratios, Bar(1.5))


def _astar_rates(benchmark: BenchmarkTask, heuristic: str, effort: Effort) -> list[float]:
    sas_file = benchmark.sas_file()
    task = _load(benchmark)
    return effort.best(
        lambda: ours.astar_rate(task, heuristic, effort.seconds),
        lambda: peers.run_downward(sas_file, peers.astar(heuristic, effort.seconds)).rate,
    )


def bench_lmcut(report: Report, effort: Effort) -> None:
    """A* with LM-cut until solved: a fast heuristic that is less informed would show here."""
    landmarks.bench_landmarks(report, effort.repetitions, effort.wants)


def bench_batch(report: Report, effort: Effort) -> None:
    """Batch h^max and h^FF on random-walk states against Fast Downward's A* with h^max."""
    rates = {
        task.name: _batch_rates(task, effort) for task in filter(effort.wants, figure_tasks())
    }
    for column, heuristic in enumerate(("hmax", "hff")):
        report.section(
            f"batch {heuristic} on random-walk states, evaluations per CPU second "
            "(peer: Fast Downward's A* with hmax)"
        )
        ratios = []
        for name, measured in rates.items():
            mine, peer = measured[column], measured[2]
            ratios.append(mine / peer)
            report.add(Row(name, _count(mine), _count(peer), mine / peer))
        report.add_mean(ratios, Bar(2.0))


def _batch_rates(benchmark: BenchmarkTask, effort: Effort) -> list[float]:
    sas_file = benchmark.sas_file()
    task = _load(benchmark)
    batches = ours.walk_batches(task)
    return effort.best(
        lambda: ours.evaluation_rate(task, "hmax", batches, effort.seconds),
        lambda: ours.evaluation_rate(task, "hff", batches, effort.seconds),
        lambda: peers.run_downward(sas_file, peers.astar("hmax", effort.seconds)).rate,
    )


def bench_walks(report: Report, effort: Effort) -> None:
    """Random walks through the Python batch interface against pymimir's grounded API."""
    report.section("random walks, steps per CPU second (peer: pymimir, grounded advanced API)")
    for benchmark in filter(effort.wants, walk_tasks()):
        mine, peer = _walk_rates(benchmark, effort)
        report.add(Row(benchmark.name, _count(mine), _count(peer), mine / peer, Bar(5.0)))


def _walk_rates(benchmark: BenchmarkTask, effort: Effort) -> list[float]:
    task = _load(benchmark)
    with peers.mimir_walks(benchmark) as mimir:
        return effort.best(
            lambda: ours.walk_rate(task, effort.seconds), lambda: mimir(effort.seconds)
        )


def bench_greedy(report: Report, effort: Effort) -> None:
    """One greedy search in this process against calling Fast Downward's binary for it."""
    report.section("one greedy search with hff, CPU milliseconds (peer: Fast Downward's binary)")
    for benchmark in filter(effort.wants, small_tasks()):
        mine, peer = _greedy_milliseconds(benchmark, effort)
        bar = Bar(1 / 3, at_least=False)
        report.add(Row(benchmark.name, f"{mine:.3f}", f"{peer:.3f}", mine / peer, bar))


def _greedy_milliseconds(benchmark: BenchmarkTask, effort: Effort) -> list[float]:
    sas_file = benchmark.sas_file()
    task = _load(benchmark)
    seconds = effort.best(
        lambda: ours.greedy_cpu_seconds(task, GREEDY_CALLS),
        lambda: peers.mean_cpu_seconds(sas_file, peers.PREFERRED_GREEDY, GREEDY_CALLS),
        lowest=True,
    )
    return [1e3 * value for value in seconds]


def bench_memory(report: Report, effort: Effort) -> None:
    """Memory of the successor generator and of the state registry."""
    report.section("successor generator, MB (peer: Fast Downward's)", figure="MB")
    for name, sas_file in large_tasks().items():
        measured = memory.generator_memory(sas_file)
        peer = memory.downward_generator_bytes(sas_file)
        used = measured.generator_bytes / MEGABYTE
        shown = "" if peer is None else f"{peer / MEGABYTE:.1f}"
        label = f"{name} ({measured.operators})"
        report.add(Row(label, f"{used:.1f}", shown, used, Bar(200, at_least=False)))
        whole = measured.task_bytes / MEGABYTE
        report.add(Row("  the whole task, resident", f"{whole:.1f}", "", whole))
    report.section("state registry, bytes per state (peer: the states alone, in 32-bit words)")
    for benchmark in filter(effort.wants, figure_tasks()):
        _add_registry(report, benchmark)


def _add_registry(report: Report, benchmark: BenchmarkTask) -> None:
    measured = memory.registry_memory(benchmark.sas_file())
    packed = measured.packed_bytes
    for label, ratio, bar in (
        (benchmark.name, measured.worst_ratio, Bar(1.3, at_least=False)),
        (f"  resident, {measured.states} states", measured.resident_ratio, None),
    ):
        report.add(Row(label, f"{ratio * packed:.1f}", str(packed), ratio, bar))


def bench_fuzzing(report: Report, effort: Effort) -> None:
    """How fast pools fill, beside the figures of the tool that the papers came with."""
    fuzzing.bench_pool(report, effort.repetitions, effort.wants)
    fuzzing.bench_fuzzing(report, effort.repetitions, effort.wants)


def bench_dominance(report: Report, effort: Effort) -> None:
    """Dominance functions, beside the figures of the tool that the papers came with."""
    dominance.bench_function(report, effort.repetitions, effort.wants)
    dominance.bench_large_functions(report, effort.repetitions, effort.wants)


def bench_bounds(report: Report, effort: Effort) -> None:
    """Bounds kept by dominance: their speed, their growth and their bugs."""
    bounds.bench_seconds(report, effort.repetitions, effort.wants)
    bounds.bench_proofs(report, effort.wants)
    bounds.bench_growth(report, effort.wants)
    bounds.bench_bugs(report, effort.wants)


def bench_testing(report: Report, effort: Effort) -> None:
    """How fast pools are judged and stored, and how soon the first bug is there."""
    testing.bench_lookahead(report, effort.repetitions, effort.wants)
    testing.bench_workers(report, effort.repetitions)
    testing.bench_store(report, effort.repetitions)
    testing.bench_first_bug(report, effort.repetitions)


def bench_jani(report: Report, effort: Effort) -> None:
    """Successors of JANI states."""
    jani.bench_expansions(report, seconds=effort.seconds / 4, repetitions=effort.repetitions)


def bench_networks(report: Report, effort: Effort) -> None:
    """Decisions of neural networks."""
    networks.bench_decisions(report, seconds=effort.seconds / 4, repetitions=effort.repetitions)


def bench_graph_networks(report: Report, effort: Effort) -> None:
    """Values of relational graph networks."""
    graph_networks.bench_values(report, repetitions=effort.repetitions)


def bench_asnets(report: Report, effort: Effort) -> None:
    """Decisions of ASNets."""
    asnets.bench_asnets(report, repetitions=5 * effort.repetitions)


def bench_ltl(report: Report, effort: Effort) -> None:
    """Automata and traps of temporal formulas."""
    ltl.bench_ltl(report, repetitions=effort.repetitions)


def bench_rules(report: Report, effort: Effort) -> None:
    """Flight rules, the example's and those of generated tasks."""
    rules.bench_rules(report, repetitions=effort.repetitions)


def bench_every_rule(report: Report, effort: Effort) -> None:
    """All instances of rules on generated tasks."""
    rules.bench_every_instance(report)


def bench_unsafe_runs(report: Report, effort: Effort) -> None:
    """Walks into danger."""
    unsafe_runs.bench_unsafe_runs(report, repetitions=effort.repetitions)


def bench_safety(report: Report, effort: Effort) -> None:
    """Exploration, and verdicts on states."""
    safety.bench_safety(report, repetitions=effort.repetitions)


def bench_long_campaigns(report: Report, effort: Effort) -> None:
    """A campaign of 100 000 test states."""
    long_campaigns.bench_long_campaigns(report)


def bench_cluster(report: Report, effort: Effort) -> None:
    """Experiments on a cluster of two nodes."""
    cluster.bench_cluster(report, effort.repetitions)


SECTIONS: dict[str, Callable[[Report, Effort], None]] = {
    "astar": bench_astar,
    "lmcut": bench_lmcut,
    "batch": bench_batch,
    "walks": bench_walks,
    "greedy": bench_greedy,
    "memory": bench_memory,
    "fuzzing": bench_fuzzing,
    "dominance": bench_dominance,
    "bounds": bench_bounds,
    "testing": bench_testing,
    "jani": bench_jani,
    "networks": bench_networks,
    "graph-networks": bench_graph_networks,
    "asnets": bench_asnets,
    "ltl": bench_ltl,
    "rules": bench_rules,
    "every-rule": bench_every_rule,
    "unsafe-runs": bench_unsafe_runs,
    "safety": bench_safety,
    "long-campaigns": bench_long_campaigns,
    "cluster": bench_cluster,
}
LONG = {"long-campaigns", "bounds", "every-rule", "cluster"}
"""Sections that take many minutes, and are run when they are asked for."""


def _load(benchmark: BenchmarkTask) -> Task:
    return bugsieve.load_task(str(benchmark.sas_file()))


def _count(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def main() -> None:
    """Print the chosen sections and the bars that are met."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", choices=SECTIONS, action="append", help="a section; repeatable")
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--tasks", default="", help="only tasks whose name contains this")
    options = parser.parse_args()
    if not PDDL.is_dir():
        print("../shared/benchmarks/pddl is not there: only generated tasks are measured")
    report = Report()
    effort = Effort(options.seconds, options.repetitions, options.tasks)
    for name in options.only or [name for name in SECTIONS if name not in LONG]:
        try:
            SECTIONS[name](report, effort)
        except peers.PeerMissingError as error:
            print(f"section {name} left out: {error}")
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
