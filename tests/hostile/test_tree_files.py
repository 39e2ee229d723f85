"""Tree files with a few bytes changed, cut or repeated: a policy or one clean sentence."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.policies.registry import make_model_policy
from tests.depth import examples
from tests.unit.policies.models.lift import floors, lift
from tests.unit.policies.models.test_trees import DOCUMENT, TREES
from tests.unit.policies.trees.test_lightgbm_text import END, HEAD, LEAF, TREE

MANY = settings(max_examples=examples(400), deadline=None, derandomize=True, database=None)
LIGHTGBM = (
    HEAD.replace("Column_0 Column_1", "floor load").replace("per_iteration=1", "per_iteration=3")
    + TREE
    + LEAF
    + LEAF
    + END
)
MODEL = lift()


def check(data: bytes) -> None:
    """The whole contract of a file: answers for all states, or an error on one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees"
        path.write_bytes(data)
        try:
            policy = make_model_policy(f"trees:{path}", MODEL)
        except InputError as error:
            check_sentence(str(error), path)
            return
        chosen = policy.choose(floors(MODEL, *range(6)))
        assert ((chosen >= -1) & (chosen < len(MODEL.actions))).all()


def check_sentence(sentence: str, path: Path) -> None:
    assert sentence.startswith(f"{path}: ")
    assert sentence.isprintable() and len(sentence) < 400 + len(str(path))


def test_the_files_are_right_to_begin_with() -> None:
    for text in (LIGHTGBM, json.dumps(DOCUMENT)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trees"
            path.write_text(text)
            assert (make_model_policy(f"trees:{path}", MODEL).choose(floors(MODEL, 1)) >= 0).all()


@pytest.mark.parametrize("text", [LIGHTGBM, json.dumps(DOCUMENT)], ids=["text", "json"])
def test_files_with_bytes_changed(text: str) -> None:
    @MANY
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        body = bytearray(text.encode())
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(body) - 1))
            body[place] = data.draw(st.sampled_from(b'0123456789-.=, \n[]{}"xe\x00\xff'))
        check(bytes(body))

    run()


@pytest.mark.parametrize("text", [LIGHTGBM, json.dumps(DOCUMENT)], ids=["text", "json"])
def test_files_with_parts_missing_or_twice(text: str) -> None:
    draw = np.random.default_rng(1)
    for _ in range(200):
        begin, end = sorted(draw.integers(0, len(text), 2).tolist())
        check((text[:begin] + text[end:]).encode())
        check((text[:end] + text[begin:]).encode())


HUGE = 10**12
LOOP = [{**TREES[0], "left": [0, -1, -1]}]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LIGHTGBM.replace("idx=1", f"idx={HUGE}"), "names 2 of its"),
        (LIGHTGBM.replace("per_iteration=3", f"per_iteration={HUGE}"), f"has {HUGE} outputs"),
        (LIGHTGBM.replace("leaves=3", f"leaves={HUGE}"), "'leaf_value' has 3 values"),
        (LIGHTGBM.replace("idx=1", f"idx={'9' * 5000}"), "is no whole number"),
        (json.dumps({**DOCUMENT, "inputs": HUGE}), f"has {HUGE} inputs"),
        (json.dumps({**DOCUMENT, "outputs": HUGE}), f"must have {HUGE} numbers"),
        (LIGHTGBM.replace("left_child=1 -1", "left_child=1 0"), "comes before its parent"),
        (json.dumps({**DOCUMENT, "trees": LOOP}), "a child comes before its parent"),
    ],
)
def test_what_would_take_forever_is_refused_at_once(
    text: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "trees"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        make_model_policy(f"trees:{path}", MODEL)
