"""Our JSON of trees: scikit-learn's own predictions, and files that are wrong."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.trees.policy import read_forest

EXAMPLE = Path(__file__).parents[4] / "examples" / "write_trees.py"

NODES = {
    "feature": [0, -1, 1, -1, -1],
    "threshold": [2.5, 0, 0.1, 0, 0],
    "left": [1, -1, 3, -1, -1],
    "right": [2, -1, 4, -1, -1],
    "value": [[9, 9], [1, 0], [9, 9], [0, 2], [3, 3]],
}
DOCUMENT = {"format": "bugsieve-trees", "inputs": 2, "outputs": ["up", "down"], "trees": [NODES]}


def read(folder: Path, document: Any) -> Any:
    path = folder / "trees.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return read_forest(path)


def test_a_file_by_hand(tmp_path: Path) -> None:
    forest = read(tmp_path, DOCUMENT)
    assert forest.outputs == ("up", "down") and forest.inputs is None
    inputs = np.array([[2.5, 9], [2.6, 0.1], [3, 0.2], [np.nan, np.nan]])
    assert forest.evaluator().scores(inputs).tolist() == [[1, 0], [0, 2], [3, 3], [3, 3]]


def test_options(tmp_path: Path) -> None:
    single = {"feature": [0], "threshold": [0], "left": [-1], "right": [-1], "value": [5]}
    trees = [
        {**NODES, "missing_left": [False, False, True, False, False]},
        {**single, "output": 1},
        {**NODES, "output": None},
    ]
    forest = read(tmp_path, {**DOCUMENT, "inputs": ["x", "y"], "outputs": [1, 0], "trees": trees})
    assert forest.inputs == ("x", "y") and forest.outputs == (1, 0)
    scores = forest.evaluator().scores(np.array([[0, 0], [3, np.nan]]))
    assert scores.tolist() == [[2, 5], [3, 10]]
    # In single precision 0.1 is a little more, and passes the threshold.
    for flag, expected in ((False, [0, 2]), (True, [3, 3])):
        forest = read(tmp_path, {**DOCUMENT, "float32": flag})
        assert forest.evaluator().scores(np.array([[3, 0.1]]))[0].tolist() == expected
    for flag, expected in ((False, [6, 6]), (True, [3, 3])):
        forest = read(tmp_path, {**DOCUMENT, "average": flag, "trees": [NODES, NODES]})
        assert forest.evaluator().scores(np.array([[3, 9]]))[0].tolist() == expected


def nodes(**changes: Any) -> dict[str, Any]:
    return {**DOCUMENT, "trees": [{**NODES, **changes}]}


WRONG: list[tuple[Any, str]] = [
    ("[]", "is neither a text dump"),
    ("{", "line 1, column 2: is not valid JSON"),
    ({}, "has no 'format'"),
    ({"format": "trees"}, "format: must be 'bugsieve-trees', but is 'trees'"),
    ({"tree_info": []}, "is LightGBM's JSON: give the text that save_model writes"),
    ({**DOCUMENT, "inputs": None}, "inputs: must be a list, but is null"),
    ({**DOCUMENT, "inputs": -1}, "inputs: must be a list, but is -1"),
    ({**DOCUMENT, "inputs": [""]}, "inputs[0]: must be a name, but is empty"),
    ({**DOCUMENT, "outputs": ["up", "up"]}, "outputs: two have the same name"),
    ({**DOCUMENT, "outputs": [1.5]}, "outputs[0]: must be a name, but is 1.5"),
    ({**DOCUMENT, "float32": "yes"}, "float32: must be true or false, but is 'yes'"),
    ({**DOCUMENT, "trees": []}, "trees: there are no trees"),
    ({**DOCUMENT, "trees": [[]]}, "trees[0]: must be an object, but is a list"),
    ({**DOCUMENT, "trees": [{}]}, "trees[0]: has no 'left'"),
    (nodes(left=[1, -1]), "trees[0]: its lists differ in length"),
    (nodes(left=[1, -1, "3", -1, -1]), "trees[0].left[2]: must be a whole number, but is '3'"),
    (nodes(left=[1, -1, 3.0, -1, -1]), "trees[0].left[2]: must be a whole number, but is 3.0"),
    (nodes(left=[1, -1, True, -1, -1]), "trees[0].left[2]: must be a whole number, but is a tr"),
    (nodes(left=[2**70, -1, 3, -1, -1]), "trees[0].left: has a number that is too large"),
    (nodes(left=[9, -1, 3, -1, -1]), "trees[0]: a child does not exist"),
    (nodes(right=[-1, -1, 4, -1, -1]), "trees[0]: a child does not exist"),
    (nodes(left=[0, -1, 3, -1, -1]), "trees[0]: a child comes before its parent"),
    (nodes(left=[1, -1, 0, -1, -1]), "trees[0]: a child comes before its parent"),
    (nodes(left=[-1, -1, 3, -1, -1]), "trees[0]: the root is a leaf, but there are more nodes"),
    (nodes(feature=[0, -1, 2, -1, -1]), "trees[0]: a split asks for feature 2 of 2"),
    (nodes(threshold=[2.5, 0, None, 0, 0]), "trees[0].threshold[2]: must be a number, but is nul"),
    (nodes(value=[[9, 9], [1], [9, 9], [0, 2], [3, 3]]), "value[1]: must have 2 numbers, one per"),
    (nodes(value=[1, 2, 3, 4, 5]), "trees[0].value[0]: must be a list, but is 1"),
    (nodes(output=2, value=[1, 2, 3, 4, 5]), "trees[0].output: must be a number below 2, but is"),
    (nodes(output="up"), "trees[0].output: must be a number below 2, but is 'up'"),
    (nodes(missing_left=[1, 2, 3, 4, 5]), "trees[0].missing_left[0]: must be true or false"),
    (nodes(**{key: [] for key in NODES}), "trees[0]: it has no leaves"),
    (json.dumps(nodes()).replace("[1, 0]", "[1e999, 0]"), "a leaf's value is not a finite number"),
]


@pytest.mark.parametrize(("document", "sentence"), WRONG)
def test_wrong_files(document: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, document)
    assert sentence in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'trees.json'}: ")


DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(300, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)
PROBES = np.concatenate([X, X.astype(np.float32), DRAW.normal(size=(300, 4))])


def written(fitted: Any, folder: Path) -> Any:
    """The forest of a fitted estimator, by way of the example script."""
    return read(folder, runpy.run_path(str(EXAMPLE))["forest_document"](fitted))


@pytest.mark.parametrize(
    ("module", "name", "options"),
    [
        ("tree", "DecisionTreeClassifier", {}),
        ("tree", "DecisionTreeClassifier", {"max_depth": 1, "criterion": "entropy"}),
        ("tree", "ExtraTreeClassifier", {"max_leaf_nodes": 9}),
        ("ensemble", "RandomForestClassifier", {"n_estimators": 15, "max_depth": 4}),
        ("ensemble", "ExtraTreesClassifier", {"n_estimators": 15, "min_samples_leaf": 5}),
    ],
)
def test_classes_are_those_of_scikit_learn(
    module: str, name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    estimator = getattr(pytest.importorskip(f"sklearn.{module}"), name)
    labels = np.array(["down", "stay", "up"])[Y]
    fitted = estimator(random_state=0, **options).fit(X, labels)
    forest = written(fitted, tmp_path)
    assert forest.outputs == ("down", "stay", "up") and forest.num_inputs == 4
    scores = forest.evaluator().scores(PROBES)
    np.testing.assert_allclose(scores, fitted.predict_proba(PROBES), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("module", "name"), [("tree", "DecisionTreeRegressor"), ("ensemble", "RandomForestRegressor")]
)
def test_values_are_those_of_scikit_learn(module: str, name: str, tmp_path: Path) -> None:
    estimator = getattr(pytest.importorskip(f"sklearn.{module}"), name)
    values = np.stack([X[:, 0] * X[:, 1], np.abs(X[:, 2]), X[:, 3]], axis=1)
    fitted = estimator(max_depth=6, random_state=0).fit(X, values)
    forest = written(fitted, tmp_path)
    assert forest.outputs is None and forest.num_outputs == 3
    scores = forest.evaluator().scores(PROBES)
    np.testing.assert_allclose(scores, fitted.predict(PROBES), rtol=1e-9, atol=1e-12)


def test_missing_values_go_where_scikit_learn_sends_them(tmp_path: Path) -> None:
    tree = pytest.importorskip("sklearn.tree")
    holes = np.where(DRAW.random(X.shape) < 0.2, np.nan, X)
    fitted = tree.DecisionTreeClassifier(max_depth=6, random_state=0).fit(holes, Y)
    scores = written(fitted, tmp_path).evaluator().scores(holes)
    np.testing.assert_allclose(scores, fitted.predict_proba(holes), rtol=0, atol=1e-12)
