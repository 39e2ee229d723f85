"""Bugsieve tests action policies for planning problems.

The public names below are imported when they are first used, so that `import bugsieve` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bugsieve.policies.function import policy as policy
    from bugsieve.policies.policy import Policy as Policy
    from bugsieve.policies.registry import make_policy as make_policy
    from bugsieve.policies.runs import Run as Run
    from bugsieve.policies.runs import run_policy as run_policy
    from bugsieve.tasks.fdr.loading import load_task as load_task
    from bugsieve.tasks.fdr.task import NO_ACTION as NO_ACTION
    from bugsieve.tasks.fdr.task import Task as Task

_PUBLIC = {
    "NO_ACTION": "bugsieve.tasks.fdr.task",
    "Policy": "bugsieve.policies.policy",
    "Run": "bugsieve.policies.runs",
    "Task": "bugsieve.tasks.fdr.task",
    "load_task": "bugsieve.tasks.fdr.loading",
    "make_policy": "bugsieve.policies.registry",
    "policy": "bugsieve.policies.function",
    "run_policy": "bugsieve.policies.runs",
}

__all__ = [
    "NO_ACTION",
    "Policy",
    "Run",
    "Task",
    "__version__",
    "load_task",
    "make_policy",
    "policy",
    "run_policy",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("bugsieve")
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bugsieve' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
