"""Builders for JANI expressions, so that generators read like the formulas they write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Expression: TypeAlias = "bool | int | float | str | dict[str, Any]"
"""A literal, the name of a variable or constant, or an operator with its operands."""
Binary: TypeAlias = "Callable[[Expression, Expression], Expression]"


def _binary(operator: str) -> Binary:
    def join(left: Expression, right: Expression) -> Expression:
        return {"op": operator, "left": left, "right": right}

    return join


eq, ne, lt, le, ge = map(_binary, ("=", "≠", "<", "≤", "≥"))
minus, over, modulo, smaller = map(_binary, ("-", "/", "%", "min"))
_sum, _product, _and, _or = map(_binary, ("+", "*", "∧", "∨"))


def between(low: Expression, middle: Expression, high: Expression) -> Expression:
    """low ≤ middle ≤ high"""
    return conj(le(low, middle), le(middle, high))


def plus(*terms: Expression) -> Expression:
    """The sum of all terms, 0 if there are none; added up from the left if there are few."""
    return (_from_left if len(terms) <= _FEW else _balanced)(_sum, terms, 0)


def times(*factors: Expression) -> Expression:
    """The product of all factors, from the left."""
    return _from_left(_product, factors, 1)


def conj(*parts: Expression) -> Expression:
    """All of the parts; true if there are none."""
    return _balanced(_and, parts, True)


def disj(*parts: Expression) -> Expression:
    """Any of the parts; false if there are none."""
    return _balanced(_or, parts, False)


def implies(condition: Expression, consequence: Expression) -> Expression:
    """The consequence, where the condition holds."""
    return disj({"op": "¬", "exp": condition}, consequence)


def ite(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """One of two values."""
    return {"op": "ite", "if": condition, "then": then, "else": otherwise}


_FEW = 4


def _from_left(join: Binary, parts: Sequence[Expression], empty: Expression) -> Expression:
    result = parts[0] if parts else empty
    for part in parts[1:]:
        result = join(result, part)
    return result


def _balanced(join: Binary, parts: Sequence[Expression], empty: Expression) -> Expression:
    """Joined as a tree of least depth, which keeps long sums within the reach of any reader."""
    layer = list(parts) or [empty]
    while len(layer) > 1:
        pairs = [join(*layer[at : at + 2]) for at in range(0, len(layer) - 1, 2)]
        layer = pairs + layer[2 * len(pairs) :]
    return layer[0]
