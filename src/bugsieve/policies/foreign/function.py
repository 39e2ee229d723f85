"""`@bugsieve.policy`: a Python function of one state as a policy of any subject with states."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol, overload

from bugsieve.base.arguments import require_function, wrong
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable, member_for
from bugsieve.policies.foreign.function_policy import FunctionPolicy
from bugsieve.policies.policy import Bindable
from bugsieve.policies.task_view import StateFunction
from bugsieve.tasks.grounded.task import Task


class BoundFunction(Protocol):
    """The class of policies that call a function of states of one type of subject."""

    @property
    def subject_type(self) -> type[Any]:
        """The type of its subjects."""
        ...

    def __call__(self, subject: Any, function: StateFunction) -> Any:
        """The policy of the function on the subject."""
        ...


FUNCTION_POLICIES: MemberTable[BoundFunction] = MemberTable(FAMILIES["function-policies"])


class PolicyFunction(Bindable):
    """A function of one state that can still be called, and can be bound to a subject."""

    def __init__(self, function: StateFunction) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> str | Mapping[str, float] | None:
        """The result of the function itself."""
        return self._function(*arguments)

    @overload
    def bind(self, subject: Task) -> FunctionPolicy: ...
    @overload
    def bind(self, subject: object) -> Any: ...
    def bind(self, subject: object) -> Any:
        """The policy that calls the function in this process, state by state."""
        bound = member_for(FUNCTION_POLICIES, subject)
        if bound is None:
            wanted = "a Task or a JaniModel, as load_task and load_model make them"
            raise wrong("subject", wanted, subject)
        return bound(subject, self._function)


def policy(function: StateFunction) -> PolicyFunction:
    """Decorator: make `f(facts, applicable)` or `f(facts, applicable, task)` a policy function.

    It returns the name of an action, None, or weights of several actions by name. For a model, it
    gets the values of the variables by name in place of the facts, and returns no weights.
    """
    require_function(function, "function", "f(facts, applicable)")
    return PolicyFunction(function)
