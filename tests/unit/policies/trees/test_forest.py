"""The evaluation of all trees at once against one split at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.rooms.formats.trees import forest as forest_module
from bugsieve.rooms.formats.trees.forest import Floats, Forest, MissingType, Tree
from tests.depth import examples
from tests.unit.policies.trees.naive import naive_scores

NUM_INPUTS = 3
SPECIAL = [0.0, -0.0, 1e-36, -1e-35, 1e-34, 1.0, 2.5, -2.5, np.inf, -np.inf, np.nan, 0.1]


def random_tree(draw: np.random.Generator, outputs: int, *, vector: bool) -> Tree:
    """A tree whose children come in any order after their parents."""
    splits = int(draw.integers(0, 8))
    slots: list[tuple[int, int]] = []
    children = np.zeros((2, splits), dtype=np.int64)
    for split in range(splits):
        if split:
            side, parent = slots.pop(int(draw.integers(len(slots))))
            children[side, parent] = split
        slots += [(0, split), (1, split)]
    for leaf, (side, parent) in enumerate(slots):
        children[side, parent] = ~leaf
    number = splits + 1
    return Tree(
        features=draw.integers(0, NUM_INPUTS, splits),
        thresholds=draw.choice([v for v in SPECIAL if not np.isnan(v)], splits),
        left=children[0],
        right=children[1],
        leaves=draw.normal(size=(number, outputs) if vector else number),
        default_left=draw.random(splits) < 0.5,
        missing=draw.integers(0, 3, splits).astype(np.int8),
        output=None if vector else int(draw.integers(outputs)),
    )


def random_forest(seed: int) -> tuple[Forest, Floats]:
    draw = np.random.default_rng(seed)
    outputs = int(draw.integers(1, 4))
    kinds = draw.random(int(draw.integers(1, 9))) < draw.choice([0.0, 0.5, 1.0])
    trees = [random_tree(draw, outputs, vector=bool(kind)) for kind in kinds]
    single, average = (bool(flag) for flag in draw.random(2) < 0.5)
    forest = Forest(trees, NUM_INPUTS, outputs, single=single, average=average)
    return forest, draw.choice(SPECIAL, (int(draw.integers(0, 20)), NUM_INPUTS))


@settings(max_examples=examples(300), deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32))
def test_against_one_split_at_a_time(seed: int) -> None:
    forest, inputs = random_forest(seed)
    assert all(tree.mistake(NUM_INPUTS) is None for tree in forest.trees)
    scores = forest.evaluator().scores(inputs)
    expected = np.array(naive_scores(forest, inputs)).reshape(scores.shape)
    assert scores.tolist() == expected.tolist()  # to the last bit


@pytest.mark.parametrize("portion", [1, 7, 50])
def test_scores_do_not_depend_on_the_batch(portion: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(4)
    forest = Forest([random_tree(draw, 1, vector=False) for _ in range(40)], NUM_INPUTS, 1)
    inputs = draw.normal(size=(30, NUM_INPUTS))
    together = forest.evaluator().scores(inputs)
    monkeypatch.setattr(forest_module, "_LARGEST_PORTION", portion)
    assert forest.evaluator().scores(inputs).tolist() == together.tolist()
    alone = [forest.evaluator().scores(inputs[row : row + 1])[0] for row in range(30)]
    assert np.array(alone).tolist() == together.tolist()


def test_a_deep_tree() -> None:
    depth = 3000
    splits = np.arange(depth)
    chain = Tree(
        features=np.zeros(depth, dtype=np.int64),
        thresholds=splits.astype(np.float64),
        left=~splits,
        right=np.where(splits + 1 < depth, splits + 1, ~depth),
        leaves=np.arange(depth + 1, dtype=np.float64),
        default_left=np.zeros(depth, dtype=np.bool_),
        missing=np.zeros(depth, dtype=np.int8),
        output=0,
    )
    assert chain.mistake(1) is None
    values = np.array([[-1.0], [0.0], [0.5], [2998.5], [1e9]])
    scores = Forest([chain], 1, 1).evaluator().scores(values)
    assert scores[:, 0].tolist() == [0, 0, 1, 2999, 3000]


def stump(**changes: object) -> Tree:
    parts = {
        "features": np.array([0]),
        "thresholds": np.array([0.5]),
        "left": np.array([-1]),
        "right": np.array([-2]),
        "leaves": np.array([1.0, 2.0]),
        "default_left": np.array([True]),
        "missing": np.array([0], dtype=np.int8),
        "output": 0,
    }
    return Tree(**{**parts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, None),
        ({"thresholds": np.array([0.5, 1])}, "the lists of its splits differ in length"),
        ({"features": np.array([2])}, "a split asks for feature 2 of 2"),
        ({"features": np.array([-1])}, "a split asks for feature -1 of 2"),
        ({"thresholds": np.array([np.nan])}, "a threshold is not a number"),
        ({"leaves": np.array([1.0, np.inf])}, "a leaf's value is not a finite number"),
        ({"left": np.array([0])}, "a child comes before its parent"),
        ({"right": np.array([1])}, "a child does not exist"),
        ({"right": np.array([-3])}, "a child does not exist"),
    ],
)
def test_mistakes(changes: dict[str, object], sentence: str | None) -> None:
    assert stump(**changes).mistake(2) == sentence


def test_values_that_are_missing() -> None:
    """As LightGBM documents it: what is no number counts as 0 unless it counts as missing."""
    for missing, ways in [
        (MissingType.NONE, {np.nan: 1.0, 0.0: 1.0, 3.0: 2.0}),
        (MissingType.ZERO, {np.nan: 2.0, 0.0: 2.0, -1e-36: 2.0, 1e-34: 1.0, 3.0: 2.0}),
        (MissingType.NAN, {np.nan: 2.0, 0.0: 1.0, 3.0: 2.0}),
    ]:
        tree = stump(missing=np.array([missing]), default_left=np.array([False]))
        scores = Forest([tree], 1, 1).evaluator().scores(np.array(list(ways))[:, np.newaxis])
        assert scores[:, 0].tolist() == list(ways.values()), missing
