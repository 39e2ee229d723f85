"""Bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bugsieve.bugs.bug import Bug
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.policies.function import PolicyFunction
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.results.records import Records
from bugsieve.results.rows import BugRow, worst_first
from bugsieve.tasks.fdr.task import Task


def find_bugs(
    task: Task,
    policy: str | Policy | PolicyFunction,
    *,
    folder: str | os.PathLike[str] | None = None,
    objective: str = "quantitative",
    oracles: Sequence[str] = (),
    pool_size: int = 200,
    bias: str = "policy-quality",
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> list[Bug]:
    """Proven bugs of a policy, the worst first; the campaign is kept if there is a folder for it.

    `bugsieve.campaigns.campaign.Campaign` offers everything else: resuming, progress, workers.
    """
    given = policy.bind(task) if isinstance(policy, PolicyFunction) else policy
    own = None if isinstance(given, str) else given
    options = CampaignOptions(
        task=(),
        policy=given if isinstance(given, str) else policy_name(given),
        policy_seed=seed,
        objective=objective,
        oracles=tuple(oracles),
        fuzz=FuzzOptions(pool_size=pool_size, bias=bias, seed=seed),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )
    with TemporaryDirectory() as temporary:
        directory = Path(temporary, "campaign") if folder is None else Path(folder)
        with Campaign.create(directory, options, task=task, policy=own) as campaign:
            campaign.run()
        return [row.bug for row in _rows(directory)]


def _rows(directory: Path) -> list[BugRow]:
    with Records(directory) as records:
        return worst_first(records.bugs())
