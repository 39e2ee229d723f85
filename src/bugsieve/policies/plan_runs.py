"""The runs of a policy that makes a plan where it starts, and follows it to its end.

A plan may pass a state twice and yet go on, for it knows how far it is: such a run is no loop, and
its certificate says that it follows a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from bugsieve._native import StateRegistry
from bugsieve.basis.errors import InternalError, UsageError
from bugsieve.basis.stopping import check_stop
from bugsieve.basis.wording import counted
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.protocol import Plan
from bugsieve.policies.run_table import Ids, RunTable
from bugsieve.policies.worker import printable
from bugsieve.tasks.fdr.task import ActionArray, StateArray, Task

Planner = Callable[[StateArray], "Iterable[Plan | Failure | None]"]
"""From states to the plan for each: names of actions, None for no plan, or a failure."""


@dataclass(frozen=True, eq=False)
class _Followed:
    """What came of a plan."""

    actions: ActionArray
    path: Ids
    ending: Ending
    failure: Failure | None = None


class PlanRuns:
    """Runs by the ids of the states they start in; a plan is made once for each."""

    follows_plans = True

    def __init__(self, task: Task, planner: Planner) -> None:
        self.task = task
        self.calls = CallCounter()
        """Of plans."""
        self._planner = planner
        self._registry = StateRegistry(task.native)
        self._runs: dict[int, _Followed] = {}

    def table(self, states: StateArray, *, step_limit: int) -> RunTable:
        """The runs from the states, each of at most `step_limit` actions."""
        batch = self.task.checked_states(states)
        ids: Ids = np.asarray(self._registry.insert(batch), dtype=np.int64)
        self._make(np.unique(ids))
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
        """Why the plan of this run did not lead to the goal, if it did not."""
        return self._runs[run].failure

    def loop_start(self, run: int) -> int:
        """Plans have an end."""
        raise InternalError("a run that follows a plan was called a loop")

    def _make(self, starts: Ids) -> None:
        """Ask for the plans from these states and follow them, where that is not done."""
        new = np.array([start for start in starts.tolist() if start not in self._runs], dtype=int)
        states = self._registry.states(new)
        goals = self.task.is_goal(states)
        for start in new[goals].tolist():
            nothing = np.empty(0, dtype=np.int32)
            self._runs[start] = _Followed(nothing, np.array([start]), Ending.SOLVED)
        asked = states[~goals]
        self.calls.claim(len(asked))
        plans = self._planner(asked)
        for start, state, plan in zip(new[~goals].tolist(), asked, plans, strict=True):
            self.calls.add(1)
            self._runs[start] = self._followed(start, state, plan)

    def _followed(self, start: int, state: StateArray, plan: Plan | Failure | None) -> _Followed:
        if isinstance(plan, Failure) or plan is None:
            failure = Failure(Ending.NO_ACTION, "there is no plan") if plan is None else plan
            nothing = np.empty(0, dtype=np.int32)
            return _Followed(nothing, np.array([start]), failure.ending, failure)
        actions: list[int] = []
        visited = [state]
        failure = Failure(
            Ending.NO_ACTION, f"the plan of {counted(len(plan), 'action')} ends before the goal"
        )
        for name in plan:
            check_stop()
            action = self._operator(visited[-1], name)
            if isinstance(action, Failure):
                failure = _at(action, len(actions), len(plan))
                break
            actions.append(action)
            visited.append(self.task.successors(visited[-1][None], [action])[0])
            if self.task.is_goal(visited[-1][None])[0]:
                return self._kept(actions, visited, Ending.SOLVED, None)
        return self._kept(actions, visited, failure.ending, failure)

    def _kept(
        self, actions: list[int], visited: list[StateArray], end: Ending, failure: Failure | None
    ) -> _Followed:
        path = np.asarray(self._registry.insert(np.stack(visited)), dtype=np.int64)
        return _Followed(np.array(actions, dtype=np.int32), path, end, failure)

    def _operator(self, state: StateArray, name: str) -> int | Failure:
        """The operator of this name that is applicable in the state."""
        try:
            candidates = self.task.operator_ids(name)
        except UsageError:
            shown = printable(name, limit=80)
            return Failure(Ending.ILLEGAL_ACTION, f'"{shown}" is no action of the task')
        states = np.repeat(state[None], len(candidates), axis=0)
        able = self.task.is_applicable(states, np.array(candidates, dtype=np.int32))
        if able.any():
            return candidates[int(able.argmax())]
        shown = self.task.operator_names[candidates[0]]
        detail = f'"{shown}" is not applicable'
        return Failure(Ending.ILLEGAL_ACTION, detail, action=candidates[0])


def _at(failure: Failure, step: int, length: int) -> Failure:
    """The failure with its place in the plan."""
    return replace(failure, detail=f"{failure.detail} (action {step + 1} of {length} of the plan)")


def _rows(table: RunTable) -> Iterable[tuple[int, int]]:
    """The start and the number of steps of each run."""
    return zip(table.ids.tolist(), table.steps.tolist(), strict=True)
