"""Results of final tests of trained policies: a file for each test task, and one of choices.

Policies are named by the digests of their models, so that trainings which share models share their
tests, and no test counts for a model that has been trained again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting, parse_json
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.campaigns.store.schema import explained
from bugsieve.rooms.lab.experiments.grid import folder_name
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.tasks.sources import MEBIBYTE, read_input

FINAL_FOLDER = "final-tests"
CHOICES_FILE = "choices.json"

_VERSION = 1
_MAX_BYTES = 64 * MEBIBYTE
_TEST = FixedList(*[int] * 6)
_SHAPE = {
    "final test": int,
    "options": str,
    "task": str,
    "dropped": (str, None),
    "solved": {"*": bool},
    "tests": {"*": _TEST},
}
_CHOICE = {
    "domain": str,
    "seed": int,
    "configuration": str,
    "budget": int,
    "criterion": str,
    "training": str,
    "model": int,
    "digest": str,
}
_CHOICES_SHAPE = {"final tests": int, "tasks": {"*": [str]}, "choices": [_CHOICE]}


@dataclass(frozen=True)
class FinalRecord:
    """The results of policies on one test task."""

    options: str
    """Those of the tests, as TOML."""
    task: str
    """The digest of domain and problem."""
    dropped: str | None = None
    """The reason why no policy can be tested there."""
    solved: Mapping[str, bool] = field(default_factory=dict)
    """True for policies that solve the initial state, by the digests of their models."""
    tests: Mapping[str, PoolTest] = field(default_factory=dict)
    """Tests on the pool, likewise."""

    def with_test(self, digest: str, test: PoolTest, *, on_pool: bool) -> FinalRecord:
        """The record with one more test."""
        solved = {**self.solved, digest: test.is_solved}
        tests = {**self.tests, digest: test} if on_pool else self.tests
        return replace(self, solved=solved, tests=tests)


@dataclass(frozen=True)
class FinalChoice:
    """The model of a training that a criterion takes, and where tables show it."""

    domain: str
    seed: int
    configuration: str
    budget: int
    criterion: str
    training: str
    """Its folder, below that of the experiment."""
    model: int
    digest: str


@dataclass(frozen=True)
class FinalChoices:
    """All policies that an experiment compares, and the tasks it compares them on."""

    tasks: Mapping[str, tuple[str, ...]]
    """By domain."""
    choices: tuple[FinalChoice, ...]


def record_file(directory: Path, domain: str, task: str) -> Path:
    """The file with the record of a test task."""
    return directory / FINAL_FOLDER / folder_name(domain) / f"{folder_name(task)}.json"


def write_record(path: Path, record: FinalRecord) -> None:
    """Replace the record."""
    content = {
        "final test": _VERSION,
        "options": record.options,
        "task": record.task,
        "dropped": record.dropped,
        "solved": dict(record.solved),
        "tests": {digest: astuple(test)[1:7] for digest, test in record.tests.items()},
    }
    _write(path, content)


def read_record(path: Path) -> FinalRecord | None:
    """The record; None if there is none, InputError if Bugsieve did not write it."""
    content = _content(path, _SHAPE, "final test")
    if content is None:
        return None
    tests = {digest: PoolTest(True, *values) for digest, values in content["tests"].items()}
    for digest, test in tests.items():
        counts = (test.decisions, test.expanded, test.bugs, test.solved)
        is_sane = min(counts) >= 0 and max(counts[2:]) <= test.tested <= test.states
        if not is_sane or not content["solved"].get(digest):
            raise _damaged(path)
    return FinalRecord(
        content["options"], content["task"], content["dropped"], content["solved"], tests
    )


def write_choices(directory: Path, choices: FinalChoices) -> None:
    """Replace the choices of an experiment."""
    content = {
        "final tests": _VERSION,
        "tasks": {domain: list(names) for domain, names in choices.tasks.items()},
        "choices": [asdict(choice) for choice in choices.choices],
    }
    _write(directory / FINAL_FOLDER / CHOICES_FILE, content)


def read_choices(directory: Path) -> FinalChoices | None:
    """The choices of an experiment; None if it has made none yet."""
    path = directory / FINAL_FOLDER / CHOICES_FILE
    content = _content(path, _CHOICES_SHAPE, "final tests")
    if content is None:
        return None
    tasks = {domain: tuple(names) for domain, names in content["tasks"].items()}
    names = list(_CHOICE)
    choices = (
        FinalChoice(**{name: entry[name] for name in names}) for entry in content["choices"]
    )
    return FinalChoices(tasks, tuple(choices))


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with explained(path.parent):
        make_folders(path.parent)
        write_text(path, json.dumps(content, indent=1) + "\n")


def _content(path: Path, shape: Mapping[str, Any], version: str) -> Any:
    if not path.exists():
        return None
    data = read_input(path, kind="JSON", max_bytes=_MAX_BYTES)
    try:
        content = fitting(parse_json(data.decode()), shape)
    except ValueError:
        raise _damaged(path) from None
    if content[version] > _VERSION:
        raise InputError(f"{path}: was written by a newer Bugsieve; install that to read it")
    return content


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: is damaged: delete it to have these tests made again")
