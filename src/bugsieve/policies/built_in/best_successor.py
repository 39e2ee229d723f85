"""Base of the policies that compare the heuristic values of all successors."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from bugsieve._native import BestSuccessors
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.heuristic_names import check_heuristic
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

Self = TypeVar("Self", bound="BestSuccessorPolicy")


class BestSuccessorPolicy(BoundPolicy):
    """The action whose successor looks best; members say what that means."""

    family: ClassVar[str]
    improving: ClassVar[bool]
    """True if costs count and improving successors come first."""

    def __init__(self, task: Task, heuristic: str = "hff") -> None:
        super().__init__(task, f"{self.family}:{heuristic}")
        check_heuristic(heuristic)
        self._best = BestSuccessors(task.native, heuristic, improving=self.improving)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(
        cls: type[Self], task: Task, argument: str | None, settings: PolicySettings
    ) -> Self:
        """Create it; without an argument, the heuristic is hff."""
        return cls(task, argument or "hff")

    def choose(self, states: StateArray) -> ActionArray:
        """The action with the best successor of each state."""
        return ask_core(self._best.choose, self.task.checked_states(states))
