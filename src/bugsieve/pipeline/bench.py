"""The test bench: one task, one policy and one objective, which fuzzing and oracles share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UnsupportedError
from bugsieve.pipeline.objectives.objective import Objective, Values
from bugsieve.policies.decisions import Recorded
from bugsieve.policies.graph import Hopeless, PolicyGraph
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import NOT_WITHIN, RunSource, RunTable
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import ExactCosts, Limits, exact_costs
from bugsieve.tasks.search.exact import SPACE_LIMITS


@dataclass(frozen=True, eq=False)
class Origin:
    """The way a state was reached: a walk from another state."""

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
        origins = tuple(self.origins[row] for row in rows)
        return Suspects(self.states[index], self.runs.rows(index), self.values[index], origins)


class Bench:
    """A policy on a task under an objective; all runs come from one source."""

    def __init__(
        self,
        task: Task,
        policy: Policy,
        objective: Objective,
        *,
        step_limit: int = DEFAULT_STEP_LIMIT,
        seed: int = 0,
        source: Callable[[Task, Policy], RunSource] | None = None,
    ) -> None:
        self.task = task
        self.policy = policy
        self.objective = objective
        self.step_limit = step_limit
        self.seed = seed
        """Of the campaign, for oracles that draw."""
        self.source = (
            objective.run_source(policy, seed=seed) if source is None else source(task, policy)
        )
        self.is_recorded = False
        """True if the policy's runs were taken over, so that they are not asked for again."""
        self._make_source = source
        self._exact: ExactCosts | None = None

    @property
    def objection_to_graph(self) -> str | None:
        """None, or why the runs have no policy graph behind them."""
        if isinstance(self.source, PolicyGraph):
            return None
        usual = "here the policy looks at more than the state"
        return f"it needs the policy's graph, but {getattr(self.source, 'no_graph', usual)}"

    @property
    def graph(self) -> PolicyGraph:
        """The policy graph; UnsupportedError where the runs come from elsewhere."""
        if not isinstance(self.source, PolicyGraph):
            raise UnsupportedError(str(self.objection_to_graph))
        return self.source

    @property
    def decisions_taken(self) -> int:
        """The number of times that the policy was asked so far."""
        return self.source.calls.made

    def limit_calls(self, most: int) -> None:
        """Let runs raise CallsSpent before the policy is asked more than `most` times more."""
        calls = self.source.calls
        calls.most = calls.made + calls.again + most

    @property
    def known_costs(self) -> ExactCosts | None:
        """The exact costs of all reachable states, where they were computed before."""
        return self._exact

    def exact_costs(self, limits: Limits = SPACE_LIMITS) -> ExactCosts:
        """The exact costs of all reachable states, computed once; TooLargeError beyond limits."""
        if self._exact is None:
            self._exact = exact_costs(self.task, limits=limits)
        return self._exact

    def take_over(self, recorded: Recorded) -> None:
        """Let the policy's earlier decisions stand; UnsupportedError without a policy graph."""
        self.graph.recall(recorded)
        self.is_recorded = True

    def afresh(self, source: Callable[[Task, Policy], RunSource] | None = None) -> Bench:
        """The same bench with nothing remembered, so that the policy is asked anew."""
        return Bench(
            self.task,
            self.policy,
            self.objective,
            step_limit=self.step_limit,
            seed=self.seed,
            source=self._make_source if source is None else source,
        )

    def runs(self, states: StateArray, *, step_limit: int | None = None) -> RunTable:
        """The policy's runs from the states, within the bench's step limit or a lower one."""
        limit = self.step_limit if step_limit is None else min(step_limit, self.step_limit)
        return self.source.table(states, step_limit=limit)

    def costs_within(
        self,
        states: StateArray,
        limits: NDArray[np.int64],
        *,
        is_hopeless: Hopeless | None = None,
    ) -> NDArray[np.int64]:
        """The costs of runs that reach the goal for less than their limits; NOT_WITHIN elsewhere.

        Where there is a policy graph, the policy is asked neither beyond the limits nor in states
        that are hopeless.
        """
        if isinstance(self.source, PolicyGraph):
            return self.source.costs_within(
                states, limits, step_limit=self.step_limit, is_hopeless=is_hopeless
            )
        runs = self.runs(states)
        return np.where(runs.solved & (runs.costs < limits), runs.costs, NOT_WITHIN)

    def values(self, runs: RunTable) -> Values:
        """The values of the runs under the objective."""
        return self.objective.policy_values(runs)

    def suspects(
        self, states: StateArray, origins: Sequence[Origin | None] | None = None
    ) -> Suspects:
        """The states with the policy's runs from them, ready to be judged."""
        batch = np.atleast_2d(states)
        runs = self.runs(batch)
        known = (None,) * len(batch) if origins is None else tuple(origins)
        return Suspects(batch, runs, self.values(runs), known)
