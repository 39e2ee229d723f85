"""LightGBM's text dumps: its own predictions, and files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.formats.trees.policy import read_forest

HEAD = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=Column_0 Column_1
feature_infos=[0:5] [0:5]

"""
TREE = """Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=2.5 1.5
decision_type=2 8
left_child=1 -1
right_child=-3 -2
leaf_value=1 2 4
is_linear=0
shrinkage=1


"""
LEAF = "Tree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=0.5\nis_linear=0\nshrinkage=1\n\n"
END = "end of trees\n\nfeature_importances:\n\nparameters:\n[boosting: gbdt]\nend of parameters\n"
TEXT = HEAD + TREE + LEAF + END


def read(folder: Path, text: str | bytes) -> Any:
    path = folder / "model.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_forest(path)


def test_a_file_by_hand(tmp_path: Path) -> None:
    forest = read(tmp_path, TEXT)
    assert (forest.num_inputs, forest.num_outputs, len(forest.trees)) == (2, 1, 2)
    assert forest.inputs is None and forest.outputs is None
    nan = np.nan
    inputs = np.array([[2.5, 1.5], [2.5, 2], [3, 0], [nan, 9], [1, nan]])
    # The first split takes what is no number for 0, the second sends it to the right.
    assert forest.evaluator().scores(inputs)[:, 0].tolist() == [1.5, 2.5, 4.5, 2.5, 2.5]


def test_names_of_features_and_actions(tmp_path: Path) -> None:
    head = HEAD.replace("Column_0 Column_1", "floor load\naction_names=up down")
    forest = read(tmp_path, head + TREE + END)
    assert forest.inputs == ("floor", "load")
    assert forest.outputs == ("up", "down")


WRONG = [
    ("end of trees", "end of", "has no line 'end of trees': it is cut short"),
    ("max_feature_idx=1\n", "", "its head: has no 'max_feature_idx'"),
    ("max_feature_idx=1", "max_feature_idx=x", "its head: 'max_feature_idx' is no whole number"),
    ("max_feature_idx=1", "max_feature_idx=-1", "has no features or no trees per iteration"),
    ("per_iteration=1", "per_iteration=0", "has no features or no trees per iteration"),
    ("max_feature_idx=1", "max_feature_idx=2", "names 2 of its 3 features"),
    ("feature_infos", "tree_sizes=1 2 3\nfeature_infos", "announces 3 trees, but has 2"),
    ("num_cat=0\nsplit", "num_cat=2\nsplit", "tree 0: splits on categories, which is not"),
    ("is_linear=0\nshrinkage=1\n\n\n", "is_linear=1\n", "tree 0: has linear leaves, which are"),
    ("num_leaves=3", "num_leaves=4", "tree 0: 'leaf_value' has 3 values"),
    ("split_feature=0 1\n", "", "tree 0: has no 'split_feature'"),
    ("split_feature=0 1", "split_feature=0 2", "tree 0: a split asks for feature 2 of 2"),
    ("split_feature=0 1", "split_feature=0 x", "tree 0: 'split_feature' has an entry that is no"),
    ("split_feature=0 1", "split_feature=0 1.5", "tree 0: 'split_feature' has an entry that is"),
    ("split_feature=0 1", "split_feature=0", "tree 0: the lists of its splits differ in length"),
    ("threshold=2.5 1.5", "threshold=2.5 nan", "tree 0: a threshold is not a number"),
    ("decision_type=2 8", "decision_type=2 1", "tree 0: 'decision_type' has a value that is no"),
    ("decision_type=2 8", "decision_type=2 12", "tree 0: 'decision_type' has a value that is"),
    ("left_child=1 -1", "left_child=0 -1", "tree 0: a child comes before its parent"),
    ("left_child=1 -1", "left_child=1 -9", "tree 0: a child does not exist"),
    ("leaf_value=1 2 4", "leaf_value=1 nan 4", "tree 0: a leaf's value is not a finite number"),
    ("leaf_value=1 2 4", "leaf_value=1 two 4", "tree 0: 'leaf_value' has an entry that is no"),
    ("leaf_value=0.5", "leaf_value=", "tree 1: 'leaf_value' has 0 values"),
    (TREE + LEAF, "", "has no trees"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), WRONG)
def test_wrong_files(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(InputError) as error:
        read(tmp_path, TEXT.replace(old, new))
    assert sentence in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'model.txt'}: ")


def test_more_splits_than_leaves(tmp_path: Path) -> None:
    text = TEXT.replace("num_leaves=3", "num_leaves=4").replace("=1 2 4", "=1 2 4 8")
    with pytest.raises(InputError, match="tree 0: has 2 splits for 4 leaves"):
        read(tmp_path, text)


@pytest.mark.parametrize("size", range(5, len(TEXT) - len(END), 40))
def test_files_cut_short(size: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cut short|neither"):
        read(tmp_path, TEXT[:size])


def test_files_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is neither a text dump of LightGBM nor JSON"):
        read(tmp_path, b"\x80\x04\x95pickled")
    with pytest.raises(InputError, match="is not UTF-8"):
        read(tmp_path, b"tree\n\xff\xfe\nend of trees\n")
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path, "")


DRAW = np.random.default_rng(7)
X = DRAW.integers(0, 6, (400, 3)).astype(np.float64)
X[DRAW.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 4).astype(int) + (X[:, 2] > 3)
ODD = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-36, 1e-34, 2.5000000000000004, 2.5, -3, 1e300]
PROBES = np.concatenate([X, DRAW.choice(ODD, (300, 3)), DRAW.normal(2, 3, (300, 3))])
SETTINGS: list[dict[str, Any]] = [
    {"objective": "multiclass", "num_class": 3},
    {"objective": "multiclassova", "num_class": 3},
    {"objective": "multiclass", "num_class": 3, "zero_as_missing": True},
    {"objective": "multiclass", "num_class": 3, "use_missing": False},
    {"objective": "multiclass", "num_class": 3, "boosting": "dart"},
    {
        "objective": "multiclass",
        "num_class": 3,
        "boosting": "rf",
        "bagging_freq": 1,
        "bagging_fraction": 0.5,
    },
    {"objective": "regression"},
    {"objective": "huber", "extra_trees": True},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_scores_are_those_of_lightgbm(options: dict[str, Any], tmp_path: Path) -> None:
    booster = train(options)
    booster.save_model(tmp_path / "model.txt")
    scores = read_forest(tmp_path / "model.txt").evaluator().scores(PROBES)
    expected = booster.predict(PROBES, raw_score=True, num_threads=1).reshape(scores.shape)
    assert scores.tolist() == expected.tolist()  # to the last bit


def test_binary_models_have_two_outputs(tmp_path: Path) -> None:
    booster = train({"objective": "binary"}, labels=Y > 0)
    booster.save_model(tmp_path / "model.txt")
    scores = read_forest(tmp_path / "model.txt").evaluator().scores(PROBES)
    assert (scores[:, 0] == 0).all()
    chances = booster.predict(PROBES, num_threads=1)
    assert (scores.argmax(axis=1) == (chances > 0.5)).all()


def test_lightgbm_still_reads_a_file_with_action_names(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    booster = train(SETTINGS[0])
    path = tmp_path / "model.txt"
    booster.save_model(path)
    text = path.read_text().replace("feature_infos", "action_names=a b c\nfeature_infos", 1)
    path.write_text(text)
    again = lightgbm.Booster(model_file=path).predict(PROBES)
    assert again.tolist() == booster.predict(PROBES).tolist()
    assert read_forest(path).outputs == ("a", "b", "c")


def test_categories_are_refused(tmp_path: Path) -> None:
    booster = train({"objective": "regression"}, categorical_feature=[0])
    booster.save_model(tmp_path / "model.txt")
    with pytest.raises(UnsupportedError, match=r"tree \d+: splits on categories"):
        read_forest(tmp_path / "model.txt")


def test_linear_leaves_are_refused(tmp_path: Path) -> None:
    booster = train({"objective": "regression", "linear_tree": True})
    booster.save_model(tmp_path / "model.txt")
    with pytest.raises(UnsupportedError, match=r"tree \d+: has linear leaves"):
        read_forest(tmp_path / "model.txt")


def train(options: dict[str, Any], *, labels: Any = Y, **more: Any) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    fixed = {"verbose": -1, "num_threads": 1, "num_leaves": 9, "min_data_in_leaf": 5, "seed": 1}
    linear = {"linear_tree": True} if options.get("linear_tree") else {}
    data = lightgbm.Dataset(X, labels, params={"verbose": -1, **linear}, **more)
    return lightgbm.train({**fixed, **options}, data, num_boost_round=12)
