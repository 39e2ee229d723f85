"""Factors of the naive dominance function: projections to blocks of variables, and pruning."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.labels import Label

FactorState = tuple[int, ...]
Function = dict[FactorState, FactorState]
Edges = Mapping[FactorState, Iterable[tuple[FactorState, float]]]


@dataclass
class Factor:
    """A block of variables: its states, and what each label does to them."""

    block: tuple[int, ...]
    states: list[FactorState]
    goals: set[FactorState]
    initial: FactorState
    functions: dict[int, Function]
    """What each label leads to, where it applies."""

    def is_identity(self, label: int) -> bool:
        """Whether the label applies everywhere and changes nothing."""
        return all(self.functions[label].get(x) == x for x in self.states)

    def goal_distances(self, labels: Sequence[Label]) -> dict[FactorState, float]:
        """The cheapest way to a goal state inside the factor; states without one are left out."""
        before: dict[FactorState, list[tuple[FactorState, float]]] = {x: [] for x in self.states}
        for label, function in self.functions.items():
            for x, y in function.items():
                before[y].append((x, labels[label].cost))
        return distances(before, self.goals)

    def reachable(self, starts: Iterable[FactorState]) -> set[FactorState]:
        """The states that can be reached inside the factor."""
        after = {x: [(f[x], 0) for f in self.functions.values() if x in f] for x in self.states}
        return set(distances(after, starts))

    def restrict(self, kept: Iterable[FactorState]) -> None:
        """Remove all other states, and the transitions from and to them."""
        keep = set(kept)
        self.states = [x for x in self.states if x in keep]
        self.goals &= keep
        for label, function in self.functions.items():
            inside = {x: y for x, y in function.items() if x in keep and y in keep}
            self.functions[label] = inside


def distances(edges: Edges, starts: Iterable[FactorState]) -> dict[FactorState, float]:
    """The cheapest way from any of the starts to each state that can be reached (Dijkstra)."""
    found: dict[FactorState, float] = {}
    queue: list[tuple[float, FactorState]] = [(0, x) for x in starts]
    heapq.heapify(queue)
    while queue:
        cost, x = heapq.heappop(queue)
        if x in found:
            continue
        found[x] = cost
        for y, step in edges[x]:
            heapq.heappush(queue, (cost + step, y))
    return found


def projection(task: Task, labels: Sequence[Label], block: Sequence[int]) -> Factor:
    """The factor of a block, nothing pruned."""
    states = list(product(*(range(int(task.domain_sizes[v])) for v in block)))
    goal = dict(task.goal)
    goals = {x for x in states if all(goal.get(v, d) == d for v, d in zip(block, x, strict=True))}
    functions: dict[int, Function] = {}
    for number, label in enumerate(labels):
        after = {x: label.apply(dict(zip(block, x, strict=True))) for x in states}
        functions[number] = {x: tuple(y.values()) for x, y in after.items() if y is not None}
    return Factor(tuple(block), states, goals, initial_part(task, block), functions)


def initial_part(task: Task, block: Sequence[int]) -> FactorState:
    """What a block of variables is in the initial state."""
    return tuple(int(task.initial_state[v]) for v in block)


def prune(
    factors: Sequence[Factor],
    labels: Sequence[Label],
    *,
    keep_unreachable: bool = False,
    keep_dead_labels: bool = False,
) -> None:
    """Remove states without a way to the goal or from the initial state, and dead labels.

    A label without transitions in one factor leaves all of them. Unreachable states may be kept,
    which is sound too; keeping dead labels is a mistake.
    """
    before = None
    while before != (before := [_size(factor) for factor in factors]):
        for factor in factors:
            factor.restrict(factor.goal_distances(labels))
            if not keep_unreachable:
                starts = {factor.initial} & set(factor.states)
                factor.restrict(factor.reachable(starts))
        dead = {label for factor in factors for label, f in factor.functions.items() if not f}
        for factor in factors:
            for label in () if keep_dead_labels else dead & set(factor.functions):
                del factor.functions[label]


def _size(factor: Factor) -> tuple[int, int, int]:
    transitions = sum(len(function) for function in factor.functions.values())
    return len(factor.states), len(factor.functions), transitions


def merged(one: Factor, other: Factor) -> Factor:
    """The product of two factors, its variables in ascending order."""
    block = tuple(sorted(one.block + other.block))

    def joined(x: FactorState, y: FactorState) -> FactorState:
        values = dict(zip(one.block + other.block, x + y, strict=True))
        return tuple(values[v] for v in block)

    functions = {
        label: {
            joined(x, y): joined(after, other.functions[label][y])
            for x, after in function.items()
            for y in other.functions[label]
        }
        for label, function in one.functions.items()
    }
    states = [joined(x, y) for x in one.states for y in other.states]
    goals = {joined(x, y) for x in one.goals for y in other.goals}
    return Factor(block, states, goals, joined(one.initial, other.initial), functions)
