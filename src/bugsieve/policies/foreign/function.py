"""`@bugsieve.policy`: a Python function of one state as a policy of tasks and of models."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from bugsieve.base.arguments import require_function, require_kind
from bugsieve.policies.foreign.function_policy import FunctionPolicy
from bugsieve.policies.policy import Bindable
from bugsieve.policies.task_view import StateFunction
from bugsieve.tasks.grounded.task import Task

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.jani.policies.lifted import FunctionPolicy as ModelFunctionPolicy


class PolicyFunction(Bindable):
    """A function of one state that can still be called, and can be bound to a task or model."""

    def __init__(self, function: StateFunction) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> str | Mapping[str, float] | None:
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
        from bugsieve.rooms.jani.model.model import JaniModel
        from bugsieve.rooms.jani.policies.lifted import FunctionPolicy as ForModels

        wanted = "a Task or a JaniModel, as load_task and load_model make them"
        require_kind(subject, JaniModel, "subject", wanted)
        return ForModels(subject, self._function)


def policy(function: StateFunction) -> PolicyFunction:
    """Decorator: make `f(facts, applicable)` or `f(facts, applicable, task)` a policy function.

    It returns the name of an action, None, or weights of several actions by name. For a model, it
    gets the values of the variables by name in place of the facts, and returns no weights.
    """
    require_function(function, "function", "f(facts, applicable)")
    return PolicyFunction(function)
