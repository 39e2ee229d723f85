"""Planning tasks: PDDL and SAS files become grounded tasks whose states are arrays.

The names below are imported when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module `typing` stays unloaded
if TYPE_CHECKING:
    from typing import Any

    from bugsieve.tasks.fdr.loading import load_task as load_task
    from bugsieve.tasks.fdr.task import NO_ACTION as NO_ACTION
    from bugsieve.tasks.fdr.task import Task as Task
    from bugsieve.tasks.fdr.translator import TranslationLimits as TranslationLimits

_PUBLIC = {
    "NO_ACTION": "bugsieve.tasks.fdr.task",
    "Task": "bugsieve.tasks.fdr.task",
    "TranslationLimits": "bugsieve.tasks.fdr.translator",
    "load_task": "bugsieve.tasks.fdr.loading",
}

__all__ = ["NO_ACTION", "Task", "TranslationLimits", "load_task"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bugsieve.tasks' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
