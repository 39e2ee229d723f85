"""Between action names, which foreign policies speak, and operator ids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bugsieve.basis.errors import UsageError
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.worker import printable
from bugsieve.tasks.fdr.task import NO_ACTION, StateArray, Task


class ActionNames:
    """The names of a task's operators, read as leniently as the task reads them.

    Operators that stem from one action with a disjunctive condition share their name; which of
    them is meant follows from the state.
    """

    def __init__(self, task: Task) -> None:
        self._task = task

    def of(self, operators: Sequence[int]) -> tuple[str, ...]:
        """The names of the operators, each once."""
        names = self._task.operator_names
        return tuple(dict.fromkeys(names[operator] for operator in operators))

    def applicable(self, states: StateArray) -> list[list[int]]:
        """The applicable operators of each state."""
        operators, offsets = self._task.applicable(states)
        return [operators[begin:end].tolist() for begin, end in pairwise(offsets)]

    def decision(self, name: str | Failure | None, applicable: Sequence[int]) -> int | Failure:
        """The operator of that name, an applicable one if there is one; a Failure if none has it.

        An operator that is not applicable is returned as it is: the run reports it.
        """
        if not isinstance(name, str):
            return NO_ACTION if name is None else name
        try:
            candidates = self._task.operator_ids(name)
        except UsageError:
            shown = printable(name, limit=80)
            return Failure(Ending.ILLEGAL_ACTION, f'"{shown}" is no action of the task')
        return next((operator for operator in candidates if operator in applicable), candidates[0])
