"""A shield repairs the proven faults of a policy, and touches nothing else without need."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.rooms.jani.policies.table import write_table
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.shield import make_shield
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.zoo.model_domains import generate_model
from tests.unit.campaigns.safety.ledge import FAULTS, LEFT, RIGHT, Leftist, loaded

STATES = np.arange(1, 6, dtype=np.float64).reshape(-1, 1)


@pytest.fixture
def model(tmp_path: Path) -> JaniModel:
    return loaded(tmp_path)


def campaign_on(folder: Path, model: JaniModel, *places: int, oracle: str = "tarjan") -> str:
    """A campaign on the policy that goes left at these places; returns the policy's spec."""
    table = folder.with_suffix(".json")
    choices = [(state, LEFT if int(state[0]) in places else RIGHT) for state in STATES]
    write_table(table, model, choices)
    fuzz = SafetyFuzzOptions(walks=60)
    options = SafetyOptions(model=(), policy=f"table:{table}", fuzz=fuzz, oracles=(oracle,))
    Campaign.create(folder, options, model).run()
    return options.policy


@pytest.mark.parametrize("oracle", ["tarjan", "lao", "tarjan:2"])
def test_a_shield_has_no_faults_left(tmp_path: Path, model: JaniModel, oracle: str) -> None:
    folder = tmp_path / "campaign"
    campaign_on(folder, model, 1, 2, 3, oracle=oracle)
    shield = make_shield(folder, tmp_path / "shield.json")
    with SafetyRecords(folder) as records:
        assert shield.bugs == len(records.bugs()) > 0
    policy = make_model_policy(shield.policy, model)
    assert policy.choose(STATES).tolist()[1:3] == [RIGHT, RIGHT]
    fuzz = SafetyFuzzOptions(walks=60)
    options = SafetyOptions(model=(), policy=shield.policy, fuzz=fuzz)
    summary = Campaign.create(tmp_path / "again", options, model).run()
    assert (summary.bugs, summary.unproven) == (0, ())
    counts = summary.oracles["tarjan"]
    assert counts.unavoidable == summary.runs > 0  # those that start at 1


def test_a_shield_leaves_the_policy_alone_where_it_stays_in_the_region(
    tmp_path: Path, model: JaniModel
) -> None:
    """Every state of the proofs is kept, but only faults need another action."""
    folder = tmp_path / "campaign"
    spec = campaign_on(folder, model, 2, 3, 4, 5)
    path = tmp_path / "shield.json"
    shield = make_shield(folder, path)
    with SafetyRecords(folder) as records:
        region = {state[0] for row in records.bugs() for state, _ in row.bug.alternative}
    listed = {row[0][0]: row[1] for row in json.loads(path.read_text())["rows"]}
    assert set(listed) <= region and set(listed) >= set(FAULTS)
    assert len(listed) == shield.states
    before, after = (make_model_policy(name, model) for name in (spec, shield.policy))
    changed = before.choose(STATES) != after.choose(STATES)
    assert {place for place, new in zip(range(1, 6), changed, strict=True) if new} == set(FAULTS)


def test_a_shield_changes_nothing_in_other_states(tmp_path: Path) -> None:
    """Single states are repaired: fresh starts of a model that was seen in part stay unsafe."""
    made = generate_model("two-way-line", seed=0, length=20, packages=10)
    line = load_document(made.document, name=made.name)
    fuzz = SafetyFuzzOptions(walks=40)
    options = SafetyOptions(model=(), policy="random:0", fuzz=fuzz)
    Campaign.create(tmp_path / "campaign", options, line).run()
    path = tmp_path / "shield.json"
    shield = make_shield(tmp_path / "campaign", path)
    starts = StartSampler(line, 1).sample(np.arange(200))
    shielded = make_model_policy(shield.policy, line).choose(starts)
    listed = {tuple(map(float, row[0])) for row in json.loads(path.read_text())["rows"]}
    others = np.array([tuple(state) not in listed for state in starts.tolist()])
    plain = make_model_policy("random:0", line)
    assert others.sum() > 150
    assert np.array_equal(shielded[others], plain.choose(starts)[others])
    fresh = SafetyFuzzOptions(walks=60, seed=1)
    before, after = (
        Campaign.create(tmp_path / name, replace(options, policy=spec, fuzz=fresh), line).run()
        for name, spec in (("before", "random:0"), ("after", shield.policy))
    )
    assert shield.bugs > 20 and after.runs >= 0.9 * before.runs > 20


def test_campaigns_that_cannot_be_shielded(tmp_path: Path, model: JaniModel) -> None:
    safe = tmp_path / "safe"
    campaign_on(safe, model)
    with pytest.raises(UsageError, match="has no bugs, so there is nothing to shield"):
        make_shield(safe, tmp_path / "x.json")
    own = tmp_path / "own"
    options = SafetyOptions(model=(), policy="leftist", fuzz=SafetyFuzzOptions(walks=60))
    Campaign.create(own, options, model, policy=Leftist(model, 2)).run()
    with pytest.raises(UsageError, match="tests the Python object leftist: name a policy"):
        make_shield(own, tmp_path / "x.json")
    with pytest.raises(InputError, match="there is no such folder"):
        make_shield(tmp_path / "nothing", tmp_path / "x.json")
    unsafe = tmp_path / "unsafe"
    campaign_on(unsafe, model, 2)
    with pytest.raises(InputError, match="cannot be written"):
        make_shield(unsafe, tmp_path / "no" / "folder" / "x.json")
    assert not (tmp_path / "x.json").exists()
