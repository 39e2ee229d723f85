"""LightGBM's text dumps, as `Booster.save_model` writes them.

A line `action_names=left right` may be added to the head; without it, class k is action k.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_work
from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.wording import counted
from bugsieve.policies.worker import printable
from bugsieve.rooms.formats.trees.forest import WORK_OF_TREE, Forest, MissingType, Tree

MAGIC = b"tree"

_CATEGORICAL = 1  # bits of a decision type
_DEFAULT_LEFT = 2
_MISSING_SHIFT = 2


def read_lightgbm(path: Path, data: bytes) -> Forest:
    """The forest in the contents of a text dump."""
    return _Reader(path, data).forest()


class _Reader:
    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        try:
            lines = data.decode("utf-8").splitlines()
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not UTF-8 text") from None
        if "end of trees" not in lines:
            raise self._error("has no line 'end of trees': it is cut short")
        self._sections = list(_sections(lines[: lines.index("end of trees")]))

    def forest(self) -> Forest:
        head = self._sections[0]
        num_inputs = self._whole(head, "max_feature_idx") + 1
        per_round = self._whole(head, "num_tree_per_iteration")
        if num_inputs < 1 or per_round < 1:
            raise self._error("has no features or no trees per iteration")
        self._check_count(head)
        is_binary = per_round == 1 and head.get("objective", "").split(" ")[0] == "binary"
        # A binary model has one score, that of the second class; the first has 0.
        trees = [
            self._tree(number, fields, num_inputs, 1 if is_binary else number % per_round)
            for number, fields in enumerate(self._sections[1:])
        ]
        return Forest(
            trees,
            num_inputs,
            2 if is_binary else per_round,
            inputs=self._inputs(head, num_inputs),
            outputs=tuple(head["action_names"].split()) if "action_names" in head else None,
        )

    def _inputs(self, head: Mapping[str, str], number: int) -> tuple[str, ...] | None:
        names = tuple(head.get("feature_names", "").split())
        if names and len(names) != number:
            raise self._error(f"names {len(names)} of its {counted(number, 'feature')}")
        is_nameless = all(name == f"Column_{k}" for k, name in enumerate(names))
        return None if is_nameless else names

    def _check_count(self, head: Mapping[str, str]) -> None:
        found = len(self._sections) - 1
        announced = len(head["tree_sizes"].split()) if "tree_sizes" in head else found
        if not found:
            raise self._error("has no trees")
        if found != announced:
            raise self._error(f"announces {counted(announced, 'tree')}, but has {found}")

    def _tree(self, number: int, fields: Mapping[str, str], inputs: int, output: int) -> Tree:
        take_work(WORK_OF_TREE)
        where = f"tree {number}"
        if self._whole(fields, "num_cat", where=where):
            raise UnsupportedError(
                f"{self._path}: {where}: splits on categories, which is not supported: "
                "train it without categorical features"
            )
        if self._whole(fields, "is_linear", where=where, otherwise=0):
            raise UnsupportedError(
                f"{self._path}: {where}: has linear leaves, which are not supported: "
                "train it without 'linear_tree'"
            )
        leaves = self._numbers(fields, "leaf_value", np.float64, where)
        if len(leaves) != self._whole(fields, "num_leaves", where=where):
            raise self._error(f"{where}: 'leaf_value' has {counted(len(leaves), 'value')}")
        tree = self._splits(fields, leaves, output, where)
        mistake = tree.mistake(inputs)
        if mistake is None and len(tree.features) != len(leaves) - 1:
            mistake = f"has {counted(len(tree.features), 'split')} for {len(leaves)} leaves"
        if mistake is not None:
            raise self._error(f"{where}: {mistake}")
        return tree

    def _splits(
        self, fields: Mapping[str, str], leaves: NDArray[np.float64], output: int, where: str
    ) -> Tree:
        if len(leaves) == 1:
            fields = dict.fromkeys(
                ("split_feature", "threshold", "decision_type", "left_child", "right_child"), ""
            )
        kinds = self._numbers(fields, "decision_type", np.int64, where)
        missing = kinds >> _MISSING_SHIFT
        if (kinds & _CATEGORICAL).any() or not np.isin(missing, list(MissingType)).all():
            raise self._error(f"{where}: 'decision_type' has a value that is no numerical split's")
        return Tree(
            features=self._numbers(fields, "split_feature", np.int64, where),
            thresholds=self._numbers(fields, "threshold", np.float64, where),
            left=self._numbers(fields, "left_child", np.int64, where),
            right=self._numbers(fields, "right_child", np.int64, where),
            leaves=leaves,
            default_left=(kinds & _DEFAULT_LEFT) != 0,
            missing=missing.astype(np.int8),
            output=output,
        )

    def _whole(
        self,
        fields: Mapping[str, str],
        key: str,
        *,
        where: str = "its head",
        otherwise: int | None = None,
    ) -> int:
        if otherwise is not None and key not in fields:
            return otherwise
        try:
            return int(self._text(fields, key, where))
        except ValueError:
            shown = printable(fields[key], limit=40)
            raise self._error(f"{where}: {key!r} is no whole number: {shown!r}") from None

    def _numbers(self, fields: Mapping[str, str], key: str, kind: Any, where: str) -> NDArray[Any]:
        try:
            return np.array(self._text(fields, key, where).split(), dtype=kind)
        except (ValueError, OverflowError):
            raise self._error(f"{where}: {key!r} has an entry that is no number") from None

    def _text(self, fields: Mapping[str, str], key: str, where: str) -> str:
        if key not in fields:
            raise self._error(f"{where}: has no {key!r}")
        return fields[key]

    def _error(self, sentence: str) -> InputError:
        return InputError(f"{self._path}: {sentence}")


def _sections(lines: list[str]) -> Iterator[dict[str, str]]:
    """The fields of the head, then those of each tree."""
    fields: dict[str, str] = {}
    for line in lines:
        key, _, value = line.strip().partition("=")
        if key == "Tree":
            yield fields
            fields = {}
        elif key:
            fields[key] = value
    yield fields
