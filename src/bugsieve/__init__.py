"""Bugsieve tests action policies for planning problems.

The public names below are imported when they are first used, so that `import bugsieve` is quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module `typing` stays unloaded
if TYPE_CHECKING:
    from typing import Any

    from bugsieve.base.errors import BudgetError as BudgetError
    from bugsieve.base.errors import BugsieveError as BugsieveError
    from bugsieve.base.errors import InputError as InputError
    from bugsieve.base.errors import InternalError as InternalError
    from bugsieve.base.errors import PolicyError as PolicyError
    from bugsieve.base.errors import UnsupportedError as UnsupportedError
    from bugsieve.base.errors import UsageError as UsageError
    from bugsieve.campaigns.campaign import Campaign as Campaign
    from bugsieve.campaigns.options import CostOptions as CostOptions
    from bugsieve.campaigns.python_calls.bugs import Bugs as Bugs
    from bugsieve.campaigns.python_calls.find import find_bugs as find_bugs
    from bugsieve.campaigns.python_calls.find import load_bugs as load_bugs
    from bugsieve.campaigns.python_calls.measure import Measurement as Measurement
    from bugsieve.campaigns.python_calls.measure import measure as measure
    from bugsieve.pipeline.bugs.bug import Bug as Bug
    from bugsieve.policies.foreign.function import policy as policy
    from bugsieve.policies.policy import Policy as Policy
    from bugsieve.policies.registry import make_policy as make_policy
    from bugsieve.policies.runs import Run as Run
    from bugsieve.policies.runs import run_policy as run_policy
    from bugsieve.reports.writing import report as report
    from bugsieve.rooms.jani.model.loading import load_model as load_model
    from bugsieve.rooms.jani.model.model import JaniModel as JaniModel
    from bugsieve.rooms.jani.policies.policy import ModelPolicy as ModelPolicy
    from bugsieve.rooms.jani.policies.registry import make_model_policy as make_model_policy
    from bugsieve.rooms.lab.comparing import compare as compare
    from bugsieve.rooms.regression.check import check as check
    from bugsieve.rooms.safety.bugs.bug import SafetyBug as SafetyBug
    from bugsieve.rooms.safety.campaign.find import find_safety_bugs as find_safety_bugs
    from bugsieve.rooms.safety.campaign.options import SafetyOptions as SafetyOptions
    from bugsieve.tasks.grounded.loading import load_task as load_task
    from bugsieve.tasks.grounded.task import NO_ACTION as NO_ACTION
    from bugsieve.tasks.grounded.task import Task as Task
    from bugsieve.tasks.grounded.translator import TranslationLimits as TranslationLimits

_PUBLIC = {
    "BudgetError": "bugsieve.base.errors",
    "Bug": "bugsieve.pipeline.bugs.bug",
    "Bugs": "bugsieve.campaigns.python_calls.bugs",
    "BugsieveError": "bugsieve.base.errors",
    "Campaign": "bugsieve.campaigns.campaign",
    "CostOptions": "bugsieve.campaigns.options",
    "InputError": "bugsieve.base.errors",
    "InternalError": "bugsieve.base.errors",
    "Measurement": "bugsieve.campaigns.python_calls.measure",
    "NO_ACTION": "bugsieve.tasks.grounded.task",
    "Policy": "bugsieve.policies.policy",
    "PolicyError": "bugsieve.base.errors",
    "Run": "bugsieve.policies.runs",
    "Task": "bugsieve.tasks.grounded.task",
    "TranslationLimits": "bugsieve.tasks.grounded.translator",
    "UnsupportedError": "bugsieve.base.errors",
    "UsageError": "bugsieve.base.errors",
    "find_bugs": "bugsieve.campaigns.python_calls.find",
    "load_bugs": "bugsieve.campaigns.python_calls.find",
    "load_task": "bugsieve.tasks.grounded.loading",
    "make_policy": "bugsieve.policies.registry",
    "measure": "bugsieve.campaigns.python_calls.measure",
    "policy": "bugsieve.policies.foreign.function",
    "report": "bugsieve.reports.writing",
    "run_policy": "bugsieve.policies.runs",
}

__all__ = [
    "NO_ACTION",
    "BudgetError",
    "Bug",
    "Bugs",
    "BugsieveError",
    "Campaign",
    "CostOptions",
    "InputError",
    "InternalError",
    "JaniModel",
    "Measurement",
    "ModelPolicy",
    "Policy",
    "PolicyError",
    "Run",
    "SafetyBug",
    "SafetyOptions",
    "Task",
    "TranslationLimits",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "check",
    "compare",
    "find_bugs",
    "find_safety_bugs",
    "load_bugs",
    "load_model",
    "load_task",
    "make_model_policy",
    "make_policy",
    "measure",
    "policy",
    "report",
    "run_policy",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("bugsieve")
    if name not in __all__:
        raise AttributeError(f"module 'bugsieve' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC.get(name) or _place_in_a_room(name)), name)


def _place_in_a_room(name: str) -> str:
    from bugsieve.base.registry.families import PUBLIC

    return PUBLIC[name]


def __dir__() -> list[str]:
    return sorted(__all__)
