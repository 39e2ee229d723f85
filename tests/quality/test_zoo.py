"""A campaign with the default settings finds the planted faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.judging.findings import CostBugRow
from tests.depth import IS_DEEP
from tests.quality.zoo import EXHIBITS, Exhibit, bugs, habitat_of

FEWEST_FOUND = 0.95
DEAR = "scanalyzer"  # half of the time of all
LOOKED_AT = [exhibit for exhibit in EXHIBITS if IS_DEEP or exhibit.domain != DEAR]
TESTED_WHOLE = LOOKED_AT if IS_DEEP else LOOKED_AT[::12]
"""Their tasks are small, so that all 280 000 states would be tested."""


def campaign(exhibit: Exhibit, folder: Path, whole: str) -> list[CostBugRow]:
    """The bugs that a campaign with the default settings finds, with walks or in all states."""
    habitat = habitat_of(exhibit.domain, exhibit.seed)
    options = CostOptions(task=(), policy=exhibit.name, whole=whole)
    made = Campaign.create(folder, options, subject=habitat.task, policy=exhibit.policy())
    summary = made.run()
    assert summary.reason is not None and not summary.rejected, exhibit.name
    with CostRecords(folder) as records:
        return records.bugs()


@pytest.mark.parametrize(("whole", "exhibits"), [("no", LOOKED_AT), ("auto", TESTED_WHOLE)])
def test_most_planted_faults_are_found_and_nothing_else(
    whole: str, exhibits: list[Exhibit], tmp_path: Path
) -> None:
    harmful, missed = 0, []
    for exhibit in exhibits:
        habitat = habitat_of(exhibit.domain, exhibit.seed)
        true_bugs = bugs(habitat, exhibit.policy())
        found = campaign(exhibit, tmp_path / exhibit.name, whole)
        states = [row.bug.certificate["state"] for row in found]
        ids = habitat.registry.find(np.array(states, dtype=np.uint16).reshape(len(states), -1))
        assert true_bugs[ids].all(), exhibit.name
        costs = np.array([row.bug.certificate["plan"]["cost"] for row in found])
        assert (costs >= habitat.distances[ids]).all(), exhibit.name
        harmful += bool(true_bugs.any())
        missed += [exhibit.name] if true_bugs.any() and not found else []
    assert harmful >= (20 if exhibits == LOOKED_AT else 3)
    assert len(missed) <= (1 - FEWEST_FOUND) * harmful, missed
