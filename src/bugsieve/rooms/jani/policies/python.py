"""`python:module:function`: a policy for models written as a plain Python function of one state.

The function gets the values of the variables by name and the list of applicable action names, plus
the `ModelView` (variables with types and bounds, actions) if it takes a third argument. It returns
one of the names, or None. It runs in a worker process (`python_worker`).
"""

from __future__ import annotations

from bugsieve.policies.foreign.python import FunctionMember
from bugsieve.rooms.jani.policies.foreign import ForeignModelPolicy


class PythonModelPolicy(FunctionMember, ForeignModelPolicy[str]):
    """A Python function `f(values, applicable)` or `f(values, applicable, model)`."""

    worker = "bugsieve.rooms.jani.policies.python_worker"
