"""Safety campaigns: what they find, how they stop, and what they refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bugsieve
from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import (
    BugFound,
    Event,
    Finished,
    RoundDone,
    Started,
)
from bugsieve.campaigns.session import MODEL_FAULT
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.rooms.formats.networks import Network
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.jani.policies.random import RandomModelPolicy
from bugsieve.rooms.jani.policies.table import write_table
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.campaign.driver import ALL_WALKS
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import saved_model
from bugsieve.rooms.safety.checker.safety import check_safety_bug
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.tasks.search import Limits
from tests.unit.campaigns.safety.contents import contents
from tests.unit.campaigns.safety.ledge import FAULTS, LEFT, LOST, RIGHT, Leftist, loaded
from tests.unit.policies.networks.files import FORMATS, write

WALKS = 60


@pytest.fixture
def model(tmp_path: Path) -> JaniModel:
    return loaded(tmp_path)


def rounds_of(walks: int) -> SafetyFuzzOptions:
    return SafetyFuzzOptions(walks=WALKS, round_walks=walks)


def options(**changes: Any) -> SafetyOptions:
    usual = {
        "model": (),
        "policy": "leftist",
        "fuzz": SafetyFuzzOptions(walks=WALKS),
        "oracles": ("tarjan", "vi:1"),
    }
    return SafetyOptions(**{**usual, **changes})


def campaign_of(folder: Path, model: JaniModel, **changes: Any) -> Campaign:
    policy = Leftist(model, 1, 2, 3)
    return Campaign.create(folder, options(**changes), model, policy=policy)


def test_faults_and_unavoidable_runs_are_told_apart(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    summary = campaign_of(folder, model).run()
    assert (summary.reason, summary.walks) == (ALL_WALKS, WALKS)
    assert summary.runs + summary.outcomes["exhausted"] == WALKS
    counts = summary.oracles["tarjan"]
    assert counts.with_fault + counts.unavoidable == summary.runs
    with SafetyRecords(folder) as records:
        bugs = records.bugs()
        states = {tuple(row.bug.state): row for row in bugs}
        assert set(states) == {(place,) for place in FAULTS}
        runs = [records.run(walk) for walk in records.runs().walks.tolist()]
        starts = [int(model.unpack(run.states)[0, 0]) for run in runs]
        assert counts.unavoidable == sum(start in LOST for start in starts)
        for row in bugs:
            assert (row.bug.action, row.safe_action, row.bug.kind) == (LEFT, RIGHT, "fault")
            check_safety_bug(records.header.subject.json(), row.bug.to_json())
        for walk, verdict in records.verdicts("tarjan").items():
            places = model.unpack(records.run(walk).states)[:, 0].astype(int)
            assert verdict.safety.tolist() == [int(place not in LOST) for place in places]
            assert [places[k] for k in verdict.faults] == [p for p in places if p in FAULTS]


def test_equal_runs_are_analysed_once(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    summary = campaign_of(folder, model).run()
    assert summary.different_runs < summary.runs
    with SafetyRecords(folder) as records:
        runs = records.runs()
        assert len(records.verdicts("vi:1")) == summary.different_runs
        for walk, first in zip(runs.walks.tolist(), runs.same_as.tolist(), strict=True):
            assert first <= walk
            np.testing.assert_array_equal(records.run(first).states, records.run(walk).states)


def test_states_are_judged_alone_on_demand(tmp_path: Path, model: JaniModel) -> None:
    campaign_of(tmp_path / "campaign", model, alone=3).run()
    with SafetyRecords(tmp_path / "campaign") as records:
        together = {
            records.run(walk).states[position].tobytes(): int(code)
            for walk, verdict in records.verdicts("tarjan").items()
            for position, code in enumerate(verdict.safety)
        }
        alone = {
            records.run(walk).states[row.position].tobytes(): row.safety
            for walk, row in records.alone("tarjan")
        }
        assert len(alone) == 3 and alone.items() <= together.items()
        assert len(records.alone("vi:1")) == 3


def test_listeners_hear_of_everything(tmp_path: Path, model: JaniModel) -> None:
    events: list[Event] = []
    summary = campaign_of(tmp_path / "campaign", model).run(events.append)
    start, *middle, end = events
    assert isinstance(start, Started) and start.subject == "ledge" and not start.resumed
    assert end == Finished(ALL_WALKS)
    found = [event for event in middle if isinstance(event, BugFound)]
    rounds = [event for event in middle if isinstance(event, RoundDone)]
    assert len(found) == summary.bugs and len(rounds) + len(found) == len(middle)
    assert (rounds[-1].walks, rounds[-1].cases) == (WALKS, summary.runs)
    assert rounds[-1].bugs == summary.bugs_by_kind
    for event in found:
        assert (tmp_path / "campaign" / "bugs" / f"{event.row.id}.json").exists()


@pytest.mark.parametrize(
    "changes", [{"shared_runs": 1}, {"fuzz": rounds_of(1)}, {"fuzz": rounds_of(7)}]
)
def test_rounds_and_memory_do_not_change_what_is_found(
    tmp_path: Path, model: JaniModel, changes: dict[str, Any]
) -> None:
    campaign_of(tmp_path / "usual", model).run()
    campaign_of(tmp_path / "other", model, **changes).run()
    usual, other = contents(tmp_path / "usual"), contents(tmp_path / "other")
    if "shared_runs" in changes:  # the work differs, not the verdicts
        for found in (usual, other):
            found["verdicts"] = [[row[:-1] for row in rows] for rows in found["verdicts"]]
            found["bugs"] = [row.id for row in found["bugs"]]
    assert usual == other


def test_a_campaign_stops_with_enough_bugs_and_goes_on(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    summary = campaign_of(folder, model, stop=StopRules(max_bugs=1)).run()
    assert (summary.reason, summary.bugs) == ("enough bugs", 1)
    policy = Leftist(model, 1, 2, 3)
    again = Campaign.open(folder, policy=policy, stop=StopRules()).run()
    assert again.reason == ALL_WALKS
    campaign_of(tmp_path / "whole", model).run()
    assert contents(folder) == contents(tmp_path / "whole")


@pytest.mark.parametrize("choice", ["greedy", "uniform"])
def test_enough_bugs_are_exactly_as_many_as_were_asked_for(
    tmp_path: Path, model: JaniModel, choice: str
) -> None:
    """Also where one run has several of them; what was left out is found later."""
    fuzz = SafetyFuzzOptions(walks=WALKS, choice=choice, lookahead=1)
    campaign_of(tmp_path / "whole", model, fuzz=fuzz).run()
    whole = contents(tmp_path / "whole")
    assert len(whole["bugs"]) == 2
    if choice == "uniform":
        assert whole["bugs"][0].case == whole["bugs"][1].case
    folder = tmp_path / "campaign"
    campaign_of(folder, model, fuzz=fuzz, stop=StopRules(max_bugs=1)).run()
    assert contents(folder)["bugs"] == whole["bugs"][:1]
    assert {row.bug for rows in contents(folder)["sightings"].values() for row in rows} == {
        whole["bugs"][0].id
    }
    for most in (1, 2, None):
        Campaign.open(folder, policy=Leftist(model, 1, 2, 3), stop=StopRules(max_bugs=most)).run()
        assert contents(folder)["bugs"] == whole["bugs"][:most]
    assert contents(folder) == whole


def test_a_campaign_stops_when_time_is_up(tmp_path: Path, model: JaniModel) -> None:
    stop = StopRules(max_time=1e-9)
    summary = campaign_of(tmp_path / "campaign", model, stop=stop).run()
    assert (summary.reason, summary.walks, summary.runs) == ("out of time", 0, 0)


def test_a_finished_campaign_stays_as_it_is(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    campaign_of(folder, model).run()
    before = contents(folder)
    events: list[Event] = []
    Campaign.open(folder, policy=Leftist(model, 1, 2, 3)).run(events.append)
    assert contents(folder) == before
    assert isinstance(events[0], Started) and events[0].resumed


def test_limits_make_runs_inconclusive(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    campaign = campaign_of(folder, model, oracles=("vi",), limits=Limits(expansions=0))
    summary = campaign.run()
    counts = summary.oracles["vi"]
    assert (summary.bugs, counts.with_fault) == (0, 0) and counts.inconclusive > 0
    with SafetyRecords(folder) as records:
        reached = {row.reached for row in records.verdicts("vi").values() if row.open_faults}
        assert reached == {"expansions"}


def test_proofs_that_are_too_large_are_no_bugs(tmp_path: Path, model: JaniModel) -> None:
    summary = campaign_of(tmp_path / "campaign", model, proof_rows=1).run()
    assert summary.bugs == 0
    assert {row.kind for row in summary.unproven} >= {"fault"}
    assert re.fullmatch(
        r"the proof takes at least \d+ rows, more than the limit of 1: raise --proof-rows .*",
        summary.unproven[0].reason,
    )


@pytest.mark.parametrize("round_walks", [1, 5, 256])
def test_a_faulty_model_ends_the_campaign_but_keeps_what_was_found(
    tmp_path: Path, round_walks: int
) -> None:
    """The walk that meets the fault is the same whatever the rounds are."""
    model = loaded(tmp_path, slip=5)
    folder = tmp_path / "campaign"
    with pytest.raises(ModelError, match=r"assigns -4 to 'x'.* in the state x = 5") as error:
        campaign_of(folder, model, fuzz=rounds_of(round_walks)).run()
    assert error.value.exit_code == 4
    with SafetyRecords(folder) as records:
        progress = records.progress()
        assert progress.finished == MODEL_FAULT
        assert records.walks().numbers.tolist() == list(range(progress.walks))
        assert str(error.value) in records.timeline()[-1].detail
        stored = progress.walks
    with pytest.raises(ModelError):
        Campaign.open(folder, policy=Leftist(model, 1, 2, 3)).run()
    with SafetyRecords(folder) as records:
        assert records.progress().walks == stored
    (tmp_path / "single").mkdir()
    with pytest.raises(ModelError):
        campaign_of(tmp_path / "single" / "campaign", model, fuzz=rounds_of(1)).run()
    assert contents(folder) == contents(tmp_path / "single" / "campaign")


def test_the_policy_of_a_campaign(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    campaign_of(folder, model, stop=StopRules(max_bugs=1)).run()
    with pytest.raises(UsageError, match=r"tests the Python object leftist: open it in Python"):
        Campaign.open(folder)
    with pytest.raises(UsageError, match="tests leftist, not rightist"):
        Campaign.open(folder, policy=Leftist(model, spec="rightist"))
    named = tmp_path / "named"
    Campaign.create(named, options(policy="random"), model).close()
    with pytest.raises(UsageError, match="makes its policy from the spec 'random:0' by itself"):
        Campaign.open(named, policy=Leftist(model))
    with pytest.raises(UsageError, match="no policy 'randon'"):
        Campaign.create(tmp_path / "x", options(policy="randon"), model)
    assert not (tmp_path / "x").exists()


def test_one_process_at_a_time(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    with campaign_of(folder, model), pytest.raises(UsageError, match="is running this campaign"):
        Campaign.open(folder, policy=Leftist(model))
    with pytest.raises(UsageError, match="holds a campaign already"):
        campaign_of(folder, model)


def test_the_stored_model_is_the_model(tmp_path: Path, model: JaniModel) -> None:
    with campaign_of(tmp_path / "campaign", model) as campaign:
        again = saved_model(campaign.directory, campaign.header)
    assert again.document == model.document and again.actions == model.actions
    assert again.start_states is not None and len(again.start_states) == 5


def test_what_a_policy_does_wrong_is_counted_over_all_sessions(
    tmp_path: Path, model: JaniModel
) -> None:
    def broken(values: dict[str, int], applicable: tuple[str, ...]) -> str:
        return "left" if values["x"] != 4 else str(1 // 0)

    folder = tmp_path / "campaign"
    given = options(policy="x", stop=StopRules(max_bugs=1))
    summary = Campaign.create(folder, given, model, policy=as_model_policy(broken, model)).run()
    policy = as_model_policy(broken, model)
    summary = Campaign.open(folder, policy=policy, stop=StopRules()).run()
    crashes = summary.troubles["policy crash"]
    assert crashes.count >= policy.troubles.to_json()["policy crash"]["answers"] > 0
    assert "ZeroDivisionError" in crashes.reason
    assert summary.outcomes["no action"] > 0


def test_five_lines_of_python(tmp_path: Path, model: JaniModel) -> None:
    @bugsieve.policy
    def careless(values: dict[str, int], applicable: tuple[str, ...]) -> str:
        return "left"

    bugs = bugsieve.find_safety_bugs(model, careless, walks=30, folder=tmp_path / "kept")
    assert {tuple(bug.state) for bug in bugs} == {(2,), (3,)}
    assert {bug.kind for bug in bugs} == {"fault"}
    with SafetyRecords(tmp_path / "kept") as records:
        assert len(records.bugs()) == 2
    random = bugsieve.find_safety_bugs(model, "random", walks=30, max_bugs=1, choice="uniform")
    assert len(random) <= 1
    with pytest.raises(UsageError, match="no safety oracle"):
        bugsieve.find_safety_bugs(model, "random", oracles=("x",))


def test_a_policy_that_fails_in_all_walks_does_not_look_safe(model: JaniModel) -> None:
    with pytest.raises(PolicyError, match="policy crash in .* ZeroDivisionError"):
        bugsieve.find_safety_bugs(model, lambda values, applicable: 1 / 0, walks=20)


def test_a_policy_whose_fingerprint_fails_is_let_go_of(
    tmp_path: Path, model: JaniModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    monkeypatch.setattr(RandomModelPolicy, "fingerprint", lambda self: 1 / 0)
    monkeypatch.setattr(RandomModelPolicy, "close", lambda self: closed.append(self.spec))
    with pytest.raises(ZeroDivisionError):
        Campaign.create(tmp_path / "campaign", options(policy="random"), model)
    assert closed == ["random:0"]


def test_a_damaged_store_is_one_sentence(tmp_path: Path, model: JaniModel) -> None:
    folder = tmp_path / "campaign"
    campaign_of(folder, model).close()
    (folder / "campaign.sqlite").write_bytes(b"no database, but long enough" * 99)
    with pytest.raises(InputError, match="is damaged or no store at all"):
        Campaign.open(folder)


def test_options_can_be_replaced_only_where_results_allow(
    tmp_path: Path, model: JaniModel
) -> None:
    folder = tmp_path / "campaign"
    campaign_of(folder, model).close()
    with pytest.raises(UsageError, match="stale_rounds is for cost testing"):
        Campaign.open(folder, policy=Leftist(model), stop=StopRules(stale_rounds=1))
    kept = Campaign.open(folder, policy=Leftist(model), stop=StopRules(max_bugs=5))
    assert replace(kept.options, stop=StopRules()) == options()
    kept.close()


def test_a_policy_that_has_changed_is_another_one(tmp_path: Path, model: JaniModel) -> None:
    folder, file = tmp_path / "campaign", tmp_path / "policy.json"
    start = StartSampler(model, 0).sample([0])[0]
    write_table(file, model, [(start, 0)], default="random")
    asked = options(policy=f"table:{file}")
    with Campaign.create(folder, asked, model):
        pass
    with Campaign.open(folder):
        pass
    write_table(file, model, [(start, 1)], default="random")
    with pytest.raises(UsageError, match="what it names has changed since"):
        Campaign.open(folder)
    write_table(file, model, [(start, 0)], default="random")
    Campaign.open(folder).run()


def leftist_network() -> Network:
    """Goes left everywhere."""
    layers = ((np.zeros((4, 1)), np.zeros(4)), (np.zeros((2, 4)), np.array([1.0, 0.0])))
    return Network(
        tuple(weights.astype(np.float32) for weights, _ in layers),
        tuple(biases.astype(np.float32) for _, biases in layers),
        activation="relu",
    )


def ids_in(folder: Path) -> set[str]:
    with SafetyRecords(folder) as records:
        bugs = [row.bug for row in records.bugs()]
        for bug in bugs:
            check_safety_bug(json.loads(records.header.subject.document), bug.to_json())
        return {bug.id for bug in bugs}


def test_ids_of_bugs_name_the_network_not_its_file(tmp_path: Path, model: JaniModel) -> None:
    found = {}
    for name, form in FORMATS.items():
        path = write(tmp_path, name, form(leftist_network(), tmp_path))
        given = "" if name in ("net.npz", "net.onnx", "net.safetensors") else ",activation=relu"
        spec = f"mlp:{path}{given}"
        Campaign.create(tmp_path / f"of-{name}", options(policy=spec), model).run()
        found[name] = ids_in(tmp_path / f"of-{name}")
        with SafetyRecords(tmp_path / f"of-{name}") as records:
            assert {row.bug.certificate["policy"] for row in records.bugs()} == {spec}
            document, bug = json.loads(records.header.subject.document), records.bugs()[0].bug
        for key, sentence in (("x", "must be a SHA-256"), ("0" * 64, "belong to another")):
            forged = {**bug.to_json(), "certificate": {**bug.certificate, "network": key}}
            with pytest.raises(CertificateError, match=sentence):
                check_safety_bug(document, forged)
    (same,) = {frozenset(ids) for ids in found.values()}
    assert len(same) == len(FAULTS)
    spec = f"mlp:{tmp_path / 'net.npz'},filter=no"
    Campaign.create(tmp_path / "other", options(policy=spec), model).run()
    assert same.isdisjoint(ids_in(tmp_path / "other"))


def test_a_campaign_of_an_earlier_version_keeps_its_ids(
    tmp_path: Path, model: JaniModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name the network by its spec; going on must not find the same bugs once more."""
    path = write(tmp_path, "net.npz", FORMATS["net.npz"](leftist_network(), tmp_path))
    spec, folder = f"mlp:{path}", tmp_path / "old"
    with monkeypatch.context() as before:
        before.setattr("bugsieve.rooms.safety.bugs.bug.network_key", lambda policy: None)
        few = options(policy=spec, fuzz=rounds_of(4), stop=StopRules(max_bugs=1))
        Campaign.create(folder, few, model).run()
        at_first = ids_in(folder)
        Campaign.create(tmp_path / "whole", replace(few, stop=StopRules()), model).run()
    assert at_first
    Campaign.open(folder, stop=StopRules()).run()
    assert at_first < ids_in(folder) == ids_in(tmp_path / "whole")
