"""A campaign with the default settings finds the planted faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.judging.findings import CostBugRow
from bugsieve.results.cost.records import CostRecords
from tests.depth import IS_DEEP
from tests.quality.zoo import EXHIBITS, Exhibit, bugs, habitat_of

FEWEST_FOUND = 0.95
DEAR = "scanalyzer"  # half of the time of all
LOOKED_AT = [exhibit for exhibit in EXHIBITS if IS_DEEP or exhibit.domain != DEAR]


def campaign(exhibit: Exhibit, folder: Path) -> list[CostBugRow]:
    """The bugs that a campaign with the default settings finds."""
    habitat = habitat_of(exhibit.domain, exhibit.seed)
    options = CostOptions(task=(), policy=exhibit.name)
    made = Campaign.create(folder, options, subject=habitat.task, policy=exhibit.policy())
    summary = made.run()
    assert summary.reason is not None and not summary.rejected, exhibit.name
    with CostRecords(folder) as records:
        return records.bugs()


def test_most_planted_faults_are_found_and_nothing_else(tmp_path: Path) -> None:
    harmful, missed = 0, []
    for exhibit in LOOKED_AT:
        habitat = habitat_of(exhibit.domain, exhibit.seed)
        true_bugs = bugs(habitat, exhibit.policy())
        found = campaign(exhibit, tmp_path / exhibit.name)
        states = [row.bug.certificate["state"] for row in found]
        ids = habitat.registry.find(np.array(states, dtype=np.uint16).reshape(len(states), -1))
        assert true_bugs[ids].all(), exhibit.name
        costs = np.array([row.bug.certificate["plan"]["cost"] for row in found])
        assert (costs >= habitat.distances[ids]).all(), exhibit.name
        harmful += bool(true_bugs.any())
        missed += [exhibit.name] if true_bugs.any() and not found else []
    assert harmful >= 20
    assert len(missed) <= (1 - FEWEST_FOUND) * harmful, missed
