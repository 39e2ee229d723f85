"""Safety bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.base.arguments import require_text, texts
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.campaigns.python_calls.find import AnyPath, campaign_bugs
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.rooms.jani.model.model import JaniModel, require_model
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.safety.campaign.found_bug import FoundSafetyBug, read_safety_bugs
from bugsieve.rooms.safety.campaign.options import DEFAULT_SAFETY_ORACLES, SafetyOptions
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions


def find_safety_bugs(
    model: JaniModel,
    policy: object,
    *,
    folder: AnyPath | None = None,
    oracles: str | Sequence[str] = DEFAULT_SAFETY_ORACLES,
    walks: int = 1000,
    choice: str = "greedy",
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> Bugs[FoundSafetyBug]:
    """Proven safety bugs, faults in most runs first; the campaign is kept if it has a folder.

    The policy is a spec, a function `f(values, applicable)` of one state, or an object that maps
    arrays of states to arrays of actions. PolicyError if no walk could be made because it failed
    in all of them. `bugsieve.Campaign` offers everything else.
    """
    require_model(model)
    require_text(choice, "choice")
    return safety_bugs_on(
        model,
        policy,
        folder,
        policy_seed=seed,
        oracles=texts(oracles, "oracles"),
        fuzz=SafetyFuzzOptions(
            walks=walks, choice=choice, lookahead=1 if choice == "uniform" else None, seed=seed
        ),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )


def safety_bugs_on(
    model: JaniModel, policy: object, folder: AnyPath | None, **settings: Any
) -> Bugs[FoundSafetyBug]:
    """The bugs that a campaign with these settings finds on a model."""
    own = None if isinstance(policy, str) else as_model_policy(policy, model)
    name = str(policy) if own is None else own.spec
    options = SafetyOptions(model=(), policy=name, **settings)
    return campaign_bugs(options, model, own, folder, read_safety_bugs)
