"""Bugsieve tests action policies for planning problems.

The public names below are imported when they are first used, so that `import bugsieve` is quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module `typing` stays unloaded
if TYPE_CHECKING:
    from typing import Any

    from bugsieve.basis.errors import BudgetError as BudgetError
    from bugsieve.basis.errors import BugsieveError as BugsieveError
    from bugsieve.basis.errors import InputError as InputError
    from bugsieve.basis.errors import InternalError as InternalError
    from bugsieve.basis.errors import PolicyError as PolicyError
    from bugsieve.basis.errors import UnsupportedError as UnsupportedError
    from bugsieve.basis.errors import UsageError as UsageError
    from bugsieve.bugs.cost.bug import Bug as Bug
    from bugsieve.bugs.safety.bug import SafetyBug as SafetyBug
    from bugsieve.campaigns.campaign import Campaign as Campaign
    from bugsieve.campaigns.finding.bugs import Bugs as Bugs
    from bugsieve.campaigns.finding.check import check as check
    from bugsieve.campaigns.finding.find import find_bugs as find_bugs
    from bugsieve.campaigns.finding.find import find_safety_bugs as find_safety_bugs
    from bugsieve.campaigns.finding.find import load_bugs as load_bugs
    from bugsieve.campaigns.finding.measure import Measurement as Measurement
    from bugsieve.campaigns.finding.measure import measure as measure
    from bugsieve.campaigns.options import CostOptions as CostOptions
    from bugsieve.campaigns.options import SafetyOptions as SafetyOptions
    from bugsieve.policies.function import policy as policy
    from bugsieve.policies.models.policy import ModelPolicy as ModelPolicy
    from bugsieve.policies.models.registry import make_model_policy as make_model_policy
    from bugsieve.policies.policy import Policy as Policy
    from bugsieve.policies.registry import make_policy as make_policy
    from bugsieve.policies.runs import Run as Run
    from bugsieve.policies.runs import run_policy as run_policy
    from bugsieve.reports.page.writing import report as report
    from bugsieve.results.cost.compare import compare as compare
    from bugsieve.tasks.fdr.loading import load_task as load_task
    from bugsieve.tasks.fdr.task import NO_ACTION as NO_ACTION
    from bugsieve.tasks.fdr.task import Task as Task
    from bugsieve.tasks.fdr.translator import TranslationLimits as TranslationLimits
    from bugsieve.tasks.jani.loading import load_model as load_model
    from bugsieve.tasks.jani.model import JaniModel as JaniModel

_PUBLIC = {
    "BudgetError": "bugsieve.basis.errors",
    "Bug": "bugsieve.bugs.cost.bug",
    "Bugs": "bugsieve.campaigns.finding.bugs",
    "BugsieveError": "bugsieve.basis.errors",
    "Campaign": "bugsieve.campaigns.campaign",
    "CostOptions": "bugsieve.campaigns.options",
    "InputError": "bugsieve.basis.errors",
    "InternalError": "bugsieve.basis.errors",
    "JaniModel": "bugsieve.tasks.jani.model",
    "Measurement": "bugsieve.campaigns.finding.measure",
    "ModelPolicy": "bugsieve.policies.models.policy",
    "NO_ACTION": "bugsieve.tasks.fdr.task",
    "Policy": "bugsieve.policies.policy",
    "PolicyError": "bugsieve.basis.errors",
    "Run": "bugsieve.policies.runs",
    "SafetyBug": "bugsieve.bugs.safety.bug",
    "SafetyOptions": "bugsieve.campaigns.options",
    "Task": "bugsieve.tasks.fdr.task",
    "TranslationLimits": "bugsieve.tasks.fdr.translator",
    "UnsupportedError": "bugsieve.basis.errors",
    "UsageError": "bugsieve.basis.errors",
    "check": "bugsieve.campaigns.finding.check",
    "compare": "bugsieve.results.cost.compare",
    "find_bugs": "bugsieve.campaigns.finding.find",
    "find_safety_bugs": "bugsieve.campaigns.finding.find",
    "load_bugs": "bugsieve.campaigns.finding.find",
    "load_model": "bugsieve.tasks.jani.loading",
    "load_task": "bugsieve.tasks.fdr.loading",
    "make_model_policy": "bugsieve.policies.models.registry",
    "make_policy": "bugsieve.policies.registry",
    "measure": "bugsieve.campaigns.finding.measure",
    "policy": "bugsieve.policies.function",
    "report": "bugsieve.reports.page.writing",
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
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bugsieve' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
