"""Lifts a Python function of one state to the policy protocol, in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bugsieve.basis.errors import UsageError
from bugsieve.basis.stopping import check_stop
from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.asking import crash
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.task_view import StateFunction, TaskView, bind_view
from bugsieve.policies.worker import printable
from bugsieve.tasks.fdr.task import StateArray, Task


class FunctionPolicy(FallibleBoundPolicy):
    """Calls a function for each state; what it raises is a crash in that state."""

    def __init__(self, task: Task, function: StateFunction) -> None:
        super().__init__(task, f"function:{getattr(function, '__name__', 'policy')}")
        self._decide = bound_function(function, TaskView.of(task))
        self._names = ActionNames(task)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the exception that the function raised there."""
        states = self.task.checked_states(states)
        return Decisions.of(map(self._decide_one, states, self._names.applicable(states)))

    def _decide_one(self, state: StateArray, applicable: list[int]) -> int | Failure:
        answer = call(self._decide, self.task.facts(state), list(self._names.of(applicable)))
        return self._names.decision(answer, applicable)


def bound_function(function: StateFunction, view: object) -> Callable[[Any, list[str]], Any]:
    """The function of a state and its actions; UsageError if it cannot be called so."""
    try:
        return bind_view(function, view)
    except TypeError as error:
        raise UsageError(f"the policy function {error}") from None


def call(
    decide: Callable[[Any, list[str]], Any], state: object, applicable: list[str]
) -> str | Failure | None:
    """What the user's function answers, or the crash of a function that raises or answers else."""
    check_stop()
    try:
        answer = decide(state, applicable)
        if answer is None or isinstance(answer, str):
            return answer
        shown = printable(repr(answer))
    except (Exception, SystemExit) as error:
        return crash(error)
    return Failure(Ending.POLICY_CRASH, f"returned {shown}, neither an action name nor None")
