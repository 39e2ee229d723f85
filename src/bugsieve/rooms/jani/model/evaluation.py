"""Computes expressions for whole columns of values, without a model around them.

The core is faster and names what goes wrong; this is for parts of a condition, on states of which
some variables are not known yet. What has no value here is arbitrary: the core decides in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.linear import nodes_below

Column = NDArray[Any]

_TYPES = {"bool": np.bool_, "int": np.int64, "real": np.float64}


def evaluate(graph: Graph, node: int, columns: Mapping[int, NDArray[np.float64]]) -> Column:
    """The values of a node, given the columns of the variables it reads."""
    values: dict[int, Column] = {}
    with np.errstate(all="ignore"):
        for part in nodes_below(graph, node):
            values[part] = _value(graph, part, values, columns)
    return values[node]


def _value(
    graph: Graph,
    node: int,
    values: Mapping[int, Column],
    columns: Mapping[int, NDArray[np.float64]],
) -> Column:
    constant = graph.value(node)
    if constant is not None:
        return np.asarray(constant, dtype=_TYPES[graph.kind(node)])
    name, operands = graph.operator(node), graph.operands(node)
    if name == "variable":
        return columns[operands[0]].astype(_TYPES[graph.kind(node)])
    return _FUNCTIONS[name](*(values[operand] for operand in operands))


def _modulo(a: Column, b: Column) -> Column:
    return np.mod(a, np.where(b == 0, 1, b))


def _whole(rounding: Callable[[Column], Column]) -> Callable[[Column], Column]:
    return lambda a: rounding(a).astype(np.int64)


def _integer_power(a: Column, b: Column) -> Column:
    return np.power(a, np.maximum(b, 0))


_BOTH_KINDS: dict[str, Callable[..., Column]] = {
    "equal": np.equal,
    "less": np.less,
    "at_most": np.less_equal,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "absolute": np.abs,
    "sign": lambda a: np.sign(a).astype(np.int64),
}

_FUNCTIONS: dict[str, Callable[..., Column]] = {
    **{f"{kind}_{name}": f for kind in ("int", "real") for name, f in _BOTH_KINDS.items()},
    "to_real": lambda a: a.astype(np.float64),
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "ite": np.where,
    "int_modulo": _modulo,
    "int_power": _integer_power,
    "real_divide": np.divide,
    "real_power": np.power,
    "real_logarithm": lambda a, b: np.log(a) / np.log(b),
    "floor": _whole(np.floor),
    "ceiling": _whole(np.ceil),
    "truncate": _whole(np.trunc),
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
}
