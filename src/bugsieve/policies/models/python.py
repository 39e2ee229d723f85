"""`python:module:function`: a policy for models written as a plain Python function of one state.

The function gets the values of the variables by name and the list of applicable action names, plus
the `ModelView` (variables with types and bounds, actions) if it takes a third argument. It returns
one of the names, or None. It runs in a worker process, see `bugsieve.policies.python_worker`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from bugsieve.basis.reach import Reach
from bugsieve.policies.models.foreign import ForeignModelPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.policies.python import function_program, function_reach, function_target
from bugsieve.policies.worker import WorkerLimits
from bugsieve.tasks.jani.model import JaniModel


class PythonPolicy(ForeignModelPolicy):
    """A Python function `f(values, applicable)` or `f(values, applicable, model)`."""

    usage = "python:MODULE:FUNCTION or python:FILE.py:FUNCTION"

    def __init__(
        self, model: JaniModel, target: str, *, limits: WorkerLimits | None = None
    ) -> None:
        super().__init__(model, function_program(target, limits or WorkerLimits()))
        place = Path(target.rpartition(":")[0])
        self._source = place.read_bytes() if place.suffix == ".py" else b""

    def fingerprint(self) -> str:
        """A hash of the file with the function; modules are the worker's to find."""
        return hashlib.sha256(self._source).hexdigest() if self._source else ""

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a function; modules are imported by the worker only."""
        function_target(argument)

    @classmethod
    def reach(cls, argument: str | None) -> Reach:
        """Code, and the file that holds it."""
        return function_reach(argument)

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> PythonPolicy:
        """The function named by `module:function` or `file.py:function`."""
        return cls(model, function_target(argument), limits=settings.limits)
