"""The truth of atoms along a trace of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bugsieve.rooms.rules.engine.conditions import NO_OPERATOR, letter
from bugsieve.tasks.grounded.task import StateArray, Task

Letter = frozenset[str]


def letters_of(
    task: Task, operators: Sequence[int], conditions: Mapping[str, Any]
) -> tuple[list[Letter], StateArray]:
    """The atoms that are true in each state from the initial one on, and these states."""
    states = np.empty((len(operators) + 1, task.num_variables), dtype=np.uint16)
    states[0] = task.initial_state
    for step, operator in enumerate(operators):
        action = np.array([operator], dtype=np.int32)
        states[step + 1] = task.successors(states[step : step + 1], action)[0]
    led = (NO_OPERATOR, *operators)
    rows = zip(states.tolist(), led, strict=True)
    return [frozenset(letter(conditions, row, operator)) for row, operator in rows], states
