"""Merging of variables into blocks by the rule of DFP, the slow way."""

from __future__ import annotations

from itertools import combinations
from math import inf

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.factors import Factor, merged, projection, prune
from tests.unit.dominance.labels import Label, labels_of

Block = tuple[int, ...]


def atomic_blocks(task: Task) -> tuple[Block, ...]:
    """Each variable by itself."""
    return tuple((v,) for v in range(task.num_variables))


def dfp_blocks(
    task: Task, max_transitions: int = 10_000, max_states: int = 50_000
) -> tuple[Block, ...]:
    """The blocks in order of their lowest variable, each ascending."""
    labels = labels_of(task)
    factors = [projection(task, labels, block) for block in atomic_blocks(task)]
    goal = {v for v, _ in task.goal}
    prune(factors, labels)
    while True:
        ranks = [_ranks(factor, labels) for factor in factors]
        weighed = []
        for a, b in combinations(range(len(factors)), 2):
            one, other = factors[a], factors[b]
            fits = (
                goal & {*one.block, *other.block}
                and _estimated_transitions(one, other) <= max_transitions
                and len(one.states) * len(other.states) <= max_states
            )
            weight = _weight(one, ranks[a], other, ranks[b])
            if fits and weight < inf:
                weighed.append((weight, one.block[0], other.block[0], a, b))
        if not weighed:
            return tuple(factor.block for factor in factors)
        *_, a, b = min(weighed)
        joined = merged(factors[a], factors[b])
        factors = [factor for i, factor in enumerate(factors) if i not in (a, b)]
        factors = sorted([*factors, joined], key=lambda factor: factor.block[0])
        prune(factors, labels)


def _ranks(factor: Factor, labels: list[Label]) -> dict[int, float]:
    """For each label the smallest goal distance to which it leads."""
    h = factor.goal_distances(labels)
    return {
        label: min((h[y] for y in function.values()), default=inf)
        for label, function in factor.functions.items()
    }


def _weight(
    one: Factor, ranks: dict[int, float], other: Factor, other_ranks: dict[int, float]
) -> float:
    shared = [
        label
        for label in one.functions
        if not one.is_identity(label) and not other.is_identity(label)
    ]
    return min((max(ranks[label], other_ranks[label]) for label in shared), default=inf)


def _estimated_transitions(one: Factor, other: Factor) -> int:
    return sum(
        len(function) * len(other.functions[label])
        for label, function in one.functions.items()
        if not (one.is_identity(label) and other.is_identity(label))
    )
