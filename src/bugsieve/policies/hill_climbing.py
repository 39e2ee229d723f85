"""`hill-climbing:HEURISTIC`: steps to an improving successor, weighing the cost of the step."""

from __future__ import annotations

from bugsieve._native import BestSuccessors
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.tasks.fdr.arrays import ask_core
from bugsieve.tasks.fdr.heuristic_names import check_heuristic
from bugsieve.tasks.fdr.task import ActionArray, StateArray, Task


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
        check_heuristic(heuristic)
        self._best = BestSuccessors(task.native, heuristic, improving=True)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> HillClimbingPolicy:
        """`hill-climbing` is `hill-climbing:hff`."""
        return cls(task, argument or "hff")

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the improving action with the lowest c(a) + h(successor)."""
        return ask_core(self._best.choose, self.task.checked_states(states))
