"""Runs of a policy as columns, and the sources they come from.

Who needs runs asks a source for a table of them; states and actions are made when someone asks the
table. The usual source is the policy graph. A policy whose action depends on more than the state,
such as one that follows a plan to its end, brings another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

Ids = NDArray[np.int64]

NOT_WITHIN = -1
"""In the place of a cost: the run does not reach the goal for less than its limit."""


class RunSource(Protocol):
    """Gives the runs of one policy on one task; the same from a state whenever it is asked.

    It has a number for each run and an id for each state. A run that comes back to one of its own
    states ends there, as a loop. Not so if the source has an attribute `follows_plans` that is
    true: a plan may pass a state twice and goes on, and certificates say so. They also say so
    where a source has `avoids_visited`: none of its runs comes back to a state. Where it has
    `gives_distributions`, what it has `answered` in states, as the policy graph, are weights.
    """

    task: Task

    @property
    def calls(self) -> CallCounter:
        """The questions to the policy so far."""
        ...

    def table(self, states: StateArray, *, step_limit: int) -> RunTable:
        """The runs from the states, each of at most `step_limit` decisions."""
        ...

    def paths(self, table: RunTable) -> list[Ids]:
        """The states of each run of the table as ids, from its start to its end."""
        ...

    def actions(self, table: RunTable) -> list[ActionArray]:
        """The actions of each run of the table."""
        ...

    def states(self, ids: Ids) -> StateArray:
        """The states behind ids."""
        ...

    def failure(self, run: int) -> Failure | None:
        """The failure of the policy in which the run of this number ended, if it did."""
        ...

    def loop_start(self, run: int) -> int:
        """The number of steps after which a looping run first meets the state it comes back to."""
        ...


class PassedStates(NamedTuple):
    """The states of many runs, each different one once."""

    states: StateArray
    which: Ids
    """The states of all runs, one run after the other, as rows of `states`."""
    offsets: Ids
    """Run i has the entries from offsets[i] to offsets[i + 1] of `which`."""

    def split(self, column: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """The entries of a column with one per state, for the states of each run."""
        flat = column[self.which]
        return [flat[low:high] for low, high in pairwise(self.offsets.tolist())]


@dataclass(frozen=True)
class RunTable:
    """The runs from a batch of states as columns; row i belongs to state i."""

    ids: Ids
    """The numbers of the runs in their source; a policy graph takes the ids of their starts."""
    endings: NDArray[np.int8]
    """Codes of `Ending`."""
    steps: NDArray[np.int64]
    """Actions taken; a loop counts until the first repeated state."""
    costs: NDArray[np.int64]
    """The cost of these actions: the policy's cost-to-goal where the run is solved."""
    source: RunSource = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def solved(self) -> NDArray[np.bool_]:
        """True for each run that reached the goal."""
        solved: NDArray[np.bool_] = self.endings == Ending.SOLVED
        return solved

    @property
    def excused(self) -> NDArray[np.bool_]:
        """True for each run that ended in a crash that does not blame the policy's decisions."""
        excused = np.zeros(len(self), dtype=np.bool_)
        for row in np.flatnonzero(self.endings == Ending.POLICY_CRASH).tolist():
            failure = self.failure(row)
            excused[row] = failure is not None and failure.excused
        return excused

    def rows(self, rows: Sequence[int] | Ids) -> RunTable:
        """Some of the runs, in the given order."""
        index = np.asarray(rows, dtype=np.int64)
        return RunTable(
            self.ids[index],
            self.endings[index],
            self.steps[index],
            self.costs[index],
            self.source,
        )

    def failure(self, row: int) -> Failure | None:
        """The failure of the policy in which a run ended; None if it did not or was cut before."""
        failure = self.source.failure(int(self.ids[row]))
        return failure if failure is not None and failure.ending == self.endings[row] else None

    def loop_start(self, row: int) -> int:
        """The number of steps after which a looping run first meets the state it comes back to."""
        return self.source.loop_start(int(self.ids[row]))

    def plan(self, row: int) -> tuple[int, ...]:
        """The actions of one run."""
        return tuple(self.source.actions(self.rows([row]))[0].tolist())

    def actions(self) -> list[ActionArray]:
        """The actions of each run."""
        return self.source.actions(self)

    @cached_property
    def paths(self) -> list[Ids]:
        """The states of each run as ids of the source, from its start to its end."""
        return self.source.paths(self)

    def passed(self) -> PassedStates:
        """The states of all runs, so that each needs to be looked at only once."""
        offsets = np.concatenate([[0], np.cumsum(self.steps + 1)])
        flat = np.concatenate([np.empty(0, dtype=np.int64), *self.paths])
        ids, which = np.unique(flat, return_inverse=True)
        return PassedStates(self.source.states(ids), which, offsets)
