"""`hill-climbing:HEURISTIC`: steps to an improving successor, weighing the cost of the step."""

from __future__ import annotations

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.policies.policy import BoundPolicy, PolicySettings, argbest_within
from bugsieve.policies.successors import successors_in_pieces
from bugsieve.tasks.fdr.task import NO_ACTION, ActionArray, StateArray, Task

# Far above any cost plus heuristic value, so that "improving" is decided before the sum.
_NOT_IMPROVING = 2.0**40


class HillClimbingPolicy(BoundPolicy):
    """The action with the lowest c(a) + h(successor), improving successors first.

    A successor s' of s is improving if h(s') < h(s). If there are improving ones, only they are
    compared; otherwise all are, dead ends last. Ties go to the lowest action id. NO_ACTION means
    that nothing is applicable.
    """

    family = "hill-climbing"
    usage = "hill-climbing:HEURISTIC (default hff)"

    def __init__(self, task: Task, heuristic: str = "hff") -> None:
        super().__init__(task, f"hill-climbing:{heuristic}")
        self._heuristic = task.heuristic(heuristic)

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> HillClimbingPolicy:
        """`hill-climbing` is `hill-climbing:hff`."""
        return cls(task, argument or "hff")

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the improving action with the lowest c(a) + h(successor)."""
        chosen = np.full(len(states), NO_ACTION, dtype=np.int32)
        costs = self.task.operator_costs.astype(np.float64)
        own = self._heuristic.evaluate(states)
        for piece in successors_in_pieces(self.task, states):
            values = self._heuristic.evaluate(piece.states)
            parents = np.repeat(own[piece.rows], np.diff(piece.offsets))
            sums = np.where(values == DEAD_END, np.inf, values + costs[piece.operators])
            chosen[piece.rows] = argbest_within(
                -np.where(values < parents, sums, sums + _NOT_IMPROVING),
                piece.operators,
                piece.offsets,
                epsilon=self.tie_epsilon,
            )
        return chosen
