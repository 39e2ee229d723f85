"""The runs of a policy that makes a plan where it starts, and follows it to its end.

A plan may pass a state twice and yet go on, for it knows how far it is: such a run is not a loop,
and its certificate says that it follows a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.kept_runs import KeptRun, KeptRuns
from bugsieve.policies.protocol import Plan
from bugsieve.policies.run_table import Ids
from bugsieve.policies.worker import printable
from bugsieve.tasks.grounded.task import StateArray, Task

Planner = Callable[[StateArray], "Iterable[Plan | Failure | None]"]
"""Makes a plan for each state: names of actions, None for no plan, or a failure."""


class PlanRuns(KeptRuns):
    """Runs that follow plans; a plan is made once for each start."""

    follows_plans = True

    def __init__(self, task: Task, planner: Planner) -> None:
        super().__init__(task)
        self._planner = planner

    def _make(self, starts: Ids, step_limit: int) -> None:
        """Ask for the plans from these states and follow them, where that is not done."""
        new = np.array([start for start in starts.tolist() if start not in self._runs], dtype=int)
        begun = self._start(new)
        asked = self._registry.states(begun)
        self.calls.claim(len(asked))
        plans = self._planner(asked)
        for start, state, plan in zip(begun.tolist(), asked, plans, strict=True):
            self.calls.add(1)
            self._runs[start] = self._followed(start, state, plan)

    def _followed(self, start: int, state: StateArray, plan: Plan | Failure | None) -> KeptRun:
        if isinstance(plan, Failure) or plan is None:
            failure = Failure(Ending.NO_ACTION, "there is no plan") if plan is None else plan
            return KeptRun.at(start, failure.ending, failure)
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
    ) -> KeptRun:
        path = np.asarray(self._registry.insert(np.stack(visited)), dtype=np.int64)
        return KeptRun(np.array(actions, dtype=np.int32), path, end, failure)

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
