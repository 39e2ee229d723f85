"""Bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bugsieve.basis.arguments import require_folder, texts
from bugsieve.basis.errors import PolicyError
from bugsieve.bugs.cost.bug import Bug
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.policies.asking import check_policy
from bugsieve.policies.function import PolicyFunction
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.results.records import Records
from bugsieve.results.rows import BugRow, worst_first
from bugsieve.tasks.fdr.task import Task, require_task


def find_bugs(
    task: Task,
    policy: str | Policy | PolicyFunction,
    *,
    folder: str | os.PathLike[str] | None = None,
    objective: str = "quantitative",
    oracles: str | Sequence[str] = (),
    pool_size: int = 200,
    bias: str = "policy-quality",
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> list[Bug]:
    """Proven bugs of a policy, the worst first; the campaign is kept if there is a folder for it.

    PolicyError if the policy never gets ready, hangs or runs out of memory in all its runs.
    `bugsieve.campaigns.campaign.Campaign` offers everything else: resuming, progress, workers.
    """
    require_task(task)
    given = policy.bind(task) if isinstance(policy, PolicyFunction) else policy
    own = None if isinstance(given, str) else given
    if own is not None:
        check_policy(own)
    kept = None if folder is None else require_folder(folder, "folder")
    options = CampaignOptions(
        task=(),
        policy=given if isinstance(given, str) else policy_name(given),
        policy_seed=seed,
        objective=objective,
        oracles=texts(oracles, "oracles"),
        fuzz=FuzzOptions(pool_size=pool_size, bias=bias, seed=seed),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )
    with TemporaryDirectory() as temporary:
        directory = kept or Path(temporary, "campaign")
        with Campaign.create(directory, options, task=task, policy=own) as campaign:
            summary = campaign.run()
        if summary.unanswered is not None:
            raise PolicyError(f"policy {options.policy} could not be tested: {summary.unanswered}")
        return [row.bug for row in _rows(directory)]


def _rows(directory: Path) -> list[BugRow]:
    with Records(directory) as records:
        return worst_first(records.bugs())
