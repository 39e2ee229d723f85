"""The states that a pool begins with."""

from __future__ import annotations

from pathlib import Path

from bugsieve.base.errors import InputError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.tasks.grounded.states_file import read_states_file
from bugsieve.tasks.grounded.task import StateArray, Task


def start_states(task: Task, source: str | None) -> StateArray:
    """The states of a JSON file or of an earlier campaign's pool; by default the initial state."""
    if source is None:
        return task.initial_state[None]
    if Path(source).is_dir():
        return _pool_of(task, source)
    return read_states_file(Path(source)).states(task)


def _pool_of(task: Task, directory: str) -> StateArray:
    with CostRecords(directory) as records:
        if records.header.subject.sha256 != task.sha256:
            raise InputError(
                f"{directory}: is a campaign on another task ({records.header.subject.name}), "
                "its states are none of this one's"
            )
        return records.pool().states
