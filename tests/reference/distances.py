"""h^FF from one state to another: that of the task with the other state as its goal."""

from __future__ import annotations

from dataclasses import replace

from tests.reference.relaxation import hff
from tests.reference.sas import SasTask, State


def towards(task: SasTask, target: State) -> SasTask:
    """The task whose goal is to be in the target."""
    return replace(task, goal=tuple(enumerate(target)))


def distance(task: SasTask, source: State, target: State) -> int:
    """h^FF from the source to the target, DEAD_END if the relaxation does not reach it."""
    return hff(towards(task, target), source).value
