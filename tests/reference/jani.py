"""A slow evaluator of JANI models that works on the JSON itself, state by state.

Integers are Python's, reals floats; what goes wrong in a state raises ModelFaultError.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Values = dict[str, Any]
Json = Any

UNBOUNDED_INTEGERS = 2**53


class ModelFaultError(Exception):
    """The model has no meaning here."""


def _int64(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ModelFaultError("overflow")
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ModelFaultError("undefined")
    return value


def _number(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operation on two integers, or else on two reals."""

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return _int64(operation(a, b))
        return operation(float(a), float(b))

    return apply


def _compared(operation: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison of two integers or Booleans, or else of two reals."""

    def apply(a: Any, b: Any) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return operation(a, b)
        return operation(float(a), float(b))

    return apply


def _divide(a: Any, b: Any) -> float:
    if b == 0:
        raise ModelFaultError("division by zero")
    return float(a) / float(b)


def _modulo(a: int, b: int) -> int:
    if b == 0:
        raise ModelFaultError("division by zero")
    return a - b * (a // b)


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        if b < 0:
            raise ModelFaultError("negative exponent")
        if abs(a) > 1 and b > 63:
            raise ModelFaultError("overflow")
        return _int64(a**b)
    try:
        return _finite(math.pow(a, b))
    except (OverflowError, ValueError):
        raise ModelFaultError("undefined") from None


def _logarithm(a: Any, b: Any) -> float:
    try:
        return _finite(math.log(a) / math.log(b))
    except (ZeroDivisionError, ValueError):
        raise ModelFaultError("undefined") from None


def _whole(rounding: Callable[[float], int]) -> Callable[[Any], int]:
    def apply(a: Any) -> int:
        try:
            return _int64(rounding(a))
        except (OverflowError, ValueError):
            raise ModelFaultError("overflow") from None

    return apply


def _real(function: Callable[[float], float]) -> Callable[[Any], float]:
    def apply(a: Any) -> float:
        try:
            return _finite(function(a))
        except (OverflowError, ValueError):
            raise ModelFaultError("undefined") from None

    return apply


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "=": _compared(operator.eq),
    "≠": _compared(operator.ne),
    "<": _compared(operator.lt),
    "≤": _compared(operator.le),
    ">": _compared(operator.gt),
    "≥": _compared(operator.ge),
    "+": _number(lambda a, b: a + b),
    "-": _number(lambda a, b: a - b),
    "*": _number(lambda a, b: a * b),
    "min": _number(min),
    "max": _number(max),
    "/": _divide,
    "%": _modulo,
    "pow": _power,
    "log": _logarithm,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "¬": lambda a: not a,
    "abs": lambda a: _int64(abs(a)) if isinstance(a, int) else abs(a),
    "sgn": lambda a: (a > 0) - (a < 0),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trc": _whole(math.trunc),
    "sin": _real(math.sin),
    "cosh": _real(math.cosh),
    "acos": _real(math.acos),
}


def typed(kind: Json, value: Any) -> Any:
    """The value as a declared type has it."""
    base = kind["base"] if isinstance(kind, dict) else kind
    return float(value) if base == "real" else value


def evaluate(expression: Json, names: Mapping[str, Any], functions: Mapping[str, Json]) -> Any:
    """The value of an expression, recursively; a name may stand for a function of no arguments.

    Branches of a choice must be of one kind, as Python values do not show what they might be.
    """
    if isinstance(expression, str):
        value = names[expression]
        return value() if callable(value) else value
    if not isinstance(expression, dict):
        return expression
    if "op" not in expression:
        return {"e": math.e, "π": math.pi}[expression["constant"]]
    op = expression["op"]

    def part(key: str) -> Any:
        return evaluate(expression[key], names, functions)

    if op == "∧":
        return part("left") and part("right")
    if op == "∨":
        return part("left") or part("right")
    if op == "⇒":
        return not part("left") or part("right")
    if op == "ite":
        return part("then") if part("if") else part("else")
    if op == "call":
        return _call(expression, names, functions)
    if op in UNARY:
        return UNARY[op](part("exp"))
    return BINARY[op](part("left"), part("right"))


def _call(expression: Json, names: Mapping[str, Any], functions: Mapping[str, Json]) -> Any:
    function = functions[expression["function"]]
    given = {
        parameter["name"]: lambda p=parameter, a=argument: typed(
            p["type"], evaluate(a, names, functions)
        )
        for parameter, argument in zip(function["parameters"], expression["args"], strict=True)
    }
    return typed(function["type"], evaluate(function["body"], {**names, **given}, functions))


@dataclass(frozen=True)
class Move:
    """One edge per automaton that takes part."""

    action: str
    parts: tuple[tuple[int, Json], ...]


class ReferenceModel:
    """States are dicts from names to values; `@0` is the location of the first automaton.

    Handles global variables, one location or several, synchronisation, transient variables,
    assignment indices, functions and probabilities; types are those of the declarations.
    """

    def __init__(self, model: Json) -> None:
        self.model = model
        self.functions = {f["name"]: f for f in model.get("functions", [])}
        self.constants: Values = {}
        for constant in model.get("constants", []):
            value = evaluate(constant["value"], self.constants, self.functions)
            self.constants[constant["name"]] = typed(constant["type"], value)
        self.variables = {v["name"]: v for v in model.get("variables", [])}
        by_name = {automaton["name"]: automaton for automaton in model["automata"]}
        self.automata = [by_name[e["automaton"]] for e in model["system"]["elements"]]

    def _transient_value(self, name: str, state: Values) -> Any:
        declaration = self.variables[name]
        for number, automaton in enumerate(self.automata):
            for location in automaton["locations"]:
                if location["name"] != state[f"@{number}"]:
                    continue
                for item in location.get("transient-values", []):
                    if item["ref"] == name:
                        value = self.evaluate(item["value"], state)
                        return typed(declaration["type"], value)
        return typed(declaration["type"], declaration["initial-value"])

    def evaluate(self, expression: Json, state: Values) -> Any:
        """An expression in a state."""
        names: dict[str, Any] = {**self.constants, **state}
        for name, declaration in self.variables.items():
            if declaration.get("transient"):
                names[name] = lambda n=name: self._transient_value(n, state)
        return evaluate(expression, names, self.functions)

    def _moves(self) -> Iterator[Move]:
        for number, automaton in enumerate(self.automata):
            for edge in automaton["edges"]:
                if "action" not in edge:
                    yield Move("τ", ((number, edge),))
        for sync in self.model["system"]["syncs"]:
            taking_part = [(n, a) for n, a in enumerate(sync["synchronise"]) if a is not None]
            choices = [
                [(n, e) for e in self.automata[n]["edges"] if e.get("action") == action]
                for n, action in taking_part
            ]
            for parts in itertools.product(*choices):
                yield Move(sync.get("result") or "τ", parts)

    def _enabled(self, move: Move, state: Values) -> bool:
        for number, edge in move.parts:
            if edge["location"] != state[f"@{number}"]:
                return False
            if "guard" in edge and not self.evaluate(edge["guard"]["exp"], state):
                return False
        return True

    def successors(self, state: Values) -> dict[str, list[Values]]:
        """Distinct outcomes by action."""
        found: dict[str, list[Values]] = {}
        for move in self._moves():
            if not self._enabled(move, state):
                continue
            outcomes = found.setdefault(move.action, [])
            possible = 0
            for chosen in itertools.product(*(edge["destinations"] for _, edge in move.parts)):
                if not self._possible(chosen, state):
                    continue
                possible += 1
                outcome = self._outcome(move, chosen, state)
                if outcome not in outcomes:
                    outcomes.append(outcome)
            if not possible:
                raise ModelFaultError("no outcome")
        return found

    def _possible(self, chosen: tuple[Json, ...], state: Values) -> bool:
        """Literal probabilities only count as zero or not."""
        written = [d["probability"]["exp"] for d in chosen if "probability" in d]
        if any(p == 0 for p in written if isinstance(p, (int, float))):
            return False
        product = 1.0
        for probability in written:
            if not isinstance(probability, (int, float)):
                product *= float(self.evaluate(probability, state))
        if not 0 <= product <= 1:
            raise ModelFaultError("bad probability")
        return product > 0

    def _outcome(self, move: Move, chosen: tuple[Json, ...], state: Values) -> Values:
        current: Values = dict(state)
        for name, declaration in self.variables.items():
            if declaration.get("transient"):
                current[name] = typed(declaration["type"], declaration["initial-value"])
        assignments = [a for destination in chosen for a in destination.get("assignments", [])]
        for index in sorted({a.get("index", 0) for a in assignments}):
            group = [a for a in assignments if a.get("index", 0) == index]
            names = {**self.constants, **current}
            values = [evaluate(a["value"], names, self.functions) for a in group]
            written: Values = {}
            for assignment, value in zip(group, values, strict=True):
                name = assignment["ref"]
                checked = self._checked(self.variables[name]["type"], value)
                if name in written:
                    raise ModelFaultError("conflict")
                written[name] = checked
            current.update(written)
        for (number, _), destination in zip(move.parts, chosen, strict=True):
            current[f"@{number}"] = destination["location"]
        return {name: current[name] for name in state}

    def _checked(self, kind: Json, value: Any) -> Any:
        value = typed(kind, value)
        if isinstance(kind, dict):
            lower = evaluate(kind["lower-bound"], self.constants, self.functions)
            upper = evaluate(kind["upper-bound"], self.constants, self.functions)
        elif kind == "int":
            lower, upper = -UNBOUNDED_INTEGERS, UNBOUNDED_INTEGERS
        else:
            lower, upper = -math.inf, math.inf
        if isinstance(value, float) and not math.isfinite(value):
            raise ModelFaultError("out of bounds")
        if not lower <= value <= upper:
            raise ModelFaultError("out of bounds")
        return value
