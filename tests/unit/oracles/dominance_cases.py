"""Random tasks with flawed policies, for oracles that compare states by dominance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from math import inf, prod
from random import Random

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import Limits, exact_goal_distances
from tests.property.soundness import TWO_WAYS, with_ways_back
from tests.property.strategies import domain_sizes, seeded_task
from tests.unit.dominance.naive import State, all_states, h_star, successor
from tests.unit.dominance.random_tasks import needs_all_variables, random_task
from tests.unit.dominance.small_tasks import task_of

BUILT_IN = ("random", "hill-climbing:hadd", "greedy:hff", "lazy:hff")
CRASH = -3
"""In a table: the policy raises."""

COSTS = ((1,), (1, 2, 4), (0, 1, 3))
FLOOR = 40
"""Values that sink for ever sink quicker to this one."""
FUNCTIONS = (
    DominanceOptions(merging="atomic", floor=FLOOR),
    DominanceOptions(max_transitions=30, floor=FLOOR),
    DominanceOptions(merging="atomic", tau="none", floor=FLOOR),
    DominanceOptions(merging="atomic", max_work=30),
    DominanceOptions(),
)


class TablePolicy:
    """Looks its actions up and remembers where; raises where the table says CRASH."""

    def __init__(self, table: Mapping[State, int]) -> None:
        self.table = table
        self.asked: set[State] = set()

    def choose(self, states: StateArray) -> ActionArray:
        """The actions of the table."""
        rows = [tuple(row) for row in states.tolist()]
        actions = [self.table[row] for row in rows]
        if CRASH in actions:
            raise ArithmeticError
        self.asked |= set(rows)
        return np.array(actions, dtype=np.int32)


@dataclass(frozen=True)
class DominanceCase:
    """A bench on a small task whose values are known, and how its states are compared."""

    task: Task
    policy: Policy
    objective: str
    options: DominanceOptions
    step_limit: int = 1000

    @cached_property
    def bench(self) -> Bench:
        """The policy on the task."""
        return self.fresh_bench()

    def fresh_bench(self, *, seed: int = 0) -> Bench:
        """The same, with nothing remembered."""
        objective = make_objective(self.objective, self.task)
        return Bench(self.task, self.policy, objective, step_limit=self.step_limit, seed=seed)

    @cached_property
    def function(self) -> DominanceFunction:
        """By which the states are compared."""
        return DominanceFunction.compute(self.task, self.options)

    @cached_property
    def states(self) -> list[State]:
        """All states, reachable or not."""
        return all_states(self.task)

    @cached_property
    def h(self) -> dict[State, float]:
        """h* of all states."""
        return h_star(self.task)

    def oracle(
        self, spec: str, *, bench: Bench | None = None, limits: Limits | None = None
    ) -> Oracle:
        """An oracle that takes this function, wherever others would be."""
        oracle = make_oracle(spec, bench or self.bench, limits=limits or Limits(expansions=5000))
        vars(oracle)["function"] = self.function
        return oracle

    def optimum(self, state: State) -> float:
        """The best value that a run from the state can have."""
        return self.h[state] if self.objective == "quantitative" else float(self.h[state] < inf)


def batch(states: list[State]) -> StateArray:
    """The states as rows."""
    return np.array(states, dtype=np.uint16)


@lru_cache(maxsize=1000)
def two_way_task(number: int) -> Task:
    """A task with at least 12 states in reach, all of whose operators can be undone."""
    costs = COSTS[number % len(COSTS)]
    for attempt in count():
        seed = Random(f"{number} {attempt}").randrange(2**32)
        shape = replace(TWO_WAYS, max_variables=5, max_size=4, costs=costs)
        sas = replace(with_ways_back(seeded_task(seed, shape)), metric=True)
        if prod(domain_sizes(sas)) > 60:
            continue
        task = task_of(sas, f"two-way-{number}")
        reached, distances = exact_goal_distances(task)
        if len(reached) >= 12 and 0 < distances.max() < DEAD_END and needs_all_variables(task):
            return task
    raise AssertionError("count never ends")


def dominance_case(number: int, objective: str = "quantitative") -> DominanceCase:
    """The case of a number: kinds of tasks, policies and functions in turn."""
    task = two_way_task(number) if number % 3 else random_task(number)
    random = Random(f"{number} policy")
    policy: Policy
    if random.random() < 0.2:
        policy = make_policy(random.choice(BUILT_IN), task, seed=number)
    else:
        policy = TablePolicy(flawed_table(task, random, random.choice((0.15, 0.4, 1.0))))
    options = FUNCTIONS[number % len(FUNCTIONS)]
    return DominanceCase(task, policy, objective, options, 3 if random.random() < 0.1 else 1000)


def flawed_table(
    task: Task,
    random: Random,
    share: float,
    *,
    failing: float = 0.04,
    failures: tuple[int, ...] = (CRASH,),
) -> dict[State, int]:
    """A share of the actions is drawn, few of them fail; the others are the best there are."""
    h = h_star(task)

    def action(state: State) -> int:
        after = {o: successor(task, state, o) for o in range(task.num_operators)}
        offered = {o: s for o, s in after.items() if s is not None}
        whim = random.random()
        if not offered or whim < failing:
            return random.choice((NO_ACTION, random.randrange(task.num_operators), *failures))
        if whim < share:
            return random.choice(list(offered))
        worth = {o: task.operator_costs[o] + h[s] for o, s in offered.items()}
        return min(worth, key=lambda o: (worth[o], random.random()))

    return {state: action(state) for state in all_states(task)}
