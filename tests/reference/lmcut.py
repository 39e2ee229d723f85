"""A straightforward LM-cut (Helmert and Domshlak 2009) over unary relaxed operators.

Values depend on how ties between critical preconditions are broken, so that two right
implementations may differ; tests compare each with h^max and h* only. Effects of one operator
share its cost: a cut lowers it for all of them, which keeps the sum admissible with
conditional effects. One operator may then stand twice on a critical path and lose its cost
there at once, so that the sum can fall below h^max; the larger of the two is returned.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.relaxation import (
    CAP,
    DEAD_END,
    UnaryOperator,
    fact_values,
    goal_value,
    hmax,
    maximum,
    true_costs,
    unary_operators,
)
from tests.reference.sas import Fact, SasTask, State

START: Fact = (-1, 0)  # stands for an empty precondition
END: Fact = (-1, 1)  # stands for the goal

Edge = tuple[Fact, int, Fact]  # critical precondition, operator (-1 for the goal), effect


def lmcut(task: SasTask, state: State) -> int:
    """The sum of the costs of disjoint landmarks, DEAD_END exactly if h^max is."""
    relaxed_value = hmax(task, state)
    if relaxed_value == DEAD_END:
        return DEAD_END
    costs = true_costs(task)
    total = 0
    while True:
        values = fact_values(task, state, costs, maximum)
        if goal_value(task, values, maximum) == 0:
            return min(CAP, max(total, relaxed_value))
        landmark = _cut(_justification_graph(task, values), costs, state)
        least = min(costs[operator] for operator in landmark)
        total += least
        for operator in landmark:
            costs[operator] -= least


def _justification_graph(task: SasTask, values: dict[Fact, int]) -> list[Edge]:
    """An edge from a most expensive precondition to the effect for each reached operator."""
    edges = [
        (_critical(relaxed, values), relaxed.operator, relaxed.fact)
        for relaxed in unary_operators(task)
        if all(fact in values for fact in relaxed.preconditions)
    ]
    goal = max(task.goal, key=lambda fact: values[fact])
    return [*edges, (goal, -1, END)]


def _critical(relaxed: UnaryOperator, values: dict[Fact, int]) -> Fact:
    return max(sorted(relaxed.preconditions), key=lambda fact: values[fact], default=START)


def _cut(edges: list[Edge], costs: Sequence[int], state: State) -> set[int]:
    """Operators that lead from what is reached without the goal zone into the goal zone."""
    zone = {END}
    while grown := {
        source
        for source, operator, target in edges
        if target in zone and source not in zone and (operator == -1 or costs[operator] == 0)
    }:
        zone |= grown
    near: set[Fact] = {START, *enumerate(state)}
    while grown := {
        target
        for source, _, target in edges
        if source in near and target not in near and target not in zone
    }:
        near |= grown
    return {operator for source, operator, target in edges if source in near and target in zone}
