"""`python:module:function`: a policy for models written as a plain Python function of one state.

The function gets the values of the variables by name and the list of applicable action names, plus
the `ModelView` (variables with types and bounds, actions) if it takes a third argument. It returns
one of the names, or None. It runs in a worker process, see `bugsieve.policies.python_worker`.
"""

from __future__ import annotations

from bugsieve.policies.models.foreign import ForeignModelPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.python import FunctionArgument, function_program, function_target
from bugsieve.policies.worker import WorkerLimits
from bugsieve.tasks.jani.model import JaniModel


class PythonPolicy(FunctionArgument, ForeignModelPolicy):
    """A Python function `f(values, applicable)` or `f(values, applicable, model)`."""

    def __init__(
        self, model: JaniModel, target: str, *, limits: WorkerLimits | None = None
    ) -> None:
        super().__init__(model, function_program(target, limits or WorkerLimits()))

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> PythonPolicy:
        """The function named by `module:function` or `file.py:function`."""
        return cls(model, function_target(argument), limits=settings.limits)
