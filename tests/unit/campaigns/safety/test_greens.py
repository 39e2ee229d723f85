"""Policies proven safe: certified, kept, believed, asked again and given away."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns import greens
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.events import Event, Noted
from bugsieve.campaigns.store.certificate_blobs import packed
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.cli import main
from bugsieve.policies.decisions import Decisions
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ActionArray
from bugsieve.rooms.safety.campaign import green as safety_green
from bugsieve.rooms.safety.campaign.driver import ALL_WALKS
from bugsieve.rooms.safety.campaign.green import NO_DANGER, ONLY_GOALS, OUT_OF_REACH, stored_green
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.checker.safety_green import main as check_alone
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from tests.depth import examples
from tests.property.safety_models import ListedPolicy, document
from tests.property.test_safety_greens import some_system
from tests.reference.safety import GOAL, ORDINARY, UNSAFE, System
from tests.reference.safety_greens import claim_of, is_true
from tests.unit.campaigns.interrupting import interrupted
from tests.unit.campaigns.safety.ledge import Leftist, ledge, loaded

WALKS = 20
SAFE = "safe from all 5 start states (proven)"


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with a key of their own."""
    greens._refusal.cache_clear()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def high(folder: Path, **settings: Any) -> JaniModel:
    """A ledge that is entered where it is safe to go right."""
    return loaded(folder, **{"starts": (2, 3, 4, 5, 6), **settings})


def campaign_of(folder: Path, model: JaniModel, policy: Any, **changes: Any) -> Campaign:
    usual = {"model": (), "policy": policy.spec, "fuzz": SafetyFuzzOptions(walks=WALKS)}
    options = SafetyOptions(**{**usual, **changes})
    return Campaign.create(folder, options, model, policy=policy)


def run(folder: Path, model: JaniModel, policy: Any = None, **changes: Any) -> Any:
    """The summary of a campaign; by default of a policy that always goes right."""
    return campaign_of(folder, model, policy or Leftist(model), **changes).run()


def change_store(folder: Path, query: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        store.execute(query, values)


def test_a_policy_that_never_meets_danger_is_certified(tmp_path: Path) -> None:
    summary = run(tmp_path / "campaign", high(tmp_path))
    assert str(summary.verdict) == SAFE and summary.exit_code == 0
    assert (summary.proof.starts, summary.proof.states, summary.proof.ends) == (5, 5, 0)
    assert summary_of(tmp_path / "campaign").verdict == summary.verdict
    green: Any = stored_green(tmp_path / "campaign")
    assert green["states"] == 5


@pytest.mark.parametrize("changes", [{"whole": "no"}, {"sample": "1/1"}])
def test_nothing_else_is_certified(tmp_path: Path, changes: dict[str, Any]) -> None:
    if "sample" in changes:
        fuzz = SafetyFuzzOptions(walks=WALKS, choice="uniform", lookahead=1)
        changes = {**changes, "shared_runs": 1, "fuzz": fuzz}
    summary = run(tmp_path / "campaign", high(tmp_path), **changes)
    assert summary.proof is None and summary.outcome is not CampaignResult.PROVEN
    assert stored_green(tmp_path / "campaign") is None


def test_campaigns_on_random_models_are_proven_exactly_where_brute_force_says_so(
    tmp_path: Path,
) -> None:
    seen: set[CampaignResult] = set()
    for seed in range(examples(300, quick=40)):
        system, starts, written = some_system(seed)
        model = load_document(written, name="system")
        claim = claim_of(system, starts)
        policy = ListedPolicy(model, system.policy)
        fuzz = SafetyFuzzOptions(walks=1 + seed % 3, choice="uniform", lookahead=1)
        summary = run(tmp_path / str(seed), model, policy, fuzz=fuzz)
        seen.add(summary.outcome)
        is_safe = is_true(system, starts, claim)
        assert (summary.runs == 0) == is_safe, seed  # whatever the walks have missed
        if summary.outcome is CampaignResult.PROVEN:
            assert is_safe and summary.proof.ends == claim.ends
        elif is_safe:
            acts = any(
                system.policy[state] in system.transitions[state]
                for state in claim.actions
                if not system.is_final(state)
            )
            assert not acts or meets_nothing(system, starts), seed
    assert {CampaignResult.PROVEN, CampaignResult.BUGS} <= seen, seen


def meets_nothing(system: System, starts: set[int]) -> bool:
    """Whether no policy can meet danger."""
    reached, waiting = set[int](), sorted(starts)
    while waiting:
        state = waiting.pop()
        if state not in reached:
            reached.add(state)
            if not system.is_final(state):
                waiting += [s for after in system.transitions[state].values() for s in after]
    return all(system.kinds[state] != UNSAFE for state in reached)


def rare_danger() -> System:
    """Danger after one of three outcomes; another action avoids it."""
    kinds = (ORDINARY, ORDINARY, GOAL, UNSAFE)
    transitions: tuple[dict[int, tuple[int, ...]], ...] = (
        {0: (1, 2, 3), 1: (2,)},
        {0: (2,), 1: (1,)},
        {},
        {},
    )
    return System(kinds, transitions, (0, 0, 0, 0))


def test_a_way_into_danger_that_no_walk_took_is_judged(tmp_path: Path) -> None:
    model = load_document(document(rare_danger()), name="system")
    found = set()
    for seed in range(6):
        fuzz = SafetyFuzzOptions(walks=1, choice="uniform", lookahead=1, seed=seed)
        policy = ListedPolicy(model, rare_danger().policy)
        folder = tmp_path / str(seed)
        summary = run(folder, model, policy, fuzz=fuzz)
        assert (summary.runs, summary.bugs, summary.exit_code) == (1, 1, 1)
        assert summary.proof is None and summary.reason == ALL_WALKS
        found.add(summary.walks)
        assert Campaign.open(folder, policy=policy).run().walks == summary.walks
    assert found == {1, 2}  # with and without the walk of the exploration


def test_ends_without_an_action_are_counted_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = high(tmp_path)

    class Stopping(Leftist):
        def choose(self, states: Valuations) -> ActionArray:
            actions = super().choose(states)
            actions[states[:, 0] == 4] = NO_ACTION
            return actions

    summary = run(tmp_path / "campaign", model, Stopping(model))
    assert summary.failed_walks and summary.exit_code == 0
    assert str(summary.verdict) == f"{SAFE}, without an action in 1 of 5 states"
    main(["status", str(tmp_path / "campaign")])
    assert "'bugsieve decide --radius 0' calls them lost" in capsys.readouterr().out


def test_a_policy_that_never_acts_is_not_green(tmp_path: Path) -> None:
    model = high(tmp_path, starts=(2, 3))
    policy = as_model_policy(lambda values, applicable: None, model)
    summary = run(tmp_path / "campaign", model, policy)
    assert summary.proof is None and summary.exit_code == 6


def test_a_policy_that_fails_to_answer_is_not_green(tmp_path: Path) -> None:
    model = high(tmp_path)

    def failing(values: Any, applicable: Any) -> Any:
        assert values["x"] != 3
        return "right"

    summary = run(tmp_path / "campaign", model, as_model_policy(failing, model))
    assert summary.proof is None and summary.exit_code == 6


class Turning(Leftist):
    """Goes right, and to the left at 5 once it is asked again."""

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        return Decisions(Leftist(self.model, 5).choose(states))


def test_a_policy_that_changes_its_answers_is_not_proven(tmp_path: Path) -> None:
    model, told = high(tmp_path), list[Event]()
    campaign = campaign_of(tmp_path / "campaign", model, Turning(model))
    summary = campaign.run(told.append)
    assert summary.proof is None and summary.exit_code == 6
    assert summary.verdict.sentence.startswith("unstable: the policy gave different answers in 1")
    notes = [event.note for event in told if isinstance(event, Noted)]
    assert [note for note in notes if "answers otherwise in 1 of 4 states" in note]


def test_what_cannot_be_explored_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety_green, "MOST_STATES", 2)
    model, told = high(tmp_path), list[Event]()
    campaign = campaign_of(tmp_path / "auto", model, Leftist(model))
    assert campaign.run(told.append).proof is None
    notes = [event.note for event in told if isinstance(event, Noted)]
    assert notes == ["the certificate: there are more than 2 start states, so there is none"]
    with pytest.raises(UsageError, match="--whole yes: there are more than 2 start states"):
        run(tmp_path / "yes", model, whole="yes")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"starts": (6,)}, ONLY_GOALS), ({"starts": (4, 5)}, OUT_OF_REACH)],
)
def test_where_there_was_nothing_to_test_that_is_said(
    tmp_path: Path, settings: dict[str, Any], reason: str
) -> None:
    written = ledge(**settings)
    if reason == OUT_OF_REACH:  # neither way leads below 3 from here
        edges = written["automata"][0]["edges"]
        written["automata"][0]["edges"] = [e for e in edges if e["action"] == "right"]
    model = load_document(written, name="ledge")
    summary = run(tmp_path / "campaign", model)
    assert (summary.exit_code, summary.reason) == (5, reason)
    assert str(summary.verdict) == f"{reason}: nothing was tested"
    assert summary_of(tmp_path / "campaign").verdict == summary.verdict
    assert Campaign.open(tmp_path / "campaign", policy=Leftist(model)).run().exit_code == 5


def test_walks_that_are_over_at_once_test_nothing(tmp_path: Path) -> None:
    summary = run(tmp_path / "campaign", loaded(tmp_path, starts=(6,)), whole="no")
    assert summary.exit_code == 5
    assert str(summary.verdict) == "all 20 walks began where runs end: nothing was tested"
    # A walk that is over at once since all that lies ahead was looked at is a test.
    round_trip = System((ORDINARY, UNSAFE), ({0: (0,), 1: (1,)}, {}), (0, 0))
    model = load_document(document(round_trip), name="system")
    policy = ListedPolicy(model, round_trip.policy)
    summary = run(tmp_path / "loop", model, policy, whole="no")
    assert (summary.steps, summary.exit_code) in {(0, 0), (20, 0)}


def test_a_condition_that_never_holds_is_not_tested(tmp_path: Path) -> None:
    written = ledge()
    reach = {"op": "state-condition", "exp": {"op": "<", "left": 2, "right": 1}}
    written["properties"][0]["expression"]["reach"] = reach
    summary = run(tmp_path / "campaign", load_document(written, name="ledge"))
    assert (summary.walks, summary.reason, summary.exit_code) == (0, NO_DANGER, 5)


def test_a_campaign_that_was_cut_is_certified_when_it_goes_on(tmp_path: Path) -> None:
    model = high(tmp_path)
    whole = run(tmp_path / "whole", model)
    cuts = 0
    for cut in range(4):
        folder = tmp_path / str(cut)
        campaign = campaign_of(folder, model, Leftist(model), fuzz=SafetyFuzzOptions(walks=200))
        events = interrupted(campaign, cut)
        cuts += len(events)
        again = Campaign.open(folder, policy=Leftist(model)).run()
        assert again.verdict == whole.verdict
        assert stored_green(folder) == stored_green(tmp_path / "whole")
    assert cuts
    change_store(tmp_path / "whole", "DELETE FROM greens")
    assert summary_of(tmp_path / "whole").proof is None
    assert Campaign.open(tmp_path / "whole", policy=Leftist(model)).run().proof is not None


def test_a_folder_made_before_opens_and_is_certified(tmp_path: Path) -> None:
    """Its options lack the choice."""
    model, folder = high(tmp_path), tmp_path / "campaign"
    run(folder, model, whole="no")
    with closing(sqlite3.connect(folder / STORE_FILE)) as store, store:
        ((text,),) = store.execute("SELECT value FROM meta WHERE name = 'options'")
        lines = [line for line in text.splitlines(keepends=True) if "whole" not in line]
        store.execute("UPDATE meta SET value = ? WHERE name = 'options'", ["".join(lines)])
    assert summary_of(folder).proof is None
    assert str(Campaign.open(folder, policy=Leftist(model)).run().verdict) == SAFE


def forgeries(green: dict[str, Any]) -> Iterator[Any]:
    yield {**green, "starts": green["starts"] - 1}
    yield {**green, "policy": "another"}
    yield {**green, "model": {**green["model"], "sha256": "0" * 64}}
    columns = green["columns"]
    yield {**green, "columns": {**columns, "actions": columns["states"][0]}}
    yield "green"


def test_a_stranger_proves_nothing_by_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "campaign"
    run(folder, high(tmp_path))
    green: Any = stored_green(folder)
    for forged in forgeries(green):
        change_store(folder, "UPDATE greens SET content = ?", packed(forged))
        assert summary_of(folder).proof is None
        with pytest.raises(InputError, match="does not hold"):
            stored_green(folder)
    assert main(["replay", str(folder)]) == 4
    assert "does not hold" in capsys.readouterr().err
    change_store(folder, "UPDATE greens SET content = ?, seal = NULL", packed(green))
    assert str(summary_of(folder).verdict) == SAFE


def test_what_we_have_sealed_is_not_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "campaign"
    run(folder, high(tmp_path))
    calls: list[bytes] = []

    def count(content: bytes, check: greens.Check) -> None:
        calls.append(content)

    monkeypatch.setattr(greens, "_checked", count)
    assert summary_of(folder).proof is not None and not calls
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))
    assert summary_of(folder).proof is not None and len(calls) == 1


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "model.jani"
    path.write_text(json.dumps(ledge(starts=(2, 3, 4, 5, 6))))
    return path


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A policy that always goes right."""
    path = tmp_path / "right.py"
    path.write_text(
        "def right(values, applicable):\n    return 'right'\n\n\n"
        "def left(values, applicable):\n    return 'left'\n\n\n"
        "def either(values, applicable):\n    return 'left' if values['x'] == 5 else 'right'\n"
    )
    return f"python:{path}"


def test_replay_asks_in_every_state_and_checks_again(
    tmp_path: Path, model_file: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "campaign")
    made = ["safety", str(model_file), "--walks", "5", "-o", folder]
    assert main([*made, "--policy", f"{table}:right"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == SAFE
    assert main(["replay", folder]) == 0
    assert capsys.readouterr().out == (
        "PROOF HOLDS: the policy answers as before in 4 states "
        "and is safe from all 5 start states\n"
    )
    assert main(["replay", folder, "--policy", f"{table}:left", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "proof lost" and report["changed"] == report["asked"] == 4
    assert "it comes to danger after" in report["sentence"]
    assert main(["replay", folder, "--policy", f"{table}:either"]) == 0
    assert "otherwise in 1 of 4 states and is safe" in capsys.readouterr().out


def test_the_certificate_is_exported_for_the_checker_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = tmp_path / "campaign", tmp_path / "green.json"
    model = high(tmp_path)
    run(folder, model)
    assert main(["export", str(folder), "--green", str(file)]) == 0
    told = capsys.readouterr().out
    assert f"wrote {file}" in told and "bugsieve.rooms.safety.checker.safety_green" in told
    assert check_alone([str(folder / "model.jani"), str(file)]) == 0
    assert "the policy is safe from all 5 start states" in capsys.readouterr().out
    file.write_text(file.read_text().replace('"starts": 5', '"starts": 4'))
    assert check_alone([str(folder / "model.jani"), str(file)]) == 4
    assert "there are 5 start states, not 4" in capsys.readouterr().err
    assert check_alone([]) == 4
    run(tmp_path / "bad", model, Leftist(model, 2))
    assert main(["export", str(tmp_path / "bad"), "--green", str(file)]) == 4
    assert "has no certificate that there is no bug" in capsys.readouterr().err


def test_probabilities_that_are_not_used_are_named_in_the_second_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, shares in (("even", (0.5, 0.5)), ("uneven", (0.25, 0.75))):
        written = ledge(starts=(2, 3))
        for edge in written["automata"][0]["edges"]:
            if len(edge["destinations"]) == 2:
                for destination, share in zip(edge["destinations"], shares, strict=True):
                    destination["probability"] = {"exp": share}
        run(tmp_path / name, load_document(written, name="ledge"))
        assert main(["status", str(tmp_path / name)]) == 0
        second = capsys.readouterr().out.splitlines()[1]
        is_told = second.startswith("probabilities of the model are not used")
        assert is_told == (name == "uneven")
