"""`python:module:function`: a policy written as a plain Python function of one state.

The function gets the true facts as a frozenset of atoms like "(on a b)" and the list of applicable
action names. If it takes a third argument, that is the `TaskView` (objects, static facts, goal).
It returns one of the names, None, or a mapping from names to weights. The greatest weight decides
unless the objective is the probability of the goal. It runs in a worker process, see
`python_worker`.
"""

from __future__ import annotations

import os
import sys

from bugsieve.base.files_and_processes.interpreters import python_command
from bugsieve.base.registry.functions import checked_target, function_reach, is_file
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess
from bugsieve.base.registry.spec_folder import located, spec_folder
from bugsieve.policies.fingerprints import module_file
from bugsieve.policies.foreign.conversation import ForeignMember, Program
from bugsieve.policies.foreign.foreign import ForeignPolicy
from bugsieve.policies.limits import WorkerLimits

_OURS = "bugsieve.policies.examples."
"""Modules that are not code of others: the worker finds them in the package it has loaded."""


class FunctionMember(ForeignMember[str]):
    """The argument of the specs of Python policies: the name of a function."""

    usage = "python:MODULE:FUNCTION or python:FILE.py:FUNCTION"
    examples = ("python:bugsieve.policies.examples.first:choose",)
    worker = "bugsieve.policies.foreign.python_worker"
    """The module whose `main` serves the function."""

    @property
    def hash_seed(self) -> int:
        """The seed on which the order of sets in its process depends, and so its answers may."""
        return self._conversation.program.limits.hash_seed

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a function; modules are imported by the worker only."""
        cls.target(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """Code, and the file that holds it."""
        return function_reach(argument)

    @classmethod
    def starts(cls, argument: str | None) -> OutsideAccess:
        """The file that holds the code, by its name or as that of a module; none of our own."""
        place = (argument or "").rpartition(":")[0]
        if place.startswith(_OURS) and not is_file(place):
            return NOTHING
        source = _source(place)
        return OutsideAccess(files=() if source is None else (source,), runs_code=True)

    @staticmethod
    def target(argument: str | None) -> str:
        """The function that an argument names; UsageError unless it is `place:name`."""
        return checked_target(argument, "policies:choose")

    @classmethod
    def program(cls, target: str, limits: WorkerLimits) -> Program:
        """An interpreter that serves the function `module:name` or `file.py:name`."""
        path = os.pathsep.join(os.path.abspath(place) for place in sys.path if place)
        serve = f"from {cls.worker} import main; main()"
        command = tuple(python_command(serve, target))
        environment = {**os.environ, "PYTHONPATH": path}
        source = _source(target.rpartition(":")[0])
        files = () if source is None else (source,)
        return Program(f"python:{target}", command, limits, environment, files, spec_folder())


def _source(place: str) -> str | None:
    """The absolute path of a file, or of that of a module."""
    source = located(place) if is_file(place) else module_file(place)
    return None if source is None else os.path.abspath(source)


class PythonPolicy(FunctionMember, ForeignPolicy[str]):
    """A Python function `f(facts, applicable)` or `f(facts, applicable, task)`."""
