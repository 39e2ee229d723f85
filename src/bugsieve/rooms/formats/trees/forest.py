"""Ensembles of decision trees, evaluated for a batch of inputs and all trees at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ZERO = float(np.float32(1e-35))  # up to here LightGBM takes a value for zero
WORK_OF_TREE = 150
"""Steps that reading a tree takes, however small it is."""
_LARGEST_PORTION = 1 << 17  # leaves looked up at once; more do not fit the cache


class MissingType(IntEnum):
    """The values of a feature that take the default way at a split, as LightGBM has it."""

    NONE = 0
    ZERO = 1
    NAN = 2


@dataclass(frozen=True, eq=False)
class Tree:
    """Splits and leaves; a value up to the threshold goes to the left.

    A child is the number of a split, which is greater than the parent's, or ~k for leaf k. The
    root is split 0, or leaf 0 where there is no split. `leaves` has a row per leaf with a number
    per output, or a single number for the output `output`.
    """

    features: Ints
    thresholds: Floats
    left: Ints
    right: Ints
    leaves: Floats
    default_left: NDArray[np.bool_]
    missing: NDArray[np.int8]
    output: int | None = None

    def mistake(self, num_inputs: int) -> str | None:
        """The reason why this is not a tree over so many inputs, or None."""
        number = len(self.features)
        columns = (self.thresholds, self.left, self.right, self.default_left, self.missing)
        if any(len(column) != number for column in columns):
            return "the lists of its splits differ in length"
        if not ((self.features >= 0) & (self.features < num_inputs)).all():
            return f"a split asks for feature {_odd(self.features, num_inputs)} of {num_inputs}"
        if np.isnan(self.thresholds).any():
            return "a threshold is not a number"
        if not np.isfinite(self.leaves).all():
            return "a leaf's value is not a finite number"
        splits = np.arange(number)
        for children in (self.left, self.right):
            inner = children >= 0
            if (children[inner] >= number).any() or (~children[~inner] >= len(self.leaves)).any():
                return "a child does not exist"
            # Children behind their parents: so there are no circles, and every way ends in a leaf.
            if (children[inner] <= splits[inner]).any():
                return "a child comes before its parent"
        return None if len(self.leaves) else "it has no leaves"


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees whose values are added up for each output.

    `inputs` and `outputs` are names, None where the order counts; an output may also be named by
    a number. With `single`, inputs are rounded to float32 first; with `average`, sums are divided
    by the number of trees.
    """

    trees: Sequence[Tree]
    num_inputs: int
    num_outputs: int
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str | int, ...] | None = None
    single: bool = False
    average: bool = False

    def evaluator(self) -> Evaluator:
        """The forest, ready for batches."""
        return Evaluator(self)


class Evaluator:
    """The splits and leaves of all trees in flat arrays."""

    def __init__(self, forest: Forest) -> None:
        trees = forest.trees
        self._forest = forest
        first_split = np.cumsum([0, *(len(tree.features) for tree in trees)])
        first_leaf = np.cumsum([0, *(len(tree.leaves) for tree in trees)])
        self._features = _joined([tree.features for tree in trees], np.int64)
        self._thresholds = _joined([tree.thresholds for tree in trees], np.float64)
        self._default_left = _joined([tree.default_left for tree in trees], np.bool_)
        self._missing = _joined([tree.missing for tree in trees], np.int8)
        self._left = _joined(_moved([t.left for t in trees], first_split, first_leaf), np.int64)
        self._right = _joined(_moved([t.right for t in trees], first_split, first_leaf), np.int64)
        self._has_zeros = bool((self._missing == MissingType.ZERO).any())
        has_splits = np.diff(first_split) > 0
        self._roots: Ints = np.where(has_splits, first_split[:-1], ~first_leaf[:-1])
        self._leaves, self._targets = _leaf_values(forest)

    def scores(self, inputs: Floats) -> Floats:
        """A row per row of inputs, a column per output; each tree adds its leaf, in order."""
        width = max(1, len(self._roots) * self._leaves.shape[1])
        portion = max(1, _LARGEST_PORTION // width)
        scores = np.empty((len(inputs), self._forest.num_outputs))
        for start in range(0, len(inputs), portion):
            scores[start : start + portion] = self._portion(inputs[start : start + portion])
        return scores

    def _portion(self, inputs: Floats) -> Floats:
        forest = self._forest
        if forest.single:
            inputs = inputs.astype(np.float32).astype(np.float64)
        values = self._leaves[self._reached(inputs)]
        rows = np.arange(len(inputs))[:, np.newaxis, np.newaxis] * forest.num_outputs
        # bincount adds one value after the other: sums do not depend on the batch.
        flat = np.bincount(
            (rows + self._targets).ravel(),
            weights=values.ravel(),
            minlength=len(inputs) * forest.num_outputs,
        )
        sums: Floats = flat.reshape(len(inputs), forest.num_outputs).astype(np.float64)
        return sums / len(forest.trees) if forest.average else sums

    def _reached(self, inputs: Floats) -> Ints:
        """The leaf that each row reaches in each tree."""
        number = len(self._roots)
        places = np.tile(self._roots, len(inputs))
        active = np.flatnonzero(places >= 0)
        # All rows go down all trees together, one level per turn; who has reached a leaf drops
        # out.
        while active.size:
            splits = places[active]
            values = inputs[active // number, self._features[splits]]
            ways = np.where(self._to_left(splits, values), self._left[splits], self._right[splits])
            places[active] = ways
            active = active[ways >= 0]
        return ~places.reshape(len(inputs), number)

    def _to_left(self, splits: Ints, values: Floats) -> NDArray[np.bool_]:
        unknown = np.isnan(values)
        below: NDArray[np.bool_] = values <= self._thresholds[splits]
        if not self._has_zeros and not unknown.any():
            return below
        missing = self._missing[splits]
        values = np.where(unknown & (missing != MissingType.NAN), 0.0, values)
        by_default = (missing == MissingType.ZERO) & (np.abs(values) <= _ZERO)
        by_default |= (missing == MissingType.NAN) & unknown
        return np.where(by_default, self._default_left[splits], values <= self._thresholds[splits])


def _odd(features: Ints, num_inputs: int) -> int:
    return int(features[(features < 0) | (features >= num_inputs)][0])


def _joined(arrays: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *arrays]).astype(kind)


def _moved(children: Sequence[Ints], first_split: Ints, first_leaf: Ints) -> list[Ints]:
    """Children by the numbers that splits and leaves have in the whole forest."""
    return [
        np.where(child >= 0, child + split, child - leaf)
        for child, split, leaf in zip(children, first_split[:-1], first_leaf[:-1], strict=True)
    ]


def _leaf_values(forest: Forest) -> tuple[Floats, Ints]:
    """Rows of leaf values, and the outputs that the values of each tree count for."""
    if all(tree.output is not None for tree in forest.trees):
        leaves = _joined([tree.leaves.ravel() for tree in forest.trees], np.float64)
        targets = np.array([tree.output for tree in forest.trees], dtype=np.int64)
        return leaves[:, np.newaxis], targets[:, np.newaxis]
    width = forest.num_outputs
    rows = np.concatenate([_spread(tree, width) for tree in forest.trees])
    return rows, np.tile(np.arange(width), (len(forest.trees), 1))


def _spread(tree: Tree, width: int) -> Floats:
    """The leaves of a tree with a value for every output."""
    if tree.output is None:
        return tree.leaves
    spread = np.zeros((len(tree.leaves), width))
    spread[:, tree.output] = tree.leaves
    return spread
