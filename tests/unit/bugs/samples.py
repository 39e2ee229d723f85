"""Bugs of erratic policies on random small tasks, found with exhaustive goal distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import astar, exact_goal_distances
from tests.property.condition_strategies import seeded_formula
from tests.property.strategies import LONG, SMALL, Shape, seeded_task
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task


class ErraticPolicy:
    """Picks any applicable action, always the same one in a state, and sometimes misbehaves."""

    def __init__(self, task: Task, seed: int, *, mischief: float = 0.1) -> None:
        self.task = task
        self.seed = seed
        self.mischief = mischief
        self.spec = f"erratic-{seed}"

    def choose(self, states: StateArray) -> ActionArray:
        return self.decide(states).actions

    def decide(self, states: StateArray) -> Decisions:
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        failures: dict[int, Failure] = {}
        for row, state in enumerate(states):
            answer = self._answer(state)
            if isinstance(answer, Failure):
                failures[row] = answer
            else:
                actions[row] = answer
        return Decisions(actions, failures)

    def _answer(self, state: StateArray) -> int | Failure:
        random = Random(f"{self.seed} {state.tolist()}")
        if random.random() < self.mischief:
            number = self.task.num_operators
            tricks: list[int | Failure] = [NO_ACTION, number + 3, random.randrange(number)]
            return random.choice([*tricks, Failure(Ending.POLICY_CRASH, "on purpose")])
        choices = self.task.applicable(state).operators.tolist()
        return int(random.choice(choices)) if choices else NO_ACTION


class TablePolicy:
    """Looks its action up by state and gives none elsewhere; counts how often it is asked."""

    def __init__(self, table: Mapping[tuple[int, ...], int], *, spec: str = "table") -> None:
        self.table = table
        self.spec = spec
        self.asked = 0

    def choose(self, states: StateArray) -> ActionArray:
        self.asked += len(states)
        actions = [self.table.get(tuple(row), NO_ACTION) for row in states.tolist()]
        return np.array(actions, dtype=np.int32)


def fork_task(*, stray_cost: int = 1) -> Task:
    """From p0 straight to the goal p2 for 1, or by way of p1 for the cost of straying and 4."""
    moves = (("go", 0, 2, 1), ("stray", 0, 1, stray_cost), ("return", 1, 2, 4))
    return as_task(
        SasTask(
            metric=True,
            variables=(SasVariable("var0", tuple(f"Atom at(p{i})" for i in range(3))),),
            mutexes=(),
            initial=(0,),
            goal=((0, 2),),
            operators=tuple(
                SasOperator(name, (), (SasEffect((), 0, here, there),), cost)
                for name, here, there, cost in moves
            ),
        ),
        name="fork",
    )


def line_bench(
    task: Task, steps: Mapping[int, str], *, objective: str = "quantitative", step_limit: int = 100
) -> Bench:
    """A walker on a line who goes "right" or "left" as told for each place, else stays."""
    table: dict[tuple[int, ...], int] = {
        (place,): task.operator_id(f"{way} p{place}") for place, way in steps.items()
    }
    return Bench(task, TablePolicy(table), make_objective(objective, task), step_limit=step_limit)


def proven(bench: Bench, state: StateArray, plan: tuple[int, ...]) -> Verdict:
    """The verdict that a plan is better than the policy's run."""
    value = bench.objective.plan_value(state, plan)
    gap = bench.objective.gap(float(bench.values(bench.runs(state))[0]), value)
    return Verdict(Outcome.BUG, "told so", plan, value, gap)


@dataclass(frozen=True)
class Sample:
    """A bench and the states that can be reached on its task, with their goal distances."""

    bench: Bench
    states: StateArray
    distances: dict[bytes, float]

    def verdict(self, state: StateArray) -> Verdict | None:
        """The truth about a state, or None if it is no bug."""
        objective = self.bench.objective
        alternatives = objective.alternatives()
        start = alternatives.start(state)
        found = None if start is None else astar(alternatives.task, start, "blind").plan
        if found is None:
            return None
        plan = alternatives.plan(found)
        value = objective.plan_value(state, plan)
        policy_value = float(self.bench.values(self.bench.runs(state))[0])
        if not objective.is_bug(policy_value, value):
            return None
        gap = objective.gap(policy_value, value)
        return Verdict(Outcome.BUG, "exhaustive", plan, value, gap, True)

    def bugs(self) -> Iterator[tuple[StateArray, Verdict]]:
        """All bugs among the states."""
        for state in self.states:
            verdict = self.verdict(state)
            if verdict is not None:
                yield state, verdict


def make_sample(
    seed: int, *, shape: Shape = SMALL, objective: str = "quantitative", count: int = 20
) -> Sample:
    """The bench of a seed; "avoid" as the objective draws a condition."""
    sas = seeded_task(seed, shape)
    task = as_task(sas)
    if objective == "avoid":
        objective = f"avoid:{seeded_formula(seed, sas).text}"
    policy = ErraticPolicy(task, seed)
    states, values = exact_goal_distances(task)
    distances = {
        state.tobytes(): float("inf") if value == DEAD_END else float(value)
        for state, value in zip(states, values, strict=True)
    }
    chosen = Random(seed).sample(range(len(states)), min(count, len(states)))
    bench = Bench(task, policy, make_objective(objective, task), step_limit=1000)
    return Sample(bench, states[chosen], distances)


def certificates(
    seed: int, *, shape: Shape = SMALL, objective: str = "quantitative"
) -> list[dict[str, Any]]:
    """The certificates of the bugs of a seed."""
    sample = make_sample(seed, shape=shape, objective=objective)
    return [certificate_of(sample.bench, state, verdict) for state, verdict in sample.bugs()]


__all__ = [
    "LONG",
    "SMALL",
    "ErraticPolicy",
    "Sample",
    "TablePolicy",
    "certificates",
    "fork_task",
    "line_bench",
    "make_sample",
    "proven",
]
