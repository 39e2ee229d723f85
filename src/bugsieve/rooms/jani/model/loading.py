"""Loads a JANI model with its property: reads, checks, composes and compiles it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bugsieve.base.allowances import allowance, take_work
from bugsieve.base.arguments import require_path, require_text, wrong
from bugsieve.base.errors import UnsupportedError
from bugsieve.base.parts import Part, by_name
from bugsieve.rooms.jani.model.automata import (
    Automaton,
    Edge,
    EdgeReader,
    Surroundings,
    read_outline,
)
from bugsieve.rooms.jani.model.composition import (
    SILENT,
    Composition,
    Element,
    Synchronisation,
    read_elements,
    read_synchronisations,
)
from bugsieve.rooms.jani.model.danger import danger_node
from bugsieve.rooms.jani.model.declarations import Declarations
from bugsieve.rooms.jani.model.encoding import Conditions, build_system
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.formulas import FormulaReader, Scope
from bugsieve.rooms.jani.model.model import JaniModel, Origins
from bugsieve.rooms.jani.model.properties import (
    PropertyFiles,
    PropertyParts,
    StrPath,
    find_property,
    self_contained,
)
from bugsieve.rooms.jani.model.starts import StartReader
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.jani.model.variables import VariableTable
from bugsieve.tasks.json_text import load_json
from bugsieve.tasks.sources import model_file

_TYPES = ("lts", "mdp", "dtmc")  # probabilities are choices of the world in all of them


def load_model(
    model_path: StrPath,
    property_path: StrPath | PropertyFiles | None = None,
    *,
    constants: Mapping[str, Value] | None = None,
    property_name: str | None = None,
) -> JaniModel:
    """Load a model; its property may be inside it, in another file, or in several.

    A folder stands for the model.jani that it holds.

    `constants` gives values to constants, `property_name` chooses among several properties.
    """
    with allowance(str(model_path)):
        return _load(*_read(model_path, property_path, constants, property_name), constants or {})


def read_without_danger(
    model_path: StrPath,
    property_path: StrPath | PropertyFiles | None = None,
    *,
    constants: Mapping[str, Value] | None = None,
    property_name: str | None = None,
) -> tuple[str, dict[str, Any]]:
    """The file and JSON of a model whose unsafety condition comes from elsewhere.

    It has its start, its goal and its constants inside; nothing in it is unsafe.
    """
    with allowance(str(model_path)):
        model, parts = _read(model_path, property_path, constants, property_name, is_needed=False)
        harmless = replace(parts, unsafe=Part(False, model.file))
        _load(model, harmless, constants or {})  # finds what is wrong with the model itself
    return model.file, self_contained(model.data, harmless, constants or {})


def _read(
    model_path: StrPath,
    property_path: StrPath | PropertyFiles | None,
    constants: Mapping[str, Value] | None,
    property_name: str | None,
    *,
    is_needed: bool = True,
) -> tuple[Part, PropertyParts]:
    name = model_file(require_path(model_path, "model_path"))
    if property_path is not None and not isinstance(property_path, PropertyFiles):
        require_path(property_path, "property_path")
    if constants is not None and not isinstance(constants, Mapping):
        raise wrong("constants", "a dictionary of values by name, or None", constants)
    if property_name is not None:
        require_text(property_name, "property_name")
    model = Part(load_json(name), name)
    _check_type(model)
    return model, find_property(model, property_path, property_name, is_needed=is_needed)


def load_document(document: Mapping[str, Any], *, name: str) -> JaniModel:
    """Load a model that is JSON data and holds its property; `name` stands for its file."""
    model = Part(document, name)
    _check_type(model)
    return _load(model, find_property(model, None, None), {})


def _load(model: Part, parts: PropertyParts, constants: Mapping[str, Value]) -> JaniModel:
    loader = _Loader(model, constants)
    edges = loader.edges()
    start_reader = loader.start_reader()
    start = start_reader.start(parts.start, model)
    goal, unsafe = start_reader.condition(parts.goal), start_reader.condition(parts.unsafe)
    distance, no_distance = _distance(loader, parts.unsafe, unsafe)
    conditions = Conditions(goal, unsafe, start.condition, distance, no_distance)
    actions = _used_actions(loader.actions, edges, loader.synchronisations)
    numbers = {name: number for number, name in enumerate(actions)}
    numbered = sorted(((numbers[name], edge) for name, edge in edges), key=lambda pair: pair[0])
    table = loader.variables
    system = build_system(loader.graph, table, numbered, len(actions), conditions)
    total = table.table().shape[0]
    origins = Origins(
        model.file,
        tuple(edge.place for _, edge in numbered),
        tuple(action for action, _ in numbered),
        tuple(table.name(index) for index in range(total)),
    )
    expressions = (loader.graph, conditions)
    document = self_contained(model.data, parts, constants)
    known = (document, loader.constants)
    loaded = JaniModel(system, table.states, actions, start.states, expressions, origins, *known)
    # Initial states are listed before the restriction is known; the core, which exists now, tests
    # it. Listed start states of a property have no condition to test.
    if start.states is None or start.condition == loader.graph.false:
        return loaded
    allowed = start.states[loaded.is_start(start.states)]
    if not len(allowed):
        raise model.error("no initial state satisfies the restriction of initial states")
    return JaniModel(system, table.states, actions, allowed, expressions, origins, *known)


def _distance(loader: _Loader, part: Part, unsafe: int) -> tuple[int | None, str]:
    """The node of the distance to danger, or why there is none: only some uses need one."""
    try:
        return danger_node(loader.graph, unsafe, lambda v: loader.variables.name(v)[0]), ""
    except UnsupportedError as error:
        return None, str(part.unsupported(str(error)))


def _check_type(model: Part) -> None:
    if model.get("automata") is None and model.get("properties") is not None:
        raise model.error("is a property, not a model: it has no 'automata'")
    kind = model["type"].text()
    if kind not in _TYPES:
        raise model["type"].unsupported(
            f"models of type {kind!r} are not supported; supported are {', '.join(_TYPES)}"
        )


def _used_actions(
    declared: Iterable[str],
    edges: Sequence[tuple[str, Edge]],
    synchronisations: Sequence[Synchronisation],
) -> list[str]:
    """The actions that the system can have, in their order."""
    results = {s.result for s in synchronisations}
    used = [name for name in declared if name in results]
    is_silent = any(name == SILENT for name, _ in edges) and SILENT not in used
    return [*used, SILENT] if is_silent else used


def _take_places(counts: Mapping[str, int], automata: Mapping[str, Part]) -> None:
    """Take the work of reading automata that stand in several places: each reads its text anew."""
    for name, count in counts.items():
        if count > 1:
            take_work((count - 1) * len(json.dumps(automata[name].data)) // 2)


class _Loader:
    """The parts of a model, read one after the other."""

    def __init__(self, model: Part, constants: Mapping[str, Value]) -> None:
        self.graph = Graph()
        self._formulas = FormulaReader(self.graph)
        self._declarations = Declarations(self._formulas, model, constants)
        self.actions = by_name(model.items_of("actions"), "actions")
        self._system = model["system"]
        parts = by_name(model["automata"].items(), "automata")
        self._elements = read_elements(self._system, parts, self.actions)
        self.synchronisations = read_synchronisations(
            self._system, len(self._elements), self.actions
        )
        self._automata = self._outlines(parts)
        self.variables = self._read_variables(model)

    @property
    def constants(self) -> Mapping[str, Value]:
        """Their values by name."""
        return self._declarations.constants

    def edges(self) -> list[tuple[str, Edge]]:
        """The joint edges of the system with their actions."""
        for number, automaton in enumerate(self._automata):
            around = Surroundings(
                self._formulas,
                self.variables.in_states(number),
                self.variables.in_assignments(number),
                self._declarations.functions,
                self.variables.targets(number),
                self.actions,
            )
            EdgeReader(automaton, around).read()
        composition = Composition(self.graph, self._automata, self._system)
        composition.enable_inputs(self._elements)
        return list(composition.edges(self.synchronisations))

    def start_reader(self) -> StartReader:
        """A reader for conditions and start states."""
        functions = self._declarations.functions
        scopes = [
            (automaton, Scope(self.variables.in_states(number), functions))
            for number, automaton in enumerate(self._automata)
        ]
        scope = Scope(self.variables.in_properties(), functions)
        return StartReader(self._formulas, scope, self.variables.states, scopes)

    def _outlines(self, parts: Mapping[str, Part]) -> list[Automaton]:
        counts = Counter(element.automaton for element in self._elements)
        _take_places(counts, parts)
        seen: Counter[str] = Counter()
        outlines = []
        for element in self._elements:
            name = self._instance_name(element, counts, seen)
            part = parts[element.automaton]
            outlines.append(read_outline(part, name, self._declarations.read_variables))
        return outlines

    @staticmethod
    def _instance_name(element: Element, counts: Counter[str], seen: Counter[str]) -> str:
        """The automaton's name, numbered where the system has several of them."""
        if counts[element.automaton] == 1:
            return element.automaton
        seen[element.automaton] += 1
        return f"{element.automaton}#{seen[element.automaton]}"

    def _read_variables(self, model: Part) -> VariableTable:
        common = self._declarations.read_variables(model)
        table = VariableTable(self.graph, self._declarations, self._automata)
        table.declare(list(common.values()))
        self._declarations.names.update(table.in_states(None))
        table.define_transients(self._formulas)
        self._declarations.names.update(table.in_states(None))
        return table
