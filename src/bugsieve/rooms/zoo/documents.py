"""A model with one automaton and its safety property, as a JANI document and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bugsieve.rooms.zoo.expressions import Expression, minus

_AUTOMATON = "process"
_LOCATION = "there"
_WIDTH = 99


@dataclass(frozen=True)
class BoundedVariable:
    """A bounded variable; it is real where a bound is a float."""

    name: str
    lower: int | float
    upper: int | float
    initial: int | float
    comment: str = ""

    def declaration(self) -> dict[str, Any]:
        """The declaration in the document."""
        is_real = isinstance(self.lower, float) or isinstance(self.upper, float)
        bounded = {
            "kind": "bounded",
            "base": "real" if is_real else "int",
            "lower-bound": self.lower,
            "upper-bound": self.upper,
        }
        commented = {"comment": self.comment} if self.comment else {}
        return {"name": self.name, "type": bounded, "initial-value": self.initial, **commented}


@dataclass(frozen=True)
class WeightedOutcome:
    """New values of variables, and how likely they are; None where that is certain."""

    assignments: Mapping[str, Expression]
    probability: Expression | None = None


@dataclass(frozen=True)
class Edge:
    """An edge: if the guard holds, the action has one of the outcomes."""

    action: str
    guard: Expression
    outcomes: Sequence[WeightedOutcome]
    comment: str = ""

    def data(self) -> dict[str, Any]:
        """The data in the document."""
        commented = {"comment": self.comment} if self.comment else {}
        return {
            "location": _LOCATION,
            "action": self.action,
            "guard": {"exp": self.guard},
            "destinations": [_destination(outcome) for outcome in self.outcomes],
            **commented,
        }


@dataclass(frozen=True)
class Start:
    """The starts of runs: all states in which a condition holds, or listed states."""

    condition: Expression | None = None
    states: Sequence[Mapping[str, int | float]] = ()

    def data(self) -> dict[str, Any]:
        """The data in the property."""
        if self.condition is not None:
            return _state_condition(self.condition)
        values = [
            {"variables": [{"var": name, "value": value} for name, value in state.items()]}
            for state in self.states
        ]
        return {"op": "states-values", "values": values}


@dataclass(frozen=True)
class Model:
    """The drawn model of a generator: a process, its starts, its goal and its unsafe states."""

    summary: str
    actions: Sequence[str]
    variables: Sequence[BoundedVariable]
    edges: Sequence[Edge]
    start: Start
    goal: Expression
    unsafe: Expression
    constants: Mapping[str, int | float] = field(default_factory=dict)

    def document(self, *, name: str, description: str) -> dict[str, Any]:
        """The JANI document, its property inside."""
        is_chance = any(o.probability is not None for edge in self.edges for o in edge.outcomes)
        automaton = {
            "name": _AUTOMATON,
            "locations": [{"name": _LOCATION}],
            "initial-locations": [_LOCATION],
            "edges": [edge.data() for edge in self.edges],
        }
        syncs = [{"synchronise": [action], "result": action} for action in self.actions]
        return {
            "jani-version": 1,
            "name": name,
            "metadata": {"description": description},
            "type": "mdp" if is_chance else "lts",
            "features": ["derived-operators"],
            "actions": [{"name": action} for action in self.actions],
            "constants": [_constant(name, value) for name, value in self.constants.items()],
            "variables": [variable.declaration() for variable in self.variables],
            "properties": [self._property()],
            "automata": [automaton],
            "system": {
                "elements": [{"automaton": _AUTOMATON}],
                "syncs": syncs,
                "comment": self.summary,
            },
        }

    def _property(self) -> dict[str, Any]:
        expression = {
            "op": "PA",
            "start": self.start.data(),
            "objective": {"op": "objective", "goal": _state_condition(self.goal)},
            "reach": _state_condition(self.unsafe),
        }
        return {"name": "safety", "expression": expression}


def chance(
    failures: Sequence[tuple[Mapping[str, Expression], str]], success: Mapping[str, Expression]
) -> list[WeightedOutcome]:
    """Failures, each with the constant that is its probability, and what happens otherwise."""
    if not failures:
        return [WeightedOutcome(success)]
    rest: Expression = 1
    for _, probability in failures:
        rest = minus(rest, probability)
    return [
        *(WeightedOutcome(values, p) for values, p in failures),
        WeightedOutcome(success, rest),
    ]


def document_text(document: Mapping[str, Any]) -> str:
    """The document as JSON; what fits into a line is not broken."""
    return "".join(_lines(document, "", 0)) + "\n"


def _lines(value: Any, indent: str, taken: int) -> list[str]:
    """Pieces of text; the first line begins after `taken` columns."""
    plain = json.dumps(value, ensure_ascii=False)
    if taken + len(plain) < _WIDTH or not isinstance(value, (Mapping, list)) or not value:
        return [plain]
    inner = indent + "  "
    pieces = ["{" if isinstance(value, Mapping) else "["]
    items = value.items() if isinstance(value, Mapping) else [(None, item) for item in value]
    for number, (key, item) in enumerate(items):
        label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        pieces += [",\n" if number else "\n", inner, label]
        pieces += _lines(item, inner, len(inner) + len(label))
    return [*pieces, "\n", indent, "}" if isinstance(value, Mapping) else "]"]


def _destination(outcome: WeightedOutcome) -> dict[str, Any]:
    assignments = [{"ref": name, "value": value} for name, value in outcome.assignments.items()]
    certain = outcome.probability is None
    likely = {} if certain else {"probability": {"exp": outcome.probability}}
    return {"location": _LOCATION, **likely, "assignments": assignments}


def _constant(name: str, value: int | float) -> dict[str, Any]:
    return {"name": name, "type": "real" if isinstance(value, float) else "int", "value": value}


def _state_condition(expression: Expression) -> dict[str, Any]:
    return {"op": "state-condition", "exp": expression}
