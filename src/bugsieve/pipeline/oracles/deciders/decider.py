"""The common part of deciders."""

from __future__ import annotations

from abc import ABC, abstractmethod

from bugsieve.tasks.grounded.task import StateArray, Task


class Decider(ABC):
    """Decides states of one task."""

    @classmethod
    @abstractmethod
    def recognise(cls, task: Task) -> Decider | None:
        """The decider of this task, or None if the task is not of its domain."""

    @abstractmethod
    def solvable(self, state: StateArray) -> bool | None:
        """Return true if the state has a plan; None if the theory does not cover it."""

    def plan(self, state: StateArray) -> tuple[int, ...] | None:
        """A plan of a solvable state, where the theory makes one without search."""
        return None
