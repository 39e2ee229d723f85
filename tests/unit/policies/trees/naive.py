"""Tree ensembles evaluated in the plainest way: one row, one tree, one split at a time."""

from __future__ import annotations

import math

import numpy as np

from bugsieve.rooms.formats.trees.forest import Floats, Forest, MissingType, Tree


def naive_scores(forest: Forest, inputs: Floats) -> list[list[float]]:
    return [_row(forest, row) for row in inputs]


def _row(forest: Forest, row: Floats) -> list[float]:
    sums = [0.0] * forest.num_outputs
    for tree in forest.trees:
        leaf = tree.leaves[_leaf(tree, row, single=forest.single)]
        pairs = enumerate(leaf) if tree.output is None else [(tree.output, leaf)]
        for output, value in pairs:
            sums[output] += float(value)
    return [total / len(forest.trees) for total in sums] if forest.average else sums


def _leaf(tree: Tree, row: Floats, *, single: bool) -> int:
    place = 0 if len(tree.features) else -1
    while place >= 0:
        value = float(row[tree.features[place]])
        value = float(np.float32(value)) if single else value
        left = _goes_left(value, tree, place)
        place = int(tree.left[place] if left else tree.right[place])
    return ~place


def _goes_left(value: float, tree: Tree, split: int) -> bool:
    missing = tree.missing[split]
    if math.isnan(value) and missing != MissingType.NAN:
        value = 0.0
    if missing == MissingType.ZERO and abs(value) <= float(np.float32(1e-35)):
        return bool(tree.default_left[split])
    if missing == MissingType.NAN and math.isnan(value):
        return bool(tree.default_left[split])
    return value <= float(tree.thresholds[split])
