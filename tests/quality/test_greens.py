"""Optimal policies on twenty small tasks of five domains are certified green."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.green import stored_green
from bugsieve.campaigns.options import CostOptions
from bugsieve.checkers.green import check_green
from bugsieve.tasks.search import exact_costs
from tests.depth import examples
from tests.unit.policies.generated import generated_task

TASKS = [
    *[("gripper", {"balls": balls}) for balls in (1, 2, 3, 4)],
    *[("blocksworld", {"blocks": blocks, "seed": 1}) for blocks in (2, 3, 4, 5)],
    *[("visitall", {"width": width, "height": 2}) for width in (1, 2, 3, 4)],
    *[("ferry", {"cars": cars, "seed": 1}) for cars in (1, 2, 3, 4)],
    *[("miconic", {"passengers": passengers, "seed": 1}) for passengers in (1, 2, 3, 4)],
]
QUICK = TASKS[1::4]


@pytest.mark.parametrize(("domain", "parameters"), TASKS if examples(1, quick=0) else QUICK)
def test_small_tasks_are_certified(
    tmp_path: Path, domain: str, parameters: dict[str, int]
) -> None:
    task = generated_task(tmp_path, domain, **parameters)
    options = CostOptions(task=(), policy="optimal")
    summary = Campaign.create(tmp_path / "campaign", options, task).run()
    assert summary.coverage.is_whole and summary.coverage.is_proven
    green = stored_green(tmp_path / "campaign")
    assert green is not None
    proven = check_green(task.to_sas(), green)
    exact = exact_costs(task)
    assert (proven.states, proven.with_plan) == (len(exact), exact.with_plan)
