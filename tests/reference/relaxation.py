"""Naive h^max, h^add and h^FF by plain fix-point iteration over unary relaxed operators.

Each effect (conditions C, v := d) of each operator o is one unary relaxed operator with
preconditions pre(o) ∪ C, effect (v, d) and the cost of o; facts once reached stay reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.reference.sas import Fact, SasTask, State
from tests.reference.successors import is_applicable

DEAD_END: Final = 2**31 - 1
CAP: Final = DEAD_END - 1  # the largest finite value: sums beyond it stay there
ZERO_COST_SCALE: Final = 1024  # c(o) becomes 1024 · c(o) + 1 for supporters if some cost is 0

Combine = Callable[[Iterable[int]], int]


@dataclass(frozen=True)
class UnaryOperator:
    """One effect of an operator, relaxed."""

    operator: int
    preconditions: frozenset[Fact]
    fact: Fact


@dataclass(frozen=True)
class RelaxedPlan:
    """h^FF with the operators it was read off from and those of them to prefer."""

    value: int
    operators: tuple[int, ...]
    preferred: tuple[int, ...]


def unary_operators(task: SasTask) -> list[UnaryOperator]:
    """The relaxed operators in the order of operator id, then effect index."""
    return [
        UnaryOperator(
            number,
            frozenset(operator.preconditions) | frozenset(effect.conditions),
            (effect.variable, effect.after),
        )
        for number, operator in enumerate(task.operators)
        for effect in operator.effects
    ]


def true_costs(task: SasTask) -> list[int]:
    """c(o) for every operator."""
    return [task.cost(operator) for operator in range(len(task.operators))]


def maximum(values: Iterable[int]) -> int:
    """How h^max combines the values of several facts."""
    return max(values, default=0)


def fact_values(
    task: SasTask, state: State, costs: Sequence[int], combine: Combine
) -> dict[Fact, int]:
    """The least values of all facts that the relaxation reaches; other facts are missing."""
    unary = unary_operators(task)
    values: dict[Fact, int] = dict.fromkeys(enumerate(state), 0)
    changed = True
    while changed:
        changed = False
        for relaxed in unary:
            value = operator_value(relaxed, values, costs, combine)
            if value is not None and value < values.get(relaxed.fact, DEAD_END):
                values[relaxed.fact] = value
                changed = True
    return values


def operator_value(
    relaxed: UnaryOperator, values: dict[Fact, int], costs: Sequence[int], combine: Combine
) -> int | None:
    """Value the operator gives to its fact, None if a precondition is not reached."""
    try:
        reached = [values[fact] for fact in relaxed.preconditions]
    except KeyError:
        return None
    return min(CAP, combine(reached) + costs[relaxed.operator])


def goal_value(task: SasTask, values: dict[Fact, int], combine: Combine) -> int:
    """The value of the goal, DEAD_END if a goal fact is not reached."""
    if not all(fact in values for fact in task.goal):
        return DEAD_END
    return min(CAP, combine(values[fact] for fact in task.goal))


def hmax(task: SasTask, state: State) -> int:
    """The most expensive goal fact, where an operator needs its most expensive precondition."""
    return goal_value(task, fact_values(task, state, true_costs(task), maximum), maximum)


def hadd(task: SasTask, state: State) -> int:
    """The sum over the goal facts, where an operator needs the sum of its preconditions."""
    return goal_value(task, fact_values(task, state, true_costs(task), sum), sum)


def supporter_weights(task: SasTask) -> list[int]:
    """Weights under which no fact outside the state is free, so that supporters have no cycles."""
    costs = true_costs(task)
    if all(cost >= 1 for cost in costs):
        return costs
    return [ZERO_COST_SCALE * cost + 1 for cost in costs]


def best_supporters(task: SasTask, state: State) -> dict[Fact, UnaryOperator]:
    """For each reached fact that is false in the state the first of its cheapest achievers."""
    weights = supporter_weights(task)
    values = fact_values(task, state, weights, sum)
    supporters: dict[Fact, UnaryOperator] = {}
    for relaxed in unary_operators(task):
        variable, value = relaxed.fact
        if state[variable] == value or relaxed.fact in supporters:
            continue
        reached = operator_value(relaxed, values, weights, sum)
        if reached is not None and reached == values[relaxed.fact]:
            supporters[relaxed.fact] = relaxed
    return supporters


def hff(task: SasTask, state: State) -> RelaxedPlan:
    """The relaxed plan that the best supporters under h^add make up."""
    supporters = best_supporters(task, state)
    open_facts = list(task.goal)
    marked: set[Fact] = set()
    chosen: set[int] = set()
    while open_facts:
        fact = open_facts.pop()
        if fact in marked or state[fact[0]] == fact[1]:
            continue
        if fact not in supporters:
            return RelaxedPlan(DEAD_END, (), ())
        marked.add(fact)
        chosen.add(supporters[fact].operator)
        open_facts.extend(supporters[fact].preconditions)
    plan = tuple(sorted(chosen))
    preferred = tuple(operator for operator in plan if is_applicable(task, state, operator))
    return RelaxedPlan(min(CAP, sum(map(task.cost, plan))), plan, preferred)


def blind(task: SasTask, state: State) -> int:
    """0 in goal states, elsewhere the cost of the cheapest operator."""
    if all(state[variable] == value for variable, value in task.goal):
        return 0
    return min(true_costs(task), default=0)
