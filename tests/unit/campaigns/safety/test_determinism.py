"""Walks that pass are asked about again, as runs of planning tasks are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.verdict import LEFT_OPEN
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray
from bugsieve.rooms.safety.campaign.driver import SafetyDriver
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.unit.campaigns.safety.contents import contents
from tests.unit.campaigns.safety.ledge import LEFT, Leftist, loaded


@pytest.fixture
def model(tmp_path: Path) -> JaniModel:
    return loaded(tmp_path)


class Late(Leftist):
    """Goes right, until it has given so many answers."""

    def __init__(self, model: JaniModel, most: int) -> None:
        super().__init__(model)
        self.asked, self.most = 0, most

    def choose(self, states: Valuations) -> ActionArray:
        late = self.asked + np.arange(len(states)) >= self.most
        self.asked += len(states)
        return np.where(late, LEFT, super().choose(states)).astype(np.int32)


def run(folder: Path, model: JaniModel, policy: Any, walks: int = 20) -> Any:
    options = SafetyOptions(model=(), policy="leftist", fuzz=SafetyFuzzOptions(walks=walks))
    return Campaign.create(folder, options, model, policy=policy).run()


def test_a_policy_that_changes_is_not_green(tmp_path: Path, model: JaniModel) -> None:
    steady = Late(model, 10**9)
    green = run(tmp_path / "steady", model, steady)
    assert (green.bugs, green.exit_code) == (0, 0)
    assert green.check.is_complete and steady.asked == green.policy_calls + green.check.calls
    assert green.asked_again == green.check.calls
    summary = run(tmp_path / "late", model, Late(model, green.policy_calls))
    assert (summary.bugs, summary.exit_code) == (0, LEFT_OPEN)
    row = summary.check.rows[0]
    assert row.state.startswith('{"x": ') and (row.first, row.second) == ("right", "left")
    assert summary_of(tmp_path / "late").exit_code == LEFT_OPEN


def test_walks_are_made_again_if_their_answers_are_gone(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    patch = pytest.MonkeyPatch()
    with patch.context() as cut:
        cut.setattr(SafetyDriver, "ask_again", lambda driver, until: None)
        first = run(folder, model, Late(model, 10**9))
    assert first.check is None and first.exit_code == 0
    before = contents(folder)
    again = Campaign.open(folder, policy=Late(model, 10**9)).run()
    assert again.check.is_complete and again.exit_code == 0
    assert contents(folder) == before
    settled = Late(model, 0)
    assert Campaign.open(folder, policy=settled).run().exit_code == 0
    assert settled.asked == 0
