"""Cuts a task to what a flight rule can notice, for the proofs that there is no trace.

The cone holds the variables of the atoms (and of the goal where it counts), and with each variable
those that operators which write it look at. Operators that write no variable of the cone change no
atom, and what the others do does not depend on the rest. So every trace, without its steps
outside, is a trace of the cone, and both have the same letters but for repetitions, of which a
formula without X and N knows nothing. With X, N or `did` the task stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bugsieve.checkers.cost import Effect, Fact, Operator, Task
from bugsieve.rooms.rules.checker.rules_conditions import Condition, Facts, leaves
from bugsieve.rooms.rules.checker.rules_formulas import Formulas


class Cone:
    """The task of the cone, in which variables have new numbers."""

    def __init__(self, facts: Facts, variables: Iterable[int]) -> None:
        self._whole = facts
        self.kept = kept = sorted(variables)
        """The variables of the cone by their old numbers."""
        self._number = {variable: number for number, variable in enumerate(kept)}
        task = facts.task
        self.facts = Facts(
            Task(
                atoms=[task.atoms[variable] for variable in kept],
                initial=tuple(task.initial[variable] for variable in kept),
                goal=self._inside(task.goal),
                operators=[
                    self._operator(operator)
                    for operator in task.operators
                    if any(effect.variable in self._number for effect in operator.effects)
                ],
                uses_costs=task.uses_costs,
            )
        )

    def _inside(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        return tuple((self._number[v], value) for v, value in facts if v in self._number)

    def _operator(self, operator: Operator) -> Operator:
        effects = tuple(
            Effect(self._inside(conditions), self._number[variable], value)
            for conditions, variable, value in operator.effects
            if variable in self._number
        )
        return Operator(
            operator.name, self._inside(operator.preconditions), effects, operator.cost
        )

    def condition(self, condition: Condition) -> Condition:
        """The same condition on the variables of the cone."""
        if condition.sign == "in":
            number = self._number[condition.variable]
            values = condition.values >> self._whole.first[condition.variable]
            return Condition("in", number, values << self.facts.first[number])
        parts = tuple(self.condition(part) for part in condition.parts)
        return condition._replace(parts=parts)

    def rows(self, by: str, rows: list[list[int]]) -> list[list[int]]:
        """The rows of a proof, restricted to the cone."""
        if by == "states":
            return [[row[variable] for variable in self.kept] for row in rows]
        number = self._number
        return [
            [number[one] if i % 2 == 0 else one for i, one in enumerate(row)]
            for row in rows
            if all(variable in number for variable in row[::2])
        ]


def cone_of(
    facts: Facts,
    conditions: Mapping[str, Condition],
    goal: Iterable[Fact],
    formulas: Formulas,
    root: int,
    known: Cone | None = None,
) -> Cone | None:
    """The cone of a formula; None if the task must stay as it is.

    `known` is a cone of the same facts, which is given back if it is the one.
    """
    parts = [part for condition in conditions.values() for part in leaves(condition)]
    if any(part.sign in ("did", "not did") for part in parts):
        return None
    if any(formulas.nodes[f].sign in ("X", "N") for f in formulas.below(root)):
        return None
    cone = {part.variable for part in parts if part.sign == "in"}
    cone |= {variable for variable, _ in goal}
    _close(cone, facts.task)
    if not 0 < len(cone) < len(facts.task.atoms):
        return None
    return known if known is not None and known.kept == sorted(cone) else Cone(facts, cone)


def _close(cone: set[int], task: Task) -> None:
    """Adds what operators look at that write a variable of the cone."""
    writers: dict[int, list[Operator]] = {}
    for operator in task.operators:
        for variable in {effect.variable for effect in operator.effects}:
            writers.setdefault(variable, []).append(operator)
    waiting = sorted(cone)
    while waiting:
        variable = waiting.pop()
        for operator in writers.get(variable, ()):
            read = list(operator.preconditions)
            for effect in operator.effects:
                read += effect.conditions if effect.variable in cone else ()
            for other, _ in read:
                if other not in cone:
                    cone.add(other)
                    waiting.append(other)
