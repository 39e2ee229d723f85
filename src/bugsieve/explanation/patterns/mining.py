"""Finds the patterns of blamed decisions, given what other actions would have lost in states
where the policy did right: from the exact costs of a task, or from `searched`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

import numpy as np

from bugsieve.explanation.blame.exact_costs import worth
from bugsieve.explanation.patterns.cover import Cover, Explained, Option
from bugsieve.explanation.patterns.features import Decision, Feature, FeatureVocabulary, words_of
from bugsieve.pipeline.bench import Bench
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import ExactCosts

Item = TypeVar("Item")

MOST_RIGHT = 2_000
"""The most states where the policy did right looked at for one schema, spread evenly."""
MOST_WRONG = 2_000
"""The most blamed decisions of a schema to make patterns from; they explain others, too."""

RightState = tuple[StateArray, Mapping[int, float]]
"""A state where the policy did right, and the regrets of actions there, the policy's included."""


@dataclass(frozen=True)
class Mined:
    """Blamed decisions of a schema that have the same features in common."""

    schema: str
    features: tuple[Feature, ...] | None
    """None for a single decision."""
    decisions: tuple[Decision, ...]


class ExactRegrets:
    """The losses of actions by the exact costs of a task."""

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
    task = bench.task
    right = [*_right(ExactRegrets(bench, costs), task, done)]
    for schema, decisions in by_schema(task, wrong).items():
        yield from mined_of_schema(task, schema, decisions, right)


def by_schema(task: Task, decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """Different decisions in order, by their schemas in order."""
    found: dict[str, list[Decision]] = {}
    for decision in sorted(set(decisions)):
        schema = words_of(task.operator_names[decision.operator])[0]
        found.setdefault(schema, []).append(decision)
    return dict(sorted(found.items()))


def _right(regrets: ExactRegrets, task: Task, done: Iterable[Decision]) -> Iterator[RightState]:
    """The states in which the policy did right, in order, with the regrets of all actions."""
    for decision in spread(sorted(set(done)), 4 * MOST_RIGHT):
        state = np.frombuffer(decision.state, dtype=np.uint16)
        found = regrets.of_all(state)
        if found.get(decision.operator) == 0:
            yield state, found


def mined_of_schema(
    task: Task, schema: str, wrong: Sequence[Decision], right: Iterable[RightState]
) -> Iterator[Mined]:
    """The patterns of different decisions of one schema; `right` may have actions of others."""
    vocabulary = FeatureVocabulary(task, _parameters(task, schema))
    operators = operators_of(task, schema)
    told = ((s, {o: r for o, r in found.items() if o in operators}) for s, found in right)
    fitting = spread([(state, found) for state, found in told if found], MOST_RIGHT)
    options = ([*_options(vocabulary, state, found)] for state, found in fitting)
    sample = spread(wrong, MOST_WRONG)
    explained = [*Cover([_features(vocabulary, one) for one in sample], options).explained()]
    parts = [[sample[number] for number in one.decisions] for one in explained]
    if len(sample) < len(wrong):
        _add_others(vocabulary, explained, parts, sorted({*wrong} - {*sample}))
    for one, decisions in zip(explained, parts, strict=True):
        yield Mined(schema, one.features, tuple(decisions))
    for decision in sorted({*wrong}.difference(*parts)):
        yield Mined(schema, None, (decision,))


def _add_others(
    vocabulary: FeatureVocabulary,
    explained: Sequence[Explained],
    parts: Sequence[list[Decision]],
    others: Iterable[Decision],
) -> None:
    """Add each decision to the first part whose features it has; the others stay alone.

    Nothing speaks against that: counterexamples do not depend on what is explained.
    """
    for decision in others:
        features = _features(vocabulary, decision)
        for one, part in zip(explained, parts, strict=True):
            if one.features is not None and all(known in features for known in one.features):
                part.append(decision)
                break


def _options(
    vocabulary: FeatureVocabulary, state: StateArray, regrets: Mapping[int, float]
) -> Iterator[Option]:
    facts = vocabulary.of_state(state)
    for operator, regret in regrets.items():
        yield Option(vocabulary.of_decision(facts, operator), regret == 0)


def _features(vocabulary: FeatureVocabulary, decision: Decision) -> Collection[Feature]:
    facts = vocabulary.of_state(np.frombuffer(decision.state, dtype=np.uint16))
    return vocabulary.of_decision(facts, decision.operator)


def operators_of(task: Task, schema: str) -> frozenset[int]:
    """The operators of a schema."""
    names = enumerate(task.operator_names)
    return frozenset(number for number, name in names if words_of(name)[0] == schema)


def _parameters(task: Task, schema: str) -> list[str]:
    """The names that the domain gives to the parameters of a schema, where it has some."""
    if task.pddl is None or schema not in task.pddl.schemas:
        return []
    return [*task.pddl.schemas[schema].parameters]


def spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most so many of the items, spread evenly."""
    step = -(-len(items) // most) or 1
    return items[::step]
