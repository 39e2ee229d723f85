"""Reads a JANI document into slots, terms and joint edges, for the safety checker.

Part of the interpreter: standard library only, no code shared with the engine.
"""

from __future__ import annotations

import itertools
import sys
from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias

from bugsieve.rooms.safety.checker.jani_expressions import (
    ExpressionReader,
    Function,
    Scope,
    UnknownNameError,
)
from bugsieve.rooms.safety.checker.jani_program import Assignment, Destination, Edge, Slot
from bugsieve.rooms.safety.checker.jani_terms import (
    EXACT,
    FALSE,
    TRUE,
    RefusedModelError,
    Source,
    Term,
    constant,
    variable,
)

Json: TypeAlias = Any

SILENT = "τ"

_WATCH = "[rules]"
"""An automaton that watches over rules of the whole model, and sees all its variables."""
_TYPES = ("lts", "mdp", "dtmc")
_MOST_DESTINATIONS = 200_000
_MOST_CHARACTERS = 6_000_000
"""Of the code that edges become, roughly: about a gigabyte and five seconds."""
_LARGEST_REAL = sys.float_info.max


@dataclass
class _Names:
    """The meaning of names inside one automaton, or in the whole model."""

    in_states: dict[str, Term] = field(default_factory=dict)
    in_assignments: dict[str, Term] = field(default_factory=dict)
    targets: dict[str, Slot] = field(default_factory=dict)


@dataclass
class _Automaton:
    """An automaton at its place in the system."""

    name: str
    data: Json
    locations: list[str]
    own: _Names = field(default_factory=_Names)
    location: Term | None = None  # None where there is only one
    edges: dict[str | None, list[Edge]] = field(default_factory=dict)


class ModelReader:
    """Reads a document from its constants to its joint edges."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        if document["type"] not in _TYPES:
            raise RefusedModelError(f"a model of type {document['type']!r}")
        self.document = document
        self.source = Source()
        self.slots: list[Slot] = []
        self.transients: list[Slot] = []
        self.variable_names: list[str] = []
        self._reader = ExpressionReader(self.source)
        self._characters = 0
        self._common = _Names()
        self._shown: dict[str, Term] = {}
        """Local variables of states, by the names under which states show them."""
        self._functions: dict[str, Function] = {}
        self._read_functions(document, Scope(self._common.in_states, self._functions))
        self._scope = Scope(self._common.in_states, self._functions)
        self._read_constants()
        self._declared = [action["name"] for action in document.get("actions", [])]
        self._automata = list(self._instances())
        self._read_variables()
        self._define_transients()
        for automaton in self._automata:
            self._read_edges(automaton)
        self._enable_inputs()
        self._joint = list(self._joint_edges())
        self.action_names = self._used_actions()

    def edges(self) -> dict[int, list[Edge]]:
        """The joint edges by the number of their action."""
        numbers = {name: number for number, name in enumerate(self.action_names)}
        found: dict[int, list[Edge]] = {number: [] for number in numbers.values()}
        for name, edge in self._joint:
            found[numbers[name]].append(edge)
        return found

    def conditions(self) -> list[Term]:
        """The conditions for danger and for the goal, in this order."""
        expression = self._property()
        goal = expression.get("objective")
        if isinstance(goal, dict) and goal.get("op") == "objective":
            goal = goal.get("goal")
        return [self._condition(expression["reach"]), self._condition(goal)]

    def _property(self) -> Json:
        """The one property that says where runs start, where they end, and what is unsafe."""
        properties = [
            item["expression"]
            for item in self.document["properties"]
            if isinstance(item["expression"], dict) and item["expression"].get("op") == "PA"
        ]
        if len(properties) != 1:
            raise RefusedModelError(f"{len(properties)} properties where one is needed")
        return properties[0]

    def _condition(self, data: Json) -> Term:
        if data is None:
            return FALSE
        expression, locations = data, []
        if isinstance(data, dict) and data.get("op") == "state-condition":
            expression, locations = data.get("exp"), data.get("locations", [])
        tests = []
        for item in locations:
            (automaton,) = [a for a in self._automata if a.name == item["automaton"]]
            tests.append(self._here(automaton, item["location"]))
        if expression is not None:
            scope = Scope(self._in_properties(), self._functions)
            tests.append(self._reader.read_as(expression, scope, "bool"))
        return self._reader.conjunction(tests)

    def _in_properties(self) -> Mapping[str, Term]:
        """Local variables may be used as they are shown, or where only one has the name."""
        counts = Counter(name for a in self._automata for name in a.own.in_states)
        local = {
            name: term
            for automaton in self._automata
            for name, term in automaton.own.in_states.items()
            if counts[name] == 1
        }
        return ChainMap(self._common.in_states, local, self._shown)

    def _read_functions(self, owner: Json, scope: Scope) -> None:
        functions = scope.functions
        assert isinstance(functions, dict)
        for data in owner.get("functions", []):
            parameters = tuple(
                (item["name"], self._base(item["type"])) for item in data["parameters"]
            )
            kind = self._base(data["type"])
            functions[data["name"]] = Function(kind, parameters, data["body"], scope)

    @staticmethod
    def _base(data: Json) -> str:
        base = data["base"] if isinstance(data, dict) and data["kind"] == "bounded" else data
        if base not in ("bool", "int", "real"):
            raise RefusedModelError(f"the type {base!r}")
        return str(base)

    def _bounds(self, data: Json) -> tuple[str, Any, Any]:
        """Kind, lower and upper bound of a type."""
        kind = self._base(data)
        low, high = {
            "bool": (False, True),
            "int": (-EXACT, EXACT),
            "real": (-_LARGEST_REAL, _LARGEST_REAL),
        }[kind]
        if isinstance(data, dict):
            if "lower-bound" in data:
                low = self._reader.read_value(data["lower-bound"], self._scope, kind)
            if "upper-bound" in data:
                high = self._reader.read_value(data["upper-bound"], self._scope, kind)
        return kind, low, high

    def _read_constants(self) -> None:
        """Constants may be defined by others that come later."""
        waiting = list(self.document.get("constants", []))
        while waiting:
            postponed = [item for item in waiting if not self._read_constant(item)]
            if len(postponed) == len(waiting):
                raise RefusedModelError(f"the constant {waiting[0]['name']!r} has no value")
            waiting = postponed

    def _read_constant(self, item: Json) -> bool:
        if "value" not in item:
            raise RefusedModelError(f"the constant {item['name']!r} has no value")
        try:
            kind = self._base(item["type"])
            value = self._reader.read_value(item["value"], self._scope, kind)
        except UnknownNameError:
            return False
        self._common.in_states[item["name"]] = constant(value)
        return True

    def _instances(self) -> Iterator[_Automaton]:
        """The automata of the system; numbered where one occurs several times."""
        by_name = {data["name"]: data for data in self.document["automata"]}
        elements = [element["automaton"] for element in self.document["system"]["elements"]]
        counts, seen = Counter(elements), Counter[str]()
        for name in elements:
            seen[name] += 1
            shown = name if counts[name] == 1 else f"{name}#{seen[name]}"
            locations = [location["name"] for location in by_name[name]["locations"]]
            for location in by_name[name]["locations"]:
                if "time-progress" in location:
                    raise RefusedModelError("a condition on the progress of time")
            yield _Automaton(shown, by_name[name], locations)

    def _read_variables(self) -> None:
        self._common.in_assignments.update(self._common.in_states)
        for data in self.document.get("variables", []):
            self._declare(self._common, data, data["name"])
        local = Counter(v["name"] for a in self._automata for v in a.data.get("variables", []))
        for automaton in self._automata:
            for data in automaton.data.get("variables", []):
                name = data["name"]
                shown = name if local[name] == 1 else f"{automaton.name}.{name}"
                self._declare(automaton.own, data, shown)
                if name in automaton.own.in_states:
                    self._shown[shown] = automaton.own.in_states[name]
            if len(automaton.locations) > 1:
                shown = f"{automaton.name}.location"
                while shown in self.variable_names:
                    shown += "'"
                slot = self._add_slot(shown, "int", 0, len(automaton.locations) - 1)
                automaton.location = _term(slot)

    def _add_slot(self, shown: str, kind: str, low: Any, high: Any) -> Slot:
        self.variable_names.append(shown)
        self.slots.append(Slot(f"v{len(self.slots)}", kind, low, high))
        return self.slots[-1]

    def _declare(self, names: _Names, data: Json, shown: str) -> None:
        kind, low, high = self._bounds(data["type"])
        name = data["name"]
        if data.get("transient", False):
            first = self._reader.read_value(data["initial-value"], self._scope, kind)
            slot = Slot(f"t{len(self.transients)}", kind, low, high, first)
            self.transients.append(slot)
        else:
            slot = self._add_slot(shown, kind, low, high)
            names.in_states[name] = _term(slot)
        names.in_assignments[name] = _term(slot)
        names.targets[name] = slot

    def _define_transients(self) -> None:
        """In states, transient variables have the value that a location gives them, or the first.

        Values may depend on other transient variables, so they are read as soon as they can be.
        """
        values: dict[str, list[tuple[_Automaton, str, Json]]] = {}
        for automaton in self._automata:
            targets = ChainMap(automaton.own.targets, self._common.targets)
            for location in automaton.data["locations"]:
                for item in location.get("transient-values", []):
                    given = (automaton, location["name"], item["value"])
                    values.setdefault(targets[item["ref"]].name, []).append(given)
        waiting = [
            (names, name, slot)
            for names in [self._common, *(a.own for a in self._automata)]
            for name, slot in names.targets.items()
            if slot.initial is not None
        ]
        while waiting:
            postponed = [
                entry
                for entry in waiting
                if not self._define(*entry, values.get(entry[2].name, []))
            ]
            if len(postponed) == len(waiting):
                raise RefusedModelError("transient variables that are defined by each other")
            waiting = postponed

    def _define(
        self, names: _Names, name: str, slot: Slot, values: list[tuple[_Automaton, str, Json]]
    ) -> bool:
        term = constant(slot.initial)
        try:
            for automaton, location, expression in reversed(values):
                scope = Scope(self._in_states(automaton), self._functions)
                value = self._reader.read_as(expression, scope, slot.kind)
                term = self._reader.apply("ite", self._here(automaton, location), value, term)
        except UnknownNameError:
            return False
        names.in_states[name] = term
        return True

    def _in_states(self, automaton: _Automaton) -> Mapping[str, Term]:
        return ChainMap(automaton.own.in_states, self._common.in_states)

    def _here(self, automaton: _Automaton, location: str) -> Term:
        """A term that is true if the automaton is in a location."""
        number = automaton.locations.index(location)
        if automaton.location is None:
            return TRUE
        return self._reader.apply("=", automaton.location, constant(number))

    def _read_edges(self, automaton: _Automaton) -> None:
        states = Scope(self._in_states(automaton), dict(self._functions))
        self._read_functions(automaton.data, states)
        # In assignments, transient variables are what was assigned to them on the same edge,
        # and functions see them so, too.
        names = ChainMap(automaton.own.in_assignments, self._common.in_assignments)
        if automaton.name == _WATCH:
            names = ChainMap(*names.maps, self._shown)
        outer: dict[str, Function] = {}
        around = Scope(names, outer)
        outer.update((name, replace(f, scope=around)) for name, f in self._functions.items())
        assigned = Scope(names, dict(outer))
        self._read_functions(automaton.data, assigned)
        for data in automaton.data["edges"]:
            edge = self._edge(automaton, data, states, assigned)
            automaton.edges.setdefault(data.get("action"), []).append(edge)

    def _edge(self, automaton: _Automaton, data: Json, states: Scope, assigned: Scope) -> Edge:
        if "rate" in data:
            raise RefusedModelError("an edge with a rate")
        tests = [self._here(automaton, data["location"])]
        if "guard" in data:
            tests.append(self._reader.read_as(data["guard"]["exp"], states, "bool"))
        destinations = []
        for item in data["destinations"]:
            probability = None
            if "probability" in item:
                probability = self._reader.read_as(item["probability"]["exp"], states, "real")
                if probability.value == 0:
                    continue
                probability = None if probability.value is not None else probability
            assignments = self._assignments(automaton, item, assigned)
            locations = self._move(automaton, item["location"])
            destinations.append(Destination(probability, assignments, locations))
        return Edge(self._reader.conjunction(tests), tuple(destinations))

    def _move(self, automaton: _Automaton, location: str) -> tuple[tuple[str, int], ...]:
        number = automaton.locations.index(location)
        return () if automaton.location is None else ((automaton.location.code, number),)

    def _assignments(
        self, automaton: _Automaton, item: Json, scope: Scope
    ) -> tuple[Assignment, ...]:
        targets = ChainMap(automaton.own.targets, self._common.targets)
        found = []
        for data in item.get("assignments", []):
            slot = targets[data["ref"]]
            index = self._reader.read_value(data.get("index", 0), Scope({}, {}), "int")
            value = self._reader.read_as(data["value"], scope, slot.kind)
            found.append(Assignment(index, slot, value))
        return tuple(found)

    def _enable_inputs(self) -> None:
        """Let automata ignore an action of their list where no edge of theirs takes part."""
        elements = self.document["system"]["elements"]
        for automaton, element in zip(self._automata, elements, strict=True):
            for action in element.get("input-enable", []):
                guards = [edge.guard for edge in automaton.edges.get(action, [])]
                nobody = self._reader.conjunction([self._reader.apply("¬", g) for g in guards])
                automaton.edges.setdefault(action, []).append(Edge(nobody, (Destination(),)))

    def _vectors(self) -> list[tuple[list[str | None], str | None]]:
        """The synchronisation vectors with their results; one automaton may do without."""
        syncs = self.document["system"].get("syncs")
        if syncs is None:
            alone = len(self._automata) == 1
            return [([name], name) for name in self._declared] if alone else []
        return [(sync["synchronise"], sync.get("result")) for sync in syncs]

    def _joint_edges(self) -> Iterator[tuple[str, Edge]]:
        for automaton in self._automata:
            for edge in automaton.edges.get(None, []):
                self._count(edge)
                yield SILENT, edge
        total = 0
        for vector, result in self._vectors():
            # An edge that never moves joins no other, and most products of such are empty.
            choices = [
                [edge for edge in automaton.edges.get(name, []) if edge.guard.value is not False]
                for automaton, name in zip(self._automata, vector, strict=True)
                if name is not None
            ]
            # Before any is made: a product may be more than any memory holds.
            total += prod(sum(len(edge.destinations) for edge in own) for own in choices)
            if total > _MOST_DESTINATIONS:
                raise RefusedModelError(f"more than {_MOST_DESTINATIONS} destinations")
            for edges in itertools.product(*choices):
                joint = self._joined(edges)
                self._count(joint)
                if joint.guard.value is not False:
                    yield result or SILENT, joint

    def _count(self, edge: Edge) -> None:
        """Refuse a model that would become more code than Python compiles in seconds."""
        self._characters += len(edge.guard.code)
        for destination in edge.destinations:
            assigned = sum(40 + len(a.value.code) for a in destination.assignments)
            self._characters += 60 + assigned
        if self._characters > _MOST_CHARACTERS:
            raise RefusedModelError("the edges of all automata together are too many to check")

    def _joined(self, edges: Sequence[Edge]) -> Edge:
        if len(edges) == 1:
            return edges[0]
        guard = self._reader.conjunction([edge.guard for edge in edges])
        if guard.value is False:
            return Edge(guard, ())
        choices = itertools.product(*(edge.destinations for edge in edges))
        return Edge(guard, tuple(self._merged(parts) for parts in choices))

    def _merged(self, parts: Sequence[Destination]) -> Destination:
        """The effect of reaching one destination of each automaton at once."""
        probability: Term | None = None
        for part in parts:
            if part.probability is not None:
                probability = (
                    part.probability
                    if probability is None
                    else self._reader.apply("*", probability, part.probability)
                )
        assignments = tuple(a for part in parts for a in part.assignments)
        written = Counter((a.index, a.slot.name) for a in assignments)
        locations = tuple(move for part in parts for move in part.locations)
        has_conflict = any(count > 1 for count in written.values())
        return Destination(probability, assignments, locations, has_conflict)

    def _used_actions(self) -> list[str]:
        """The actions that the system can have, in their order; the silent one comes last."""
        results = {result for _, result in self._vectors()}
        used = [name for name in self._declared if name in results]
        is_silent = any(name == SILENT for name, _ in self._joint) and SILENT not in used
        return [*used, SILENT] if is_silent else used


def _term(slot: Slot) -> Term:
    return variable(slot.name, slot.kind, slot.low, slot.high)
