"""`@bugsieve.policy`: lifts a Python function of one state to the policy protocol, in-process."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.asking import crash
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.task_view import StateFunction, TaskView, bind_view
from bugsieve.policies.worker import printable
from bugsieve.tasks.fdr.task import NO_ACTION, StateArray, Task


class PolicyFunction:
    """A function of one state that can still be called, and can be bound to a task."""

    def __init__(self, function: StateFunction) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> str | None:
        """What the function itself returns."""
        return self._function(*arguments)

    def bind(self, task: Task) -> FunctionPolicy:
        """The policy that calls the function in this process, state by state."""
        return FunctionPolicy(task, self._function)


def policy(function: StateFunction) -> PolicyFunction:
    """Decorator: make `f(facts, applicable)` or `f(facts, applicable, task)` a policy function."""
    return PolicyFunction(function)


class FunctionPolicy(FallibleBoundPolicy):
    """Calls a function for each state; what it raises is a crash in that state."""

    def __init__(self, task: Task, function: StateFunction) -> None:
        super().__init__(task, f"function:{getattr(function, '__name__', 'policy')}")
        self._decide = bind_view(function, TaskView.of(task))
        self._names = ActionNames(task)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the exception that the function raised there."""
        states = self.task.checked_states(states)
        operators, offsets = self.task.applicable(states)
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        failures: dict[int, Failure] = {}
        for row, state in enumerate(states):
            applicable = operators[offsets[row] : offsets[row + 1]].tolist()
            decision = self._decide_one(state, applicable)
            if isinstance(decision, Failure):
                failures[row] = decision
            else:
                actions[row] = decision
        return Decisions(actions, failures)

    def _decide_one(self, state: StateArray, applicable: list[int]) -> int | Failure:
        facts, names = self.task.facts(state), list(self._names.of(applicable))
        try:
            answer = self._decide(facts, names)
            if answer is not None and not isinstance(answer, str):
                shown = printable(repr(answer))
                detail = f"returned {shown}, neither an action name nor None"
                return Failure(Ending.POLICY_CRASH, detail)
        except (Exception, SystemExit) as error:
            return crash(error)
        return NO_ACTION if answer is None else self._names.resolve(answer, applicable)
