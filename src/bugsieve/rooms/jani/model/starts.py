"""The starts of a model's runs: listed states, or a condition on states."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.parts import Part, existing
from bugsieve.base.wording import shown_value
from bugsieve.rooms.jani.model.automata import Automaton
from bugsieve.rooms.jani.model.declarations import convert_value
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.formulas import FormulaReader, Scope
from bugsieve.rooms.jani.model.properties import condition_parts, start_kind
from bugsieve.rooms.jani.model.types import BOOL, Value
from bugsieve.rooms.jani.model.variables import ModelVariable

_MAX_INITIAL = 100_000


@dataclass(frozen=True)
class Start:
    """A condition, and the states one by one where they are listed or few."""

    condition: int  # node
    states: NDArray[np.float64] | None


class StartReader:
    """Reads conditions and start states of one model."""

    def __init__(
        self,
        formulas: FormulaReader,
        scope: Scope,
        variables: Sequence[ModelVariable],
        automata: Sequence[tuple[Automaton, Scope]],
    ) -> None:
        self._formulas = formulas
        self._graph: Graph = formulas.graph
        self._scope = scope
        self._variables = variables
        self._types = {variable.name: variable.type for variable in variables}
        self._automata = [automaton for automaton, _ in automata]
        self._scopes = [scope for _, scope in automata]

    def condition(self, part: Part | None) -> int:
        """The node of a state condition; nothing holds where there is none."""
        if part is None:
            return self._graph.false
        expression, locations = condition_parts(part)
        node = self._graph.true
        for item in locations:
            automaton = self._automaton(item)
            number = automaton.location.number(item["location"])
            node = self._graph.both(node, automaton.location.test(self._graph, number))
        if expression is not None:
            own = self._formulas.read_as(expression, self._scope, BOOL)
            node = self._graph.both(node, own)
        return node

    def start(self, part: Part | None, model: Part) -> Start:
        """The start of a property, or the initial states of the model where it has none."""
        kind = "initial" if part is None else start_kind(part)
        if part is None or kind == "initial":
            return self._initial(model)
        if kind == "values":
            rows = [self._state(item) for item in part["values"].items()]
            if not rows:
                raise part["values"].error("lists no start state")
            return Start(self._graph.false, np.array(rows, dtype=np.float64))
        _, named = condition_parts(part)
        # An automaton of which the condition does not speak begins where it always begins.
        mentioned = {self._automaton(item).name for item in named}
        others = [a for a in self._automata if a.name not in mentioned]
        condition = self._graph.conjunction([self._in_initial_location(a) for a in others])
        return Start(self._graph.both(condition, self.condition(part)), None)

    def _initial(self, model: Part) -> Start:
        tests = [self._in_initial_location(automaton) for automaton in self._automata]
        for index, variable in enumerate(self._variables):
            if variable.initial is not None and not variable.locations:
                tests.append(self._is(index, variable.initial))
        owners = [model, *(automaton.part for automaton in self._automata)]
        for owner, scope in zip(owners, [self._scope, *self._scopes], strict=True):
            restriction = owner.get("restrict-initial")
            if restriction is not None:
                tests.append(self._formulas.read_as(restriction["exp"], scope, BOOL))
        return Start(self._graph.conjunction(tests), self._initial_states())

    def _initial_states(self) -> NDArray[np.float64] | None:
        """The states with all initial values, restrictions aside; None if they are not given."""
        by_variable: dict[int, tuple[int, ...]] = {
            automaton.location.variable: automaton.initial_locations
            for automaton in self._automata
            if automaton.location.variable is not None
        }
        choices: list[tuple[Value, ...]] = []
        for index, variable in enumerate(self._variables):
            if index in by_variable:
                choices.append(by_variable[index])
            elif variable.initial is None:
                return None
            else:
                choices.append((variable.initial,))
        # One more than allowed is enough to see that there are too many: products are never made
        # whole. The condition describes them, too.
        rows = list(itertools.islice(itertools.product(*choices), _MAX_INITIAL + 1))
        return None if len(rows) > _MAX_INITIAL else np.array(rows, dtype=np.float64)

    def _is(self, index: int, value: Value) -> int:
        kind = self._variables[index].type.kind
        name = "real_equal" if kind == "real" else "int_equal"
        here = self._graph.variable(index, kind)
        return self._graph.apply(name, here, self._graph.constant(value))

    def _in_initial_location(self, automaton: Automaton) -> int:
        node = self._graph.false
        for number in automaton.initial_locations:
            node = self._graph.either(node, automaton.location.test(self._graph, number))
        return node

    def _automaton(self, part: Part) -> Automaton:
        name = part["automaton"].text()
        names = [automaton.name for automaton in self._automata]
        return self._automata[names.index(existing(part, name, names, "automaton"))]

    def _state(self, part: Part) -> list[Value]:
        """One listed start state; what is not listed has its initial value."""
        values: dict[str, Value] = {}
        for item in part["variables"].items():
            name = existing(item, item["var"].text(), self._types, "variable", " in the model")
            values[name] = self._value(item["value"], name)
        for item in part.items_of("locations"):
            automaton = self._automaton(item)
            number = automaton.location.number(item["location"])
            if automaton.location.variable is not None:
                values[self._variables[automaton.location.variable].name] = number
        return [self._value_or_initial(part, variable, values) for variable in self._variables]

    def _value(self, part: Part, name: str) -> Value:
        wanted = self._types[name]
        data = part.data
        if not isinstance(data, (bool, int, float)):
            return self._formulas.read_constant(part, self._scope, wanted)
        value = convert_value(data, wanted.kind)
        if value is None or not wanted.holds(value):
            raise part.error(f"{shown_value(data)} is no value of {name!r}, which is {wanted}")
        return value

    @staticmethod
    def _value_or_initial(
        part: Part, variable: ModelVariable, values: Mapping[str, Value]
    ) -> Value:
        if variable.name in values:
            return values[variable.name]
        if variable.initial is None:
            raise part.error(f"the start state has no value for {variable.name!r}")
        return variable.initial
