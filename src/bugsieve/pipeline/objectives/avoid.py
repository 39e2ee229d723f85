"""Reach the goal without ever meeting a condition: bugs are failures that can be avoided."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.objectives.objective import (
    Alternatives,
    BugKind,
    Objective,
    Values,
    certain_failures,
    path_states,
)
from bugsieve.policies.run_table import RunTable
from bugsieve.tasks.grounded.conditions import parse_condition
from bugsieve.tasks.grounded.restriction import Restriction
from bugsieve.tasks.grounded.task import StateArray, Task


class AvoidingPlans(Alternatives):
    """The plans in none of whose states the condition holds."""

    def __init__(self, restriction: Restriction) -> None:
        super().__init__(restriction.task)
        self.restriction = restriction

    def start(self, state: StateArray) -> StateArray | None:
        """The state of the restricted task; None if the condition holds in it already."""
        return self.restriction.state(state)

    def plan(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """The operators of the tested task that the plan stands for."""
        return self.restriction.plan(found)


class Avoid(Objective):
    """Reach the goal without ever meeting a condition on facts.

    Maximise whether the condition holds in no state of the run, the first and last included.
    A run that gets stuck without meeting the condition has nothing to answer for here.
    """

    usage = "avoid:FORMULA"
    examples = ()  # conditions are about the facts of a task
    minimise = False
    worst = 0.0
    takes_any_plan = False
    forgives_stopping = True
    kinds: ClassVar = {
        "avoidable": BugKind("Avoidable bugs: the condition is met where it need not be")
    }
    possible = "the condition could be avoided"

    def __init__(self, task: Task, formula: str) -> None:
        super().__init__(task)
        self.condition = parse_condition(formula, task)
        self.spec = f"avoid:{self.condition.text}"

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a condition; what it is about is known with the task."""
        if argument is None:
            raise UsageError(f"there is no objective 'avoid' without a condition: {cls.usage}")

    @classmethod
    def from_spec(cls, task: Task, argument: str | None) -> Avoid:
        """The argument is the condition."""
        return cls(task, argument or "")

    def policy_values(self, runs: RunTable) -> Values:
        """0 where the condition holds somewhere, 1 where the run has ended without it."""
        ended = runs.solved | certain_failures(runs)
        values = np.where(ended, 1.0, np.nan)
        passed = runs.passed()
        held = self.condition.holds(passed.states)[passed.which]
        values[np.logical_or.reduceat(held, passed.offsets[:-1])] = 0.0
        return values

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """1 if the states along the plan avoid the condition."""
        met = self.condition.holds(path_states(self.task, state, plan)).any()
        return 0.0 if met else 1.0

    def kind(self, policy_value: float) -> str:
        """The policy meets a condition that it could have avoided."""
        return "avoidable"

    def settled_at(self, states: StateArray, actions: Sequence[int] = ()) -> int | None:
        """The first state in which the condition holds."""
        held = self.condition.holds(states)
        return int(held.argmax()) if held.any() else None

    def alternatives(self) -> Alternatives:
        """The task in which the condition may never hold; made once, UnsupportedError if huge."""
        return self._alternatives

    @cached_property
    def _alternatives(self) -> AvoidingPlans:
        return AvoidingPlans(Restriction(self.task, self.condition))
