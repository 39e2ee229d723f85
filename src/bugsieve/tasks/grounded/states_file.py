"""Reads the JSON files in which users list states: as a list of true facts each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError
from bugsieve.tasks.json_text import load_json

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import StateArray, Task

MAX_BYTES = 512 << 20

FORMAT = """\
JSON: a list of states, each a list of the facts true in it, as in
[["(on a b)", "(ontable b)", "(clear a)", "(handempty)"]], or {"states": …} with such a list."""


@dataclass(frozen=True)
class StatesFile:
    """The content of the file; only a task can tell if its facts exist."""

    path: Path
    entries: tuple[tuple[str, ...], ...]

    def states(self, task: Task) -> StateArray:
        """The states of the task, in the order of the file."""
        import numpy as np

        return np.stack([self._state(task, number) for number in range(len(self.entries))])

    def _state(self, task: Task, number: int) -> StateArray:
        try:
            return task.state(self.entries[number])
        except InputError as error:
            raise InputError(f"{_place(self.path, number)}: {error}") from None


def read_states_file(path: Path) -> StatesFile:
    """The file, if it is readable and has the right form; needs no task, so it can come first."""
    content = load_json(path, kind="states", max_bytes=MAX_BYTES)
    entries = content.get("states") if isinstance(content, dict) else content
    if not isinstance(entries, list) or not entries:
        raise InputError(f"the states file {path} must hold a list of states, at least one")
    return StatesFile(path, tuple(_facts(path, i, entry) for i, entry in enumerate(entries)))


def _facts(path: Path, number: int, entry: Any) -> tuple[str, ...]:
    if not isinstance(entry, list) or not all(isinstance(fact, str) for fact in entry):
        raise InputError(f"{_place(path, number)}: a state is a list of facts such as '(on a b)'")
    return tuple(entry)


def _place(path: Path, number: int) -> str:
    return f"{path}, state {number} (counted from 0)"
