#!/usr/bin/env python3
"""Writes a fitted scikit-learn tree or forest as JSON for `--policy trees:FILE`.

    python3 examples/write_trees.py fitted.pickle trees.json

Fit a classifier on states (columns in the order of the model's variables, or a table with their
names) and action names; or a regressor that gives one value per action, in the model's order.
"""

import json
import pickle
import sys
from typing import Any


def tree_lists(tree: Any) -> dict[str, Any]:
    """The nodes of one decision tree; a classifier's values become shares of the classes."""
    value = tree.value.reshape(tree.node_count, -1)
    if tree.n_outputs == 1 and tree.max_n_classes > 1:
        value = value / value.sum(axis=1, keepdims=True)
    return {
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "value": value.tolist(),
        "missing_left": tree.missing_go_to_left.astype(bool).tolist(),
    }


def forest_document(fitted: Any) -> dict[str, Any]:
    """A DecisionTree…, RandomForest… or ExtraTrees… classifier or regressor as a JSON document."""
    inputs, outputs = getattr(fitted, "feature_names_in_", None), getattr(fitted, "classes_", None)
    return {
        "format": "bugsieve-trees",
        "inputs": fitted.n_features_in_ if inputs is None else inputs.tolist(),
        "outputs": fitted.n_outputs_ if outputs is None else outputs.tolist(),
        "float32": True,
        "average": True,
        "trees": [tree_lists(member.tree_) for member in getattr(fitted, "estimators_", [fitted])],
    }


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "w", encoding="utf-8") as target:
        json.dump(forest_document(pickle.load(source)), target)
