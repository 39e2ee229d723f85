"""Safety bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bugsieve.basis.arguments import require_folder, require_text, texts
from bugsieve.basis.errors import PolicyError
from bugsieve.bugs.safety.bug import SafetyBug
from bugsieve.campaigns.safety.campaign import SafetyCampaign
from bugsieve.campaigns.safety.options import DEFAULT_SAFETY_ORACLES, SafetyOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.fuzzing.unsafe_runs import SafetyFuzzOptions
from bugsieve.policies.models.lifted import as_model_policy
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import commonest_first
from bugsieve.tasks.jani.model import JaniModel, require_model


def find_safety_bugs(
    model: JaniModel,
    policy: object,
    *,
    folder: str | os.PathLike[str] | None = None,
    oracles: str | Sequence[str] = DEFAULT_SAFETY_ORACLES,
    walks: int = 1000,
    choice: str = "greedy",
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> list[SafetyBug]:
    """Proven safety bugs, faults in most runs first; the campaign is kept if it has a folder.

    The policy is a spec, a function `f(values, applicable)` of one state, or an object that maps
    arrays of states to arrays of actions. PolicyError if no walk could be made because it failed
    in all of them. `SafetyCampaign` offers everything else.
    """
    require_model(model)
    own = None if isinstance(policy, str) else as_model_policy(policy, model)
    kept = None if folder is None else require_folder(folder, "folder")
    require_text(choice, "choice")
    options = SafetyOptions(
        model=(),
        policy=str(policy) if own is None else own.spec,
        policy_seed=seed,
        oracles=texts(oracles, "oracles"),
        fuzz=SafetyFuzzOptions(
            walks=walks, choice=choice, lookahead=1 if choice == "uniform" else None, seed=seed
        ),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )
    with TemporaryDirectory() as temporary:
        directory = kept or Path(temporary, "campaign")
        with SafetyCampaign.create(directory, options, model, policy=own) as campaign:
            summary = campaign.run()
        if summary.unanswered is not None:
            raise PolicyError(f"policy {options.policy} could not be tested: {summary.unanswered}")
        with SafetyRecords(directory) as records:
            rows = commonest_first(records.bugs(), records.bug_runs())
    return [row.bug for row in rows]
