"""Random tasks with flawed policies, whose states are told to oracles that keep bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from math import inf, isnan, prod
from random import Random
from unittest.mock import patch

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits, exact_goal_distances
from tests.property.soundness import TWO_WAYS, with_ways_back
from tests.property.strategies import domain_sizes, seeded_task
from tests.unit.dominance.naive import State, all_states, h_star
from tests.unit.dominance.random_tasks import needs_all_variables, random_task
from tests.unit.dominance.small_tasks import task_of
from tests.unit.judging.told import known_cases
from tests.unit.oracles.dominance_cases import TablePolicy, flawed_table

BUILT_IN = ("random", "hill-climbing:hadd", "greedy:hff")
MERGING = (
    DominanceOptions(merging="atomic"),
    DominanceOptions(max_transitions=30),
    DominanceOptions(merging="atomic", tau="none"),
    DominanceOptions(),
)
STEP_LIMITS = (1000, 1000, 1000, 3)
ROOMY = [
    replace(TWO_WAYS, max_variables=5, max_size=4, costs=c) for c in ((1,), (1, 2, 4), (0, 1, 3))
]


@dataclass(frozen=True)
class BoundCase:
    """A bench on a small task, and the function by which its oracles compare states."""

    task: Task
    policy: Policy
    objective: str
    seed: int
    options: DominanceOptions

    @cached_property
    def bench(self) -> Bench:
        """Every fourth one cuts runs soon."""
        limit = STEP_LIMITS[self.seed // len(MERGING) % len(STEP_LIMITS)]
        return Bench(
            self.task, self.policy, make_objective(self.objective, self.task), step_limit=limit
        )

    @cached_property
    def h(self) -> dict[State, float]:
        """h* of every state, reachable or not."""
        return h_star(self.task)

    @cached_property
    def function(self) -> DominanceFunction:
        """The dominance function."""
        return DominanceFunction.compute(self.task, self.options)

    @cached_property
    def states(self) -> list[State]:
        """Some of all states in a random order, seldom one of them twice."""
        random, known = Random(f"{self.seed} order"), all_states(self.task)
        drawn = random.sample(known, min(len(known), 20))
        return [*drawn, drawn[0]] if random.random() < 0.2 else drawn

    @cached_property
    def cases(self) -> list[KnownCase]:
        """The states with the policy's runs, as ledgers tell of them."""
        return self.cases_of(self.states)

    def cases_of(self, states: Iterable[State]) -> list[KnownCase]:
        """The same for other states, numbered from 0."""
        return known_cases(self.bench, np.array(list(states), dtype=np.uint16))

    def make(self, spec: str, *, limits: Limits | None = None) -> LearningOracle:
        """An oracle with that function."""
        oracle = make_oracle(spec, self.bench, limits=limits or Limits(expansions=5000))
        assert isinstance(oracle, LearningOracle)
        return oracle

    @contextmanager
    def compared(self) -> Iterator[None]:
        """Where oracles take the function of the case, and nothing is kept on disk."""
        with patch.object(DominanceFunction, "of", lambda task, options=None: self.function):
            yield

    def optimum(self, state: State) -> float:
        """The best value under the objective."""
        if self.bench.objective.costs_count:
            return self.h[state]
        return float(self.h[state] < inf)


@lru_cache(maxsize=3000)
def roomy_task(number: int) -> Task:
    """A task with at least 20 states in reach, most of whose operators can be undone."""
    for attempt in count():
        seed = Random(f"{number} {attempt}").randrange(2**32)
        sas = with_ways_back(seeded_task(seed, ROOMY[number % len(ROOMY)]))
        if prod(domain_sizes(sas)) > 150:
            continue
        task = task_of(replace(sas, metric=True), f"roomy-{number}")
        reached, distances = exact_goal_distances(task)
        if len(reached) >= 20 and 0 < distances.max() < DEAD_END and needs_all_variables(task):
            return task
    raise AssertionError("count never ends")


def bound_case(number: int, objective: str = "quantitative") -> BoundCase:
    """The case of a number: kinds of tasks, policies and functions in turn."""
    task = random_task(number) if number % 3 == 0 else roomy_task(number)
    random = Random(f"{number} policy")
    policy: Policy
    if random.random() < 0.25:
        policy = make_policy(random.choice(BUILT_IN), task, seed=number)
    else:
        share = random.choice((0.15, 0.4, 1.0))
        policy = TablePolicy(flawed_table(task, random, share, failing=0.03, failures=()))
    return BoundCase(task, policy, objective, number, MERGING[number % len(MERGING)])


def assert_true(case: BoundCase, known: KnownCase, verdict: Verdict) -> None:
    """A verdict agrees with the true values, and its gap is a bound on the true one."""
    objective = case.bench.objective
    optimum = case.optimum(tuple(known.state.tolist()))
    if verdict.outcome is Outcome.PASS:
        assert not objective.better(optimum, known.value)
        # Of a run that was cut nobody knows how good it will be, unless nothing can be.
        assert not isnan(known.value) or optimum == objective.worst
    if verdict.outcome in (Outcome.BUG, Outcome.IMPLIED):
        value = float(known.run["cost"]) if isnan(known.value) else known.value
        assert objective.better(optimum, value)
        assert 0 < verdict.gap <= objective.gap(value, optimum)
    assert verdict.reason
