"""`@bugsieve.policy`: lifts a Python function of one state to the policy protocol, in-process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from bugsieve.basis.arguments import require_function, require_kind
from bugsieve.basis.stopping import check_stop
from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.asking import crash
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.task_view import StateFunction, TaskView, bind_view
from bugsieve.policies.worker import printable
from bugsieve.tasks.fdr.task import NO_ACTION, StateArray, Task

if TYPE_CHECKING:
    from bugsieve.policies.models.lifted import FunctionPolicy as ModelFunctionPolicy
    from bugsieve.tasks.jani.model import JaniModel


class PolicyFunction:
    """A function of one state that can still be called, and can be bound to a task or model."""

    def __init__(self, function: StateFunction) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> str | None:
        """What the function itself returns."""
        return self._function(*arguments)

    @overload
    def bind(self, subject: Task) -> FunctionPolicy: ...
    @overload
    def bind(self, subject: JaniModel) -> ModelFunctionPolicy: ...
    def bind(self, subject: Task | JaniModel) -> FunctionPolicy | ModelFunctionPolicy:
        """The policy that calls the function in this process, state by state."""
        if isinstance(subject, Task):
            return FunctionPolicy(subject, self._function)
        from bugsieve.policies.models.lifted import FunctionPolicy as ForModels
        from bugsieve.tasks.jani.model import JaniModel

        wanted = "a Task or a JaniModel, as load_task and load_model make them"
        require_kind(subject, JaniModel, "subject", wanted)
        return ForModels(subject, self._function)


def policy(function: StateFunction) -> PolicyFunction:
    """Decorator: make `f(facts, applicable)` or `f(facts, applicable, task)` a policy function.

    For a model, it gets the values of the variables by name in place of the facts.
    """
    require_function(function, "function", "f(facts, applicable)")
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
        return Decisions.of(
            self._decide_one(state, operators[offsets[row] : offsets[row + 1]].tolist())
            for row, state in enumerate(states)
        )

    def _decide_one(self, state: StateArray, applicable: list[int]) -> int | Failure:
        answer = call(self._decide, self.task.facts(state), list(self._names.of(applicable)))
        if isinstance(answer, str):
            return self._names.resolve(answer, applicable)
        return NO_ACTION if answer is None else answer


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
