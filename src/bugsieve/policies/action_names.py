"""Between action names, which foreign policies speak, and operator ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from bugsieve.base.errors import UsageError
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Weights, checked_weights, likeliest
from bugsieve.policies.policy import DEFAULT_TIE_EPSILON
from bugsieve.policies.protocol import NamedWeights
from bugsieve.policies.worker import printable
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task


class ActionNames:
    """The names of a task's operators, read as leniently as the task reads them.

    Operators that stem from one action with a disjunctive condition share their name; which of
    them is meant follows from the state.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.were_weighed = False
        """True if an answer gave weights to several actions."""

    def of(self, operators: Sequence[int]) -> tuple[str, ...]:
        """The names of the operators, each once."""
        names = self._task.operator_names
        return tuple(dict.fromkeys(names[operator] for operator in operators))

    def applicable(self, states: StateArray) -> list[list[int]]:
        """The applicable operators of each state."""
        operators, offsets = self._task.applicable(states)
        return [operators[begin:end].tolist() for begin, end in pairwise(offsets)]

    def decision(
        self,
        said: str | NamedWeights | Failure | None,
        applicable: Sequence[int],
        *,
        epsilon: float = DEFAULT_TIE_EPSILON,
    ) -> int | Failure:
        """The operator that is said, of a distribution the likeliest; a Failure if there is none.

        Of operators with one name it is an applicable one. An operator that is not applicable is
        returned as it is, unless it is one of several: the run reports it.
        """
        if isinstance(said, Mapping):
            weights = self.distribution(said, applicable)
            return weights if isinstance(weights, Failure) else likeliest(weights, epsilon=epsilon)
        if isinstance(said, str):
            return self._operator(said, applicable)
        return NO_ACTION if said is None else said

    def distribution(
        self, said: str | NamedWeights | Failure | None, applicable: Sequence[int]
    ) -> Weights | Failure:
        """The weights of operators that are said; a single one has all the weight.

        What has no weight need not be an action. A Failure where something else is not one that
        can be taken: no part of such an answer counts.
        """
        if not isinstance(said, Mapping):
            decision = self.decision(said, applicable)
            if isinstance(decision, Failure):
                return decision
            return () if decision == NO_ACTION else ((decision, 1.0),)
        pairs: list[tuple[int, float]] = []
        self.were_weighed |= len(said) > 1
        for name, weight in said.items():
            if weight != 0:
                operator = self._operator(name, applicable)
                if isinstance(operator, Failure):
                    return operator
                if operator not in applicable:
                    detail = f'"{self._task.operator_names[operator]}" is not applicable'
                    return Failure(Ending.ILLEGAL_ACTION, detail, action=operator)
                pairs.append((operator, weight))
        return checked_weights(pairs)

    def _operator(self, name: str, applicable: Sequence[int]) -> int | Failure:
        try:
            candidates = self._task.operator_ids(name)
        except UsageError:
            shown = printable(name, limit=80)
            return Failure(Ending.ILLEGAL_ACTION, f'"{shown}" is no action of the task')
        return next((operator for operator in candidates if operator in applicable), candidates[0])
