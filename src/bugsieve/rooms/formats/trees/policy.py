"""`trees:FILE`: an ensemble of decision trees that gives every action a score.

FILE is a text dump of LightGBM or JSON (see `bugsieve.rooms.formats.trees`); classes or outputs
are actions, by name or by order. FILE may also be a folder with a regression model per action,
called ACTION.txt or ACTION.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import allowance
from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.base.wording import counted
from bugsieve.policies.fingerprints import files_fingerprint
from bugsieve.policies.policy import PolicySettings, argbest_within
from bugsieve.rooms.formats.trees.forest import Evaluator, Forest
from bugsieve.rooms.formats.trees.forest_json import read_forest_json
from bugsieve.rooms.formats.trees.lightgbm_text import MAGIC, read_lightgbm
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.file_argument import FilePolicy
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ActionArray
from bugsieve.tasks.sources import MEBIBYTE, read_input

TIE_EPSILON = 1e-9
"""Scores this close count as equal: libraries add up the same leaves in varying order."""

_MAX_BYTES = 1024 * MEBIBYTE
_SUFFIXES = (".txt", ".json")


@dataclass(frozen=True, eq=False)
class _Scorer:
    """A forest, the variables that it reads and the actions that its outputs stand for."""

    evaluator: Evaluator
    columns: NDArray[np.int64]
    actions: NDArray[np.int64]


class TreesPolicy(FilePolicy):
    """The applicable action of greatest score in a tree ensemble of LightGBM or scikit-learn.

    The first in the model's order among equal ones. Without `only_applicable`, actions compete
    that are not applicable.
    """

    family = "trees"
    options: ClassVar = {"filter": ("yes", "no")}
    usage = "trees:FILE or trees:FILE,filter=no"
    is_ours = True

    def __init__(
        self,
        model: JaniModel,
        path: Path,
        *,
        only_applicable: bool = True,
        spec: str | None = None,
    ) -> None:
        super().__init__(model, spec or f"{self.family}:{path}")
        self.only_applicable = only_applicable
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        self._fingerprint = files_fingerprint(self.family, [f for f in files if f.is_file()])
        self._scorers = _folder(path, model) if path.is_dir() else [_scorer(path, model)]

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> TreesPolicy:
        """The trees in the file; with `filter=no`, actions compete that are not applicable."""
        parsed = cls.parse(argument)
        return cls(
            model,
            parsed.path,
            only_applicable=parsed.options.get("filter") != "no",
            spec=f"{cls.family}:{argument}",
        )

    def fingerprint(self) -> str:
        """A hash of the files as they were when they were read."""
        return self._fingerprint

    def scores(self, states: Valuations) -> NDArray[np.float64]:
        """A score per action, -inf for those that the trees do not know."""
        scores = np.full((len(states), len(self.model.actions)), -np.inf)
        for scorer in self._scorers:
            inputs = np.asarray(states, dtype=np.float64)[:, scorer.columns]
            scores[:, scorer.actions] = scorer.evaluator.scores(inputs)
        return scores

    def choose(self, states: Valuations) -> ActionArray:
        """The best action of each state; NO_ACTION where the trees know none that competes."""
        scores = self.scores(states)
        actions, offsets = self._competing(states)
        rows = np.repeat(np.arange(len(states)), np.diff(offsets))
        chosen = argbest_within(scores[rows, actions], actions, offsets, epsilon=TIE_EPSILON)
        known = np.concatenate([scorer.actions for scorer in self._scorers])
        return np.where(np.isin(chosen, known), chosen, np.int32(NO_ACTION))

    def _competing(self, states: Valuations) -> tuple[ActionArray, NDArray[np.int64]]:
        if self.only_applicable:
            return self.model.applicable(states)
        width = len(self.model.actions)
        everywhere = np.tile(np.arange(width, dtype=np.int32), len(states))
        return everywhere, np.arange(len(states) + 1, dtype=np.int64) * width


def read_forest(path: Path) -> Forest:
    """The forest in a text dump of LightGBM or in our JSON; InputError for anything else."""
    with allowance(str(path)):
        return _read_forest(path)


def _read_forest(path: Path) -> Forest:
    data = read_input(path, kind="trees", max_bytes=_MAX_BYTES)
    if data.split(None, 1)[:1] == [MAGIC]:
        return read_lightgbm(path, data)
    if data.lstrip()[:1] == b"{":
        return read_forest_json(path)
    raise InputError(f"{path}: is neither a text dump of LightGBM nor JSON with trees")


def _scorer(path: Path, model: JaniModel) -> _Scorer:
    forest = read_forest(path)
    columns, actions = _columns(path, forest, model), _actions(path, forest, model)
    return _Scorer(forest.evaluator(), columns, actions)


def _folder(path: Path, model: JaniModel) -> list[_Scorer]:
    """A forest per action, in the files called after them."""
    scorers = []
    for number, action in enumerate(model.actions):
        file = next((f for s in _SUFFIXES if (f := path / f"{action}{s}").is_file()), None)
        if file is None:
            names = " or ".join(f"{action}{suffix}" for suffix in _SUFFIXES)
            raise InputError(f"{path}: there is no file {names} for the action {action!r}")
        forest = read_forest(file)
        if forest.num_outputs != 1:
            raise InputError(
                f"{file}: has {counted(forest.num_outputs, 'output')}, "
                "but a file for one action has one"
            )
        columns = _columns(file, forest, model)
        scorers.append(_Scorer(forest.evaluator(), columns, np.array([number])))
    return scorers


def _columns(path: Path, forest: Forest, model: JaniModel) -> NDArray[np.int64]:
    """The variable behind each input."""
    names = [variable.name for variable in model.seen_variables]
    if forest.inputs is None:
        if forest.num_inputs != len(names):
            raise InputError(
                f"{path}: has {counted(forest.num_inputs, 'input')}, "
                f"but the model has {counted(len(names), 'variable')}"
            )
        return np.arange(len(names))
    # LightGBM writes underscores for the blanks in names.
    known: dict[str | int, int] = {name.replace(" ", "_"): k for k, name in enumerate(names)}
    known.update((name, k) for k, name in enumerate(names))
    return _numbers(path, "variable", forest.inputs, known)


def _actions(path: Path, forest: Forest, model: JaniModel) -> NDArray[np.int64]:
    """The action behind each output."""
    number = len(model.actions)
    if forest.outputs is None:
        if forest.num_outputs != number:
            raise InputError(
                f"{path}: has {counted(forest.num_outputs, 'output')}, "
                f"but the model has {counted(number, 'action')}"
            )
        return np.arange(number)
    if len(forest.outputs) != forest.num_outputs:
        raise InputError(
            f"{path}: names {counted(len(forest.outputs), 'action')} "
            f"for {counted(forest.num_outputs, 'output')}"
        )
    known: dict[str | int, int] = {name: k for k, name in enumerate(model.actions)}
    known.update((k, k) for k in range(number))
    actions = _numbers(path, "action", forest.outputs, known)
    if len(set(actions.tolist())) < len(actions):
        raise InputError(f"{path}: two outputs stand for the same action")
    return actions


def _numbers(
    path: Path, kind: str, wanted: Sequence[str | int], known: dict[str | int, int]
) -> NDArray[np.int64]:
    for name in wanted:
        if name not in known:
            near = suggest(str(name), [choice for choice in known if isinstance(choice, str)])
            raise InputError(f"{path}: there is no {kind} {name!r} in the model{near}")
    return np.array([known[name] for name in wanted], dtype=np.int64)
