"""Constants, variables and functions of a model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.names import no_such
from bugsieve.base.parts import Part, by_name, unique
from bugsieve.rooms.jani.model.formulas import FormulaReader, Function, Scope, free_names
from bugsieve.rooms.jani.model.ordering import CycleError, dependency_order
from bugsieve.rooms.jani.model.types import EXACT, INT, REAL, UNBOUNDED, Kind, Type, Value, kind_of


@dataclass(frozen=True)
class Declaration:
    """A declared variable; `initial` is None where any value may come first."""

    name: str
    type: Type
    initial: Value | None
    is_transient: bool
    part: Part


def read_functions(
    parts: list[Part], names: Mapping[str, int], outer: Mapping[str, Function]
) -> dict[str, Function]:
    """The functions of a list, besides those of the model around it."""
    functions = dict(outer)
    scope = Scope(names, functions)
    own: dict[str, Function] = {}
    for part in parts:
        name = unique(part, part["name"].text(), own, "functions")
        parameters = tuple(
            (parameter["name"].text(), read_plain_type(parameter["type"]))
            for parameter in part["parameters"].items()
        )
        own[name] = Function(name, read_plain_type(part["type"]), parameters, part["body"], scope)
        functions[name] = own[name]
    return functions


def seen_with(functions: Mapping[str, Function], names: Mapping[str, int]) -> dict[str, Function]:
    """The same functions in whose bodies names have another meaning."""
    result: dict[str, Function] = {}
    scope = Scope(names, result)
    result.update({name: replace(f, scope=scope) for name, f in functions.items()})
    return result


def read_plain_type(part: Part) -> Type:
    """A type of which only the kind matters: of constants, parameters and results."""
    if isinstance(part.data, dict) and part["kind"].data == "bounded":
        return _base_type(part["base"])
    return _base_type(part)


def _base_type(part: Part) -> Type:
    if isinstance(part.data, str) and part.data in UNBOUNDED:
        return UNBOUNDED[part.data]
    if isinstance(part.data, dict) or part.data in ("clock", "continuous"):
        name = part["kind"].data if isinstance(part.data, dict) else part.data
        raise part.unsupported(f"variables of type {name!r} are not supported")
    raise part.error(f"must be the type bool, int or real, but is {part.kind}")


class Declarations:
    """The constants of a model, and a reader for what is declared with their help."""

    def __init__(self, formulas: FormulaReader, model: Part, given: Mapping[str, Value]) -> None:
        self._formulas = formulas
        self.names: dict[str, int] = {}  # constants; variables are added by the model
        self.functions = read_functions(list(model.items_of("functions")), self.names, {})
        self.scope = Scope(self.names, self.functions)
        self.constants = self._read_constants(list(model.items_of("constants")), given)

    def read_variables(self, owner: Part) -> dict[str, Declaration]:
        """The variables of the model or of an automaton, by name."""
        found: dict[str, Declaration] = {}
        for part in owner.items_of("variables"):
            declaration = self.read_variable(part)
            found[unique(part, declaration.name, found, "variables")] = declaration
        return found

    def read_variable(self, part: Part) -> Declaration:
        """One variable with its bounds and initial value."""
        kind = self.read_type(part["type"])
        initial = part.get("initial-value")
        transient = part.get("transient")
        is_transient = transient is not None and transient.flag()
        if is_transient and initial is None:
            raise part.error("a transient variable needs an initial value")
        value = None
        if initial is not None:
            value = self._formulas.read_constant(initial, self.scope, kind)
        return Declaration(part["name"].text(), kind, value, is_transient, part)

    def read_type(self, part: Part) -> Type:
        """A type with its bounds, which may be constant expressions."""
        if not isinstance(part.data, dict) or part["kind"].data != "bounded":
            return _base_type(part)
        base = _base_type(part["base"])
        if base.kind == "bool":
            raise part.error("a Boolean cannot have bounds")
        lower = self._bound(part.get("lower-bound"), base, base.lower)
        upper = self._bound(part.get("upper-bound"), base, base.upper)
        if lower > upper:
            raise part.error(f"the lower bound {lower} is above the upper bound {upper}")
        return Type(base.kind, lower, upper)

    def _bound(self, part: Part | None, base: Type, default: int | float) -> int | float:
        if part is None:
            return default
        node = self._formulas.read_as(part, self.scope, REAL if base.kind == "real" else INT)
        value = self._formulas.graph.value(node)
        if value is None:
            raise part.error("the bound must be a constant that can be computed")
        if base.kind == "int" and not -EXACT <= value <= EXACT:
            raise part.unsupported("bounds of integers beyond 2**53 are not supported")
        return value

    def _read_constants(self, parts: list[Part], given: Mapping[str, Value]) -> dict[str, Value]:
        declared = by_name(parts, "constants")
        unknown = [name for name in given if name not in declared]
        if unknown:
            raise UsageError(no_such("constant", unknown[0], declared or ["none"]))
        values: dict[str, Value] = {}
        for name in self._order(declared, given):
            values[name] = self._constant(name, declared[name], given)
            self.names[name] = self._formulas.graph.constant(values[name])
        return values

    def _order(self, declared: dict[str, Part], given: Mapping[str, Value]) -> list[str]:
        needs = {}
        for name, part in declared.items():
            value = None if name in given else part.get("value")
            needs[name] = set() if value is None else free_names(value, self.functions)
        try:
            return dependency_order(needs)
        except CycleError as error:
            part = declared[error.cycle[0]]
            raise part.error(f"constants are defined by each other ({error})") from None

    def _constant(self, name: str, part: Part, given: Mapping[str, Value]) -> Value:
        kind = self.read_type(part["type"])
        value = part.get("value")
        if name in given:
            return _given_value(part, kind, given[name])
        if value is None:
            raise part.error(
                f"the constant {name!r} has no value: give it one with --constant {name}=VALUE "
                "(in Python, constants={…})"
            )
        return self._formulas.read_constant(value, self.scope, kind)


def _given_value(part: Part, wanted: Type, given: Value) -> Value:
    converted = convert_value(given, wanted.kind)
    if converted is None or not wanted.holds(converted):
        name = part["name"].text()
        raise UsageError(f"the constant {name!r} is of type {wanted} and cannot be {given!r}")
    return converted


def convert_value(value: Value, kind: Kind) -> Value | None:
    """The value as that kind, None if it does not fit; whole reals are integers, too."""
    if not isinstance(value, int | float) or value in (math.inf, -math.inf) or value != value:
        return None  # it may come from a file that holds anything
    if kind_of(value) == kind:
        return value
    if kind == "bool" or isinstance(value, bool):
        return None
    if kind == "real":
        return float(value) if abs(value) < 2**1023 else None
    return int(value) if value == int(value) else None


def scope_error(part: Part, name: str) -> InputError:
    """For a name that means two things in one scope."""
    return part.error(f"the name {name!r} has a meaning already")
