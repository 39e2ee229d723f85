"""A campaign whose time is over at whatever look at the clock loses nothing but time."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base import stopping
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.session_clock import MAX_TIME, StopWatch
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.depth import IS_DEEP
from tests.unit.campaigns import contents as cost
from tests.unit.campaigns.safety import contents as safety
from tests.unit.campaigns.safety.ledge import Leftist, loaded
from tests.unit.clock import Clock
from tests.unit.policies.generated import generated_task

_GROWTH = 1.2 if IS_DEEP else 2.0


def cuts(looks: int) -> list[int]:
    """After so many looks at the clock the time is over: often at first, later more rarely."""
    found = [1]
    while found[-1] <= looks:
        found.append(int(found[-1] * _GROWTH) + 1)
    return found[:-1]


def run(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Why the campaign stopped, and how late it was when it last asked whether to.

    Each look at the clock takes a second. How many there are must not depend on the machine: the
    core looks every 20 ms, so its looks take no time; nor does judging, which sizes parcels.
    """
    with monkeypatch.context() as patch:
        clock = Clock(patch, step=1.0)
        patch.setattr(stopping, "check_stop", clock.held(stopping.check_stop))
        patch.setattr(time, "perf_counter", lambda: 0.0)
        asked = [0]

        def reason(watch: StopWatch, **given: Any) -> str | None:
            found = ask(watch, **given)
            asked.append(int(clock.now - watch.start))
            return found

        ask = StopWatch.reason
        patch.setattr(StopWatch, "reason", reason)
        return campaign.run().reason, asked[-1]


def test_cost_testing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = generated_task(tmp_path, "blocksworld", seed=1, blocks=4)
    options = CostOptions(
        task=(),
        policy="hill-climbing:hadd",
        oracles=("lookahead:1", "planner:gbfs-200"),
        fuzz=FuzzOptions(pool_size=12, round_walks=4, bias="policy-quality", seed=5),
    )
    _, looks = run(Campaign.create(tmp_path / "whole", options, task), monkeypatch)
    expected = cost.contents(tmp_path / "whole")
    assert expected["bugs"] and len(cuts(looks)) > 5
    for cut in cuts(looks):
        folder = tmp_path / str(cut)
        campaign = Campaign.create(folder, replace(options, stop=StopRules(max_time=cut)), task)
        assert run(campaign, monkeypatch)[0] == MAX_TIME
        Campaign.open(folder, stop=StopRules()).run()
        assert cost.contents(folder) == expected, cut


def test_safety_testing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(tmp_path)
    options = SafetyOptions(
        model=(),
        policy="leftist",
        fuzz=SafetyFuzzOptions(walks=12),
        oracles=("tarjan", "vi:1"),
    )
    policy = Leftist(model, 1, 2, 3)
    whole = Campaign.create(tmp_path / "whole", options, model, policy=policy)
    _, looks = run(whole, monkeypatch)
    expected = safety.contents(tmp_path / "whole")
    assert len(cuts(looks)) > 5
    for cut in cuts(looks):
        folder = tmp_path / str(cut)
        campaign = Campaign.create(
            folder, replace(options, stop=StopRules(max_time=cut)), model, policy=policy
        )
        assert run(campaign, monkeypatch)[0] == MAX_TIME
        Campaign.open(folder, policy=policy, stop=StopRules()).run()
        assert safety.contents(folder) == expected, cut
