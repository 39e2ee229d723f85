"""The probability that a stochastic policy reaches the goal: a linear system, in fractions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from tests.reference.sas import SasTask, State
from tests.reference.successors import holds, successor

Chances = Mapping[int, Fraction]
"""Operators with their probabilities; none where the policy fails."""


def probabilities(
    task: SasTask, start: State, policy: Callable[[State], Chances]
) -> dict[State, Fraction]:
    """The exact probability from each state that can be reached from the start."""
    edges: dict[State, dict[State, Fraction]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state in edges:
            continue
        edges[state] = {}
        if holds(task.goal, state):
            continue
        for operator, chance in policy(state).items():
            after = successor(task, state, operator)
            edges[state][after] = edges[state].get(after, Fraction(0)) + chance
            waiting.append(after)
    hopeful = {state for state in edges if holds(task.goal, state)}
    while more := {s for s in edges if s not in hopeful and hopeful.intersection(edges[s])}:
        hopeful |= more
    inner = [state for state in hopeful if not holds(task.goal, state)]
    solved = _solved([_equation(inner, state, edges[state], task) for state in inner])
    known = dict(zip(inner, solved, strict=True))
    return {s: known.get(s, Fraction(int(holds(task.goal, s)))) for s in edges}


def _equation(
    inner: list[State], state: State, after: Mapping[State, Fraction], task: SasTask
) -> list[Fraction]:
    """The row of (I - P | b) of a state."""
    row = [Fraction(int(other == state)) - after.get(other, Fraction(0)) for other in inner]
    goal = sum((p for s, p in after.items() if holds(task.goal, s)), Fraction(0))
    return [*row, goal]


def _solved(rows: list[list[Fraction]]) -> list[Fraction]:
    """Gauss and Jordan."""
    count = len(rows)
    for column in range(count):
        pivot = next(row for row in range(column, count) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [entry / scale for entry in rows[column]]
        for row in range(count):
            if row != column and (factor := rows[row][column]):
                pairs = zip(rows[row], rows[column], strict=True)
                rows[row] = [entry - factor * other for entry, other in pairs]
    return [row[-1] for row in rows]
