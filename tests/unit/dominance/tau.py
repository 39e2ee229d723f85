"""Walks of one factor that leave the others as they were: tau-labels, found in stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from tests.unit.dominance.factors import Factor, FactorState, distances
from tests.unit.dominance.labels import Label
from tests.unit.dominance.mistakes import Mistake

Walks = dict[FactorState, dict[FactorState, float]]


@dataclass(frozen=True)
class Stage:
    """What each factor can do by itself, as far as it is known at this stage."""

    costs: tuple[dict[int, float], ...]
    """For each factor its tau-labels, with what they cost."""
    walks: tuple[Walks, ...]
    """T: for each factor the cheapest way from a state to another, if there is one."""


def stages_of(
    factors: Sequence[Factor], labels: Sequence[Label], tau: str, mistake: Mistake | None = None
) -> list[Stage]:
    """All stages ("stages"), the first alone ("local"), or one in which nobody moves ("none")."""
    if tau == "none":
        return [_stage(factors, tuple({} for _ in factors))]
    stages = [_stage(factors, _local_costs(factors, labels, mistake))]
    while tau == "stages":
        costs = _absorbing_costs(factors, labels, stages[-1], mistake)
        if costs == stages[-1].costs:
            break
        stages.append(_stage(factors, costs))
    return stages


def _stage(factors: Sequence[Factor], costs: tuple[dict[int, float], ...]) -> Stage:
    return Stage(costs, tuple(map(_walks, factors, costs)))


def _walks(factor: Factor, costs: dict[int, float]) -> Walks:
    functions = factor.functions
    edges = {
        x: [(functions[tau][x], cost) for tau, cost in costs.items() if x in functions[tau]]
        for x in factor.states
    }
    return {x: distances(edges, [x]) for x in factor.states}


def _local_costs(
    factors: Sequence[Factor], labels: Sequence[Label], mistake: Mistake | None
) -> tuple[dict[int, float], ...]:
    def ignores(factor: Factor, label: int) -> bool:
        if mistake is Mistake.TAU_WITH_PRECONDITION:
            return all(x == y for x, y in factor.functions[label].items())
        return factor.is_identity(label)

    return tuple(
        {
            label: 0 if mistake is Mistake.FREE_TAU else labels[label].cost
            for label in factor.functions
            if all(ignores(other, label) for other in factors if other is not factor)
        }
        for factor in factors
    )


def _absorbing_costs(
    factors: Sequence[Factor], labels: Sequence[Label], stage: Stage, mistake: Mistake | None
) -> tuple[dict[int, float], ...]:
    """The tau-labels of the next stage: those after which the other factors can return."""
    absorbed = [
        {label: _absorption(factor, label, walks, mistake) for label in factor.functions}
        for factor, walks in zip(factors, stage.walks, strict=True)
    ]
    costs: list[dict[int, float]] = []
    for i, factor in enumerate(factors):
        costs.append(dict(stage.costs[i]))
        for label in factor.functions:
            others = sum(absorbed[j][label] for j in range(len(factors)) if j != i)
            if others < inf:
                own = 0 if mistake is Mistake.FREE_TAU else labels[label].cost
                cost = own + (0 if mistake is Mistake.FREE_ABSORPTION else others)
                costs[i][label] = min(cost, stage.costs[i].get(label, inf))
    return tuple(costs)


def _absorption(factor: Factor, label: int, walks: Walks, mistake: Mistake | None) -> float:
    """What it costs at most to make the label possible, and to return from where it leads."""

    def detour(r: FactorState, p: FactorState, q: FactorState) -> float:
        there, back = walks[r].get(p, inf), walks[q].get(r, inf)
        return there if mistake is Mistake.NO_WAY_BACK else there + back

    steps = factor.functions[label].items()
    return max(min(detour(r, p, q) for p, q in steps) for r in factor.states)
