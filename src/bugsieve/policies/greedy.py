"""`greedy:HEURISTIC`: steps to the successor that looks closest to the goal."""

from __future__ import annotations

from bugsieve._native import BestSuccessors
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.tasks.fdr.arrays import ask_core
from bugsieve.tasks.fdr.heuristic_names import check_heuristic
from bugsieve.tasks.fdr.task import ActionArray, StateArray, Task


class GreedyPolicy(BoundPolicy):
    """The applicable action whose successor has the lowest heuristic value; lowest id on ties.

    Action costs do not count. Dead ends compare as larger than every number, so a state with only
    dead ends as successors still gets its lowest action; NO_ACTION means nothing is applicable.
    """

    family = "greedy"
    usage = "greedy:HEURISTIC (default hff)"

    def __init__(self, task: Task, heuristic: str = "hff") -> None:
        super().__init__(task, f"greedy:{heuristic}")
        check_heuristic(heuristic)
        self._best = BestSuccessors(task.native, heuristic, improving=False)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> GreedyPolicy:
        """`greedy` is `greedy:hff`."""
        return cls(task, argument or "hff")

    def choose(self, states: StateArray) -> ActionArray:
        """For each state the action with the lowest h(successor)."""
        return ask_core(self._best.choose, self.task.checked_states(states))
