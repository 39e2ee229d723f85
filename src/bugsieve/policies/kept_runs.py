"""Base of sources that keep each run whole, by the state in which it starts.

That is for policies whose action depends on more than the state: two of their runs that meet in a
state need not go on together, so there is no graph that all runs share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bugsieve._native import StateRegistry
from bugsieve.base.errors import InternalError
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.run_table import Ids, RunTable
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task


@dataclass(frozen=True, eq=False)
class KeptRun:
    """The known facts of one run; `STEP_LIMIT` is the ending of one that may go on."""

    actions: ActionArray
    path: Ids
    """The states as ids, one more than there are actions."""
    ending: Ending
    failure: Failure | None = None

    @staticmethod
    def at(start: int, ending: Ending, failure: Failure | None = None) -> KeptRun:
        """A run that has taken no action."""
        return KeptRun(np.empty(0, dtype=np.int32), np.array([start]), ending, failure)


class KeptRuns(ABC):
    """Runs by the ids of the states they start in; members say how they are made."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.calls = CallCounter()
        self._registry = StateRegistry(task.native)
        self._runs: dict[int, KeptRun] = {}

    def table(self, states: StateArray, *, step_limit: int) -> RunTable:
        """The runs from the states, each of at most `step_limit` actions."""
        batch = self.task.checked_states(states)
        ids: Ids = np.asarray(self._registry.insert(batch), dtype=np.int64)
        self._make(np.unique(ids), step_limit)
        runs = [self._runs[start] for start in ids.tolist()]
        steps = np.array([len(run.actions) for run in runs], dtype=np.int64)
        endings = np.array([int(run.ending) for run in runs], dtype=np.int8)
        cut = steps + (endings != Ending.SOLVED) > step_limit
        endings[cut], steps[cut] = Ending.STEP_LIMIT, step_limit
        costs = [
            int(self.task.operator_costs[run.actions[:count]].sum())
            for run, count in zip(runs, steps.tolist(), strict=True)
        ]
        return RunTable(ids, endings, steps, np.array(costs, dtype=np.int64), self)

    def paths(self, table: RunTable) -> list[Ids]:
        """The states of each run of the table as ids, from its start to its end."""
        return [self._runs[run].path[: steps + 1] for run, steps in _rows(table)]

    def actions(self, table: RunTable) -> list[ActionArray]:
        """The actions of each run of the table."""
        return [self._runs[run].actions[:steps] for run, steps in _rows(table)]

    def states(self, ids: Ids) -> StateArray:
        """The states behind ids."""
        return self._registry.states(ids)

    def failure(self, run: int) -> Failure | None:
        """The reason why this run did not lead to the goal, if it did not and one is known."""
        return self._runs[run].failure

    def loop_start(self, run: int) -> int:
        """InternalError: these runs go on where they pass a state twice, or never do."""
        raise InternalError("a run that looks at more than the state was called a loop")

    @abstractmethod
    def _make(self, starts: Ids, step_limit: int) -> None:
        """Make the runs from these states that are not known so far."""

    def _start(self, starts: Ids) -> Ids:
        """Keep the runs that begin in a goal; return the other starts, in order."""
        is_goal = self.task.is_goal(self._registry.states(starts))
        for start in starts[is_goal].tolist():
            self._runs[start] = KeptRun.at(start, Ending.SOLVED)
        return starts[~is_goal]


def _rows(table: RunTable) -> Iterable[tuple[int, int]]:
    """The start and the number of steps of each run."""
    return zip(table.ids.tolist(), table.steps.tolist(), strict=True)
