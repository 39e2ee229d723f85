"""The functions of the core's operators, for constants; errors are ArithmeticErrors."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from bugsieve.rooms.jani.model.types import Kind, Value

INT64 = 2**63
OF_REALS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
"""Called alike in JANI, in the core and in `math`."""

_COMPARISONS = {"equal": operator.eq, "less": operator.lt, "at_most": operator.le}


def _exact(value: int) -> int:
    if not -INT64 <= value < INT64:
        raise OverflowError("integer beyond 64 bits")
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ArithmeticError("no finite value")
    return value


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise ArithmeticError("negative exponent of integers")
    if abs(base) > 1 and exponent > 63:
        raise OverflowError("integer beyond 64 bits")
    return _exact(base**exponent)


def _real_power(base: float, exponent: float) -> float:
    return _finite(math.pow(base, exponent))


def _logarithm(value: float, base: float) -> float:
    return _finite(math.log(value) / math.log(base))


def _minimum(a: Any, b: Any) -> Any:
    return b if b < a else a


def _maximum(a: Any, b: Any) -> Any:
    return b if b > a else a


def _sign(a: Any) -> int:
    return int(a > 0) - int(a < 0)


def _checked(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *operands: _exact(function(*operands))


def _guarded(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda a: _finite(function(a))


FUNCTIONS: dict[str, tuple[Kind, Callable[..., Value]]] = {
    "to_real": ("real", float),
    "not": ("bool", operator.not_),
    **{
        f"{kind}_{name}": ("bool", compare)
        for kind in ("int", "real")
        for name, compare in _COMPARISONS.items()
    },
    "int_add": ("int", _checked(operator.add)),
    "int_subtract": ("int", _checked(operator.sub)),
    "int_multiply": ("int", _checked(operator.mul)),
    "int_modulo": ("int", operator.mod),
    "int_minimum": ("int", _minimum),
    "int_maximum": ("int", _maximum),
    "int_power": ("int", _power),
    "int_absolute": ("int", _checked(abs)),
    "int_sign": ("int", _sign),
    "real_add": ("real", operator.add),
    "real_subtract": ("real", operator.sub),
    "real_multiply": ("real", operator.mul),
    "real_divide": ("real", operator.truediv),
    "real_minimum": ("real", _minimum),
    "real_maximum": ("real", _maximum),
    "real_power": ("real", _real_power),
    "real_logarithm": ("real", _logarithm),
    "real_absolute": ("real", abs),
    "real_sign": ("int", _sign),
    "floor": ("int", _checked(math.floor)),
    "ceiling": ("int", _checked(math.ceil)),
    "truncate": ("int", _checked(math.trunc)),
    **{name: ("real", _guarded(getattr(math, name))) for name in OF_REALS},
}
"""Kind of the result and function, by the operator's name in the core; choices are not here."""

ERRORS = (ArithmeticError, ValueError)
"""The errors of functions where they have no value."""
