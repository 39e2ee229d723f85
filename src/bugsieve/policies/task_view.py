"""A policy function's view of its task besides the state; light, the worker imports it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bugsieve.base.ordered_sets import OrderedSet

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import Task

StateFunction = Callable[..., "str | Mapping[str, float] | None"]
"""`f(state, applicable)` or `f(state, applicable, view)`, returning an action name, weights of
action names, or None."""


@dataclass(frozen=True)
class TaskView:
    """The name, objects with types, static facts and goal facts of a task."""

    name: str
    objects: Mapping[str, str]
    static: frozenset[str]
    goal: tuple[str, ...]

    subject: ClassVar[str] = "task"

    @staticmethod
    def of(task: Task) -> TaskView:
        """The view of a loaded task."""
        return TaskView(task.name, task.objects, task.static_facts, task.goal_facts)

    @staticmethod
    def from_message(message: Mapping[str, Any]) -> TaskView:
        """The view in the `task` field of a conversation's first line."""
        return TaskView(
            name=message["name"],
            objects=message["objects"],
            static=OrderedSet(message["static"]),
            goal=tuple(message["goal"]),
        )

    def message(self) -> dict[str, Any]:
        """The `task` field of a conversation's first line."""
        return {
            "name": self.name,
            "objects": dict(self.objects),
            "static": sorted(self.static),
            "goal": list(self.goal),
        }


def bind_view(function: StateFunction, view: object) -> Callable[[Any, list[str]], Any]:
    """The function with its third argument filled in, if it takes three.

    TypeError with a sentence if it cannot be called so: every run would end by that.
    """
    arguments = (None, [], view)[: 3 if required_parameters(function) >= 3 else 2]
    wanted = "the state and its applicable actions, nor with the task or model behind them"
    require_callable(function, arguments, wanted)
    if len(arguments) == 2:
        return function
    return lambda state, applicable: function(state, applicable, view)


def require_callable(
    function: Callable[..., Any], arguments: tuple[object, ...], wanted: str
) -> None:
    """TypeError with a sentence unless the function can be called so; `wanted` says how."""
    objection = _objection(function, arguments, wanted)
    if objection is not None:
        raise TypeError(objection)


def _objection(
    function: Callable[..., Any], arguments: tuple[object, ...], wanted: str
) -> str | None:
    name = getattr(function, "__name__", type(function).__name__)
    if inspect.isclass(function):
        return f"{name!r} is a class, not a function of a state"
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return f"{name!r} is asynchronous or a generator, but must return its answer"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in C without a signature
        return None
    try:
        signature.bind(*arguments)
    except TypeError:
        return f"{name}{signature} cannot be called with {wanted}"
    return None


def required_parameters(function: Callable[..., Any], *, unknown: int = 2) -> int:
    """The number of positional arguments the function must get; `unknown` if it cannot be told."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built in C without a signature: assume the plain form
        return unknown
    required = [p for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty]
    return len(required)
