"""The same task with another goal: to reach one given state in as few steps as possible."""

from __future__ import annotations

from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.sas_text import from_core, write_sas
from bugsieve.tasks.grounded.task import StateArray, Task


def steps_to(task: Task, state: StateArray) -> Task:
    """The task of reaching exactly this state; every operator costs 1 and keeps its number."""
    source = from_core(task.native)
    # Without a metric every operator costs 1, so costs are steps.
    source.metric = 0
    source.goal = list(enumerate(task.checked_state(state).tolist()))
    return Task(native_task(write_sas(source), task.name), name=f"{task.name}, to one state")
