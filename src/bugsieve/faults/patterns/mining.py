"""Finds the patterns of blamed decisions in a task whose costs-to-go are all known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

import numpy as np

from bugsieve.benches.bench import Bench
from bugsieve.faults.exact_costs import worth
from bugsieve.faults.patterns.cover import Cover, Option
from bugsieve.faults.patterns.features import Decision, Feature, Vocabulary, words_of
from bugsieve.search import ExactCosts
from bugsieve.tasks.fdr.task import StateArray, Task

Item = TypeVar("Item")

MOST_RIGHT = 2_000
"""So many states where the policy did right are looked at for one schema, from all over."""


@dataclass(frozen=True)
class Mined:
    """Blamed decisions of a schema that have the same features in common."""

    schema: str
    features: tuple[Feature, ...] | None
    """None for a single decision."""
    decisions: tuple[Decision, ...]


class Regrets:
    """What actions lose by the exact costs of a task."""

    def __init__(self, bench: Bench, costs: ExactCosts) -> None:
        self._bench = bench
        self._costs = costs

    def of_all(self, state: StateArray) -> dict[int, float]:
        """The regrets of all applicable actions; empty where they are unknown, or at no cost to
        know: at goals and where no plan exists."""
        task = self._bench.task
        here = worth(self._bench, self._costs.to_go(state[None]))[0]
        if not here < inf or task.is_goal(state)[0]:
            return {}
        after, operators, _ = task.all_successors(state)
        there = worth(self._bench, self._costs.to_go(after))
        steps = task.operator_costs[operators] * self._bench.objective.costs_count
        return dict(zip(operators.tolist(), (steps + there - here).tolist(), strict=True))


def mined(
    bench: Bench, costs: ExactCosts, wrong: Iterable[Decision], done: Iterable[Decision]
) -> Iterator[Mined]:
    """The patterns of wrong decisions; `done` are decisions of the policy, right and wrong.

    The order of what is given does not matter.
    """
    task, regrets = bench.task, Regrets(bench, costs)
    by_schema: dict[str, list[Decision]] = {}
    for decision in sorted(set(wrong)):
        schema = words_of(task.operator_names[decision.operator])[0]
        by_schema.setdefault(schema, []).append(decision)
    right = [*_right(regrets, task, done)]
    for schema in sorted(by_schema):
        yield from _of_schema(task, schema, by_schema[schema], right)


def _right(
    regrets: Regrets, task: Task, done: Iterable[Decision]
) -> Iterator[tuple[StateArray, dict[int, float]]]:
    """The states in which the policy did right, in order, with the regrets of all actions."""
    for decision in _spread(sorted(set(done)), 4 * MOST_RIGHT):
        state = np.frombuffer(decision.state, dtype=np.uint16)
        found = regrets.of_all(state)
        if found.get(decision.operator) == 0:
            yield state, found


def _of_schema(
    task: Task,
    schema: str,
    wrong: Sequence[Decision],
    right: Iterable[tuple[StateArray, dict[int, float]]],
) -> Iterator[Mined]:
    vocabulary = Vocabulary(task, _parameters(task, schema))
    operators = _operators(task, schema)
    told = ((s, {o: r for o, r in found.items() if o in operators}) for s, found in right)
    fitting = _spread([(state, found) for state, found in told if found], MOST_RIGHT)
    options = ([*_options(vocabulary, state, found)] for state, found in fitting)
    features = [_features(vocabulary, decision) for decision in wrong]
    for one in Cover(features, options).explained():
        yield Mined(schema, one.features, tuple(wrong[number] for number in one.decisions))


def _options(
    vocabulary: Vocabulary, state: StateArray, regrets: dict[int, float]
) -> Iterator[Option]:
    facts = vocabulary.of_state(state)
    for operator, regret in regrets.items():
        yield Option(vocabulary.of_decision(facts, operator), regret == 0)


def _features(vocabulary: Vocabulary, decision: Decision) -> Collection[Feature]:
    facts = vocabulary.of_state(np.frombuffer(decision.state, dtype=np.uint16))
    return vocabulary.of_decision(facts, decision.operator)


def _operators(task: Task, schema: str) -> frozenset[int]:
    names = enumerate(task.operator_names)
    return frozenset(number for number, name in names if words_of(name)[0] == schema)


def _parameters(task: Task, schema: str) -> list[str]:
    """The names that the domain gives to the parameters of a schema, where it has some."""
    if task.pddl is None or schema not in task.pddl.schemas:
        return []
    return [*task.pddl.schemas[schema].parameters]


def _spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """So many of the items, from all over."""
    step = -(-len(items) // most) or 1
    return items[::step]
