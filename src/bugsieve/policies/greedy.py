"""`greedy:HEURISTIC`: steps to the successor that looks closest to the goal."""

from __future__ import annotations

import numpy as np

from bugsieve.policies.policy import BoundPolicy, PolicySettings, argbest_within
from bugsieve.policies.successors import successors_in_pieces
from bugsieve.tasks.fdr.task import NO_ACTION, ActionArray, StateArray, Task


class GreedyPolicy(BoundPolicy):
    """The applicable action whose successor has the lowest heuristic value; lowest id on ties.

    Action costs do not count. Dead ends compare as larger than every number, so a state with only
    dead ends as successors still gets its lowest action; NO_ACTION means nothing is applicable.
    """

    family = "greedy"
    usage = "greedy:HEURISTIC (default hff)"

    def __init__(self, task: Task, heuristic: str = "hff") -> None:
        super().__init__(task, f"greedy:{heuristic}")
        self._heuristic = task.heuristic(heuristic)

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> GreedyPolicy:
        """`greedy` is `greedy:hff`."""
        return cls(task, argument or "hff")

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the action with the lowest h(successor)."""
        chosen = np.full(len(states), NO_ACTION, dtype=np.int32)
        for piece in successors_in_pieces(self.task, states):
            values = self._heuristic.evaluate(piece.states)
            chosen[piece.rows] = argbest_within(
                -values.astype(np.float64),
                piece.operators,
                piece.offsets,
                epsilon=self.tie_epsilon,
            )
        return chosen
