"""JANI expressions as Python source, for the interpreter behind the safety checker.

Like the interpreter it uses the standard library only and shares no code with the engine. Source
is built from operators that are looked up here, from literals that are written anew, and from
names that are made up here; no text of a model ever becomes source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

INT64 = 2**63
EXACT = 2**53
"""Integers up to here are exact as reals; unbounded variables stay within."""

_DEEPEST = 50  # parentheses inside each other; Python's own parser stops at 200
_LONGEST = 4000  # characters of one expression
_LARGEST = 1_000_000  # operators that one evaluation may take


class RefusedModelError(ValueError):
    """The interpreter does not take the model; the sentence names the part."""


class ModelFaultError(ArithmeticError):
    """The model has no meaning in a state."""


@dataclass(frozen=True)
class Term:
    """A typed expression: its source, its value where it is constant, the names it needs."""

    code: str
    kind: str
    value: Any = None
    names: frozenset[str] = frozenset()
    low: int = -INT64
    high: int = INT64 - 1
    depth: int = 0
    size: int = 1

    @property
    def is_small(self) -> bool:
        """Return true if it is an integer that a real can hold exactly."""
        return self.low >= -EXACT and self.high <= EXACT


def constant(value: Any) -> Term:
    """The term of a literal."""
    if type(value) is bool:
        return Term(repr(value), "bool", value)
    if type(value) is int:
        return Term(
            f"({value})" if value < 0 else repr(value), "int", value, low=value, high=value
        )
    if value != value:
        return Term("NAN", "real", value)
    if math.isinf(value):
        return Term("INF" if value > 0 else "(-INF)", "real", value)
    return Term(f"({value!r})", "real", value)


TRUE, FALSE = constant(True), constant(False)


def variable(name: str, kind: str, low: Any, high: Any) -> Term:
    """The term of a local variable of the generated code."""
    if kind != "int":
        return Term(name, kind, names=frozenset([name]))
    return Term(name, kind, names=frozenset([name]), low=low, high=high)


def whole(value: int) -> int:
    """The integer, if it fits 64 bits."""
    if not -INT64 <= value < INT64:
        raise ModelFaultError("an integer beyond 64 bits")
    return value


def finite(value: float) -> float:
    """The real, if it is one."""
    if not math.isfinite(value):
        raise ModelFaultError("no finite value")
    return value


def _whole_power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise ModelFaultError("a negative exponent of an integer")
    if abs(base) > 1 and exponent > 64:
        raise ModelFaultError("an integer beyond 64 bits")
    return whole(base**exponent)


def _sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def _least(a: Any, b: Any) -> Any:
    return b if b < a else a


def _largest(a: Any, b: Any) -> Any:
    return b if b > a else a


def _of_real(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: finite(function(value))


_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")

NAMESPACE: dict[str, Any] = {
    "__builtins__": {},
    "INF": math.inf,
    "NAN": math.nan,
    "abs": abs,
    "float": float,
    "whole": whole,
    "whole_power": _whole_power,
    "sign": _sign,
    "least": _least,
    "largest": _largest,
    "floor": lambda value: whole(math.floor(value)),
    "ceiling": lambda value: whole(math.ceil(value)),
    "truncated": lambda value: whole(math.trunc(value)),
    "power": lambda base, exponent: finite(math.pow(base, exponent)),
    "logarithm": lambda value, base: finite(math.log(value) / math.log(base)),
    **{name: _of_real(getattr(math, name)) for name in _FUNCTIONS},
}
"""The functions that generated source may call."""


class Source:
    """The functions that have been written so far; long expressions become functions, too."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._functions = 0

    def define(self, parameters: Sequence[str], body: Sequence[str]) -> str:
        """The name of a new function."""
        name = f"f{self._functions}"
        self._functions += 1
        self.lines.append(f"def {name}({', '.join(parameters)}):")
        self.lines += [f" {line}" for line in body]
        return name

    def compile(self) -> dict[str, Any]:
        """The functions by name."""
        namespace = dict(NAMESPACE)
        exec(compile("\n".join(self.lines), "<JANI model>", "exec"), namespace)
        return namespace

    def shortened(self, term: Term) -> Term:
        """The term, or a call of a function that computes it; nothing is computed earlier."""
        if term.size > _LARGEST:
            raise RefusedModelError("an expression becomes too large when its calls are inserted")
        # Python's parser recurses: what nests deeply is cut into functions. They are called in the
        # same place under the same conditions, so what fails does so neither earlier nor more
        # often.
        if term.depth <= _DEEPEST and len(term.code) <= _LONGEST:
            return term
        names = sorted(term.names)
        name = self.define(names, [f"return {term.code}"])
        return replace(term, code=f"{name}({', '.join(names)})", depth=1)


def combine(name: str, operands: Sequence[Term]) -> Term:
    """The term of a JANI operator applied to terms; RefusedModelError if their types are wrong."""
    return _RULES[name](name, operands)


def as_real(term: Term) -> Term:
    """The term itself, or its conversion from an integer."""
    return _made("float({})", "real", [term], float) if term.kind == "int" else term


def _made(
    template: str,
    kind: str,
    operands: Sequence[Term],
    compute: Callable[..., Any],
    bounds: tuple[int, int] = (-INT64, INT64 - 1),
) -> Term:
    """A strict operator; one of constants is computed, unless that fails."""
    # As the core does: an expression of constants that fails stays in place, and is a fault only
    # in the states that evaluate it.
    if all(operand.value is not None for operand in operands):
        try:
            return constant(compute(*[operand.value for operand in operands]))
        except (ArithmeticError, ValueError):
            pass  # fails again whenever it is evaluated
    return _written(template, kind, operands, bounds)


def _written(
    template: str,
    kind: str,
    operands: Sequence[Term],
    bounds: tuple[int, int] = (-INT64, INT64 - 1),
) -> Term:
    names: frozenset[str] = frozenset()
    return Term(
        template.format(*[operand.code for operand in operands]),
        kind,
        names=names.union(*[operand.names for operand in operands]),
        low=bounds[0],
        high=bounds[1],
        depth=1 + max(operand.depth for operand in operands),
        size=1 + sum(operand.size for operand in operands),
    )


def _demand(name: str, operands: Sequence[Term], *kinds: str) -> None:
    if any(operand.kind not in kinds for operand in operands):
        raise RefusedModelError(f"the operator {name!r} on operands of a wrong type")


def _numbers(name: str, operands: Sequence[Term]) -> tuple[str, Sequence[Term]]:
    """Operands of one kind. Small integers may stay as they are: Python converts them exactly."""
    _demand(name, operands, "int", "real")
    if all(operand.kind == "int" for operand in operands):
        return "int", operands
    return "real", [_mixed(operand) for operand in operands]


def _mixed(term: Term) -> Term:
    # Constants are converted at once, large integers because Python would compare and add them
    # exactly where the core rounds them to reals first.
    return as_real(term) if term.value is not None or not term.is_small else term


def _not(_: str, operands: Sequence[Term]) -> Term:
    _demand("¬", operands, "bool")
    return _made("(not {})", "bool", operands, lambda a: not a)


def _and(_: str, operands: Sequence[Term]) -> Term:
    _demand("∧", operands, "bool")
    first, second = operands
    # Only the second operand may be skipped: a fault in the first one must show, even where the
    # second is false in any case.
    if first.value is False or second.value is True:
        return first
    return second if first.value is True else _written("({} and {})", "bool", operands)


def _or(_: str, operands: Sequence[Term]) -> Term:
    _demand("∨", operands, "bool")
    first, second = operands
    if first.value is True or second.value is False:
        return first
    return second if first.value is False else _written("({} or {})", "bool", operands)


def _implies(_: str, operands: Sequence[Term]) -> Term:
    return _or("∨", [_not("¬", operands[:1]), operands[1]])


def _choice(_: str, operands: Sequence[Term]) -> Term:
    condition, then, otherwise = operands
    _demand("ite", [condition], "bool")
    if [then.kind, otherwise.kind] != ["bool", "bool"]:
        kind, _same = _numbers("ite", [then, otherwise])
        if kind == "real":
            then, otherwise = as_real(then), as_real(otherwise)
    if condition.value is not None:
        return then if condition.value else otherwise
    bounds = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _written("({1} if {0} else {2})", then.kind, [condition, then, otherwise], bounds)


def _equality(name: str, operands: Sequence[Term]) -> Term:
    if [operand.kind for operand in operands] != ["bool", "bool"]:
        _, operands = _numbers(name, operands)
    if name == "=":
        return _made("({} == {})", "bool", operands, lambda a, b: a == b)
    return _made("({} != {})", "bool", operands, lambda a, b: a != b)


def _comparison(name: str, operands: Sequence[Term]) -> Term:
    _, operands = _numbers(name, operands)
    if name in ("<", ">"):
        swapped = operands if name == "<" else operands[::-1]
        return _made("({} < {})", "bool", swapped, lambda a, b: a < b)
    swapped = operands if name == "≤" else operands[::-1]
    return _made("({} <= {})", "bool", swapped, lambda a, b: a <= b)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _arithmetic(name: str, operands: Sequence[Term]) -> Term:
    kind, operands = _numbers(name, operands)
    compute = _ARITHMETIC[name]
    template = f"({{}} {name} {{}})"
    if kind == "real":
        return _made(template, "real", operands, compute)
    low, high = _range(compute, *operands)
    # Where the ranges of the operands rule an overflow out, the test is left out of the code.
    if low >= -INT64 and high < INT64:
        return _made(template, "int", operands, compute, (low, high))
    bounds = max(low, -INT64), min(high, INT64 - 1)
    return _made(f"whole{template}", "int", operands, lambda a, b: whole(compute(a, b)), bounds)


def _range(compute: Callable[[int, int], int], a: Term, b: Term) -> tuple[int, int]:
    """Sums, differences and products take their extremes at the ends of their operands."""
    corners = [compute(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(corners), max(corners)


def _extreme(name: str, operands: Sequence[Term]) -> Term:
    kind, operands = _numbers(name, operands)
    compute, function = (_least, "least") if name == "min" else (_largest, "largest")
    if kind == "real":
        return _made(f"{function}({{}}, {{}})", "real", [as_real(o) for o in operands], compute)
    pick = min if name == "min" else max
    bounds = pick(o.low for o in operands), pick(o.high for o in operands)
    return _made(f"{function}({{}}, {{}})", "int", operands, compute, bounds)


def _power(name: str, operands: Sequence[Term]) -> Term:
    kind, operands = _numbers(name, operands)
    if kind == "int":
        return _made("whole_power({}, {})", "int", operands, NAMESPACE["whole_power"])
    return _made("power({}, {})", "real", operands, NAMESPACE["power"])


def _division(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int", "real")
    return _made("({} / {})", "real", [_mixed(o) for o in operands], lambda a, b: a / b)


def _modulo(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int")
    most = max(abs(operands[1].low), abs(operands[1].high))
    bounds = max(-most, -INT64), min(most, INT64 - 1)
    return _made("({} % {})", "int", operands, lambda a, b: a % b, bounds)


def _logarithm(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int", "real")
    reals = [as_real(operand) for operand in operands]
    return _made("logarithm({}, {})", "real", reals, NAMESPACE["logarithm"])


def _function(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int", "real")
    reals = [as_real(operand) for operand in operands]
    return _made(f"{name}({{}})", "real", reals, NAMESPACE[name])


def _rounding(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int", "real")
    if operands[0].kind == "int":
        return operands[0]
    function = {"floor": "floor", "ceil": "ceiling", "trc": "truncated"}[name]
    return _made(f"{function}({{}})", "int", operands, NAMESPACE[function])


def _absolute(name: str, operands: Sequence[Term]) -> Term:
    kind, operands = _numbers(name, operands)
    if kind == "real":
        return _made("abs({})", "real", operands, abs)
    most = max(abs(operands[0].low), abs(operands[0].high))
    bounds = 0, min(most, INT64 - 1)
    return _made("whole(abs({}))", "int", operands, lambda a: whole(abs(a)), bounds)


def _signum(name: str, operands: Sequence[Term]) -> Term:
    _demand(name, operands, "int", "real")
    return _made("sign({})", "int", operands, _sign, (-1, 1))


_Rule = Callable[[str, Sequence[Term]], Term]
UNARY = {"¬", "floor", "ceil", "trc", "abs", "sgn", *_FUNCTIONS}


def _rules() -> Iterator[tuple[str, _Rule]]:
    families: list[tuple[_Rule, Sequence[str]]] = [
        (_not, ["¬"]),
        (_and, ["∧"]),
        (_or, ["∨"]),
        (_implies, ["⇒"]),
        (_equality, ["=", "≠"]),
        (_comparison, ["<", "≤", ">", "≥"]),
        (_arithmetic, ["+", "-", "*"]),
        (_extreme, ["min", "max"]),
        (_power, ["pow"]),
        (_division, ["/"]),
        (_modulo, ["%"]),
        (_logarithm, ["log"]),
        (_function, _FUNCTIONS),
        (_rounding, ["floor", "ceil", "trc"]),
        (_absolute, ["abs"]),
        (_signum, ["sgn"]),
        (_choice, ["ite"]),
    ]
    return ((name, rule) for rule, names in families for name in names)


_RULES: dict[str, _Rule] = dict(_rules())
OPERATORS = _RULES.keys()
