"""The runs of a policy that never steps to a state which its run has visited.

Such a run cannot go round in a loop: it reaches the goal, or ends where all successors have been
visited. Its action in a state depends on how it got there, so from a later state of a run the
policy may go another way. Certificates say so by `avoids_visited`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.kept_runs import KeptRun, KeptRuns
from bugsieve.policies.run_table import Ids
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task

Preference = Callable[[StateArray, ActionArray, "NDArray[np.int64]"], ActionArray]
"""From successors, the operators that lead there, and where those of each state begin to the
operator taken in each state; NO_ACTION where there is no successor."""

_RUNS_AT_ONCE = 256
"""The number of states whose successors are in memory together."""


class _Way:
    """A run that is still going on."""

    def __init__(self, start: int) -> None:
        self.path = [start]
        self.actions: list[int] = []
        self.visited = {start}

    def __len__(self) -> int:
        return len(self.actions)

    def go(self, action: int, to: int) -> None:
        self.actions.append(action)
        self.path.append(to)
        self.visited.add(to)

    def kept(self, ending: Ending, failure: Failure | None = None) -> KeptRun:
        actions = np.array(self.actions, dtype=np.int32)
        return KeptRun(actions, np.array(self.path, dtype=np.int64), ending, failure)


class AvoidingRuns(KeptRuns):
    """Runs that step to the preferred one of the successors they have not visited."""

    avoids_visited = True

    def __init__(self, task: Task, prefer: Preference) -> None:
        super().__init__(task)
        self._prefer = prefer
        self._ways: dict[int, _Way] = {}
        """The runs that may go on, by the ids of their starts."""

    def first_actions(self, states: StateArray) -> ActionArray:
        """The first action of the run from each state, goals included."""
        successors, operators, offsets = self.task.all_successors(states)
        origins = np.repeat(states, np.diff(offsets), axis=0)
        kept = (successors != origins).any(axis=1)
        return self._prefer(successors[kept], operators[kept], _where_kept(kept, offsets))

    def _make(self, starts: Ids, step_limit: int) -> None:
        known = self._runs.keys() | self._ways.keys()
        new = np.array([start for start in starts.tolist() if start not in known], dtype=int)
        self._ways.update((start, _Way(start)) for start in self._start(new).tolist())
        # A run that a lower limit left open goes on from where it was.
        going = [start for start in starts.tolist() if start in self._ways]
        short = [start for start in going if len(self._ways[start]) < step_limit]
        for first in range(0, len(short), _RUNS_AT_ONCE):
            self._follow(short[first : first + _RUNS_AT_ONCE], step_limit)
        for start in going:
            if start in self._ways:
                self._runs[start] = self._ways[start].kept(Ending.STEP_LIMIT)

    def _follow(self, starts: list[int], step_limit: int) -> None:
        """Take the runs from these states to their ends, or to the limit."""
        while starts:
            check_stop()
            self._step(starts)
            going = (start for start in starts if start in self._ways)
            starts = [start for start in going if len(self._ways[start]) < step_limit]

    def _step(self, starts: Sequence[int]) -> None:
        """Ask once for each of these runs."""
        ways = [self._ways[start] for start in starts]
        self.calls.claim(len(ways))
        states = self._registry.states(np.array([way.path[-1] for way in ways]))
        successors, operators, offsets = self.task.all_successors(states)
        kept = self._are_new(ways, successors, offsets)
        rest = _where_kept(kept, offsets)
        chosen = self._prefer(successors[kept], operators[kept], rest)
        self.calls.add(len(ways))
        goes = chosen != NO_ACTION
        after = self.task.successors(states[goes], chosen[goes])
        is_goal = iter(self.task.is_goal(after).tolist())
        ids = iter(np.asarray(self._registry.insert(after)).tolist())
        counts = np.diff(offsets).tolist()
        for start, way, action, count in zip(starts, ways, chosen.tolist(), counts, strict=True):
            if action == NO_ACTION:
                self._end(start, Ending.NO_ACTION, _dead_end(count))
                continue
            way.go(action, next(ids))
            if next(is_goal):
                self._end(start, Ending.SOLVED)

    def _end(self, start: int, ending: Ending, failure: Failure | None = None) -> None:
        self._runs[start] = self._ways.pop(start).kept(ending, failure)

    def _are_new(
        self, ways: Sequence[_Way], successors: StateArray, offsets: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """True for each successor that the run which has it has not visited."""
        # Every visited state is in the registry: one that is not there was never visited.
        ids = np.asarray(self._registry.find(successors)).tolist()
        owners = np.repeat(np.arange(len(ways)), np.diff(offsets)).tolist()
        pairs = zip(owners, ids, strict=True)
        return np.array([place not in ways[way].visited for way, place in pairs], dtype=np.bool_)


def _where_kept(kept: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The offsets at which the kept successors of each state begin."""
    return np.concatenate([[0], np.cumsum(kept)])[offsets]


def _dead_end(successors: int) -> Failure | None:
    """The failure by which a run ends here; None where no action is applicable at all."""
    if not successors:
        return None
    detail = f"{counted(successors, 'successor')}, all of them visited before"
    return Failure(Ending.NO_ACTION, detail)
