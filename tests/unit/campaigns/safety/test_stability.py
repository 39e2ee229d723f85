"""A policy of a model that changes its answers has no proven faults."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bugsieve
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.policies.asking import is_ours
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.jani.policies.random import RandomModelPolicy
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.rooms.jani.policies.table import write_table
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.unit.campaigns.safety.contents import contents
from tests.unit.campaigns.safety.ledge import LEFT, RIGHT, Leftist, loaded


@pytest.fixture
def model(tmp_path: Path) -> JaniModel:
    return loaded(tmp_path)


def options(**changes: Any) -> SafetyOptions:
    usual = {
        "model": (),
        "policy": "twofold",
        "fuzz": SafetyFuzzOptions(walks=60, round_walks=8),
        "oracles": ("tarjan", "vi:1"),
        "shared_runs": 4,
    }
    return SafetyOptions(**{**usual, **changes})


class Twofold(Leftist):
    """Asked anew, it goes right at one place where it went left."""

    place = 3

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        usual = self.choose(states).tolist()
        return Decisions.of(
            self.otherwise() if state[0] == self.place else action
            for action, state in zip(usual, states, strict=True)
        )

    def otherwise(self) -> int | Failure:
        """The other answer."""
        return RIGHT


def everything(folder: Path) -> dict[str, Any]:
    with SafetyRecords(folder) as records:
        return {**contents(folder), "unstable": records.unstable()}


def test_a_fault_with_two_answers_is_none(tmp_path: Path, model: JaniModel) -> None:
    policy = Twofold(model, 1, 2, 3)
    summary = Campaign.create(tmp_path / "c", options(), model, policy=policy).run()
    with SafetyRecords(tmp_path / "c") as records:
        assert {row.bug.state[0] for row in records.bugs()} == {2}
        assert all([3] not in row.bug.certificate["run"]["states"] for row in records.bugs())
    assert summary.unstable
    for row in summary.unstable:
        assert (json.loads(row.state), row.first, row.second) == ({"x": 3}, "left", "right")
    assert summary.certain == 0
    assert len({row.claim for row in summary.unstable}) == len(summary.unstable)
    assert summary.asked_again > 0 and summary.policy_calls > 0


class Crashing(Twofold):
    """Asked anew, it crashes."""

    def otherwise(self) -> Failure:
        return Failure(Ending.POLICY_CRASH, "not again")


def test_a_crash_is_another_answer(tmp_path: Path, model: JaniModel) -> None:
    policy = Crashing(model, 1, 2, 3)
    summary = Campaign.create(tmp_path / "c", options(), model, policy=policy).run()
    assert {row.second for row in summary.unstable} == {"policy crash: not again"}


@pytest.mark.parametrize("most", [1])
@pytest.mark.parametrize("shared_runs", [1, 4, 32])
def test_a_resumed_campaign_knows_what_changed(
    tmp_path: Path, model: JaniModel, most: int, shared_runs: int
) -> None:
    given, policy = options(shared_runs=shared_runs), Twofold(model, 1, 2, 3)
    Campaign.create(tmp_path / "whole", given, model, policy=policy).run()
    cut = replace(given, stop=StopRules(max_bugs=most))
    Campaign.create(tmp_path / "cut", cut, model, policy=policy).run()
    Campaign.open(tmp_path / "cut", policy=policy, stop=StopRules()).run()
    assert everything(tmp_path / "cut") == everything(tmp_path / "whole")


def test_dice_have_no_faults(tmp_path: Path, model: JaniModel) -> None:
    dice = random.Random(2)

    @bugsieve.policy
    def throw(values: dict[str, int], applicable: list[str]) -> str:
        return dice.choice(applicable)

    policy = as_model_policy(throw, model)
    summary = Campaign.create(tmp_path / "c", options(), model, policy=policy).run()
    assert summary.bugs == 0 and summary.unstable


def test_programs_are_asked_in_a_second_process(tmp_path: Path, model: JaniModel) -> None:
    module = tmp_path / "pids.py"
    module.write_text(
        "import os\n\ndef choose(values, applicable):\n    return str(os.getpid())\n"
    )
    with make_model_policy(f"python:{module}:choose", model) as policy:
        states = np.array([[3.0]])
        policy.choose(states)
        first = next(iter(policy.troubles.first.values()))
        second = policy.decide_anew(states).failures[0].detail
        assert policy.troubles.counts.total() == 1  # asking anew adds nothing
    assert first != second


def test_tables_are_as_steady_as_their_defaults(tmp_path: Path, model: JaniModel) -> None:
    state = model.state([3])
    write_table(tmp_path / "own.json", model, [(state, LEFT)], default="random:1")
    module = tmp_path / "first.py"
    module.write_text("def choose(values, applicable):\n    return applicable[0]\n")
    python = f"python:{module}:choose"
    write_table(tmp_path / "their.json", model, [(state, RIGHT)], default=python)
    with make_model_policy(f"table:{tmp_path}/own.json", model) as own:
        assert is_ours(own) and is_ours(RandomModelPolicy(model))
    with make_model_policy(f"table:{tmp_path}/their.json", model) as their:
        assert not is_ours(their)
        assert their.decide_anew(np.array([[3.0], [2.0]])).actions.tolist() == [RIGHT, LEFT]
