"""Fingerprints of policies of every kind: equal for the same policy, another after a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bugsieve
from bugsieve.policies.fingerprints import module_file, policy_fingerprint
from bugsieve.policies.foreign.python import PythonPolicy
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray
from tests.unit.policies.line import line_task
from tests.unit.policies.models.lift import lift

_TASK = line_task(4)
_SOURCE = "def first(state, applicable): return applicable[0]\nlast = first\n"


class Mine:
    """A policy without a fingerprint."""

    def choose(self, states: StateArray) -> ActionArray:
        """Nothing."""
        return np.full(len(states), NO_ACTION, dtype=np.int32)


class Versioned(Mine):
    """One with a fingerprint of its own."""

    def fingerprint(self) -> str:
        """Its version."""
        return "version 7"


def _for_a_task(spec: str) -> str:
    with make_policy(spec, _TASK) as policy:
        return policy_fingerprint(policy)


def _for_a_model(spec: str) -> str:
    with make_model_policy(spec, lift()) as policy:
        return policy_fingerprint(policy)


either = pytest.mark.parametrize("fingerprint", [_for_a_task, _for_a_model])


@pytest.mark.parametrize("spec", ["greedy:hff", "optimal", "lazy:hadd"])
def test_most_members_are_what_their_spec_says(spec: str) -> None:
    assert _for_a_task(spec).startswith(spec)


@either
def test_the_seed_counts(fingerprint: Callable[[str], str]) -> None:
    assert fingerprint("random:1") == "random:1" != fingerprint("random:2")


@either
def test_a_python_file_counts_by_its_content(
    tmp_path: Path, fingerprint: Callable[[str], str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_SOURCE)
    before = fingerprint(f"python:{file}:first")
    assert before == fingerprint(f"python:{file}:first") != fingerprint(f"python:{file}:last")
    file.write_text(_SOURCE + "# another version\n")
    assert fingerprint(f"python:{file}:first") != before
    file.write_text(_SOURCE)
    assert fingerprint(f"python:{file}:first") == before


@either
def test_a_module_counts_by_its_source_and_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fingerprint: Callable[[str], str]
) -> None:
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "choices.py").write_text(_SOURCE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    spec = "python:their_package.choices:first"
    before = fingerprint(spec)
    assert before == fingerprint(spec) != spec
    (package / "choices.py").write_text(_SOURCE + "# another version\n")
    assert fingerprint(spec) != before
    assert "their_package" not in sys.modules


@pytest.mark.parametrize("name", ["sys", "no_such_module", "json.no_such_part", "os.path.more"])
def test_modules_without_a_source_file(name: str) -> None:
    assert module_file(name) is None


@either
@pytest.mark.parametrize("changed", ["program", "data"])
def test_a_command_counts_by_its_program_and_the_files_it_is_given(
    tmp_path: Path, fingerprint: Callable[[str], str], changed: str
) -> None:
    for name in ("program", "data"):
        (tmp_path / name).write_text("#!/bin/sh\nread _; echo '{\"ready\": true}'; read _\n")
        (tmp_path / name).chmod(0o755)
    spec = f"cmd:{tmp_path / 'program'} --fast {tmp_path / 'data'}"
    before = fingerprint(spec)
    assert before == fingerprint(spec) != fingerprint(spec.replace("fast", "slow"))
    with (tmp_path / changed).open("a") as file:
        file.write("# another version\n")
    assert fingerprint(spec) != before


def test_objects_and_functions_of_the_user() -> None:
    assert policy_fingerprint(Mine()) == f"object {__name__}.Mine"
    assert policy_fingerprint(Versioned()) == "version 7"
    function = bugsieve.policy(lambda facts, applicable: None)
    assert policy_fingerprint(function.bind(_TASK)) == "function:<lambda>"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Mine(), f"object {__name__}.Mine"),
        (Versioned(), "version 7"),
        (lambda states: np.zeros(len(states), dtype=np.int32), "<lambda>"),
    ],
)
def test_objects_of_the_user_on_models(policy: Policy, expected: str) -> None:
    assert policy_fingerprint(as_model_policy(policy, lift())) == expected


@either
def test_modules_that_a_python_file_loads_count_too(
    tmp_path: Path, fingerprint: Callable[[str], str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import json\nimport part_of_mine\n" + _SOURCE)
    part = tmp_path / "part_of_mine.py"
    part.write_text("BEST = 1\n")
    spec = f"python:{file}:first"
    before = fingerprint(spec)
    assert fingerprint(spec) == before
    part.write_text("BEST = 2\n")
    assert fingerprint(spec) != before
    part.write_text("BEST = 1\n")
    assert fingerprint(spec) == before


def test_only_modules_from_elsewhere_count(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import json, numpy\n" + _SOURCE)
    with make_policy(f"python:{file}:first", _TASK) as policy:
        assert isinstance(policy, PythonPolicy)
        assert set(policy._conversation.modules) == {"mine"}


def test_the_hash_seed_counts(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_SOURCE)
    found = set()
    for seed in (0, 1):
        limits = WorkerLimits(hash_seed=seed, memory_mb=None)
        with make_policy(f"python:{file}:first", _TASK, limits=limits) as policy:
            found.add(policy_fingerprint(policy))
    assert len(found) == 2
