"""A small decision tree that says where the faults of a cause lie among good decisions.

It describes groups and never makes them. Both sides weigh the same, however few the faults are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

_DEPTH = 3
_LEAST_GAIN = 0.02
"""Of purity, for a condition to be worth a word; the impurity of all together is 0.5."""
_LEAST_ACCURACY = 0.75
_FEWEST_FAULTS = 3

Rows = NDArray[np.float64]
Bools = NDArray[np.bool_]


class ValueType(Protocol):
    """The type of a variable's values."""

    @property
    def kind(self) -> str:
        """`"bool"`, `"int"` or `"real"`."""
        ...


class TreeVariable(Protocol):
    """A column of the rows."""

    @property
    def name(self) -> str:
        """Its name in the words."""
        ...

    @property
    def type(self) -> ValueType:
        """Its type, by which its bounds are written."""
        ...


@dataclass(frozen=True)
class _Box:
    """The statement of a leaf of the tree: bounds on some variables."""

    bounds: dict[int, tuple[float, float]]
    """Values above the first number and at most the second, by column."""

    def half(self, column: int, threshold: float, *, above: bool) -> _Box:
        """The part of it beyond a threshold, or the other."""
        low, high = self.bounds.get(column, (-np.inf, np.inf))
        bound = (threshold, high) if above else (low, threshold)
        return _Box({**self.bounds, column: bound})


@dataclass(frozen=True)
class _Leaf:
    box: _Box
    faults: float
    """The weight of the faults in it, of all faults."""
    others: float


def where(variables: Sequence[TreeVariable], faults: Rows, others: Rows) -> str:
    """The place of the faults in words; empty where no small tree tells them from the others.

    The words are those of one leaf, and so is the accuracy.
    """
    if len(faults) < _FEWEST_FAULTS or not len(others):
        return ""
    rows = np.concatenate([faults, others])
    weights = np.repeat([1 / len(faults), 1 / len(others)], [len(faults), len(others)])
    is_fault = np.arange(len(rows)) < len(faults)
    leaves = _grown(rows, is_fault, weights, _Box({}), _DEPTH)
    largest = max(leaves, key=lambda leaf: leaf.faults - leaf.others)
    accuracy = (largest.faults + 1 - largest.others) / 2
    if accuracy < _LEAST_ACCURACY:
        return ""
    bounds = sorted(largest.box.bounds.items())
    parts = [_condition(variables[column], *bound) for column, bound in bounds]
    return f"at {' and '.join(parts)} (accuracy {100 * accuracy:.0f} %)"


def _grown(
    rows: Rows, is_fault: Bools, weights: NDArray[np.float64], box: _Box, depth: int
) -> list[_Leaf]:
    leaf = _Leaf(box, float(weights[is_fault].sum()), float(weights[~is_fault].sum()))
    split = _best_split(rows, is_fault, weights) if depth else None
    if split is None or not leaf.faults or not leaf.others:
        return [leaf]
    column, threshold = split
    above = rows[:, column] > threshold
    parts = ((above, True), (~above, False))
    return [
        part
        for mask, is_above in parts
        for part in _grown(
            rows[mask],
            is_fault[mask],
            weights[mask],
            box.half(column, threshold, above=is_above),
            depth - 1,
        )
    ]


def _best_split(
    rows: Rows, is_fault: Bools, weights: NDArray[np.float64]
) -> tuple[int, float] | None:
    """The column and threshold after which both sides are purest; of equal ones the first.

    None where that is hardly purer than all together.
    """
    best: tuple[float, int, float] | None = None
    for column in range(rows.shape[1]):
        order = np.argsort(rows[:, column], kind="stable")
        values = rows[order, column]
        ends = np.flatnonzero(values[1:] > values[:-1])
        if not len(ends):
            continue
        mine = np.cumsum(weights[order] * is_fault[order])
        theirs = np.cumsum(weights[order] * ~is_fault[order])
        low = _impurity(mine[ends], theirs[ends])
        scores = low + _impurity(mine[-1] - mine[ends], theirs[-1] - theirs[ends])
        place = int(scores.argmin())
        # Rounded, so that sums of another order do not decide.
        score = round(float(scores[place]), 9)
        if best is None or score < best[0]:
            threshold = float(values[ends[place]] + values[ends[place] + 1]) / 2
            best = (score, column, threshold)
    whole = float(_impurity(weights[is_fault].sum(), weights[~is_fault].sum()))
    return None if best is None or whole - best[0] < _LEAST_GAIN else best[1:]


def _impurity(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gini's, times the weight."""
    total = np.asarray(one + other, dtype=np.float64)
    return np.divide(one * other, total, out=np.zeros_like(total), where=total > 0)


def _condition(variable: TreeVariable, low: float, high: float) -> str:
    """`2 ≤ x ≤ 5` for a whole number, `x ≥ 0.5`, `x` or `not x`."""
    if variable.type.kind == "bool":
        return variable.name if low >= 0 else f"not {variable.name}"
    if variable.type.kind == "int":
        low, high = np.floor(low) + 1, np.floor(high)
    if low == high:
        return f"{variable.name} = {low:g}"
    if np.isinf(low):
        return f"{variable.name} ≤ {high:g}"
    return f"{variable.name} ≥ {low:g}" if np.isinf(high) else _between(variable, low, high)


def _between(variable: TreeVariable, low: float, high: float) -> str:
    return f"{low:g} ≤ {variable.name} ≤ {high:g}"
