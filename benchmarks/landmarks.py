"""How much LM-cut says and how fast A* solves with it, beside Fast Downward, on 42 tasks.

Evaluations up to the last f-layer depend on the heuristic alone; those until solved also on the
order within the layer. Fast Downward's seconds leave out building the heuristic, ours do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bugsieve
from benchmarks import ours, peers
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import BenchmarkTask, landmark_tasks

LIMIT = 30.0
"""CPU seconds that Fast Downward has for a task; what it does not solve is left out."""
SHORTEST = 0.1
"""Seconds of search that Fast Downward must take for its time to count."""


@dataclass(frozen=True)
class Solved:
    """One task, solved by both."""

    name: str
    mine: ours.Solution
    peer: peers.DownwardRun


def bench_landmarks(
    report: Report, repetitions: int, wants: Callable[[BenchmarkTask], bool]
) -> None:
    """Three blocks: evaluations before the last layer, evaluations in all, and seconds."""
    report.section("A* with lmcut, evaluations up to the last f-layer (peer: Fast Downward)")
    runs = []
    for benchmark in filter(wants, landmark_tasks()):
        solved = _solve(benchmark, repetitions)
        if solved is None:
            print(f"{benchmark.name}: left out, Fast Downward has no plan after {LIMIT:g} s")
            continue
        runs.append(solved)
        report.add(_count_row(solved, "evaluated_before_last_layer", Bar(1.5, at_least=False)))
    shares = [_share(solved, "evaluated_before_last_layer") for solved in runs]
    report.add_mean(shares, Bar(1.1, at_least=False))
    report.section("A* with lmcut, evaluations until solved (peer: Fast Downward)")
    rows = [_count_row(solved, "evaluated", None) for solved in runs]
    _add(report, rows, Bar(1.2, at_least=False))
    report.section("A* with lmcut, CPU seconds until solved (peer: Fast Downward)")
    rows = [_seconds_row(solved) for solved in runs if solved.peer.search_seconds >= SHORTEST]
    _add(report, rows, Bar(3.0))


def _solve(benchmark: BenchmarkTask, repetitions: int) -> Solved | None:
    """The fastest run of either side; their counts are the same in every repetition."""
    sas_file = benchmark.sas_file()
    task = bugsieve.load_task(str(sas_file))
    mine: list[ours.Solution] = []
    peer: list[peers.DownwardRun] = []
    for _ in range(repetitions):
        peer.append(peers.run_downward(sas_file, peers.astar("lmcut", LIMIT)))
        if peer[0].plan_cost is None:
            return None
        mine.append(ours.solve_optimally(task))
    if mine[0].cost != peer[0].plan_cost:
        raise RuntimeError(
            f"{benchmark.name}: we say {mine[0].cost}, the peer {peer[0].plan_cost}"
        )
    return Solved(
        benchmark.name,
        min(mine, key=lambda run: run.seconds),
        min(peer, key=lambda run: run.search_seconds),
    )


def _share(solved: Solved, count: str) -> float:
    return float(getattr(solved.mine, count) / getattr(solved.peer, count))


def _count_row(solved: Solved, count: str, bar: Bar | None) -> Row:
    mine, peer = (str(getattr(run, count)) for run in (solved.mine, solved.peer))
    return Row(solved.name, mine, peer, _share(solved, count), bar)


def _seconds_row(solved: Solved) -> Row:
    mine, peer = solved.mine.seconds, solved.peer.search_seconds
    return Row(solved.name, f"{mine:.3f}", f"{peer:.3f}", peer / mine)


def _add(report: Report, rows: list[Row], bar: Bar) -> None:
    for row in rows:
        report.add(row)
    report.add_mean([row.figure for row in rows], bar)
