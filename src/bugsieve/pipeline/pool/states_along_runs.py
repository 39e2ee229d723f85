"""The states that the policy's runs from test states pass: test states of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import DEAD_END
from bugsieve.pipeline.bench import Bench
from bugsieve.policies.run_table import Ids
from bugsieve.tasks.grounded.task import ActionArray, StateArray


@dataclass(frozen=True, eq=False)
class Passed:
    """States on the way of one run."""

    states: StateArray
    """In the order of the run, without its start."""
    steps: tuple[int, ...]
    """The number of steps after which each of them is there."""
    actions: ActionArray
    """All those of the run."""

    def where(self, kept: NDArray[np.bool_]) -> Passed:
        """Some of the states."""
        steps = tuple(step for step, keep in zip(self.steps, kept, strict=True) if keep)
        return Passed(self.states[kept], steps, self.actions)

    def last_first(self) -> Iterator[tuple[StateArray, tuple[int, ...]]]:
        """The states with the actions that lead there: a bug at the end of a run is found first,
        and those before it need no oracle then."""
        for state, steps in zip(self.states[::-1], self.steps[::-1], strict=True):
            yield state, tuple(self.actions[:steps].tolist())


def passed_states(bench: Bench, starts: StateArray, *, prune_dead_ends: bool) -> list[Passed]:
    """States worth testing on the policy's run from each state: neither goals nor dead ends.

    Nothing of a run without a value, such as one that a step limit ended: it says nothing.
    """
    suspects = bench.suspects(starts)
    columns = zip(suspects.runs.paths, suspects.runs.actions(), suspects.values, strict=True)
    return [
        _passed(bench, path[:1] if np.isnan(value) else path, actions, prune_dead_ends)
        for path, actions, value in columns
    ]


def _passed(bench: Bench, path: Ids, actions: ActionArray, prune: bool) -> Passed:
    states = bench.source.states(path[1:])
    kept = ~bench.task.is_goal(states)
    if prune:
        kept &= bench.task.heuristic("hmax").evaluate(states) != DEAD_END
    steps = (np.flatnonzero(kept) + 1).tolist()
    return Passed(states[kept], tuple(steps), actions)
