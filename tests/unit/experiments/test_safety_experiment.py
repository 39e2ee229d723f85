"""Experiments on safety end to end: what is trained, run, killed and gone on with."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.lab.experiments.experiment import Experiment, ExperimentStarted
from bugsieve.rooms.lab.experiments.jobs import JobDone, JobFailed, JobStarted
from bugsieve.rooms.lab.experiments.training import is_trained
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.training.options import QOptions
from tests.depth import examples
from tests.hostile.processes import needs_proc
from tests.unit.campaigns.safety.contents import contents
from tests.unit.experiments.experiments import (
    check_change,
    copied,
    experiment,
    folders,
    run,
    stopped,
)

GRID = """
seeds = [0, 1]
policies = ["random"]
oracles = ["tarjan", "lrtdp:1"]
[campaign]
alone = 10
shared_runs = 2
fuzz.walks = 30
[fuzzers.uniform]
choice = "uniform"
lookahead = 1
[fuzzers.greedy]
[[models]]
generator = "one-way-line"
parameters = { length = 5, packages = 1 }
"""
TRAINING = """
oracles = ["tarjan"]
[campaign.fuzz]
walks = 5
[policies.net.train]
steps = 200
warmup = 50
hidden = [4]
envs = 4
batch = 16
evaluation_runs = 5
episode_limit = 20
[[models]]
generator = "beluga"
parameters = { jigs = 2 }
"""

pytestmark = pytest.mark.usefixtures("no_preloaded_sanitizer")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, list[Any]]:
    """An experiment that is done, and what was told of it."""
    made = experiment(tmp_path_factory.mktemp("finished"), GRID)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LD_PRELOAD", raising=False)  # the fixture for this comes too late
        summary, events = run(made, workers=2)
    assert (summary.campaigns, summary.done, summary.exit_code) == (4, 4, 0)
    return made, events


Finished = tuple[Experiment, list[Any]]


def test_a_grid_is_run_once(finished: Finished) -> None:
    made, events = finished
    assert sorted(e.number for e in events if isinstance(e, JobDone)) == [0, 1, 2, 3]
    for folder in folders(made):
        with SafetyRecords(folder) as records:
            assert records.progress().finished == "all walks made"
            assert len(records.walks()) == 30
    summary, events = run(made)
    assert (summary.done, events) == (4, [ExperimentStarted(4, 4, 1)])


@needs_proc
def test_a_killed_experiment_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    walks = examples(400, quick=40)
    text = GRID.replace("length = 5", "length = 9").replace("walks = 30", f"walks = {walks}")
    whole, cut = experiment(tmp_path / "whole", text), experiment(tmp_path / "cut", text)
    stopped(cut, signal.SIGKILL)
    begun = [folder for folder in folders(cut) if (folder / STORE_FILE).exists()]
    assert 1 <= len(begun) <= 4
    assert run(cut, workers=1)[0].done == run(whole, workers=2)[0].done == 4
    for one, other in zip(folders(whole), folders(cut), strict=True):
        assert contents(one) == contents(other)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("alone = 10", "alone = 11", "alone was 10 and is 11"),
        (
            "[fuzzers.greedy]",
            "[fuzzers.greedy]\nlookahead = 1",
            "fuzz.lookahead was None and is 1",
        ),
        ('"lrtdp:1"', '"lao"', r"oracles was .*'lrtdp:1'.* and is .*'lao'"),
        ("packages = 1", "packages = 2", None),  # another model, another folder
    ],
)
def test_a_changed_file_is_noticed(
    finished: Finished, tmp_path: Path, old: str, new: str, difference: str | None
) -> None:
    text = GRID.replace("[0, 1]", "[0]").replace(old, new)
    check_change(copied(finished[0], tmp_path, text), difference)


def test_a_changed_model_is_noticed(tmp_path: Path) -> None:
    instance = experiment(tmp_path, GRID).grid.cells[0].instance
    document = json.loads(instance.texts[0])
    (tmp_path / "m.jani").write_text(json.dumps(document))
    text = (
        GRID.replace("[0, 1]", "[0]").partition("[[models]]")[0] + "[[models]]\nmodel = 'm.jani'\n"
    )
    assert run(experiment(tmp_path, text))[0].done == 2
    document["variables"][0]["comment"] = "something new"
    (tmp_path / "m.jani").write_text(json.dumps(document))
    with pytest.raises(InputError, match="the model m is another one.* name a new folder with -o"):
        experiment(tmp_path, text).run()


def test_a_network_is_trained_first_and_once(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    made = experiment(tmp_path, "seeds = [0, 1]\n" + TRAINING)
    summary, events = run(made, workers=1)
    network = made.directory / "networks/beluga/beluga-jigs-2-seed-0/net.safetensors"
    assert events[0] == ExperimentStarted(2, 0, 1, {2: str(network)})
    numbers = [event.number for event in events if isinstance(event, (JobStarted, JobDone))]
    assert numbers == [2, 2, 0, 0, 1, 1]
    assert (summary.campaigns, summary.done, summary.exit_code) == (2, 2, 0)
    with SafetyRecords(folders(made)[0]) as records:
        assert records.header.policy == f"mlp:{network.absolute()}"
    record = json.loads(network.with_suffix(".json").read_text())
    assert (record["options"]["steps"], record["best_steps"] <= 200) == (200, True)
    before = network.read_bytes()
    summary, events = run(experiment(tmp_path, "seeds = [0, 1, 2]\n" + TRAINING), workers=1)
    assert events[0] == ExperimentStarted(3, 2, 1)
    assert (summary.done, network.read_bytes()) == (3, before)
    changed = TRAINING.replace("steps = 200", "steps = 300")
    with pytest.raises(InputError, match="was trained with steps 200, and now it is 300"):
        experiment(tmp_path, "seeds = [5]\n" + changed).run()


def test_campaigns_fail_whose_network_cannot_be_trained(tmp_path: Path) -> None:
    text = "seeds = [0, 1]\n" + TRAINING
    text = text.replace(
        "[policies.net.train]", "[policies]\nother = 'random'\n[policies.net.train]"
    )
    made = experiment(tmp_path, text)
    target = made.directory / "networks"
    made.directory.mkdir()
    (made.directory / "experiment.json").write_text(
        json.dumps({"experiment": 1, "name": "x", "campaigns": {}})
    )
    target.write_text("a file where a folder should be")
    summary, events = run(made, workers=1)
    assert (summary.done, len(summary.failures), summary.exit_code) == (2, 2, 4)
    sentences = {failure.error for failure in summary.failures.values()}
    assert all(sentence.startswith("its policy could not be trained: ") for sentence in sentences)
    assert sum(isinstance(event, JobFailed) for event in events) == 3
    assert not any("\n" in sentence for sentence in sentences)


def test_a_damaged_record_of_a_training_is_named(tmp_path: Path) -> None:
    network = tmp_path / "net.safetensors"
    assert not is_trained(network, "{}", QOptions())
    network.touch()
    assert not is_trained(network, "{}", QOptions())
    network.with_suffix(".json").write_text("{}")
    with pytest.raises(InputError, match="net.json: is damaged"):
        is_trained(network, "{}", QOptions())
