"""Bugsieve tests action policies for planning problems.

The public names below are imported when they are first used, so that `import bugsieve` is quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module `typing` stays unloaded
if TYPE_CHECKING:
    from typing import Any

    from bugsieve.bugs.bug import Bug as Bug
    from bugsieve.bugs.safety_bug import SafetyBug as SafetyBug
    from bugsieve.campaigns.campaign import Campaign as Campaign
    from bugsieve.campaigns.find import find_bugs as find_bugs
    from bugsieve.campaigns.options import CampaignOptions as CampaignOptions
    from bugsieve.campaigns.safety.campaign import SafetyCampaign as SafetyCampaign
    from bugsieve.campaigns.safety.find import find_safety_bugs as find_safety_bugs
    from bugsieve.campaigns.safety.options import SafetyOptions as SafetyOptions
    from bugsieve.policies.function import policy as policy
    from bugsieve.policies.models.policy import ModelPolicy as ModelPolicy
    from bugsieve.policies.models.registry import make_model_policy as make_model_policy
    from bugsieve.policies.policy import Policy as Policy
    from bugsieve.policies.registry import make_policy as make_policy
    from bugsieve.policies.runs import Run as Run
    from bugsieve.policies.runs import run_policy as run_policy
    from bugsieve.tasks.fdr.loading import load_task as load_task
    from bugsieve.tasks.fdr.task import NO_ACTION as NO_ACTION
    from bugsieve.tasks.fdr.task import Task as Task
    from bugsieve.tasks.fdr.translator import TranslationLimits as TranslationLimits
    from bugsieve.tasks.jani.loading import load_model as load_model
    from bugsieve.tasks.jani.model import JaniModel as JaniModel

_PUBLIC = {
    "Bug": "bugsieve.bugs.bug",
    "Campaign": "bugsieve.campaigns.campaign",
    "CampaignOptions": "bugsieve.campaigns.options",
    "JaniModel": "bugsieve.tasks.jani.model",
    "ModelPolicy": "bugsieve.policies.models.policy",
    "NO_ACTION": "bugsieve.tasks.fdr.task",
    "Policy": "bugsieve.policies.policy",
    "Run": "bugsieve.policies.runs",
    "SafetyBug": "bugsieve.bugs.safety_bug",
    "SafetyCampaign": "bugsieve.campaigns.safety.campaign",
    "SafetyOptions": "bugsieve.campaigns.safety.options",
    "Task": "bugsieve.tasks.fdr.task",
    "TranslationLimits": "bugsieve.tasks.fdr.translator",
    "find_bugs": "bugsieve.campaigns.find",
    "find_safety_bugs": "bugsieve.campaigns.safety.find",
    "load_model": "bugsieve.tasks.jani.loading",
    "load_task": "bugsieve.tasks.fdr.loading",
    "make_model_policy": "bugsieve.policies.models.registry",
    "make_policy": "bugsieve.policies.registry",
    "policy": "bugsieve.policies.function",
    "run_policy": "bugsieve.policies.runs",
}

__all__ = [
    "NO_ACTION",
    "Bug",
    "Campaign",
    "CampaignOptions",
    "JaniModel",
    "ModelPolicy",
    "Policy",
    "Run",
    "SafetyBug",
    "SafetyCampaign",
    "SafetyOptions",
    "Task",
    "TranslationLimits",
    "__version__",
    "find_bugs",
    "find_safety_bugs",
    "load_model",
    "load_task",
    "make_model_policy",
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
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
