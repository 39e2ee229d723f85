"""What a policy function may know of its task besides the state; light, the worker imports it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from bugsieve.tasks.fdr.task import Task

StateFunction = Callable[..., "str | None"]
"""`f(state, applicable)` or `f(state, applicable, view)`, returning an action name or None."""


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
            static=frozenset(message["static"]),
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
    """The function with its third argument filled in, if it takes three."""
    if required_parameters(function) < 3:
        return function
    return lambda state, applicable: function(state, applicable, view)


def required_parameters(function: Callable[..., Any]) -> int:
    """How many positional arguments the function must get; 2 where nobody knows."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built in C without a signature: assume the plain form
        return 2
    required = [p for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty]
    return len(required)
