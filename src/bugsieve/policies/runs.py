"""Runs of a policy: what it does from a state until the goal or another end."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bugsieve.basis.errors import UsageError
from bugsieve.policies.decisions import Ending
from bugsieve.policies.graph import DEFAULT_STEP_LIMIT, Ids, PolicyGraph, Progress, RunTable
from bugsieve.policies.policy import Policy
from bugsieve.tasks.fdr.task import StateArray, Task


@dataclass(frozen=True, eq=False)
class Run:
    """One run: `actions` lead from `start` to the state where it ended."""

    start: StateArray = field(repr=False)
    ending: Ending
    actions: tuple[int, ...]
    cost: int
    detail: str = ""
    """What the policy did wrong, for the endings that are its fault."""
    loop_start: int | None = None
    """In a loop, the number of steps after which its repeated state was first met."""

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


def run_policy(
    task: Task,
    policy: Policy,
    states: StateArray,
    *,
    step_limit: int = DEFAULT_STEP_LIMIT,
    graph: PolicyGraph | None = None,
    progress: Progress | None = None,
) -> list[Run]:
    """Run the policy from each state, all in lockstep; `graph` carries what earlier calls found.

    A run asks the policy at most `step_limit` times. Goal states end it before it asks.
    """
    if step_limit < 0:
        raise UsageError(f"the step limit must not be negative, but is {step_limit}")
    if graph is not None and (graph.policy is not policy or graph.task is not task):
        raise UsageError("the graph belongs to another policy or another task")
    graph = PolicyGraph(task, policy) if graph is None else graph
    table = graph.table(np.atleast_2d(states), step_limit=step_limit, progress=progress)
    return [_run(graph, table, row, path) for row, path in enumerate(graph.paths(table))]


def _run(graph: PolicyGraph, table: RunTable, row: int, path: Ids) -> Run:
    ending = Ending(int(table.endings[row]))
    return Run(
        start=graph.states(path[:1])[0],
        ending=ending,
        actions=tuple(graph.actions_at(path[:-1]).tolist()),
        cost=int(table.costs[row]),
        detail=_detail(graph, ending, path),
        loop_start=graph.loop_start(int(path[0])) if ending is Ending.LOOP else None,
    )


def _detail(graph: PolicyGraph, ending: Ending, path: Ids) -> str:
    if ending in (Ending.SOLVED, Ending.LOOP, Ending.STEP_LIMIT):
        return ""
    if ending is Ending.NO_ACTION:
        choices = len(graph.task.applicable(graph.states(path[-1:])).operators)
        return f"none of {choices} applicable chosen" if choices else "nothing is applicable"
    failure = graph.failure(int(path[0]))
    return failure.detail if failure is not None else ""
