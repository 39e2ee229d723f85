"""Tasks cut to the variables that matter, and what all compilations of one task share."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bugsieve.base.stopping import check_stop
from bugsieve.tasks.grounded.sas_text import Fact, SasOperator, SasTask, SasVariable, from_core
from bugsieve.tasks.grounded.task import Task


@dataclass(frozen=True, eq=False)
class TaskPart:
    """Some variables of a task with the operators that change them, in numbers of its own."""

    variables: tuple[int, ...]
    """Their numbers in the task, ascending; the place in this list is the number in the part."""
    described: list[SasVariable]
    operators: list[SasOperator]
    sources: list[int]
    """The operator of the task that each operator of the part stands for."""
    goal: list[Fact] | None
    """None where the part does not hold all variables of the goal."""
    is_whole: bool

    @cached_property
    def place(self) -> dict[int, int]:
        """The number in the part of each variable of the task."""
        return {variable: index for index, variable in enumerate(self.variables)}

    @cached_property
    def sizes(self) -> list[int]:
        """How many values each variable has."""
        return [len(variable.values) for variable in self.described]

    @cached_property
    def changing(self) -> list[list[int]]:
        """For each variable the operators with an effect on it."""
        return _changing(self.operators, len(self.variables))


class PlainTask:
    """A task as plain data; parts of it are made once."""

    def __init__(self, task: Task) -> None:
        self.sas: SasTask = from_core(task.native)
        self._parts: dict[frozenset[int], TaskPart] = {}
        self._influences: dict[int, frozenset[int]] = {}

    @cached_property
    def changing(self) -> list[list[int]]:
        """For each variable the operators with an effect on it."""
        return _changing(self.sas.operators, len(self.sas.variables))

    @cached_property
    def whole(self) -> TaskPart:
        """All of the task."""
        sas = self.sas
        count = len(sas.operators)
        everything = tuple(range(len(sas.variables)))
        return TaskPart(
            everything, sas.variables, sas.operators, list(range(count)), sas.goal, True
        )

    def cone(self, variables: Iterable[int]) -> TaskPart:
        """The part that decides how these variables change."""
        found = set(variables)
        pending = list(found)
        while pending:
            fresh = self._influencing(pending.pop()) - found
            found |= fresh
            pending += fresh
        key = frozenset(found)
        if key not in self._parts:
            self._parts[key] = self._part(key)
        return self._parts[key]

    def _influencing(self, variable: int) -> frozenset[int]:
        """The variables that operators look at which change `variable`."""
        if variable not in self._influences:
            found: set[int] = set()
            for number in self.changing[variable]:
                operator = self.sas.operators[number]
                found.update(operator.precondition)
                for conditions, changed, _ in operator.effects:
                    if changed == variable:
                        found.update(conditions)
            self._influences[variable] = frozenset(found)
        return self._influences[variable]

    def _part(self, kept: frozenset[int]) -> TaskPart:
        variables = tuple(sorted(kept))
        place = {variable: index for index, variable in enumerate(variables)}
        numbers = sorted({number for v in variables for number in self.changing[v]})
        operators: list[SasOperator] = []
        sources: list[int] = []
        known: set[tuple[frozenset[Fact], tuple[tuple[frozenset[Fact], int, int], ...]]] = set()
        for number in numbers:
            check_stop()
            operator = _cut(self.sas.operators[number], place)
            key = (
                frozenset(operator.precondition.items()),
                tuple((frozenset(c.items()), v, value) for c, v, value in operator.effects),
            )
            # Operators that differ in what was cut away do the same here; one of them is enough.
            if key not in known:
                known.add(key)
                operators.append(operator)
                sources.append(number)
        inside = all(variable in place for variable, _ in self.sas.goal)
        goal = [(place[v], value) for v, value in self.sas.goal] if inside else None
        described = [self.sas.variables[variable] for variable in variables]
        whole = len(variables) == len(self.sas.variables)
        return TaskPart(variables, described, operators, sources, goal, whole)


def _cut(operator: SasOperator, place: dict[int, int]) -> SasOperator:
    effects = [
        ({place[c]: d for c, d in conditions.items()}, place[v], value)
        for conditions, v, value in operator.effects
        if v in place
    ]
    precondition = {place[v]: value for v, value in operator.precondition.items()}
    return SasOperator(operator.name, precondition, effects, operator.cost)


def _changing(operators: list[SasOperator], num_variables: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(num_variables)]
    for number, operator in enumerate(operators):
        for variable in dict.fromkeys(effect[1] for effect in operator.effects):
            found[variable].append(number)
    return found


_plain_tasks: weakref.WeakKeyDictionary[Task, PlainTask] = weakref.WeakKeyDictionary()


def plain_task_of(task: Task) -> PlainTask:
    """The task as plain data, made once for as long as the task lives."""
    found = _plain_tasks.get(task)
    if found is None:
        found = _plain_tasks[task] = PlainTask(task)
    return found
