"""Tree ensembles as policies: which variables they read, which actions they choose."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.trees.policy import TreesPolicy
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.registry import make_model_policy
from tests.unit.policies.models.lift import floors, lift, names
from tests.unit.policies.trees.test_forest_json import EXAMPLE
from tests.unit.policies.trees.test_lightgbm_text import END, HEAD, LEAF, TREE
from tests.unit.tasks.jani.small import bounded, edge, simple, variable


def stump(*, feature: int, threshold: float, low: list[float], high: list[float]) -> Any:
    return {
        "feature": [feature, -1, -1],
        "threshold": [threshold, 0, 0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "value": [low, low, high],
    }


# Loves jumping up to floor 2, going down above it; going up is its second choice.
TREES = [stump(feature=0, threshold=2.5, low=[1, 2, 0], high=[1, 0, 2])]
DOCUMENT = {
    "format": "bugsieve-trees",
    "inputs": ["floor"],
    "outputs": ["up", "jump", "down"],
    "trees": TREES,
}


def write(folder: Path, name: str = "trees.json", **changes: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps({**DOCUMENT, **changes}))
    return path


def chosen(spec: str, loaded: JaniModel, states: Valuations) -> list[str | None]:
    return names(loaded, make_model_policy(spec, loaded).choose(states).tolist())


def test_only_applicable_actions_compete(tmp_path: Path) -> None:
    loaded = lift()
    path = write(tmp_path)
    states = floors(loaded, 0, 1, 2, 3, 4, 5)
    assert chosen(f"trees:{path}", loaded, states) == ["jump", "up", "up", "down", "down", None]
    assert chosen(f"trees:{path},filter=yes", loaded, states[:2]) == ["jump", "up"]
    unfiltered = ["jump", "jump", "jump", "down", "down", "down"]
    assert chosen(f"trees:{path},filter=no", loaded, states) == unfiltered
    assert chosen(f"trees:{path}", loaded, states[:0]) == []


def test_variables_in_any_order(tmp_path: Path) -> None:
    loaded = lift()
    trees = [stump(feature=0, threshold=1.0, low=[2, 0, 1], high=[1, 0, 2])]
    path = write(tmp_path, inputs=["load", "open", "floor"], trees=trees)
    states = np.array([loaded.state([2, False, 0.5]), loaded.state([2, False, 1.5])])
    assert chosen(f"trees:{path}", loaded, states) == ["up", "down"]


def test_by_order(tmp_path: Path) -> None:
    loaded = lift()
    path = write(tmp_path, inputs=3, outputs=3)
    best = [loaded.actions[1], loaded.actions[1], loaded.actions[2]]
    assert chosen(f"trees:{path},filter=no", loaded, floors(loaded, 0, 2, 3)) == best
    numbered = write(tmp_path, inputs=3, outputs=[2, 1, 0])
    best = [loaded.actions[1], loaded.actions[0]]
    assert chosen(f"trees:{numbered},filter=no", loaded, floors(loaded, 0, 3)) == best


def test_equal_scores_go_to_the_first_action(tmp_path: Path) -> None:
    loaded = lift()
    almost = [stump(feature=0, threshold=2.5, low=[0.3, 0.1 + 0.2, 0.3], high=[0, 0, 1e-8])]
    path = write(tmp_path, outputs=list(reversed(loaded.actions)), trees=almost)
    spec = f"trees:{path},filter=no"
    assert chosen(spec, loaded, floors(loaded, 0, 3)) == [loaded.actions[0], loaded.actions[0]]
    path = write(tmp_path, outputs=list(loaded.actions), trees=almost)
    assert chosen(spec, loaded, floors(loaded, 0, 3)) == [loaded.actions[0], loaded.actions[2]]


def test_actions_that_the_trees_do_not_know(tmp_path: Path) -> None:
    loaded = lift()
    trees = [stump(feature=0, threshold=2.5, low=[2], high=[-3])]
    path = write(tmp_path, outputs=["down"], trees=trees)
    assert chosen(f"trees:{path}", loaded, floors(loaded, 0, 1, 3, 5)) == [
        None,
        "down",
        "down",
        None,
    ]
    assert chosen(f"trees:{path},filter=no", loaded, floors(loaded, 0, 5)) == ["down", "down"]


def test_a_folder_with_a_model_per_action(tmp_path: Path) -> None:
    loaded = lift()
    for action, (low, high) in {"up": (1, 1), "jump": (2, 0), "down": (0, 2)}.items():
        trees = [stump(feature=0, threshold=2.5, low=[low], high=[high])]
        write(tmp_path, f"{action}.json", outputs=1, trees=trees)
    states = floors(loaded, 0, 1, 2, 3, 4, 5)
    expected = ["jump", "up", "up", "down", "down", None]
    assert chosen(f"trees:{tmp_path}", loaded, states) == expected
    head = HEAD.replace("Column_0 Column_1", "floor load")
    (tmp_path / "up.txt").write_text(head + TREE + LEAF + END)
    assert chosen(f"trees:{tmp_path}", loaded, floors(loaded, 3, 0)) == ["up", "jump"]
    (tmp_path / "jump.json").unlink()
    with pytest.raises(InputError, match=r"there is no file jump.txt or jump.json for the action"):
        make_model_policy(f"trees:{tmp_path}", loaded)
    write(tmp_path, "jump.json")
    with pytest.raises(InputError, match=r"jump\.json: has 3 outputs, but a file for one action"):
        make_model_policy(f"trees:{tmp_path}", loaded)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"inputs": 2}, "has 2 inputs, but the model has 3 variables"),
        ({"inputs": ["flor"]}, "there is no variable 'flor' in the model (did you mean 'floor'?)"),
        ({"outputs": ["up", "down", "hop"]}, "there is no action 'hop' in the model"),
        ({"outputs": ["up", "down", 7]}, "there is no action 7 in the model"),
        (
            {"outputs": 2, "trees": [stump(feature=0, threshold=0, low=[0, 1], high=[1, 0])]},
            "has 2 outputs, but the model has 3 actions",
        ),
    ],
)
def test_trees_for_another_model(changes: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = write(tmp_path, **changes)
    with pytest.raises(InputError) as error:
        make_model_policy(f"trees:{path}", lift())
    assert str(error.value).startswith(f"{path}: {sentence}")


def test_an_action_by_name_and_by_number(tmp_path: Path) -> None:
    loaded = lift()
    path = write(tmp_path, outputs=["up", "down", loaded.actions.index("up")])
    with pytest.raises(InputError, match="two outputs stand for the same action"):
        make_model_policy(f"trees:{path}", loaded)


def test_names_and_classes_of_lightgbm(tmp_path: Path) -> None:
    loaded = lift()
    path = tmp_path / "model.txt"
    path.write_text(HEAD.replace("=Column_0", "=floor").replace("Column_1", "load") + TREE + END)
    with pytest.raises(InputError, match="has 1 output, but the model has 3 actions"):
        make_model_policy(f"trees:{path}", loaded)
    head = HEAD.replace("=Column_0", "=floor\naction_names=up down").replace(" Column_1", "")
    path.write_text(head.replace("idx=1", "idx=0") + LEAF + END)
    with pytest.raises(InputError, match="names 2 actions for 1 output"):
        make_model_policy(f"trees:{path}", loaded)


def test_blanks_in_the_names_of_variables(tmp_path: Path) -> None:
    """LightGBM replaces them by underscores when it is trained."""
    blank = load_document(
        simple(edge({"my x": 1}), variables=[variable("my x", bounded(0, 5), 0)]),
        name="blank.jani",
    )
    path = tmp_path / "model.txt"
    head = HEAD.replace("Column_0 Column_1", "my_x").replace("idx=1", "idx=0")
    path.write_text(head + LEAF + END)
    assert chosen(f"trees:{path}", blank, np.array([[3.0]])) == ["go"]


def test_files_with_commas_in_their_names(tmp_path: Path) -> None:
    for name in ("a,filter=no.json", "a,b.json"):
        path = write(tmp_path, name)
        for option, only_applicable in (("", True), (",filter=no", False)):
            policy = make_model_policy(f"trees:{path}{option}", lift())
            assert isinstance(policy, TreesPolicy)
            assert policy.only_applicable == only_applicable
            assert policy.spec == f"trees:{path}{option}"


def sampled(loaded: JaniModel) -> Valuations:
    draw = np.random.default_rng(2)
    rows = [draw.integers(0, 6, 500), draw.integers(0, 2, 500), draw.random(500) * 2]
    return np.stack(rows, axis=1).astype(np.float64)


def labels(states: Valuations) -> Any:
    jumps, ups = states[:, 0] < 1, states[:, 2] < 1 + 0.2 * states[:, 1]
    return np.where(jumps, "jump", np.where(ups, "up", "down"))


def test_a_classifier_of_scikit_learn_from_end_to_end(tmp_path: Path) -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    loaded = lift()
    states = sampled(loaded)
    fitted = ensemble.RandomForestClassifier(20, random_state=0).fit(states, labels(states))
    (tmp_path / "fitted").write_bytes(pickle.dumps(fitted))
    path = tmp_path / "trees.json"
    subprocess.run([sys.executable, EXAMPLE, tmp_path / "fitted", path], check=True)
    found = chosen(f"trees:{path},filter=no", loaded, states)
    chances = np.sort(fitted.predict_proba(states), axis=1)
    clear = chances[:, -1] - chances[:, -2] > 1e-6
    assert clear.sum() > 400
    assert np.array(found)[clear].tolist() == fitted.predict(states)[clear].tolist()


def test_a_classifier_of_lightgbm_from_end_to_end(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    loaded = lift()
    states = sampled(loaded)
    numbers = np.array([loaded.actions.index(label) for label in labels(states)])
    options = {"objective": "multiclass", "num_class": 3, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(states, numbers), 10)
    booster.save_model(tmp_path / "model.txt")
    policy = make_model_policy(f"trees:{tmp_path / 'model.txt'},filter=no", loaded)
    scores = booster.predict(states)
    best = np.sort(scores, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-6
    assert policy.choose(states)[clear].tolist() == scores.argmax(axis=1)[clear].tolist()
    assert clear.sum() > 400
