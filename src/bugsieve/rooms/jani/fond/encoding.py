"""A grounded task with several outcomes per action as a JANI document.

Every PDDL atom that can change becomes a Boolean variable with its name; the names of actions are
those of PDDL, "(move a b)".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.rooms.jani.fond.conditions import conjunction, negation
from bugsieve.rooms.jani.fond.outcomes import ACTED, base_name
from bugsieve.tasks.grounded import atoms
from bugsieve.tasks.grounded.sas_text import Fact, SasOperator, SasTask, SasVariable
from bugsieve.tasks.pddl.conditions import Truth

Json = Any

_ACTED = f"({ACTED})"


class TaskEncoder:
    """Writes the parts of one task."""

    def __init__(self, task: SasTask) -> None:
        self._task = task
        self._columns = [_column(index, variable) for index, variable in enumerate(task.variables)]
        self._owners: dict[str, int] = {}
        for index, column in enumerate(self._columns):
            for name in column.names:
                self._owners.setdefault(name, index)  # an atom may belong to several variables

    def has_atom(self, name: str) -> bool:
        """Return true if a PDDL atom is a variable of the model."""
        index = self._owners.get(name)
        return index is not None and not self._columns[index].is_number

    def document(self, name: str, goal: Json, unsafe: Json) -> dict[str, Json]:
        """The whole model with its property; the goal of the translated task is not its own."""
        edges = self._edges()
        actions = list(dict.fromkeys(edge["action"] for edge in edges))
        start = [
            {"var": target, "value": value}
            for index, number in enumerate(self._task.initial)
            for target, value in self._values(index, number)
        ]
        expression = {
            "op": "PA",
            "start": {"op": "states-values", "values": [{"variables": start}]},
            "objective": {
                "op": "objective",
                "goal": {"op": "state-condition", "exp": goal},
            },
            "reach": {"op": "state-condition", "exp": unsafe},
        }
        return {
            "jani-version": 1,
            "name": name,
            "type": "mdp",
            "actions": [{"name": action} for action in actions],
            "variables": self._variables(),
            "automata": [
                {
                    "name": "task",
                    "locations": [{"name": "here"}],
                    "initial-locations": ["here"],
                    "edges": edges,
                }
            ],
            "system": {
                "elements": [{"automaton": "task"}],
                "syncs": [{"synchronise": [action], "result": action} for action in actions],
            },
            "properties": [{"name": "safety", "expression": expression}],
        }

    def _variables(self) -> list[Json]:
        found: list[Json] = []
        for index, column in enumerate(self._columns):
            if column.is_number:
                bounds = {"lower-bound": 0, "upper-bound": column.size - 1}
                kind: Json = {"kind": "bounded", "base": "int", **bounds}
                found.append({"name": column.names[0], "type": kind})
            else:
                own = (name for name in column.names if self._owners[name] == index)
                found += ({"name": name, "type": "bool"} for name in own)
        return found

    def holds(self, fact: Fact) -> Json:
        """The condition that a variable has a value."""
        column, value = self._columns[fact[0]], fact[1]
        if column.is_number:
            return {"op": "=", "left": column.names[0], "right": value}
        name = column.atoms[value]
        if name is not None:
            return name
        return conjunction([negation(other) for other in column.names])

    def _values(self, index: int, value: int) -> list[tuple[str, Json]]:
        """The JANI variables' values when a variable of the task has this value."""
        column = self._columns[index]
        if column.is_number:
            return [(column.names[0], value)]
        return [
            (name, name == column.atoms[value])
            for name in column.names
            if self._owners[name] == index
        ]

    def _edges(self) -> list[dict[str, Json]]:
        """Outcomes of one action under one condition are destinations of one edge."""
        grouped: dict[tuple[str, tuple[Fact, ...]], list[SasOperator]] = {}
        for operator in self._task.operators:
            # The translator splits an action by conditions, too, not only by outcomes: what may
            # happen at once is what shares the precondition.
            key = (base_name(operator.name), tuple(sorted(operator.precondition.items())))
            grouped.setdefault(key, []).append(operator)
        return [
            self._edge(action, condition, outcomes)
            for (action, condition), outcomes in grouped.items()
        ]

    def _edge(
        self, action: str, condition: Sequence[Fact], outcomes: Sequence[SasOperator]
    ) -> dict[str, Json]:
        share = {"op": "/", "left": 1, "right": len(outcomes)}
        return {
            "location": "here",
            "action": action,
            "guard": {"exp": conjunction([self.holds(fact) for fact in condition])},
            "destinations": [
                {
                    "location": "here",
                    "probability": {"exp": 1 if len(outcomes) == 1 else share},
                    "assignments": self._assignments(outcome),
                }
                for outcome in outcomes
            ],
        }

    def _assignments(self, operator: SasOperator) -> list[Json]:
        """The assignments; if several effects on a variable come true, the last one counts."""
        values: dict[str, Json] = {}
        for conditions, variable, value in operator.effects:
            condition = conjunction([self.holds(fact) for fact in conditions.items()])
            for target, new in self._values(variable, value):
                values[target] = (
                    new if condition is True else _ite(condition, new, values.get(target, target))
                )
        return [{"ref": target, "value": value} for target, value in values.items()]


class _Column:
    """A variable of the task as written: as its atoms, or as a number if they do not tell."""

    def __init__(self, values: Sequence[str | None], name: str, *, is_number: bool) -> None:
        self.atoms = tuple(values)
        self.size = len(values)
        self.is_number = is_number
        self.names = (name,) if is_number else tuple(v for v in values if v is not None)


def _column(index: int, variable: SasVariable) -> _Column:
    values = [atoms.from_sas_name(value) for value in variable.values]
    # Two values without an atom cannot be told apart by atoms: such a variable is written as a
    # number.
    known = [None if value == _ACTED else value for value in values]
    return _Column(known, f"var{index}", is_number=values.count(None) > 1)


def _ite(condition: Json, then: Json, otherwise: Json) -> Json:
    return {"op": "ite", "if": condition, "then": then, "else": otherwise}


def atom_truth(encoder: TaskEncoder, initial: frozenset[str]) -> Truth:
    """The truth of atoms in every state: atoms that are in no variable never change."""
    return lambda name: None if encoder.has_atom(name) else name in initial
