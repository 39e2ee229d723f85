"""The automata of a model, each read once per place in the system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bugsieve.base.parts import Part, by_name, existing
from bugsieve.rooms.jani.model.declarations import Declaration, read_functions, seen_with
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.formulas import FormulaReader, Function, Scope
from bugsieve.rooms.jani.model.types import BOOL, INT, REAL, Type


@dataclass(frozen=True)
class Assignment:
    """`variable := value`; assignments of one index happen at once, lower ones before."""

    index: int
    variable: int
    value: int  # node


@dataclass(frozen=True)
class Destination:
    """One outcome of an edge; without a probability node it is certainly possible."""

    probability: int | None
    assignments: tuple[Assignment, ...]
    conflict: int | None = None  # a variable that two automata assign at once


@dataclass(frozen=True)
class Edge:
    """An edge of one automaton, or of several that move together."""

    guard: int
    destinations: tuple[Destination, ...]
    place: str
    """For messages: the path of the edge, or of all of them."""


@dataclass(frozen=True)
class Location:
    """The place of an automaton's location; None with one location only."""

    names: tuple[str, ...]
    variable: int | None

    def number(self, part: Part) -> int:
        """The number of a location."""
        return self._numbers[existing(part, part.text(), self._numbers, "location")]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def test(self, graph: Graph, number: int) -> int:
        """The node that says whether the automaton is there."""
        if self.variable is None:
            return graph.true
        here = graph.variable(self.variable, "int")
        return graph.apply("int_equal", here, graph.constant(number))


@dataclass(frozen=True)
class Target:
    """A variable that edges may assign."""

    index: int
    type: Type
    is_transient: bool


@dataclass(frozen=True)
class Surroundings:
    """The part of the model that an automaton sees around it.

    In states, transient variables stand for what the locations say; in assignments for what was
    assigned to them on the same edge.
    """

    formulas: FormulaReader
    in_states: Mapping[str, int]
    in_assignments: Mapping[str, int]
    functions: Mapping[str, Function]
    targets: Mapping[str, Target]
    actions: Collection[str]


@dataclass
class Automaton:
    """An automaton in its place in the system."""

    name: str
    part: Part
    location: Location
    initial_locations: tuple[int, ...]
    declarations: dict[str, Declaration]
    edges: dict[str | None, list[Edge]] = field(default_factory=dict)
    """By action; None for silent edges."""


def read_outline(
    part: Part, name: str, read_variables: Callable[[Part], dict[str, Declaration]]
) -> Automaton:
    """Locations and variables; where the location is kept is for the caller to say."""
    names = by_name(part["locations"].items(), "locations")
    for item in names.values():
        if item.get("time-progress") is not None:
            raise item.unsupported("time progress conditions are not supported")
    if not names:
        raise part["locations"].error("an automaton needs a location")
    place = Location(tuple(names), None)
    initial = tuple(place.number(item) for item in part["initial-locations"].items())
    if not initial:
        raise part["initial-locations"].error("an automaton needs an initial location")
    return Automaton(name, part, place, initial, read_variables(part))


class EdgeReader:
    """Reads the edges of one automaton."""

    def __init__(self, automaton: Automaton, around: Surroundings) -> None:
        self._automaton = automaton
        self._around = around
        self._graph = around.formulas.graph
        functions = list(automaton.part.items_of("functions"))
        inner = read_functions(functions, around.in_states, around.functions)
        self._state_scope = Scope(around.in_states, inner)
        # The value of a function of transient variables depends on where it is called.
        outer = seen_with(around.functions, around.in_assignments)
        inner = read_functions(functions, around.in_assignments, outer)
        self._assignment_scope = Scope(around.in_assignments, inner)

    def read(self) -> None:
        """Fill in the edges."""
        for part in self._automaton.part["edges"].items():
            action = part.get("action")
            name = None
            if action is not None:
                name = existing(action, action.text(), self._around.actions, "action")
            if part.get("rate") is not None:
                raise part.unsupported("edges with rates are not supported")
            self._automaton.edges.setdefault(name, []).append(self._edge(part))

    def _edge(self, part: Part) -> Edge:
        source = self._automaton.location.number(part["location"])
        guard = self._automaton.location.test(self._graph, source)
        condition = part.get("guard")
        if condition is not None:
            own = self._around.formulas.read_as(condition["exp"], self._state_scope, BOOL)
            guard = self._graph.both(guard, own)
        found = [self._destination(item, source) for item in part["destinations"].items()]
        destinations = tuple(d for d in found if d is not None)
        if not destinations:
            raise part.error("the edge has no destination with a positive probability")
        return Edge(guard, destinations, part.path)

    def _destination(self, part: Part, source: int) -> Destination | None:
        """None if its probability is 0."""
        probability = self._probability(part.get("probability"))
        assignments = self._assignments(list(part.items_of("assignments")))
        number = self._automaton.location.number(part["location"])
        variable = self._automaton.location.variable
        if variable is not None and number != source:
            first = min((a.index for a in assignments), default=0)
            assignments.append(Assignment(first, variable, self._graph.constant(number)))
        if probability is not None and self._graph.value(probability) == 0:
            return None
        return Destination(probability, tuple(sorted(assignments, key=lambda a: a.index)))

    def _probability(self, part: Part | None) -> int | None:
        if part is None:
            return None
        node = self._around.formulas.read_as(part["exp"], self._state_scope, REAL)
        value = self._graph.value(node)
        if value is not None and not 0 <= value <= 1:
            raise part.error(f"{value} is no probability")
        return node

    def _assignments(self, parts: list[Part]) -> list[Assignment]:
        assignments = []
        seen: dict[tuple[int, int], Part] = {}
        for part in parts:
            target = self._target(part["ref"])
            index = self._index(part.get("index"))
            if (target.index, index) in seen:
                raise part.error(f"{part['ref'].data!r} is assigned twice at once")
            seen[target.index, index] = part
            value = self._around.formulas.read_as(
                part["value"], self._assignment_scope, target.type
            )
            assignments.append(Assignment(index, target.index, value))
        return assignments

    def _target(self, part: Part) -> Target:
        if isinstance(part.data, dict):
            raise part.unsupported("assignments to parts of variables are not supported")
        targets = self._around.targets
        return targets[existing(part, part.text(), targets, "variable", " to assign")]

    def _index(self, part: Part | None) -> int:
        if part is None:
            return 0
        node = self._around.formulas.read_as(part, Scope({}, {}), INT)
        value = self._graph.value(node)
        if value is None or not -(2**31) <= value < 2**31:
            raise part.error("the index must be a small integer")
        return int(value)
