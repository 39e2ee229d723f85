"""Numbers the variables of a model: those of its states first, the transient ones after them."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.parts import Part
from bugsieve.rooms.jani.model.automata import Automaton, Target
from bugsieve.rooms.jani.model.declarations import Declaration, Declarations, scope_error
from bugsieve.rooms.jani.model.expressions import Graph, to_word
from bugsieve.rooms.jani.model.formulas import FormulaReader, Scope, free_names
from bugsieve.rooms.jani.model.ordering import CycleError, dependency_order
from bugsieve.rooms.jani.model.types import Type, Value


@dataclass(frozen=True)
class ModelVariable:
    """A variable of the model's states; the location of an automaton is an integer."""

    name: str
    type: Type
    initial: Value | None = None
    locations: tuple[str, ...] = ()
    """Names of the values, where the variable is a location."""


WATCH = "[rules]"
"""The automaton that watches over rules. No language has names like that, so that it may see more
than others: a rule is about the whole model."""


@dataclass(frozen=True)
class _Transient:
    name: str
    declaration: Declaration
    owner: int | None  # number of the automaton; None for all
    index: int


@dataclass
class _Names:
    """The meaning of names in one automaton, or in the model."""

    in_states: dict[str, int] = field(default_factory=dict)
    in_assignments: dict[str, int] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)


class VariableTable:
    """The variables of a model and the nodes that their names stand for."""

    def __init__(
        self, graph: Graph, declarations: Declarations, automata: Sequence[Automaton]
    ) -> None:
        self._graph = graph
        self._declarations = declarations
        self._automata = automata
        self.states: list[ModelVariable] = []
        self._taken: set[str] = set()  # names of the states' variables
        self._transients: list[_Transient] = []
        self._common = _Names(dict(declarations.names), dict(declarations.names))
        self._own = [_Names() for _ in automata]

    def declare(self, common: Sequence[Declaration]) -> None:
        """Number all variables and locations; transient ones get their meaning later."""
        waiting: list[tuple[int | None, Declaration]] = []
        for declaration in common:
            self._declare(None, declaration, declaration.name, waiting)
        shown = _local_names(self._automata)
        for number, automaton in enumerate(self._automata):
            for declaration in automaton.declarations.values():
                self._declare(number, declaration, shown[number, declaration.name], waiting)
            self._add_location(automaton)
        # Transient variables come last, so that states are a prefix of all variables.
        for owner, declaration in waiting:
            index = len(self.states) + len(self._transients)
            self._transients.append(_Transient(declaration.name, declaration, owner, index))
            names = self._names(owner)
            names.targets[declaration.name] = Target(index, declaration.type, True)
            node = self._graph.variable(index, declaration.type.kind)
            names.in_assignments[declaration.name] = node

    def in_states(self, owner: int | None) -> Mapping[str, int]:
        """Names in guards and conditions of an automaton, or of the model for None."""
        if owner is None:
            return self._common.in_states
        return ChainMap(self._own[owner].in_states, self._common.in_states)

    def in_assignments(self, owner: int) -> Mapping[str, int]:
        """Names in assigned expressions; what watches over rules sees all local variables."""
        names = [self._own[owner].in_assignments, self._common.in_assignments]
        if self._automata[owner].name == WATCH:
            names.append(self._shown_locals())
        return ChainMap(*names)

    def targets(self, owner: int) -> Mapping[str, Target]:
        """Variables that edges may assign."""
        return ChainMap(self._own[owner].targets, self._common.targets)

    def in_properties(self) -> Mapping[str, int]:
        """Names in properties: local variables as they are shown, or where only one has the name.

        Those that are not a part of states are never shown.
        """
        counts = Counter(name for names in self._own for name in names.in_states)
        local = {
            name: node
            for names in self._own
            for name, node in names.in_states.items()
            if counts[name] == 1
        }
        return ChainMap(self._common.in_states, local, self._shown_locals())

    def _shown_locals(self) -> dict[str, int]:
        """Local variables of states by the names under which states show them."""
        return {
            shown: self._own[number].in_states[name]
            for (number, name), shown in _local_names(self._automata).items()
            if not self._automata[number].declarations[name].is_transient
        }

    def define_transients(self, formulas: FormulaReader) -> None:
        """Say what transient variables are in states: what locations say, or their first value."""
        values = self._location_values()
        needs = {
            str(t.index): {need for _, _, part in values[t.index] for need in self._needs(t, part)}
            for t in self._transients
        }
        by_key = {str(t.index): t for t in self._transients}
        try:
            order = dependency_order(needs)
        except CycleError as error:
            part = by_key[error.cycle[0]].declaration.part
            raise part.error("transient variables are defined by each other") from None
        for key in order:
            transient = by_key[key]
            node = self._transient_node(transient, values[transient.index], formulas)
            self._names(transient.owner).in_states[transient.name] = node

    def table(self) -> NDArray[np.uint64]:
        """The variables as the core takes them."""
        rows = [_row(v.type, True, v.type.lower) for v in self.states]
        for transient in self._transients:
            declaration = transient.declaration
            assert declaration.initial is not None
            rows.append(_row(declaration.type, False, declaration.initial))
        return np.array(rows, dtype=np.uint64).reshape(len(rows), 5)

    def name(self, index: int) -> tuple[str, Type]:
        """Name and type of any variable."""
        if index < len(self.states):
            return self.states[index].name, self.states[index].type
        transient = self._transients[index - len(self.states)]
        return transient.name, transient.declaration.type

    def is_transient(self, index: int) -> bool:
        """Return true if the variable is not a part of states."""
        return index >= len(self.states)

    def _names(self, owner: int | None) -> _Names:
        return self._common if owner is None else self._own[owner]

    def _declare(
        self,
        owner: int | None,
        declaration: Declaration,
        shown: str,
        waiting: list[tuple[int | None, Declaration]],
    ) -> None:
        names, name = self._names(owner), declaration.name
        known = (names.in_states, self._common.in_states, self._common.targets)
        if any(name in taken for taken in known):
            raise scope_error(declaration.part, name)
        if declaration.is_transient:
            names.targets[name] = Target(-1, declaration.type, True)  # numbered below
            waiting.append((owner, declaration))
            return
        index = len(self.states)
        self._taken.add(shown)
        self.states.append(ModelVariable(shown, declaration.type, declaration.initial))
        node = self._graph.variable(index, declaration.type.kind)
        names.in_states[name] = names.in_assignments[name] = node
        names.targets[name] = Target(index, declaration.type, False)

    def _add_location(self, automaton: Automaton) -> None:
        names = automaton.location.names
        if len(names) == 1:
            return
        automaton.location = replace(automaton.location, variable=len(self.states))
        shown = f"{automaton.name}.location"
        while shown in self._taken:
            shown += "'"
        self._taken.add(shown)
        initial = automaton.initial_locations
        first = initial[0] if len(initial) == 1 else None
        self.states.append(ModelVariable(shown, Type("int", 0, len(names) - 1), first, names))

    def _location_values(self) -> dict[int, list[tuple[int, int, Part]]]:
        """Per transient variable the automata, their locations, and the expressions there."""
        values: dict[int, list[tuple[int, int, Part]]] = {t.index: [] for t in self._transients}
        for owner, automaton in enumerate(self._automata):
            targets = self.targets(owner)
            for number, location in enumerate(automaton.part["locations"].items()):
                for part in location.items_of("transient-values"):
                    name = part["ref"].text()
                    if name not in targets or not targets[name].is_transient:
                        raise part.error(f"there is no transient variable {name!r}")
                    values[targets[name].index].append((owner, number, part["value"]))
        return values

    def _needs(self, transient: _Transient, part: Part) -> set[str]:
        owner = transient.owner
        targets = self._common.targets if owner is None else self.targets(owner)
        names = free_names(part, self._declarations.functions)
        found = (targets[name] for name in names if name in targets)
        return {str(target.index) for target in found if target.is_transient}

    def _transient_node(
        self,
        transient: _Transient,
        values: list[tuple[int, int, Part]],
        formulas: FormulaReader,
    ) -> int:
        declaration = transient.declaration
        assert declaration.initial is not None
        node = self._graph.constant(declaration.initial)
        # A chain of choices, built from its end: where several automata are in a location with a
        # value, the first one's counts.
        for owner, number, part in reversed(values):
            scope = Scope(self.in_states(owner), self._declarations.functions)
            value = formulas.read_as(part, scope, declaration.type)
            here = self._automata[owner].location.test(self._graph, number)
            node = self._graph.choose(here, value, node)
        return node


def _row(kind: Type, in_state: bool, initial: Value) -> list[int]:
    convert = float if kind.kind == "real" else int
    bounds = [to_word(convert(value)) for value in (kind.lower, kind.upper, initial)]
    return [int(kind.kind == "real"), int(in_state), *bounds]


def _local_names(automata: Sequence[Automaton]) -> dict[tuple[int, str], str]:
    """The shown names of local variables: with the automaton's name where others have theirs."""
    counts = Counter(name for automaton in automata for name in automaton.declarations)
    return {
        (number, name): name if counts[name] == 1 else f"{automaton.name}.{name}"
        for number, automaton in enumerate(automata)
        for name in automaton.declarations
    }
