"""A slow dominance function that follows its definition, and goal distances of all states.

D(s, t) is at most h*(s) - h*(t). Every value is a float, -inf where there is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.factors import (
    Factor,
    FactorState,
    distances,
    projection,
    prune,
)
from tests.unit.dominance.labels import labels_of
from tests.unit.dominance.mistakes import Mistake
from tests.unit.dominance.tau import stages_of

State = tuple[int, ...]
Pair = tuple[FactorState, FactorState]

NOOP = -1
"""The label that changes nothing: an answer only."""


class NaiveDominance:
    """A bound on h*(s) - h*(t) for all pairs of states.

    Tau-labels are found in "stages", only where they are "local", or "none" are. A value below
    -floor becomes that of walking from t to s. `keep_unreachable` prunes dead ends alone.
    """

    def __init__(
        self,
        task: Task,
        blocks: Sequence[Sequence[int]],
        *,
        tau: str = "stages",
        floor: float | None = None,
        keep_unreachable: bool = False,
        mistake: Mistake | None = None,
    ) -> None:
        self.mistake = mistake
        self.labels = labels_of(task, free_choice=mistake is Mistake.FREE_CHOICE)
        self.factors = [projection(task, self.labels, block) for block in blocks]
        dead_label_irrelevant = mistake is Mistake.DEAD_LABEL_IRRELEVANT
        prune(
            self.factors,
            self.labels,
            keep_unreachable=keep_unreachable,
            keep_dead_labels=dead_label_irrelevant,
        )
        if dead_label_irrelevant:
            _take_dead_for_irrelevant(self.factors)
        dearest = max((label.cost for label in self.labels), default=0)
        self.floor = max(1000, 20 * dearest) if floor is None else floor
        self.stages = stages_of(self.factors, self.labels, tau, mistake)
        self.walks = self.stages[-1].walks
        self.h = [factor.goal_distances(self.labels) for factor in self.factors]
        for factor in self.factors:
            factor.functions[NOOP] = {x: x for x in factor.states}
        self.values = [
            {(s, t): h[s] - h[t] for s in factor.states for t in factor.states}
            for factor, h in zip(self.factors, self.h, strict=True)
        ]
        self._compute()

    def value(self, source: State, target: State) -> float:
        """D(source, target)."""
        if source == target:
            return 0.0
        return sum(
            values.get((part(source, factor), part(target, factor)), -inf)
            for factor, values in self.summed()
        )

    def summed(self) -> Iterator[tuple[Factor, dict[Pair, float]]]:
        """The factors whose values are added, with these."""
        for factor, values in zip(self.factors, self.values, strict=True):
            if self.mistake is Mistake.ONE_STATE_FACTOR_DROPPED and len(factor.states) == 1:
                continue
            yield factor, values

    def _compute(self) -> None:
        """Lower the values until all rules hold; with one factor they are exact as they are."""
        if self.mistake is Mistake.STOPPED_EARLY or len(self.factors) == 1:
            return
        if self.mistake is Mistake.ONE_FACTOR_LOWERED:
            self.values[-1] = {
                (s, t): self._walked(len(self.factors) - 1, s, t) for s, t in self.values[-1]
            }
            return
        changed = True
        while changed:
            changed = False
            for i in range(len(self.factors)):
                lowered = self._lowered(i)
                changed |= lowered != self.values[i]
                self.values[i] = lowered

    def _lowered(self, i: int) -> dict[Pair, float]:
        """The values of a factor after one use of both rules on all pairs."""
        answers = self._answers(i)
        lowered = {}
        for (s, t), value in self.values[i].items():
            bounds = [value, *self._goal_rule(i, s, t), *self._label_rule(i, s, t, answers)]
            bound = min(bounds) if s != t else 0.0
            lowered[s, t] = bound if bound >= -self.floor else self._walked(i, s, t)
        return lowered

    def _walked(self, i: int, s: FactorState, t: FactorState) -> float:
        """What is certain: t goes to s and does the same."""
        return -self.walks[i][t].get(s, inf)

    def _goal_rule(self, i: int, s: FactorState, t: FactorState) -> Iterator[float]:
        """Where s is done, t must go to a goal state."""
        goals = self.factors[i].goals
        if s in goals and self.mistake is not Mistake.NO_GOAL_RULE:
            yield -min(self.walks[i][t].get(goal, inf) for goal in goals)

    def _label_rule(
        self,
        i: int,
        s: FactorState,
        t: FactorState,
        answers: dict[tuple[int, FactorState], dict[FactorState, float]],
    ) -> Iterator[float]:
        """For every label of s, t must have an answer, after a walk to some state u."""
        for label, function in self.factors[i].functions.items():
            if label != NOOP and s in function:
                answer = answers[label, function[s]]
                yield max(answer[u] - cost for u, cost in self.walks[i][t].items())

    def _answers(self, i: int) -> dict[tuple[int, FactorState], dict[FactorState, float]]:
        """For a label and where it leads, the value of the best answer given in each state."""
        factor, values = self.factors[i], self.values[i]
        answers = {}
        for label, function in factor.functions.items():
            if label == NOOP:
                continue
            weights = {other: self._weight(i, label, other) for other in factor.functions}
            for after in set(function.values()):
                answers[label, after] = {
                    u: max(
                        values[after, factor.functions[other][u]] + weight
                        for other, weight in weights.items()
                        if u in factor.functions[other]
                    )
                    for u in factor.states
                }
        return answers

    def _weight(self, i: int, label: int, other: int) -> float:
        """W: what it is worth that t answers a label of s by another one."""
        if other == NOOP and self.mistake is Mistake.NOOP_WITHOUT_OTHERS:
            return self.labels[label].cost
        others = [j for j in range(len(self.factors)) if j != i]
        lost = sum(self._label_value(j, label, other) for j in others)
        if self.mistake is Mistake.FORGOTTEN_COSTS:
            return lost
        return self.labels[label].cost - self._answer_cost(i, other) + lost

    def _answer_cost(self, i: int, other: int) -> float:
        if self.mistake is Mistake.CHEAPEST_OF_GROUP:
            functions = self.factors[i].functions
            return min(self._cost(one) for one, f in functions.items() if f == functions[other])
        return self._cost(other)

    def _cost(self, label: int) -> int:
        return 0 if label == NOOP else self.labels[label].cost

    def _label_value(self, j: int, label: int, other: int) -> float:
        """D^L: what factor j loses at most if t answers a label of s by another one."""
        if label == other:
            return 0.0
        functions = self.factors[j].functions
        values = []
        for s, after in functions[label].items():
            if s in functions[other]:
                values.append(self.values[j][after, functions[other][s]])
            elif self.mistake is not Mistake.SKIPPED_INAPPLICABLE:
                return -inf
        return min(values, default=0.0)


def part(state: State, factor: Factor) -> FactorState:
    """What a state is in a factor."""
    return tuple(state[v] for v in factor.block)


def _take_dead_for_irrelevant(factors: Sequence[Factor]) -> None:
    for factor in factors:
        for label, function in factor.functions.items():
            if not function:
                factor.functions[label] = {x: x for x in factor.states}


def all_states(task: Task) -> list[State]:
    """Every combination of values, reachable or not."""
    return list(product(*(range(int(size)) for size in task.domain_sizes)))


def successor(task: Task, state: State, operator: int) -> State | None:
    """The state after an operator, None where it does not apply."""
    if any(state[v] != x for v, x in task.native.preconditions(operator)):
        return None
    after = list(state)
    for conditions, v, x in task.native.effects(operator):
        if all(state[w] == y for w, y in conditions):
            after[v] = x
    return tuple(after)


def h_star(task: Task) -> dict[State, float]:
    """The cost of a cheapest plan for every state, inf where there is none."""
    states = all_states(task)
    before: dict[State, list[tuple[State, float]]] = {state: [] for state in states}
    for state, operator in product(states, range(task.num_operators)):
        after = successor(task, state, operator)
        if after is not None:
            before[after].append((state, int(task.operator_costs[operator])))
    goals = [state for state in states if all(state[v] == x for v, x in task.goal)]
    found = distances(before, goals)
    return {state: found.get(state, inf) for state in states}
