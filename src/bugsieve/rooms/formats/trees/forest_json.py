"""Our own JSON format of tree ensembles; `examples/write_trees.py` writes it from scikit-learn.

    {"format": "bugsieve-trees", "inputs": ["x", "y"], "outputs": ["left", "right"],
     "float32": true, "average": true,
     "trees": [{"feature": [0, -1, -1], "threshold": [2.5, 0, 0], "left": [1, -1, -1],
                "right": [2, -1, -1], "value": [[0.5, 0.5], [1, 0], [0, 1]]}, …]}

The lists of a tree have an entry per node, the root first and children after their parents; `left`
is -1 at leaves. A value up to the threshold goes to the left. `value` has a number per output, of
which those of the leaves count; a tree with `"output": k` has one number per node, for output k.
`inputs` are variables and `outputs` actions or their numbers; where only their count is given, as
in `"inputs": 2`, the order counts. With `float32`, inputs are rounded to single precision first,
as scikit-learn does. With `average`, sums are divided by the number of trees. `missing_left` says
where values that are not numbers go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_work
from bugsieve.base.parts import Part
from bugsieve.rooms.formats.trees.forest import WORK_OF_TREE, Forest, MissingType, Tree
from bugsieve.tasks.json_text import load_json

FORMAT = "bugsieve-trees"


def read_forest_json(path: Path) -> Forest:
    """The forest in a JSON file."""
    root = Part(load_json(path, kind="trees"), str(path))
    if root.get("tree_info") is not None:
        raise root.error("is LightGBM's JSON: give the text that save_model writes")
    if root["format"].data != FORMAT:
        raise root["format"].error(f"must be {FORMAT!r}, but is {root['format'].kind}")
    num_inputs, inputs = _labels(root["inputs"])
    num_outputs, outputs = _labels(root["outputs"])
    trees = [_tree(part, num_inputs, num_outputs) for part in root["trees"].items()]
    if not trees:
        raise root["trees"].error("there are no trees")
    return Forest(
        trees,
        num_inputs,
        num_outputs,
        inputs=None if inputs is None else tuple(map(str, inputs)),
        outputs=outputs,
        single=_flag(root, "float32"),
        average=_flag(root, "average"),
    )


def _labels(part: Part) -> tuple[int, tuple[str | int, ...] | None]:
    """The number of labels, and their names where they have some."""
    if _is_count(part):
        return part.data, None
    labels = tuple(item.data if _is_count(item) else item.text() for item in part.items())
    if len(set(labels)) != len(labels):
        raise part.error("two have the same name")
    return len(labels), labels


def _is_count(part: Part) -> bool:
    return type(part.data) is int and part.data >= 0


def _flag(root: Part, name: str) -> bool:
    part = root.get(name)
    return part is not None and part.flag()


def _tree(part: Part, num_inputs: int, num_outputs: int) -> Tree:
    take_work(WORK_OF_TREE)
    left, right = _column(part["left"], whole=True), _column(part["right"], whole=True)
    features = _column(part["feature"], whole=True)
    thresholds = _column(part["threshold"])
    output = _output(part.get("output"), num_outputs)
    values = _rows(part["value"], num_outputs) if output is None else _column(part["value"])
    default = part.get("missing_left")
    ways = np.zeros(len(left), dtype=np.bool_) if default is None else _flags(default)
    if len({len(c) for c in (left, right, features, thresholds, values, ways)}) != 1:
        raise part.error("its lists differ in length")
    is_leaf = left < 0
    if ((left >= len(left)) | (right >= len(left)) | (~is_leaf & (right < 0))).any():
        raise part.error("a child does not exist")
    if is_leaf[:1].any() and len(left) > 1:
        raise part.error("the root is a leaf, but there are more nodes")
    splits = ~is_leaf
    names = np.where(is_leaf, ~(np.cumsum(is_leaf) - 1), np.cumsum(splits) - 1)
    tree = Tree(
        features=features[splits],
        thresholds=thresholds[splits],
        left=names[left[splits]],
        right=names[right[splits]],
        leaves=values[is_leaf],
        default_left=ways[splits],
        missing=np.full(int(splits.sum()), MissingType.NAN, dtype=np.int8),
        output=output,
    )
    mistake = tree.mistake(num_inputs)
    if mistake is not None:
        raise part.error(mistake)
    return tree


def _output(part: Part | None, number: int) -> int | None:
    if part is None or part.data is None:
        return None
    if not _is_count(part) or part.data >= number:
        raise part.error(f"must be a number below {number}, but is {part.kind}")
    return int(part.data)


def _column(part: Part, *, whole: bool = False) -> NDArray[Any]:
    kinds = (int,) if whole else (int, float)
    for item in part.items():
        if type(item.data) not in kinds:
            raise item.error(f"must be a {'whole ' * whole}number, but is {item.kind}")
    try:
        return np.array(part.data, dtype=np.int64 if whole else np.float64)
    except OverflowError:
        raise part.error("has a number that is too large") from None


def _rows(part: Part, width: int) -> NDArray[np.float64]:
    rows = [_column(item) for item in part.items()]
    for row, item in zip(rows, part.items(), strict=True):
        if len(row) != width:
            raise item.error(f"must have {width} numbers, one per output, but has {len(row)}")
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


def _flags(part: Part) -> NDArray[np.bool_]:
    return np.array([item.flag() for item in part.items()], dtype=np.bool_)
