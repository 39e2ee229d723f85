"""Runs of a policy: what it does from a state until the goal or another end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from bugsieve.base.arguments import require_function, require_kind
from bugsieve.base.errors import UsageError
from bugsieve.base.notebooks import line_html
from bugsieve.base.wording import counted
from bugsieve.policies.decisions import Ending
from bugsieve.policies.graph import PolicyGraph, Progress, source_of
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.policies.policy import Bindable, Policy
from bugsieve.policies.registry import make_policy
from bugsieve.policies.run_table import Ids, RunTable
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task, require_task


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a policy from a state to where it ended.

    - `start`: the state it began in.
    - `ending`: how it ended; `ending.label` says so in words, as in "solved" or "policy crash".
    - `actions`: the operators applied, which lead from `start` to the state where it ended. An
      action that is not applicable ends the run and is not among them.
    - `cost`: what these actions cost together, whether or not they reach the goal.
    - `detail`: why it ended there, in one line: for a policy crash the exception or the last words
      of the program, for a policy hang its deadline, for an illegal action its name, for no action
      how many were applicable; empty for a run that is solved, loops or reached the step limit.
    - `loop_start`: in a loop, the number of steps after which its repeated state was first met;
      else None.
    - `trace`: of a policy crash, the traceback and what was printed before, where they are known.
    - `task`: what it was run on, where that is known; notebooks draw it.
    """

    start: StateArray = field(repr=False)
    ending: Ending
    actions: tuple[int, ...]
    cost: int
    detail: str
    loop_start: int | None
    trace: str = field(default="", repr=False, compare=False)
    task: Task | None = field(default=None, repr=False, compare=False)

    @property
    def solved(self) -> bool:
        """Whether the run reached the goal."""
        return self.ending is Ending.SOLVED

    def states(self, task: Task) -> StateArray:
        """The states visited, one more than there are actions."""
        visited = [self.start[np.newaxis]]
        for action in self.actions:
            visited.append(task.successors(visited[-1], np.array([action], dtype=np.int32)))
        return np.concatenate(visited)

    def _repr_html_(self) -> str:
        """HTML for notebooks: how it ended, and pictures of its start and its end."""
        steps = counted(len(self.actions), "step")
        detail = f": {self.detail}" if self.detail else ""
        told = line_html(f"{self.ending.label} after {steps} of cost {self.cost}{detail}")
        return told if self.task is None else told + self._image(self.task)

    def _image(self, task: Task) -> str:
        from bugsieve.pictures.strips import run_strip, strips_image

        doings = [*(task.operator_names[action] for action in self.actions), self.ending.label]
        strip = run_strip("the run", task, self.states(task), doings, is_marked=False)
        return strips_image([strip], title=f"a run on {task.title}")


def run_policy(
    task: Task,
    policy: Policy | Bindable | str,
    states: ArrayLike,
    *,
    step_limit: int = DEFAULT_STEP_LIMIT,
    graph: PolicyGraph | None = None,
    progress: Progress | None = None,
) -> list[Run]:
    """Run the policy from each state, all in lockstep; `graph` carries what earlier calls found.

    The policy is an object with a method `choose`, a function under `@bugsieve.policy`, or a spec
    as in "greedy:hff". `states` is one state or a batch. Their values must be in range, but
    whether facts exclude each other is not checked: `task.state` does that. A run asks the policy
    at most `step_limit` times, a number from 1 on; goal states end it before it asks. What the
    policy raises ends the run as a policy crash, but Ctrl-C ends the call.
    """
    require_task(task)
    if graph is not None:
        require_kind(graph, PolicyGraph, "graph", "a PolicyGraph or None")
    if progress is not None:
        require_function(progress, "progress", "of steps and decisions, or None")
    if graph is not None and (graph.policy is not policy or graph.task is not task):
        raise UsageError("the graph belongs to another policy or another task")
    with _bound(policy, task) as bound:
        source = source_of(task, bound) if graph is None else graph
        if isinstance(source, PolicyGraph):
            table = source.table(states, step_limit=step_limit, progress=progress)
        else:
            table = source.table(task.checked_states(states), step_limit=step_limit)
    return runs_of(table)


def runs_of(table: RunTable) -> list[Run]:
    """The runs of a table, each in full."""
    columns = zip(table.paths, table.actions(), strict=True)
    return [_run(table, row, path, actions) for row, (path, actions) in enumerate(columns)]


@contextmanager
def _bound(policy: Policy | Bindable | str, task: Task) -> Iterator[Policy]:
    """The policy bound to the task; one that had to be made is closed afterwards."""
    if isinstance(policy, str):
        with make_policy(policy, task) as made:
            yield made
    else:
        yield policy.bind(task) if isinstance(policy, Bindable) else policy


def _run(table: RunTable, row: int, path: Ids, actions: ActionArray) -> Run:
    ending = Ending(int(table.endings[row]))
    return Run(
        start=table.source.states(path[:1])[0],
        ending=ending,
        actions=tuple(actions.tolist()),
        cost=int(table.costs[row]),
        detail=_detail(table, row, path[-1:]),
        loop_start=table.loop_start(row) if ending is Ending.LOOP else None,
        trace="" if (failure := table.failure(row)) is None else failure.trace,
        task=table.source.task,
    )


def _detail(table: RunTable, row: int, last: Ids) -> str:
    failure = table.failure(row)
    if table.endings[row] == Ending.NO_ACTION and failure is None:
        choices = len(table.source.task.applicable(table.source.states(last)).operators)
        return f"none of {choices} applicable chosen" if choices else "nothing is applicable"
    return "" if failure is None else failure.detail
