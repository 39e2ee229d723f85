"""Labels of the naive dominance function: operators, split by the truth of effect conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from bugsieve.tasks.grounded.task import Task

MAX_LABELS = 64
"""How many labels an operator may be split into."""

Values = frozenset[int]
Effect = tuple[list[tuple[int, int]], int, int]  # conditions, variable, value


class TooManyLabelsError(ValueError):
    """An operator has too many conditions to be split."""


@dataclass(frozen=True)
class Label:
    """An operator where its effect conditions are true or false in one certain way."""

    operator: int
    cost: int
    allowed: Mapping[int, Values]
    """The values with which it applies; variables that do not matter are left out."""
    after: Mapping[int, int]
    """What it sets variables to."""

    def apply(self, values: Mapping[int, int]) -> dict[int, int] | None:
        """The values after it, of some variables alone; None where these do not let it apply."""
        if any(v in self.allowed and x not in self.allowed[v] for v, x in values.items()):
            return None
        return {v: self.after.get(v, x) for v, x in values.items()}


def labels_of(task: Task, *, free_choice: bool = False) -> list[Label]:
    """The labels of all operators; TooManyLabelsError if one has more than 64.

    `free_choice` is a mistake: each conditional effect happens or not, whatever the state.
    """
    split = _free_outcomes if free_choice else _split
    return [label for operator in range(task.num_operators) for label in split(task, operator)]


def _split(task: Task, operator: int) -> Iterator[Label]:
    needed = _needed(task, operator)
    effects: list[Effect] = task.native.effects(operator)
    options = _options(task, needed, effects)
    count = 1
    for choices in options.values():
        count *= len(choices)
    if count > MAX_LABELS:
        raise TooManyLabelsError(f"operator {operator} splits into {count} labels")
    for choice in product(*options.values()):
        allowed = {**needed, **dict(zip(options, choice, strict=True))}
        fires = [
            (v, x) for conditions, v, x in effects if all(allowed[w] == {y} for w, y in conditions)
        ]
        # Of several effects on a variable the last wins, as in the simulator.
        yield Label(operator, int(task.operator_costs[operator]), allowed, dict(fires))


def _needed(task: Task, operator: int) -> dict[int, Values]:
    return {v: frozenset({x}) for v, x in task.native.preconditions(operator)}


def _options(
    task: Task, needed: Mapping[int, Values], effects: Iterable[Effect]
) -> dict[int, list[Values]]:
    """For each variable with conditions: each of their values, and all the others together."""
    facts = sorted({fact for conditions, _, _ in effects for fact in conditions})
    options: dict[int, list[Values]] = {}
    for v in sorted({v for v, _ in facts}):
        single = [frozenset({x}) for w, x in facts if w == v]
        everything = frozenset(range(int(task.domain_sizes[v])))
        parts = [*single, everything.difference(*single)]
        possible = [part & needed.get(v, everything) for part in parts]
        options[v] = [part for part in possible if part]
    return options


def _free_outcomes(task: Task, operator: int) -> Iterator[Label]:
    needed, cost = _needed(task, operator), int(task.operator_costs[operator])
    choices = [
        [(v, x), None] if conditions else [(v, x)]
        for conditions, v, x in task.native.effects(operator)
    ]
    for chosen in product(*choices):
        yield Label(operator, cost, needed, dict(fact for fact in chosen if fact))
