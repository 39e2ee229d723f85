"""What oracles say is true: against exhaustive values, on random tasks with many policies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UnsupportedError
from bugsieve.pipeline.bench import Bench, Origin, Suspects
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import Objective, path_states, plan_cost
from bugsieve.pipeline.objectives.qualitative import Qualitative
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.pipeline.oracles.bounds import (
    BoundsOracle,
    Point,
    point,
    proposition_8,
    proposition_10,
    proposition_11,
)
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.policies.run_table import NOT_WITHIN
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import Limits, exact_goal_distances
from tests.depth import examples
from tests.property.engine import native_task
from tests.property.strategies import LONG, SMALL, sas_tasks, seeded_task, seeds
from tests.reference.sas import SasEffect, SasOperator, SasTask

MEMBERS = (
    "lookahead:1",
    "lookahead",
    "aras",
    "undo-qual",
    "inv-quant",
    "planner:astar-lmcut",
    "planner:ehc",
    "planner:gbfs-20",
    "bounds",
    "bounds:hmax,gbfs-100",
)
COMBINATIONS = (
    "any:lookahead:1+planner:ehc",
    "best-of:lookahead+planner:gbfs-20+any:(aras+planner:ehc)",
    "aras-or-ehc",
)
POLICIES = ("table", "random", "greedy:hff", "hill-climbing:hadd", "optimal")
OBJECTIVES = ("quantitative", "qualitative", "avoid:(at-0 x1)")
SHAPE = replace(LONG, max_variables=4, max_operators=24)


class TablePolicy:
    """Any applicable action, as a hash of state and seed says; sometimes none, or a wrong one."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task = task
        self._seed = np.uint64(seed)

    def choose(self, states: StateArray) -> ActionArray:
        operators, offsets = self.task.applicable(states)
        numbers = (self.task.hashes(states) ^ self._seed) % np.uint64(1009)
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        for row, number in enumerate(numbers.tolist()):
            choices = operators[offsets[row] : offsets[row + 1]]
            if number % 20 == 0:
                actions[row] = number % self.task.num_operators
            elif number % 20 > 1 and len(choices):
                actions[row] = choices[number % len(choices)]
        return actions


@dataclass(frozen=True)
class Case:
    """A bench with suspects, and the true values of all reachable states."""

    bench: Bench
    states: StateArray
    distances: NDArray[np.int64]
    rows: tuple[int, ...]

    @cached_property
    def suspects(self) -> Suspects:
        start = self.bench.task.initial_state
        ways = [self._ways[row] for row in self.rows]
        origins = [Origin(start, way, way) if way else None for way in ways]
        return self.bench.suspects(self.states[list(self.rows)], origins)

    @cached_property
    def _following(self) -> list[list[tuple[int, int]]]:
        """The operators applicable in each reachable state, and where they lead."""
        after, operators, offsets = self.bench.task.all_successors(self.states)
        place = {state.tobytes(): row for row, state in enumerate(self.states)}
        steps = [(int(op), place[s.tobytes()]) for op, s in zip(operators, after, strict=True)]
        return [steps[low:high] for low, high in pairwise(offsets.tolist())]

    @cached_property
    def _ways(self) -> dict[int, tuple[int, ...]]:
        """A way from the initial state to each reachable state."""
        start = self.bench.task.initial_state
        first = next(row for row, s in enumerate(self.states) if np.array_equal(s, start))
        ways: dict[int, tuple[int, ...]] = {first: ()}
        waiting = [first]
        for row in waiting:
            for operator, other in self._following[row]:
                if other not in ways:
                    ways[other] = (*ways[row], operator)
                    waiting.append(other)
        return ways

    @cached_property
    def optimal(self) -> list[float]:
        """V* of each suspect, by looking at every reachable state."""
        objective = self.bench.objective
        if objective.spec.startswith("avoid"):
            return [float(row in self._avoiders) for row in self.rows]
        distances = (int(self.distances[row]) for row in self.rows)
        if isinstance(objective, Quantitative):
            return [math.inf if d == DEAD_END else float(d) for d in distances]
        return [float(d != DEAD_END) for d in distances]

    @cached_property
    def _avoiders(self) -> set[int]:
        """The states from which some way leads to the goal without meeting the condition."""
        allowed = [not self._is_met(state) for state in self.states]
        is_goal = self.bench.task.is_goal(self.states)
        good = {row for row, goal in enumerate(is_goal) if goal and allowed[row]}
        while True:
            new = {
                row
                for row, steps in enumerate(self._following)
                if allowed[row] and row not in good and any(to in good for _, to in steps)
            }
            if not new:
                return good
            good |= new

    def _is_met(self, state: StateArray) -> bool:
        return "(at-0 x1)" in self.bench.task.facts(state)


def make_case(sas: SasTask, objective: str, policy: str, seed: int) -> Case:
    task = Task(native_task(sas), name="random")
    bound: Policy = (
        TablePolicy(task, seed) if policy == "table" else make_policy(policy, task, seed=seed)
    )
    bench = Bench(task, bound, make_objective(objective, task), step_limit=50)
    states, distances = exact_goal_distances(task)
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(states), size=min(12, len(states)), replace=False)
    return Case(bench, states, distances, tuple(sorted(rows.tolist())))


def with_inverses(sas: SasTask) -> SasTask:
    """The task with those operators only that know all values they change, and their inverses."""
    known = [op for op in sas.operators if all(not e.conditions for e in op.effects)]
    known = [op for op in known if all(e.before >= 0 for e in op.effects)]
    inverses = [
        SasOperator(
            f"undo-{op.name}",
            op.prevail,
            tuple(SasEffect((), e.variable, e.after, e.before) for e in op.effects),
            op.cost,
        )
        for op in known
        if len({effect.variable for effect in op.effects}) == len(op.effects)
    ]
    return replace(sas, operators=(*known, *inverses))


def cases() -> st.SearchStrategy[Case]:
    return st.builds(
        make_case,
        st.one_of(sas_tasks(SMALL), sas_tasks(SHAPE), sas_tasks(SMALL).map(with_inverses)),
        st.sampled_from(OBJECTIVES),
        st.sampled_from(POLICIES),
        seeds(),
    )


def judged(case: Case, spec: str, limits: Limits | None = None) -> list[Verdict] | None:
    """The verdicts of an oracle, or None if it does not apply."""
    try:
        oracle = make_oracle(spec, case.bench, limits=limits or Limits(expansions=5000))
    except UnsupportedError:
        return None
    return oracle.judge(case.suspects)


def assert_true(case: Case, verdicts: list[Verdict]) -> None:
    """Every verdict agrees with the exhaustive values."""
    objective = case.bench.objective
    assert len(verdicts) == len(case.rows)
    for row, verdict in enumerate(verdicts):
        value, optimum = float(case.suspects.values[row]), case.optimal[row]
        if verdict.outcome is Outcome.BUG:
            assert objective.better(optimum, value)
            assert verdict.plan is not None and verdict.value is not None
            check_plan(case.bench, case.suspects.states[row], verdict)
            assert verdict.gap == objective.gap(value, verdict.value)
            assert verdict.gap <= objective.gap(value, optimum)
            assert not verdict.exact or verdict.value == optimum
        elif verdict.outcome is Outcome.IMPLIED:
            assert objective.better(optimum, value)
        elif verdict.outcome is Outcome.PASS:
            assert not objective.better(optimum, value)
        assert verdict.reason


def check_plan(bench: Bench, state: StateArray, verdict: Verdict) -> None:
    assert verdict.plan is not None
    path = path_states(bench.task, state, verdict.plan)  # raises where one is not applicable
    assert bench.task.is_goal(path[-1])[0]
    if isinstance(bench.objective, Quantitative):
        assert verdict.value == plan_cost(bench.task, verdict.plan)
    elif isinstance(bench.objective, Qualitative):
        assert verdict.value == 1.0
    else:
        assert not any("(at-0 x1)" in bench.task.facts(step) for step in path)


def bugs(verdicts: list[Verdict] | None) -> set[int]:
    return {row for row, verdict in enumerate(verdicts or ()) if verdict.is_bug}


@given(cases())
@settings(max_examples=examples(600))
def test_verdicts_are_true_and_perfect_finds_every_bug(case: Case) -> None:
    perfect = judged(case, "perfect")
    assert perfect is not None
    assert_true(case, perfect)
    objective = case.bench.objective
    for row, verdict in enumerate(perfect):
        value = float(case.suspects.values[row])
        if not math.isnan(value):
            assert verdict.is_bug == objective.better(case.optimal[row], value)
            assert verdict.exact or not verdict.is_bug
    for spec in MEMBERS:
        verdicts = judged(case, spec)
        if verdicts is not None:
            assert_true(case, verdicts)
            assert bugs(verdicts) <= bugs(perfect)


@given(cases())
@settings(max_examples=examples(200))
def test_combinations_find_what_their_members_find(case: Case) -> None:
    first, best = (judged(case, spec) for spec in COMBINATIONS[:2])
    assert first is not None and best is not None
    assert_true(case, first)
    assert_true(case, best)
    for spec in ("lookahead:1", "planner:ehc"):
        assert bugs(judged(case, spec)) <= bugs(first)
    for spec in ("lookahead", "planner:gbfs-20", "planner:ehc", "aras"):
        found = judged(case, spec)
        assert bugs(found) <= bugs(best)
        for row in bugs(found):
            assert found is not None and best[row].gap >= found[row].gap


@given(cases(), st.sampled_from((*MEMBERS, *COMBINATIONS, "perfect")))
@settings(max_examples=examples(300))
def test_a_larger_limit_never_loses_a_bug(case: Case, spec: str) -> None:
    known: set[int] = set()
    for expansions in (0, 1, 2, 4, 8, 32, 128, 1024):
        verdicts = judged(case, spec, Limits(expansions=expansions))
        if verdicts is None:
            return
        assert_true(case, verdicts)
        assert known <= bugs(verdicts)
        known = bugs(verdicts)


@given(cases(), st.sampled_from((*MEMBERS, *COMBINATIONS, "perfect")))
@settings(max_examples=examples(200))
def test_a_verdict_does_not_depend_on_the_batch(case: Case, spec: str) -> None:
    together = judged(case, spec)
    if together is None:
        return
    fresh = Bench(case.bench.task, case.bench.policy, case.bench.objective, step_limit=50)
    oracle = make_oracle(spec, fresh, limits=Limits(expansions=5000))
    for row in reversed(range(len(case.rows))):
        origins = [case.suspects.origins[row]]
        assert oracle.judge(fresh.suspects(case.suspects.states[row], origins)) == [together[row]]


class WholeRuns(Bench):
    """A bench that follows every run to its end, however dear it gets."""

    def costs_within(
        self, states: StateArray, limits: NDArray[np.int64], **_: object
    ) -> NDArray[np.int64]:
        runs = self.runs(states)
        return np.where(runs.solved & (runs.costs < limits), runs.costs, NOT_WITHIN)


@given(cases(), st.integers(1, 3))
@settings(max_examples=examples(200))
def test_lookahead_says_the_same_with_runs_cut_at_the_cost_to_beat(case: Case, depth: int) -> None:
    task, policy, objective = case.bench.task, case.bench.policy, case.bench.objective
    cut, whole = (kind(task, policy, objective, step_limit=50) for kind in (Bench, WholeRuns))
    verdicts = []
    for bench in (cut, whole):
        oracle = make_oracle(f"lookahead:{depth}", bench, limits=Limits(expansions=5000))
        verdicts.append(oracle.judge(bench.suspects(case.suspects.states)))
    assert verdicts[0] == verdicts[1]
    assert cut.decisions_taken <= whole.decisions_taken
    # A run that was cut counts as unfinished, never as one that fails.
    later, known = (bench.runs(case.states) for bench in (cut, whole))
    assert later.endings.tolist() == known.endings.tolist()
    assert later.costs.tolist() == known.costs.tolist()


def all_points(objective: Objective) -> Iterator[tuple[Point, float]]:
    """Points with their V*: h is at least as good, H and the policy's value are at most."""
    values = (0.0, 1.0, 2.0, 3.0, 5.0, math.inf) if objective.minimise else (1.0, 0.0)
    for best in range(len(values)):
        for optimistic, policy, pessimistic in product(
            values[: best + 1], values[best:], values[best:]
        ):
            yield Point(policy, optimistic, pessimistic), values[best]


@pytest.mark.parametrize("kind", [Quantitative, Qualitative])
def test_theorem_12_and_the_propositions_on_values(kind: type[Objective]) -> None:
    objective = kind(Task(native_task(seeded_task(0)), name="random"))
    confirmed = {"8": 0, "10": 0, "11": 0}
    for (s, optimum), (s0, other) in product(all_points(objective), repeat=2):
        gap, gap0 = objective.gap(s.policy, optimum), objective.gap(s0.policy, other)
        bound = proposition_8(objective, s)
        assert bound <= gap
        confirmed["8"] += bound > 0
        for name, holds in (("10", proposition_10), ("11", proposition_11)):
            if holds(objective, s, s0):
                confirmed[name] += 1
                assert bound > 0, "Theorem 12: Proposition 8 confirms it too"
                assert gap > gap0, "a fuzzing bug widens the gap"
    assert all(confirmed.values()), "each proposition must have had something to confirm"


@given(cases(), st.sampled_from(("hmax", "lmcut", "blind")))
@settings(max_examples=examples(300))
def test_theorem_12_on_tasks(case: Case, heuristic: str) -> None:
    objective = case.bench.objective
    oracle = make_oracle(f"bounds:{heuristic},ehc", case.bench)
    assert isinstance(oracle, BoundsOracle)
    optimistic = oracle.optimistic(case.suspects.states)
    other = make_oracle("planner:ehc", case.bench).judge(case.suspects)
    known = [
        (point(objective, value, h, verdict.value), optimum)
        for value, h, verdict, optimum in zip(
            case.suspects.values.tolist(), optimistic, other, case.optimal, strict=True
        )
        if not math.isnan(value)
    ]
    for s, optimum in known:
        assert not objective.better(optimum, s.optimistic)
        assert proposition_8(objective, s) <= objective.gap(s.policy, optimum)
        for s0, _ in known:
            if proposition_10(objective, s, s0) or proposition_11(objective, s, s0):
                assert proposition_8(objective, s) > 0
