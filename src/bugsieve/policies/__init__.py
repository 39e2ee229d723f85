"""Policies: the protocol, its members, and runs of them in lockstep over batches of states."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bugsieve.policies.decisions import Decisions, Ending, Failure
    from bugsieve.policies.distributions import Distributions
    from bugsieve.policies.foreign.function import PolicyFunction
    from bugsieve.policies.graph import PolicyGraph
    from bugsieve.policies.limits import WorkerLimits
    from bugsieve.policies.policy import BoundPolicy, Policy
    from bugsieve.policies.registry import list_policies, make_policy
    from bugsieve.policies.run_table import RunSource, RunTable
    from bugsieve.policies.runs import Run, run_policy
    from bugsieve.rooms.jani.policies.lifted import as_model_policy
    from bugsieve.rooms.jani.policies.policy import ModelPolicy
    from bugsieve.rooms.jani.policies.registry import list_model_policies, make_model_policy

# Loaded on first use: the worker of `python:` policies must start without NumPy.
_HOMES = {
    "Decisions": "bugsieve.policies.decisions",
    "Ending": "bugsieve.policies.decisions",
    "Failure": "bugsieve.policies.decisions",
    "Distributions": "bugsieve.policies.distributions",
    "PolicyFunction": "bugsieve.policies.foreign.function",
    "PolicyGraph": "bugsieve.policies.graph",
    "RunSource": "bugsieve.policies.run_table",
    "RunTable": "bugsieve.policies.run_table",
    "ModelPolicy": "bugsieve.rooms.jani.policies.policy",
    "as_model_policy": "bugsieve.rooms.jani.policies.lifted",
    "list_model_policies": "bugsieve.rooms.jani.policies.registry",
    "make_model_policy": "bugsieve.rooms.jani.policies.registry",
    "BoundPolicy": "bugsieve.policies.policy",
    "Policy": "bugsieve.policies.policy",
    "list_policies": "bugsieve.policies.registry",
    "make_policy": "bugsieve.policies.registry",
    "Run": "bugsieve.policies.runs",
    "run_policy": "bugsieve.policies.runs",
    "WorkerLimits": "bugsieve.policies.limits",
}

__all__ = [
    "BoundPolicy",
    "Decisions",
    "Distributions",
    "Ending",
    "Failure",
    "ModelPolicy",
    "Policy",
    "PolicyFunction",
    "PolicyGraph",
    "Run",
    "RunSource",
    "RunTable",
    "WorkerLimits",
    "as_model_policy",
    "list_model_policies",
    "list_policies",
    "make_model_policy",
    "make_policy",
    "run_policy",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
