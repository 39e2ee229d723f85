"""The test bench: one task, one policy and one objective, which fuzzing and oracles share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bugsieve.benches.objectives.objective import Objective, Values
from bugsieve.policies.graph import DEFAULT_STEP_LIMIT, PolicyGraph, RunTable
from bugsieve.policies.policy import Policy
from bugsieve.tasks.fdr.task import StateArray, Task


@dataclass(frozen=True, eq=False)
class Origin:
    """How a state was reached: a walk from another state."""

    start: StateArray
    """The state the walk started from, shape (variables,)."""
    actions: tuple[int, ...]
    """The operators of the walk."""
    from_initial: tuple[int, ...] | None = None
    """Operators that lead from the task's initial state to the state, where they are known."""


@dataclass(frozen=True, eq=False)
class Suspects:
    """A batch of states to judge, with the policy's run from each; row i belongs to state i."""

    states: StateArray
    runs: RunTable
    values: Values
    """The policy's value of each state; NaN where its run does not determine it."""
    origins: tuple[Origin | None, ...]

    def __len__(self) -> int:
        return len(self.states)

    def rows(self, rows: Sequence[int]) -> Suspects:
        """Some of the suspects, in the given order."""
        index = np.asarray(rows, dtype=np.int64)
        runs = RunTable(
            self.runs.ids[index],
            self.runs.endings[index],
            self.runs.steps[index],
            self.runs.costs[index],
        )
        origins = tuple(self.origins[row] for row in rows)
        return Suspects(self.states[index], runs, self.values[index], origins)


class Bench:
    """A policy on a task under an objective; all runs go through one policy graph."""

    def __init__(
        self,
        task: Task,
        policy: Policy,
        objective: Objective,
        *,
        step_limit: int = DEFAULT_STEP_LIMIT,
        graph: PolicyGraph | None = None,
    ) -> None:
        self.task = task
        self.policy = policy
        self.objective = objective
        self.step_limit = step_limit
        self.graph = PolicyGraph(task, policy) if graph is None else graph

    def runs(self, states: StateArray) -> RunTable:
        """The policy's runs from the states."""
        return self.graph.table(states, step_limit=self.step_limit)

    def values(self, runs: RunTable) -> Values:
        """What the runs are worth under the objective."""
        return self.objective.policy_values(self.graph, runs)

    def suspects(
        self, states: StateArray, origins: Sequence[Origin | None] | None = None
    ) -> Suspects:
        """The states with the policy's runs from them, ready to be judged."""
        batch = np.atleast_2d(states)
        runs = self.runs(batch)
        known = (None,) * len(batch) if origins is None else tuple(origins)
        return Suspects(batch, runs, self.values(runs), known)

    def plan_of_run(self, runs: RunTable, row: int) -> tuple[int, ...]:
        """The actions of one run of the table."""
        return self.graph.first_actions(int(runs.ids[row]), int(runs.steps[row]))
