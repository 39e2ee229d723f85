"""Lists the start states of a JANI document, for the checker of safety proven from all of them.

Standard library only, and no code shared with the engine, which draws start states in other ways.
A start is a list of states or a condition. The values that a condition leaves are tried variable
by variable, and what a part of it excludes is dropped as soon as the part can be evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bugsieve.rooms.safety.checker.jani_document import ModelReader
from bugsieve.rooms.safety.checker.jani_expressions import Scope
from bugsieve.rooms.safety.checker.jani_program import Slot, State
from bugsieve.rooms.safety.checker.jani_terms import (
    EXACT,
    ModelFaultError,
    RefusedModelError,
    Term,
    constant,
    variable,
)

Json: TypeAlias = Any
Poll = Callable[[], None]

_MOST_TRIED = 4_000_000
"""Values that are put behind others, some microseconds each."""
_MOST_ROWS = 1_000_000
"""Parts of start states at a time."""
_POLL_EVERY = 1000
_MIRRORED = {"=": "=", "<": ">", "≤": "≥", ">": "<", "≥": "≤"}


def start_states(document: Mapping[str, Any], *, most: int, poll: Poll) -> set[State]:
    """Return all start states; RefusedModelError where they are more, or cannot be listed."""
    try:
        reader = _StartReader(document)
        listed = reader.listed()
        found = _Listing(reader, reader.tests(), poll).run() if listed is None else listed
    except (RefusedModelError, ModelFaultError):
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise RefusedModelError(f"a part of the start is misshapen ({error})") from None
    if len(found) > most:
        raise RefusedModelError(f"more than {most} start states")
    return set(found)


@dataclass(frozen=True)
class _Test:
    """A part of a start condition; a comparison says which variable it compares with what."""

    term: Term
    operator: str = ""
    compared: str = ""
    value: Term | None = None


class _StartReader(ModelReader):
    """Reads where the runs of a model begin."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._first: dict[str, Json] = {}
        """Initial values as they are written, by the shown names of their variables."""
        super().__init__(document)
        self._slot_of = dict(zip(self.variable_names, self.slots, strict=True))

    def listed(self) -> list[State] | None:
        """The start states one by one, where they are given so."""
        start = self._property().get("start")
        if not isinstance(start, dict) or start.get("op") != "states-values":
            return None
        return [self._listed_state(item) for item in start["values"]]

    def tests(self) -> list[_Test]:
        """The parts of the condition that start states satisfy."""
        start = self._property().get("start")
        if start is None or (isinstance(start, dict) and start.get("op") == "initial"):
            return self._initial_tests()
        expression, locations = start, []
        if isinstance(start, dict) and start.get("op") == "state-condition":
            expression, locations = start.get("exp"), start.get("locations", [])
        # An automaton of which the condition does not speak begins where it always begins.
        tests = self._places({item["automaton"] for item in locations})
        for item in locations:
            (automaton,) = [a for a in self._automata if a.name == item["automaton"]]
            tests.append(_Test(self._here(automaton, item["location"])))
        return [*tests, *self._parts(expression, Scope(self._in_properties(), self._functions))]

    def _declare(self, names: Any, data: Json, shown: str) -> None:
        super()._declare(names, data, shown)
        if not data.get("transient", False) and data.get("initial-value") is not None:
            self._first[shown] = data["initial-value"]

    def _listed_state(self, item: Json) -> State:
        scope = Scope(self._in_properties(), self._functions)
        values = {**self._first_values(), **self._first_places()}
        for given in item["variables"]:
            slot = self._slot_of[given["var"]]
            values[slot.name] = self._reader.read_value(given["value"], scope, slot.kind)
        for given in item.get("locations", []):
            (automaton,) = [a for a in self._automata if a.name == given["automaton"]]
            number = automaton.locations.index(given["location"])
            if automaton.location is not None:
                values[automaton.location.code] = number
        if any(not _is_value(slot, values[slot.name]) for slot in self.slots):
            raise RefusedModelError("a start state with a value out of bounds")
        return tuple(values[slot.name] for slot in self.slots)

    def _first_values(self) -> dict[str, Any]:
        return {
            self._slot_of[shown].name: self._reader.read_value(
                data, self._scope, self._slot_of[shown].kind
            )
            for shown, data in self._first.items()
        }

    def _first_places(self) -> dict[str, Any]:
        """The locations of automata that have one to begin in, by their slots."""
        return {
            a.location.code: a.locations.index(a.data["initial-locations"][0])
            for a in self._automata
            if a.location is not None and len(a.data["initial-locations"]) == 1
        }

    def _initial_tests(self) -> list[_Test]:
        kinds = {slot.name: slot for slot in self.slots}
        tests = self._places(set())
        for name, value in self._first_values().items():
            slot, there = kinds[name], constant(value)
            here = variable(name, slot.kind, slot.low, slot.high)
            tests.append(_Test(self._reader.apply("=", here, there), "=", name, there))
        owners = [(self.document, self._scope)]
        owners += [
            (a.data, Scope(self._in_states(a), dict(self._functions))) for a in self._automata
        ]
        for owner, scope in owners:
            if owner.get("restrict-initial") is not None:
                if owner is not self.document:
                    self._read_functions(owner, scope)
                tests += self._parts(owner["restrict-initial"]["exp"], scope)
        return tests

    def _places(self, named: set[str]) -> list[_Test]:
        """The automata that are not named are in one of their initial locations."""
        tests = []
        for automaton in self._automata:
            if automaton.name in named or automaton.location is None:
                continue
            term, *others = [self._here(automaton, n) for n in automaton.data["initial-locations"]]
            for other in others:
                term = self._reader.apply("∨", term, other)
            tests.append(_Test(term))
        return tests

    def _parts(self, expression: Json, scope: Scope) -> list[_Test]:
        """The conjuncts of an expression."""
        found, todo = [], [expression]
        while todo:
            part = todo.pop()
            if isinstance(part, dict) and part.get("op") == "∧":
                todo += [part["right"], part["left"]]
            elif part is not None:
                found.append(self._test(part, scope))
        return found

    def _test(self, part: Json, scope: Scope) -> _Test:
        term = self._reader.read_as(part, scope, "bool")
        if not isinstance(part, dict) or part.get("op") not in _MIRRORED:
            return _Test(term)
        left, right = (self._reader.read(part[side], scope) for side in ("left", "right"))
        names = {slot.name for slot in self.slots}
        if left.code in names and left.code not in right.names:
            return _Test(term, part["op"], left.code, right)
        if right.code in names and right.code not in left.names:
            return _Test(term, _MIRRORED[part["op"]], right.code, left)
        return _Test(term)


@dataclass(frozen=True)
class _Function:
    """A function of some variables."""

    names: tuple[str, ...]
    compute: Callable[..., Any]


class _Listing:
    """Rows of values, to which one variable after the other is added."""

    def __init__(self, reader: _StartReader, tests: Sequence[_Test], poll: Poll) -> None:
        self._slots = {slot.name: slot for slot in reader.slots}
        self._poll = poll
        self._tried = 0
        self._ranges = {name: _range_of(slot, tests) for name, slot in self._slots.items()}
        written = [(test, self._defined(reader, test.term)) for test in tests]
        values = [
            (test, test.value, self._defined(reader, test.value))
            for test in tests
            if test.operator == "=" and test.value is not None
        ]
        functions = reader.source.compile()
        # A transient variable has its value inlined, so that terms name slots alone.
        self._tests = [
            _Function(tuple(sorted(test.term.names)), functions[name]) for test, name in written
        ]
        self._equal: dict[str, list[_Function]] = {}
        for test, value, name in values:
            found = _Function(tuple(sorted(value.names)), functions[name])
            self._equal.setdefault(test.compared, []).append(found)
        self._order: list[str] = []
        self._rows: list[State] = [()]

    def run(self) -> list[State]:
        """All states that satisfy the tests."""
        self._filter([test for test in self._tests if not test.names])
        left = dict.fromkeys(self._slots)
        while left:
            name = min(left, key=lambda name: self._cost(name, left))
            del left[name]
            self._extend(name, self._definition(name))
            self._order.append(name)
            new = [t for t in self._tests if name in t.names and not left.keys() & set(t.names)]
            self._filter(new)
            if len(self._rows) > _MOST_ROWS:
                raise RefusedModelError(f"more than {_MOST_ROWS} start states, or parts of some")
        places = [self._order.index(name) for name in self._slots]
        states = [tuple(row[place] for place in places) for row in self._rows]
        return [state for state in states if self._satisfies(state)]

    @staticmethod
    def _defined(reader: _StartReader, term: Term) -> str:
        return reader.source.define(sorted(term.names), [f"return {term.code}"])

    def _cost(self, name: str, left: Mapping[str, None]) -> tuple[int, int, int]:
        """Variables that follow from others come first, then those that are soon tested."""
        if self._definition(name) is not None:
            return 0, 0, 0
        missing = [len(left.keys() & set(t.names)) for t in self._tests if name in t.names]
        return 1, min(missing, default=len(left)), len(self._ranges[name] or ())

    def _definition(self, name: str) -> _Function | None:
        known = set(self._order)
        return next((f for f in self._equal.get(name, ()) if known.issuperset(f.names)), None)

    def _extend(self, name: str, definition: _Function | None) -> None:
        slot, values = self._slots[name], self._ranges[name]
        rows: list[State] = []
        if definition is not None:
            compute, places = definition.compute, self._places(definition)
            for row in self._polled(1):
                value = _exact(slot, compute(*[row[place] for place in places]))
                if value is not None:
                    rows.append((*row, value))
        elif values is None:
            raise RefusedModelError("a start condition that leaves infinitely many states")
        else:
            for row in self._polled(len(values)):
                rows.extend((*row, value) for value in values)
        self._rows = rows

    def _polled(self, size: int) -> Iterator[State]:
        self._tried += len(self._rows) * size
        if self._tried > _MOST_TRIED:
            raise RefusedModelError("a start condition of which too many values must be tried")
        for number, row in enumerate(self._rows):
            if number % _POLL_EVERY == 0:
                self._poll()
            yield row

    def _filter(self, tests: Sequence[_Function]) -> None:
        for test in tests:
            places = self._places(test)
            self._rows = [row for row in self._polled(1) if _may_hold(test, row, places)]

    def _places(self, function: _Function) -> list[int]:
        return [self._order.index(name) for name in function.names]

    def _satisfies(self, state: State) -> bool:
        """The last word: all parts in their order, where one that fails is not passed over."""
        values = dict(zip(self._slots, state, strict=True))
        try:
            return all(test.compute(*map(values.__getitem__, test.names)) for test in self._tests)
        except (ArithmeticError, ValueError) as error:
            raise ModelFaultError(
                f"the start condition goes wrong in the state {list(state)}: {error}"
            ) from None


def _may_hold(test: _Function, row: State, places: Sequence[int]) -> bool:
    try:
        return bool(test.compute(*[row[place] for place in places]))
    except (ArithmeticError, ValueError):
        return True  # another part may come before it, and exclude the state


def _range_of(slot: Slot, tests: Sequence[_Test]) -> Sequence[Any] | None:
    """The values of a variable that comparisons with constants leave; None for reals."""
    if slot.kind == "real":
        return None
    if slot.kind == "bool":
        return (False, True)
    low, high = slot.low, slot.high
    for test in tests:
        bound = None if test.value is None else test.value.value
        if test.compared != slot.name or bound is None or not math.isfinite(bound):
            continue
        if test.operator in ("≤", "<", "="):
            high = min(high, math.floor(bound))
        if test.operator in ("≥", ">", "="):
            low = max(low, math.ceil(bound))
    return range(low, high + 1)


def _exact(slot: Slot, value: Any) -> Any:
    """The value of the variable that equals this one; None if there is none."""
    if slot.kind == "bool":
        return value if type(value) is bool else None
    if not -EXACT <= value <= EXACT and (slot.kind == "int") != (type(value) is int):
        raise RefusedModelError("a start condition with numbers too large to compare")
    # Adding 0.0 turns -0.0 into 0.0.
    fitting = int(value) if slot.kind == "int" else float(value) + 0.0
    return fitting if fitting == value and _is_value(slot, fitting) else None


def _is_value(slot: Slot, value: Any) -> bool:
    return type(value) is slot.type and bool(slot.low <= value <= slot.high)
