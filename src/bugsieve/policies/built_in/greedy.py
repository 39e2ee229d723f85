"""`greedy:HEURISTIC`: steps to the successor that looks closest to the goal.

`greedy:python:…` and `greedy:cmd:…` do so by a foreign value function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bugsieve.policies.built_in.best_successor import BestSuccessorPolicy
from bugsieve.policies.nested_specs import ForeignInside, Inner, inner_spec
from bugsieve.policies.policy import BoundPolicy, PolicySettings

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import Task


class GreedyPolicy(ForeignInside, BestSuccessorPolicy):
    """The applicable action whose successor has the lowest heuristic value; lowest id on ties.

    Action costs do not count. Dead ends compare as larger than every number, so a state with only
    dead ends as successors still gets its lowest action; NO_ACTION means nothing is applicable.
    """

    family = "greedy"
    usage = "greedy:HEURISTIC (default hff), greedy:python:FILE.py:FUNCTION or greedy:cmd:PROGRAM"
    examples = ("greedy", "greedy:hmax", "greedy:python:bugsieve.policies.examples.missing:value")
    improving = False
    is_ours = True

    @classmethod
    def inner(cls, argument: str | None) -> Inner | None:
        """The function or program that values states; None for a heuristic."""
        from bugsieve.policies.foreign.valued import CommandValues, PythonValues

        return inner_spec(argument, {"python": PythonValues, "cmd": CommandValues})

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic, or a function or program that values states."""
        inner = cls.inner(argument)
        if inner is None:
            super().check_argument(argument)
        else:
            inner.member.check_argument(inner.argument)

    @classmethod
    def from_spec(  # type: ignore[override]
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> BoundPolicy:
        """Create it by a heuristic (hff without an argument), or by a foreign value function."""
        inner = cls.inner(argument)
        if inner is None:
            return cls(task, argument or "hff")
        made: BoundPolicy = inner.member.from_spec(task, inner.argument, settings)
        return made
