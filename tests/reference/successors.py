"""Naive semantics of a SAS task: applicable operators, successors, goal test, plan simulation.

All effect conditions are evaluated in the state before the operator is applied. If several
effects of one operator fire on the same variable, the one that stands last in the list wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.reference.sas import Fact, SasTask, State


def holds(facts: Iterable[Fact], state: State) -> bool:
    """Whether all facts are true in the state."""
    return all(state[variable] == value for variable, value in facts)


def is_applicable(task: SasTask, state: State, operator: int) -> bool:
    """Whether the preconditions of the operator hold in the state."""
    return holds(task.operators[operator].preconditions, state)


def applicable(task: SasTask, state: State) -> list[int]:
    """Ids of the applicable operators, ascending."""
    return [o for o in range(len(task.operators)) if is_applicable(task, state, o)]


def successor(task: SasTask, state: State, operator: int) -> State:
    """The state after the operator; raises ValueError if it is not applicable."""
    if not is_applicable(task, state, operator):
        raise ValueError(f"operator {operator} is not applicable in {state}")
    after = list(state)
    for effect in task.operators[operator].effects:
        if holds(effect.conditions, state):
            after[effect.variable] = effect.after
    return tuple(after)


def successors(task: SasTask, state: State) -> list[tuple[int, State]]:
    """Every applicable operator with the state it leads to, operators ascending."""
    return [(o, successor(task, state, o)) for o in applicable(task, state)]


def is_goal(task: SasTask, state: State) -> bool:
    """Whether the goal holds in the state."""
    return holds(task.goal, state)


def simulate(task: SasTask, state: State, plan: Sequence[int]) -> tuple[State, int]:
    """The state at the end of the plan and its cost; ValueError if a step cannot be done."""
    cost = 0
    for operator in plan:
        state = successor(task, state, operator)
        cost += task.cost(operator)
    return state, cost
