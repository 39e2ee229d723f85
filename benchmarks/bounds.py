"""Bounds kept by dominance: their speed, how it grows, and the bugs that they show.

The tool that the papers came with does not run here: its figures were measured once on a machine
of this kind. The policy's runs are made beforehand and the function is loaded, on both sides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import bugsieve
from benchmarks.dominance import FAMILIES, Wanted, present_task
from benchmarks.ours import WALK_LENGTH, WALKERS, walk_ends
from benchmarks.table import Bar, Report, Row
from bugsieve import _native
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import StateArray

POLICY = "ehc:hadd"
POOL = FuzzOptions(pool_size=200, novelty=0, bias="uniform")
LOOKAHEAD = 100
PUBLISHED_SECONDS = {
    "gripper": 1.4,
    "transport": 0.64,
    "satellite": 0.69,
    "scanalyzer": 3.6,
    "ferry": 0.73,
    "miconic": 0.12,
    "blocks": 0.37,
    "visitall": 0.21,
}
"""For a pool of 200 and all states of its runs."""
OPTIONS = {"visitall": DominanceOptions(merging="atomic")}
"""Where the published tool kept its bounds with factors of one variable each."""

CURVE = ("gripper", "transport", "blocks")
KNOWN_STATES = (1_000, 10_000, 100_000)
BYTES_PER_STATE = 400.0

PUBLISHED_BUGS = {
    "gripper": (120, 120),
    "transport": (141, 177),
    "satellite": (172, 174),
    "blocks": (91, 113),
    "scanalyzer": (100, 200),
    "ferry": (53, 100),
    "miconic": (200, 200),
}
"""Bugs of bound maintenance, and of the best single oracle, in a pool of 200."""
OURS = f"bmo:{LOOKAHEAD}"
RIVALS = ("planner:gbfs-1000", "lookahead", "aras-or-ehc", "planner:astar-lmcut")
RIVAL_SECONDS = 60.0
"""Of CPU for a pool; states that are not judged by then are no bugs of that oracle."""


@dataclass(frozen=True, eq=False)
class PolicyCase:
    """A state with the policy's run from it, as native bounds are told of it."""

    state: StateArray
    run: NDArray[np.int32]
    cost: int
    """The least that the policy may need; -1 if it fails."""
    is_cut: bool
    """Whether the run was stopped, so that there is nothing to look for."""


@dataclass(frozen=True)
class Point:
    """What bounds take when so many states are known."""

    seconds_per_case: float
    bytes_per_state: float
    """Beside the packed state."""


@dataclass(frozen=True)
class Judged:
    """What an oracle has said of a pool."""

    bugs: int
    judged: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.bugs} bugs, {self.judged} judged in {self.seconds:.2f} s"


def bench_seconds(report: Report, repetitions: int, wanted: Wanted) -> None:
    """Bound maintenance on a pool of 200, without plans as proofs of its bugs."""
    report.section(f"bounds with lookahead {LOOKAHEAD}, CPU seconds (peer: published tool)")
    ratios = []
    for name, peer in PUBLISHED_SECONDS.items():
        for benchmark in present_task(FAMILIES[name], wanted):
            cases = policy_cases(pool_of(name))
            ours = min(kept_bounds(name, cases, LOOKAHEAD)[1] for _ in range(repetitions))
            ratios.append(ours / peer)
            report.add(Row(benchmark.name, f"{ours:.3f}", f"{peer:.2f}", ratios[-1]))
            _print_pool(name)
    report.add_mean(ratios, Bar(1 / 3, at_least=False))


def _print_pool(name: str) -> None:
    """What the pool is like, on which the time depends."""
    suspects = pool_of(name)
    passed = len(suspects.runs.passed().states)
    solved = int(suspects.runs.solved.sum())
    print(f"  {len(suspects)} cases, {solved} solved, {passed} states of runs", flush=True)


def bench_proofs(report: Report, wanted: Wanted) -> None:
    """The bugs of such pools of which the reasons behind the bound were replayed into a plan.

    Without a lookahead all of them are owed to dominance.
    """
    for lookahead in (0, LOOKAHEAD):
        report.section(f"plans for bugs of bounds with lookahead {lookahead}", figure="share")
        for name in PUBLISHED_SECONDS:
            for benchmark in present_task(FAMILIES[name], wanted):
                cases = policy_cases(pool_of(name))
                bounds, _ = kept_bounds(name, cases, lookahead)
                bugs = [at for at, case in enumerate(cases) if is_bug(bounds, at, case)]
                if not bugs:
                    print(f"{benchmark.name:<28} no bugs, so nothing to prove", flush=True)
                    continue
                proven = sum(has_plan(name, bounds, at, cases[at]) for at in bugs)
                shown = str(proven), str(len(bugs))
                report.add(Row(benchmark.name, *shown, proven / len(bugs), Bar(1.0)))


def bench_growth(report: Report, wanted: Wanted) -> None:
    """How the time for one more case grows with the states that are known, and the memory."""
    for name in CURVE:
        for benchmark in present_task(FAMILIES[name], wanted):
            for lookahead in (0, LOOKAHEAD):
                title = f"{benchmark.name}, lookahead {lookahead}, milliseconds per case"
                report.section(f"{title} (peer: bytes per state beside it)", figure="growth")
                _add_curve(report, name, lookahead)


def _add_curve(report: Report, name: str, lookahead: int) -> None:
    before = math.nan
    for known in KNOWN_STATES:
        point = measured_point(name, lookahead, known)
        shown = f"{1e3 * point.seconds_per_case:.3f}", f"{point.bytes_per_state:.0f}"
        growth, before = point.seconds_per_case / before, point.seconds_per_case
        label = f"{known} known states"
        if math.isnan(growth):
            report.add(Row(label, *shown, 1.0))
        else:
            report.add(Row(label, *shown, growth, Bar(2.0, at_least=False)))
    bar = Bar(BYTES_PER_STATE, at_least=False)
    report.add(Row("  bytes per state", "", shown[1], point.bytes_per_state, bar))


def measured_point(name: str, lookahead: int, known: int) -> Point:
    """The mean over the cases that fill the second half of what is known, all of one kind.

    A few cases are too few to tell, so small numbers are reached several times.
    """
    packed = _native.StateRegistry(bench_of(name).task.native).packed_bytes
    cases, spent = 0, 0.0
    for seed in range(max(1, 2 * KNOWN_STATES[1] // known)):
        bounds = _native.Bounds(function_of(name).native, lookahead, -1)
        for at, case in enumerate(walked_cases(name, seed)):
            is_counted = bounds.num_states >= known // 2
            start = time.thread_time()
            keep_bounds(bounds, at, case, lookahead)
            if is_counted:
                spent += time.thread_time() - start
                cases += 1
            if bounds.num_states >= known:
                break
    return Point(spent / cases, bounds.bytes / bounds.num_states - packed)


def walked_cases(name: str, seed: int) -> Iterator[PolicyCase]:
    """The ends of random walks, without end."""
    bench, rng = bench_of(name), np.random.default_rng(seed)
    while True:
        lengths = rng.integers(1, 2 * WALK_LENGTH + 1, WALKERS // 10)
        yield from policy_cases(bench.suspects(walk_ends(bench.task, lengths, rng)))


def bench_bugs(report: Report, wanted: Wanted) -> None:
    """Bugs of bound maintenance as a share of those of the best single oracle, on one pool."""
    report.section(f"bugs of {OURS} (peer: the best single oracle)", figure="share")
    shares = []
    for name, published in PUBLISHED_BUGS.items():
        for benchmark in present_task(FAMILIES[name], wanted):
            found = {OURS: learnt_bugs(name)}
            for spec in RIVALS:  # the slowest last, and nobody can find more than all
                if max(judged.bugs for judged in found.values()) < len(pool_of(name)):
                    found[spec] = rival_bugs(name, spec)
            ours, best = found[OURS].bugs, max(judged.bugs for judged in found.values())
            if best:
                shares.append(ours / best)
                report.add(Row(benchmark.name, str(ours), str(best), ours / best))
            else:
                print(f"{benchmark.name:<28} no oracle has found a bug", flush=True)
            print(f"  published {published[0]} of {published[1]}", flush=True)
            for spec, judged in found.items():
                print(f"  {spec}: {judged}", flush=True)
    report.add_mean(shares, Bar(0.77))


def learnt_bugs(name: str) -> Judged:
    """What the oracle itself says of the pool; only cases with a plan that shows it are bugs."""
    bench = bench_of(name)
    DominanceFunction.of(bench.task)  # so that it is loaded, not computed, in the time below
    oracle = make_oracle(OURS, bench)
    assert isinstance(oracle, LearningOracle)
    cases, bugs = list(known_cases(pool_of(name))), set()
    start = time.thread_time()
    for case in cases:
        learnt = oracle.learn(case)
        said = [(case.number, learnt.verdict)]
        said += [(revision.case, revision.verdict) for revision in learnt.revisions]
        bugs |= {number for number, verdict in said if verdict.is_bug}
    return Judged(len(bugs), len(cases), time.thread_time() - start)


def rival_bugs(name: str, spec: str) -> Judged:
    """What another oracle says of the pool, as far as it comes in time."""
    oracle, suspects = make_oracle(spec, bench_of(name)), pool_of(name)
    bugs, row, start = 0, 0, time.thread_time()
    while row < len(suspects) and time.thread_time() - start < RIVAL_SECONDS:
        bugs += oracle.judge(suspects.rows([row]))[0].is_bug
        row += 1
    return Judged(bugs, row, time.thread_time() - start)


def kept_bounds(
    name: str, cases: Sequence[PolicyCase], lookahead: int
) -> tuple[_native.Bounds, float]:
    """New bounds that have learnt of all cases, and the CPU seconds that took."""
    bounds = _native.Bounds(function_of(name).native, lookahead, -1)
    start = time.thread_time()
    for at, case in enumerate(cases):
        keep_bounds(bounds, at, case, lookahead)
    return bounds, time.thread_time() - start


def keep_bounds(bounds: _native.Bounds, at: int, case: PolicyCase, lookahead: int) -> None:
    """Tell bounds of the next case and look ahead from it, as the oracle does."""
    bounds.learn(case.state, case.run, case.cost)
    if lookahead and case.cost and not case.is_cut and not is_bug(bounds, at, case):
        bounds.look_ahead(case.cost)
    if bounds.take_ways():
        bounds.spread()
    bounds.take_events()


def is_bug(bounds: _native.Bounds, at: int, case: PolicyCase) -> bool:
    """Whether the bound of a case is below what the policy needs."""
    bound = bounds.bound(at)
    return bound >= 0 and (case.cost < 0 or bound < case.cost)


def has_plan(name: str, bounds: _native.Bounds, at: int, case: PolicyCase) -> bool:
    """Whether the bound of a case comes with a plan that is as cheap."""
    plan = bounds.plan(at)
    if plan is None:
        return False
    return bench_of(name).objective.plan_value(case.state, plan) <= bounds.bound(at)


def policy_cases(suspects: Suspects) -> list[PolicyCase]:
    """The suspects as native bounds are told of them."""
    columns = suspects.states, suspects.runs.actions(), suspects.values, suspects.runs.costs
    return [
        PolicyCase(
            state,
            np.asarray(run, dtype=np.int32),
            -1 if math.isinf(value) else int(cost),
            math.isnan(value),
        )
        for state, run, value, cost in zip(*columns, strict=True)
    ]


def known_cases(suspects: Suspects) -> Iterator[KnownCase]:
    """The suspects as a learning oracle is told of them."""
    for number, case in enumerate(policy_cases(suspects)):
        ending = Ending(int(suspects.runs.endings[number])).label
        run = {
            "operators": case.run.tolist(),
            "cost": int(suspects.runs.costs[number]),
            "ending": ending,
        }
        yield KnownCase(number, case.state, float(suspects.values[number]), run)


@cache
def bench_of(name: str) -> Bench:
    """The tested policy on a task."""
    task = bugsieve.load_task(str(FAMILIES[name].sas_file()))
    return Bench(task, bugsieve.make_policy(POLICY, task), Quantitative(task))


@cache
def function_of(name: str) -> DominanceFunction:
    """The function of a task, computed once."""
    return DominanceFunction.compute(bench_of(name).task, OPTIONS.get(name))


@cache
def pool_of(name: str) -> Suspects:
    """A pool of uniform walks with the policy's runs."""
    fuzzer = Fuzzer(bench_of(name), POOL)
    while fuzzer.finished is None:
        fuzzer.round()
    return bench_of(name).suspects(fuzzer.pool.states())
