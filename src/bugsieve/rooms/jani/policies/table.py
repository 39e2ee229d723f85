"""`table:FILE`: the action listed for a state, and another policy's where none is.

The file is JSON; `bugsieve shield` writes such files, with a policy's faults replaced:

    {"model": "lift", "default": "mlp:{here}/net.safetensors",
     "rows": [[[3, true], "up"], [[4, false], null]]}

A row has the values of a state in the order of the model's variables, and an action, or null for
none. `default` is the spec of any policy for models, or null for no action; `{here}` in it is the
folder of the file. `folder` says where the spec was typed, and so where its program starts. A
default may be a table again: the rows of the outer one count first. One that starts a program must
be trusted, since the user has not typed the content of a file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.base.errors import BugsieveError, InputError, UsageError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.names import suggest
from bugsieve.base.parts import Part
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located, spec_folder, typed_in
from bugsieve.base.trust.trust import remember, require_trusted
from bugsieve.policies.asking import is_ours
from bugsieve.policies.decisions import Decisions, Failure
from bugsieve.policies.policy import PolicySettings
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.model_policy_failures import Troubles
from bugsieve.rooms.jani.policies.places import (
    anchored_folder,
    anchored_spec,
    resolved_folder,
    resolved_spec,
)
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.registry import MODEL_POLICIES, make_model_policy
from bugsieve.rooms.jani.policies.rows import row_keys
from bugsieve.tasks.json_text import load_json

_FAMILY = "table"


class TablePolicy(ModelPolicy):
    """The actions that a JSON file lists, and what a default policy does in all other states."""

    usage = "table:FILE"

    def __init__(
        self,
        model: JaniModel,
        spec: str,
        choices: dict[bytes, int],
        default: ModelPolicy | None = None,
    ) -> None:
        super().__init__(model, spec)
        self.default = default
        self._choices = choices

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a file."""
        path = _path_in(argument)
        if os.path.isdir(path):
            raise UsageError(f"'{_FAMILY}:{argument}': {str(path)!r} is a folder, name a file")
        if not os.path.isfile(path):
            raise UsageError(f"'{_FAMILY}:{argument}': there is no file {str(path)!r}")

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The file, and what the default in it would touch."""
        files, default = _followed(_path_in(argument))
        own = OutsideAccess(files=tuple(sorted(set(map(str, files)))))
        return own if default is None else own | MODEL_POLICIES.reach_of(default.spec)

    @classmethod
    def starts(cls, argument: str | None) -> OutsideAccess:
        """The file alone: the table itself starts no program."""
        return OutsideAccess(files=(str(_path_in(argument)),))

    @classmethod
    def named(cls, argument: str | None) -> Iterator[tuple[str, str, str]]:
        """The default policy, where it was typed, and the file that says so."""
        files, default = _followed(_path_in(argument))
        if default is not None:
            yield default.spec, default.folder, str(files[-1])

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> TablePolicy:
        """The table in the file, with the defaults that it and its default tables name."""
        tables = _chain(_path_in(argument), model)
        choices: dict[bytes, int] = {}
        # The innermost first, so that rows of outer tables replace those of inner ones.
        for table in reversed(tables):
            choices.update(table.choices)
        last = tables[-1]
        default = None
        if last.default is not None:
            default = _default_policy(last, model, settings)
        return cls(model, f"{_FAMILY}:{argument}", choices, default)

    def __len__(self) -> int:
        """Number of states listed."""
        return len(self._choices)

    @property
    def troubles(self) -> Troubles:
        """The default policy's failures so far."""
        return super().troubles if self.default is None else self.default.troubles

    def choose(self, states: Valuations) -> ActionArray:
        """The listed action of each state, or the default policy's."""
        keys = row_keys(states)
        chosen = np.array([self._choices.get(key, NO_ACTION) for key in keys], dtype=np.int32)
        others = [row for row, key in enumerate(keys) if key not in self._choices]
        if self.default is not None and others:
            chosen[others] = self.default.choose(states[others])
        return chosen

    @property
    def is_ours(self) -> bool:
        """Return true if the default policy is Bugsieve's own, or there is none."""
        return self.default is None or is_ours(self.default)

    @property
    def hash_seed(self) -> int | None:
        """The default policy's, if its answers may depend on one."""
        return getattr(self.default, "hash_seed", None)

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        """The listed actions, and what the default policy decides anew."""
        keys = row_keys(states)
        listed: list[int | Failure] = [self._choices.get(key, NO_ACTION) for key in keys]
        others = [row for row, key in enumerate(keys) if key not in self._choices]
        if self.default is not None and others:
            decided = self.default.decide_anew(states[others], hash_seed=hash_seed)
            for place, row in enumerate(others):
                listed[row] = decided.failures.get(place, int(decided.actions[place]))
        return Decisions.of(listed)

    def fingerprint(self) -> str:
        """A hash of the rows and of the default policy's."""
        digest = hashlib.sha256(
            b"" if self.default is None else self.default.fingerprint().encode()
        )
        # Sorted: the order of rows in the file means nothing.
        for key, action in sorted(self._choices.items()):
            digest.update(key + action.to_bytes(4, "little", signed=True))
        return digest.hexdigest()

    def forget(self) -> None:
        """Drop the remembered answers of the default policy."""
        if self.default is not None:
            self.default.forget()

    def close(self) -> None:
        """Close the default policy."""
        if self.default is not None:
            self.default.close()


def write_table(
    path: str | os.PathLike[str],
    model: JaniModel,
    choices: Sequence[tuple[Valuations, int]],
    *,
    default: str | None = None,
) -> None:
    """Write a table of states and their actions, NO_ACTION included; of equal states the last.

    Files that the default's spec names are found again when the table's folder is moved with them.
    """
    target = Path(path)
    policy: dict[str, str | None] = {"default": None}
    if default is not None:
        policy = {"default": anchored_spec(default, target.parent)}
        if _is_foreign(default):
            policy["folder"] = anchored_folder(target.parent)
    states = np.array([state for state, _ in choices], dtype=np.float64)
    keys = row_keys(states.reshape(len(choices), model.num_variables))
    rows = {key: _row(model, *choice) for key, choice in zip(keys, choices, strict=True)}
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows.values())
    head = json.dumps({"model": _model_name(model), **policy}, ensure_ascii=False)
    write_text(target, f'{head[:-1]}, "rows": [\n{lines}\n]}}\n')
    if "folder" in policy:  # readers of the table should trust this program
        remember(MODEL_POLICIES, resolved_spec(str(policy["default"]), target.parent))


def _is_foreign(spec: str) -> bool:
    """Return true if it starts programs; a wrong spec is for the reader to report."""
    try:
        return MODEL_POLICIES.started_by(spec).needs_trust
    except BugsieveError:
        return False


@dataclass(frozen=True)
class _Default:
    """A spec in a file, and the folder in which it was typed."""

    spec: str
    folder: str

    @property
    def table(self) -> Path | None:
        """The table that it is; None for other policies."""
        family, _, argument = self.spec.partition(":")
        if family.strip() != _FAMILY:
            return None
        with typed_in(self.folder):
            return _path_in(argument.strip())


@dataclass(frozen=True)
class _Table:
    path: Path
    default: _Default | None
    choices: dict[bytes, int]


def _row(model: JaniModel, state: Valuations, action: int) -> list[Any]:
    name = None if action == NO_ACTION else model.actions[action]
    return [list(model.values(state).values()), name]


def _path_in(argument: str | None) -> Path:
    if not argument:
        raise UsageError(f"'{_FAMILY}:' must be followed by a file, as in '{_FAMILY}:shield.json'")
    return Path(located(argument))


def _followed(path: Path) -> tuple[list[Path], _Default | None]:
    """The table and those that are its defaults, and the policy that is the last one's."""
    files, default = [path], _default_in(_root(path), path.parent)
    seen = {os.path.realpath(path)}
    while default is not None and (inner := default.table) is not None:
        if os.path.realpath(inner) in seen:
            return files, None
        seen.add(os.path.realpath(inner))
        files.append(inner)
        default = _default_in(_root(inner), inner.parent)
    return files, default


def _chain(path: Path, model: JaniModel) -> list[_Table]:
    """The table, the table that is its default, and so on."""
    tables = [_read(path, model)]
    seen = {os.path.realpath(path)}
    while (default := tables[-1].default) is not None:
        with _about_default(tables[-1].path):
            inner = default.table
        if inner is None:
            break
        path = inner
        if os.path.realpath(path) in seen:
            raise InputError(f"{tables[-1].path}: default: the table is its own default")
        seen.add(os.path.realpath(path))
        tables.append(_read(path, model))
    return tables


def _default_policy(table: _Table, model: JaniModel, settings: PolicySettings) -> ModelPolicy:
    assert table.default is not None
    spec = table.default.spec
    with typed_in(table.default.folder):
        with _about_default(table.path):
            MODEL_POLICIES.check(spec)
        require_trusted(MODEL_POLICIES, spec, table.path)
        return make_model_policy(spec, model, seed=settings.seed, limits=settings.limits)


@contextmanager
def _about_default(path: Path) -> Iterator[None]:
    """A wrong spec in a file is a mistake of the file."""
    try:
        yield
    except UsageError as error:
        raise InputError(f"{path}: default: {error}") from None


def _default_in(root: Part, folder: Path) -> _Default | None:
    """The default policy in a file of the folder; None where it has none."""
    default, place = root.get("default"), root.get("folder")
    if default is None or default.data is None:
        return None
    typed = spec_folder() if place is None else resolved_folder(place.text(), folder)
    return _Default(resolved_spec(default.text(), folder), typed)


def _root(path: Path) -> Part:
    return Part(load_json(path, kind="table"), str(path))


def _read(path: Path, model: JaniModel) -> _Table:
    root = _root(path)
    name = root.get("model")
    if name is not None and name.data not in (None, _model_name(model)):
        raise name.error(f"the table is for {name.text()!r}, not for {_model_name(model)!r}")
    numbers = {action: number for number, action in enumerate(model.actions)}
    choices: dict[bytes, int] = {}
    for row in root["rows"].items():
        key, action = _choice(row, model, numbers)
        if choices.setdefault(key, action) != action:
            raise row.error("an earlier row has the same state and another action")
    return _Table(path, _default_in(root, path.parent), choices)


def _choice(row: Part, model: JaniModel, numbers: dict[str, int]) -> tuple[bytes, int]:
    parts = list(row.items())
    if len(parts) != 2:
        raise row.error(f"must be a state and an action, but has {len(parts)} items")
    values, action = parts
    if not isinstance(values.data, list):
        raise values.error(f"must be a list of values, but is {values.kind}")
    try:
        state = model.state(values.data)
    except UsageError as error:
        raise values.error(str(error)) from None
    return row_keys(state[np.newaxis])[0], _number(action, numbers)


def _number(action: Part, numbers: dict[str, int]) -> int:
    if action.data is None:
        return NO_ACTION
    name = action.text()
    if name not in numbers:
        raise action.error(f"there is no action {name!r} in the model{suggest(name, numbers)}")
    return numbers[name]


def _model_name(model: JaniModel) -> str | None:
    name = model.document.get("name")
    return name if isinstance(name, str) and name else None
