"""Safety campaigns as a whole: sound, repeatable, and whole after `kill -9` and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.seeds import Stream
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import Event, RoundDone
from bugsieve.rooms.jani.model.loading import load_document, load_model
from bugsieve.rooms.jani.policies.registry import make_model_policy
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.policy import MODEL_FILE
from bugsieve.rooms.safety.checker.safety import check_safety_bug
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.zoo.model_domains import generate_model
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.property.safety_models import document
from tests.reference.safety import UNSAFE, System, random_system, safe_states
from tests.system.killing import kill_and_finish
from tests.unit.campaigns.safety.contents import contents

ORACLES = ("tarjan", "lao:1", "vi", "lrtdp:2")


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "model.jani"
    path.write_text(generate_model("nd-blocksworld", seed=1).text)
    return str(path)


def options(model_file: str, **changes: Any) -> SafetyOptions:
    """Small rounds and groups, so that there is much to interrupt."""
    usual = {
        "model": (model_file,),
        "policy": "random:3",
        "oracles": ("tarjan", "vi:1"),
        "fuzz": SafetyFuzzOptions(walks=160, seed=5, choice="sampling", round_walks=2),
        "shared_runs": 5,
        "alone": 4,
    }
    return SafetyOptions(**{**usual, **changes})


def run(folder: Path, given: SafetyOptions) -> dict[str, Any]:
    Campaign.create(folder, given, load_model(*given.model)).run()
    return contents(folder)


@pytest.fixture(scope="module")
def reference(model_file: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an uninterrupted campaign finds."""
    found = run(tmp_path_factory.mktemp("reference") / "campaign", options(model_file))
    assert len(found["bugs"]) > 20 and len(found["verdicts"][0]) > 40
    return found


@pytest.mark.parametrize("round_walks", [1, 13, 256])
def test_rounds_do_not_matter(
    tmp_path: Path, model_file: str, reference: dict[str, Any], round_walks: int
) -> None:
    fuzz = replace(options(model_file).fuzz, round_walks=round_walks)
    assert run(tmp_path / "campaign", options(model_file, fuzz=fuzz)) == reference


def test_more_walks_add_to_the_same_ones(
    tmp_path: Path, model_file: str, reference: dict[str, Any]
) -> None:
    fuzz = replace(options(model_file).fuzz, walks=40)
    found = run(tmp_path / "campaign", options(model_file, fuzz=fuzz))
    assert found["bugs"] == reference["bugs"][: len(found["bugs"])]
    assert found["walks"][1] == reference["walks"][1][:40]


def is_whole(folder: Path) -> bool:
    """Whether the store holds exactly what its progress says."""
    with SafetyRecords(folder) as records:
        runs = records.runs()
        different = runs.walks[runs.walks == runs.same_as].tolist()
        assert records.walks().numbers.tolist() == list(range(records.progress().walks))
        return all(list(records.verdicts(oracle)) == different for oracle in ("tarjan", "vi:1"))


def test_kill_and_resume(tmp_path: Path, model_file: str, reference: dict[str, Any]) -> None:
    folder, given = tmp_path / "campaign", options(model_file)
    moments = [Stream(number, "safety") for number in range(examples(8, quick=3))]
    kill_and_finish(folder, given, is_whole, lines=30, moments=moments)
    assert contents(folder) == reference
    names = {f"{row.id}.json" for row in reference["bugs"]}
    assert {path.name for path in (folder / "bugs").glob("*.json")} == names


def test_ctrl_c_stops_at_once_and_loses_nothing(tmp_path: Path, model_file: str) -> None:
    folder = tmp_path / "campaign"
    program = [sys.executable, "-m", "bugsieve"]
    arguments = ["--policy", "random:3", "--seed", "5", "--walks", str(10**9), "-o", str(folder)]
    process = subprocess.Popen(
        [*program, "safety", model_file, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any(folder.glob("bugs/*.json")):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, complaint = process.communicate()
    goes_on = f"bugsieve: interrupted: 'bugsieve resume {folder}' goes on\n"
    assert (process.returncode, complaint) == (2, goes_on)
    assert f"results in {folder}\n" in output and "unsafe runs" in output
    with SafetyRecords(folder) as records:
        progress, bugs = records.progress(), len(records.bugs())
        assert progress.finished is None and progress.walks > 0 and bugs > 0
    goal = str(bugs + 1)
    again = subprocess.run(
        [*program, "resume", str(folder), "--max-bugs", goal, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(again.stdout)
    assert (again.returncode, report["reason"]) == (1, "enough bugs")
    assert report["walks"] >= progress.walks and report["bugs"] > bugs


def case(seed: int) -> tuple[dict[str, Any], System]:
    """A random system as a model in which runs may start anywhere, and a random policy on it."""
    system = random_system(Random(seed), most_states=12)
    made = document(system)
    starts = [{"variables": [{"var": "s", "value": state}]} for state in system.states]
    expression = made["properties"][0]["expression"]
    expression["start"] = {"op": "states-values", "values": starts}
    return made, system


@pytest.mark.parametrize("portion", range(2))
def test_campaigns_are_sound(tmp_path: Path, portion: int) -> None:
    """All verdicts and faults are those of the definitions, and all bugs can be checked."""
    bugs = 0
    for seed in range(30 * portion, 30 * portion + examples(30)):
        made, system = case(seed)
        model = load_document(made, name="system")
        states = np.arange(len(system.kinds), dtype=np.float64).reshape(-1, 1)
        chosen = make_model_policy(f"random:{seed}", model).choose(states).tolist()
        system = replace(system, policy=tuple(chosen))
        folder = tmp_path / str(seed)
        fuzz = SafetyFuzzOptions(walks=40, seed=seed)
        given = SafetyOptions(model=(), policy=f"random:{seed}", oracles=ORACLES, fuzz=fuzz)
        Campaign.create(folder, given, model).run()
        bugs += check_campaign(folder, system)
    assert bugs > examples(5)


def check_campaign(folder: Path, system: System) -> int:
    """Compares everything with the definitions; returns the number of bugs."""
    stored = json.loads((folder / MODEL_FILE).read_text())
    model = load_document(stored, name="stored")
    with SafetyRecords(folder) as records:
        assert records.rejected() == [] and records.unproven() == []
        for oracle in ORACLES:
            _, _, radius = oracle.partition(":")
            safe = safe_states(system, int(radius) if radius else None)
            for walk, verdict in records.verdicts(oracle).items():
                run = records.run(walk)
                places = model.unpack(run.states)[:, 0].astype(int).tolist()
                check_run(system, places, run.actions.tolist())
                assert verdict.safety.tolist() == [int(place in safe) for place in places]
                faults = [k for k, place in enumerate(places) if is_fault(system, safe, place)]
                assert list(verdict.faults) == faults
        seen = {row.id for row in records.bugs()}
        for file in (folder / "bugs").iterdir():
            check_safety_bug(stored, json.loads(file.read_text()))
            assert file.stem in seen
        safe = safe_states(system, None)
        found = {row.bug.state[0] for row in records.bugs()}
        assert all(is_fault(system, safe, int(place)) for place in found)
        runs = [model.unpack(records.run(w).states)[:, 0] for w in records.verdicts("tarjan")]
        met = {int(place) for run in runs for place in run if is_fault(system, safe, int(place))}
        assert met == found
        return len(seen)


def check_run(system: System, places: list[int], actions: list[int]) -> None:
    """A run of the policy into danger, and through none before."""
    assert [system.kinds[place] == UNSAFE for place in places] == [False] * len(actions) + [True]
    for place, action, following in zip(places, actions, places[1:], strict=False):
        assert action == system.policy[place]
        assert following in system.transitions[place][action]


def is_fault(system: System, safe: set[int], place: int) -> bool:
    """Whether the policy's action may lead from safety out of it."""
    outcomes = system.transitions[place].get(system.policy[place], ())
    return (
        place in safe
        and not system.is_final(place)
        and any(outcome not in safe for outcome in outcomes)
    )


def test_interrupted_after_every_round_with_limits_that_bite(
    tmp_path: Path, model_file: str
) -> None:
    """Which states are decided depends on what is remembered, so that must be made again."""
    given = options(model_file, limits=Limits(expansions=6), oracles=("vi", "tarjan"))
    found = run(tmp_path / "whole", given)
    open_runs = [bool(row[3]) for row in found["verdicts"][0]]
    assert any(open_runs) and not all(open_runs)
    folder = tmp_path / "cut"
    campaign = Campaign.create(folder, given, load_model(*given.model))
    sessions = 1
    while not finishes(campaign):
        campaign = Campaign.open(folder)
        sessions += 1
    assert sessions > 20
    assert contents(folder) == found


def finishes(campaign: Campaign) -> bool:
    """Whether the campaign comes to its end within its next three rounds."""
    rounds = 0

    def interrupt(event: Event) -> None:
        nonlocal rounds
        rounds += isinstance(event, RoundDone)
        if rounds == 3:
            raise KeyboardInterrupt

    try:
        campaign.run(interrupt)
    except KeyboardInterrupt:
        return False
    return True
