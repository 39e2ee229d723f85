"""Policies that are optimal but for one or two patterns of wrong decisions, drawn by a seed.

A schema pattern says: where a fact holds, take the first action of a schema; an operator pattern:
take that operator. Both count where such an action is applicable, right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.seeds import Stream
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.graph import PolicyGraph
from bugsieve.tasks.grounded.task import ActionArray
from tests.quality.zoo import DEAD_END, Habitat, Mask, TablePolicy, habitat_of

DOMAINS = (
    *("blocksworld", "childsnack", "ferry", "gripper", "matching-blocksworld", "miconic"),
    *("satellite", "storage", "transport", "visitall"),
)
TEST_STATES = 60
_FEWEST_BUGS = 4
_TRIES = 1_500


@dataclass(frozen=True)
class Pattern:
    """Where a fact holds, the first action of a schema, or one operator."""

    schema: str
    fact: tuple[int, int]
    operator: int | None = None


class Tabled:
    """A policy by a table, and its bugs."""

    def __init__(self, habitat: Habitat, actions: ActionArray) -> None:
        self.habitat = habitat
        self.actions = actions
        self.policy = TablePolicy(habitat, actions, "planted")
        task = habitat.task
        self.bench = Bench(task, self.policy, make_objective("quantitative", task))

    @property
    def is_wrong(self) -> Mask:
        """The live states in which its decision has a regret."""
        regrets = np.zeros(len(self.habitat.states), dtype=np.int64)
        taken = self.actions[self.habitat.sources] == self.habitat.operators
        regrets[self.habitat.sources[taken]] = self.habitat.detours[taken]
        is_wrong: Mask = self.habitat.alive & (regrets > 0)
        return is_wrong

    def tests(self, stream: Stream, most: int = TEST_STATES) -> list[int]:
        """Some states, drawn at random."""
        alive = np.flatnonzero(self.habitat.alive).tolist()
        return sorted(stream.sample(alive, min(most, len(alive))))

    def certificates(self, rows: list[int]) -> Iterator[dict[str, Any]]:
        """The certificates of those of the states that are bugs."""
        habitat, runs = self.habitat, PolicyGraph(self.habitat.task, self.policy)
        table = runs.table(habitat.states[rows])
        wrong = ~table.solved | (table.costs > habitat.distances[rows])
        for row in np.array(rows)[wrong].tolist():
            verdict = Verdict(Outcome.BUG, "a plan is better", plan=habitat_plan(habitat, row))
            yield certificate_of(self.bench, habitat.states[row], verdict)


class Patterned(Tabled):
    """The policy of some patterns; of two that apply in a state, the first counts."""

    def __init__(self, domain: str, patterns: tuple[Pattern, ...]) -> None:
        habitat = habitat_of(domain, 1)
        self.domain = domain
        self.patterns = patterns
        self.pattern_at: NDArray[np.int8] = np.full(len(habitat.states), -1, dtype=np.int8)
        """In each state the number of the pattern that decides there; -1 for none."""
        actions = usual_actions(habitat).copy()
        for number, pattern in enumerate(patterns):
            where, chosen = planted(habitat, pattern)
            where &= self.pattern_at < 0
            actions[where], self.pattern_at[where] = chosen[where], number
        super().__init__(habitat, actions)


@cache
def usual_actions(habitat: Habitat) -> ActionArray:
    """The best action; in states without a plan the first one."""
    lost = habitat.distances == DEAD_END
    first = habitat.pick(lost, np.zeros(len(habitat.operators), dtype=np.int64))
    return np.where(lost, first, habitat.best_actions())


def planted(habitat: Habitat, pattern: Pattern) -> tuple[Mask, ActionArray]:
    """The states in which the pattern decides, and what it does there."""
    variable, value = pattern.fact
    fits = allowed(habitat, pattern)
    can = np.zeros(len(habitat.states), dtype=np.bool_)
    can[habitat.sources[fits]] = True
    where = can & habitat.alive & (habitat.states[:, variable] == value)
    return where, habitat.pick(where, np.where(fits, 0, 1))


def allowed(habitat: Habitat, pattern: Pattern) -> Mask:
    """The transitions that a pattern takes."""
    found: Mask = schemas_of(habitat)[habitat.operators] == pattern.schema
    return found if pattern.operator is None else found & (habitat.operators == pattern.operator)


@cache
def schemas_of(habitat: Habitat) -> NDArray[np.str_]:
    """The schemas of all operators."""
    return np.array([schema_of(name) for name in habitat.task.operator_names])


def schema_of(name: str) -> str:
    return name.strip("()").split()[0]


def habitat_plan(habitat: Habitat, row: int) -> tuple[int, ...]:
    """An optimal plan from a state."""
    best, plan = usual_actions(habitat), []
    while habitat.distances[row]:
        low, high = habitat.offsets[row : row + 2]
        plan.append(int(best[row]))
        row = int(habitat.targets[low + habitat.operators[low:high].tolist().index(plan[-1])])
    return tuple(plan)


def drawn(domain: str, count: int, *, by_operator: bool = False) -> Iterator[Patterned]:
    """So many policies with one pattern that does harm in several states."""
    habitat = habitat_of(domain, 1)
    stream = Stream(1, "planted patterns", domain, str(by_operator))
    for _ in range(_TRIES):
        if not count:
            return
        made = Patterned(domain, (drawn_pattern(habitat, stream, by_operator=by_operator),))
        if made.is_wrong.sum() >= _FEWEST_BUGS:
            count -= 1
            yield made


def drawn_pattern(habitat: Habitat, stream: Stream, *, by_operator: bool) -> Pattern:
    """Any schema or operator, and a fact that holds in some states."""
    operator = stream.integer(0, habitat.task.num_operators - 1)
    variables = habitat.task.variables
    facts = [(n, v) for n, one in enumerate(variables) for v, atom in enumerate(one.facts) if atom]
    schema = schema_of(habitat.task.operator_names[operator])
    return Pattern(schema, stream.choice(facts), operator if by_operator else None)


def with_single_mistakes(
    domain: str, number: int, count: int = 6, *, alike: bool = False
) -> Tabled | None:
    """The optimal policy but for wrong actions in a few states, of one schema if `alike`.

    None where there are not as many such states.
    """
    habitat = habitat_of(domain, 1)
    stream = Stream(1, "single mistakes", domain, number, str(alike))
    wrong = habitat.alive[habitat.sources] & (habitat.detours > 0)
    schemas = schemas_of(habitat)[habitat.operators]
    if alike:
        wrong &= schemas == stream.choice(sorted(set(schemas[wrong].tolist())))
    states = np.unique(habitat.sources[wrong]).tolist()
    if len(states) < count:
        return None
    actions = usual_actions(habitat).copy()
    for state in stream.sample(states, count):
        actions[state] = stream.choice(
            habitat.operators[wrong & (habitat.sources == state)].tolist()
        )
    return Tabled(habitat, actions)
