"""Final tests of trained policies, against trainings and runs of their own."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.lab.experiments.experiment import Experiment, TestsStarted
from bugsieve.rooms.lab.experiments.final_jobs import model_digest
from bugsieve.rooms.lab.experiments.final_records import (
    FinalChoice,
    FinalRecord,
    read_choices,
    read_record,
    record_file,
)
from bugsieve.rooms.lab.experiments.final_tests import FinalTests
from bugsieve.rooms.lab.experiments.jobs import JobDone
from bugsieve.rooms.lab.experiments.trainings import TrainingInstance
from bugsieve.rooms.lab.reports.training.icaps25 import collect_runs, criteria_table
from bugsieve.rooms.training.campaign.choices import choices, stored_signature, stored_weights
from bugsieve.rooms.training.campaign.coverage import load_test_tasks, solved_by_models
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.model_tests import ModelTestPlan, PooledTask, TaskTester, make_pool
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.saved import SavedTask
from tests.depth import IS_DEEP
from tests.unit.campaigns.training.contents import contents
from tests.unit.experiments.experiments import experiment, run, stopped

pytest.importorskip("torch")

_TEXT = """
budgets = [4, 6]
configurations = ["line", "tree"]
campaign.schedule = { inits = 2, start_epochs = 1, model_expansions = 2 }
campaign.asnets = { steps = 10, batch = 16, learning_rate = 0.01, hidden = 8, layers = 1 }
campaign.fuzz.pool_size = 5
test.fuzz.pool_size = 6
test.oracles = ["bmo:100"]

[[trainings]]
label = "gripper"
training = { generator = "gripper", parameters = { balls = [1, 2] } }
validation = { generator = "gripper", parameters = { balls = [2, 3] }, seeds = [1] }
test = { generator = "gripper", parameters = { balls = [1, 2, 3] }, seeds = [2] }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    """A finished experiment."""
    made = experiment(tmp_path_factory.mktemp("experiment"), _TEXT)
    summary, _ = run(made, workers=2)
    assert (summary.done, summary.exit_code) == (4, 0)
    return made


def _choices(made: Experiment) -> dict[tuple[str, int, str], FinalChoice]:
    found = read_choices(made.directory)
    assert found is not None
    return {(c.configuration, c.budget, c.criterion): c for c in found.choices}


def _records(made: Experiment) -> dict[str, FinalRecord]:
    found = read_choices(made.directory)
    assert found is not None
    records = {
        task: read_record(record_file(made.directory, "gripper", task))
        for task in found.tasks["gripper"]
    }
    return {task: record for task, record in records.items() if record is not None}


def _instance(made: Experiment) -> TrainingInstance:
    instance = made.grid.cells[0].instance
    assert isinstance(instance, TrainingInstance)
    return instance


def _tests(made: Experiment) -> Iterator[tuple[str, tuple[str, str]]]:
    folder = made.directory / "tasks" / "gripper" / "training"
    yield from _instance(made).tests_in(folder).items()


def test_a_smaller_budget_is_the_beginning_of_a_larger_one(
    made: Experiment, tmp_path: Path
) -> None:
    """What is taken of a tree with 4 epochs is what a training of its own would give."""
    (cell,) = (cell for cell in made.grid.cells if cell.policy == "tree")
    with TrainingRecords(made.directory / cell.folder) as records:
        options = TrainingOptions.from_toml(records.header.options, name="options")
    alone = replace(options, start_from=None, schedule=replace(options.schedule, main_epochs=2))
    Campaign.create(tmp_path / "alone", alone).run()
    whole, part = contents(made.directory / cell.folder), contents(tmp_path / "alone")
    assert part["weights"] == whole["weights"][:6]
    assert part["models"] == whole["models"][:6]
    chosen = _choices(made)["tree", 4, "pi-test"]
    with TrainingRecords(tmp_path / "alone") as records:
        (taken,) = (c for c in choices(records) if c.criterion == "pi-test")
        assert taken.model.number == chosen.model
        assert model_digest(records.content(chosen.model)) == chosen.digest


def test_the_start_is_trained_once(made: Experiment) -> None:
    folders = {cell.policy: made.directory / cell.folder for cell in made.grid.cells}
    with TrainingRecords(folders["start"]) as start, TrainingRecords(folders["tree"]) as tree:
        assert tree.models()[:4] == start.models()  # with the times it took


def test_coverage_is_that_of_running_all_models(made: Experiment) -> None:
    """The peeking criterion takes the best model, though not all were run on all tasks."""
    chosen, records = _choices(made), _records(made)
    files = [files[1] for _, files in _tests(made)]
    for configuration, budget in (("line", 6), ("line", 4), ("tree", 6)):
        label = f"line {budget}" if configuration == "line" else configuration
        (cell,) = (cell for cell in made.grid.cells if cell.policy == label)
        with TrainingRecords(made.directory / cell.folder) as training:
            tasks, dropped = load_test_tasks(training, files)
            assert not dropped
            solved = solved_by_models(training, tasks)
        for (name, epochs, criterion), choice in chosen.items():
            if (name, epochs) == (configuration, budget):
                shown = sum(record.solved[choice.digest] for record in records.values())
                assert shown == solved[choice.model]
                if criterion == "test":
                    assert choice.model == solved.index(max(solved))
    assert ("line", 6, "test") in chosen


def test_pool_tests_can_be_made_again(made: Experiment) -> None:
    """Pools depend on the task and the options alone, tests on these and the model."""
    found = 0
    by_digest = {choice.digest: choice for choice in _choices(made).values()}
    for task, files in _tests(made):
        loaded = load_task(*files)
        states = make_pool(loaded, FuzzOptions(pool_size=6, bias="uniform"), "final test")
        tester = TaskTester(
            PooledTask(SavedTask.of(loaded), states), ModelTestPlan(("bmo:100",), 1000, 10**7)
        )
        for digest, test in _records(made)[task].tests.items():
            choice = by_digest[digest]
            with TrainingRecords(made.directory / choice.training) as records:
                weights = stored_weights(records, choice.model, stored_signature(records))
            assert tester.test(weights) == test
            found += 1
    assert found


def test_the_table_says_how_policies_were_trained(made: Experiment) -> None:
    table = criteria_table(collect_runs([made.directory]))
    assert table.rows[0].label == "gripper" and table.rows[0].cells[0] == 3
    size = "2 initialisations, 6 epochs of 10 steps, 2 training tasks, 2 validation tasks"
    assert f"gripper: {size} with pools of 5" in table.notes
    assert "means over 1 seed" in table.notes
    assert any(note.startswith("final tests: pools of 6 states, bmo:100") for note in table.notes)
    assert any("took the time of so many epochs: gripper" in note for note in table.notes)


def test_nothing_is_done_twice(made: Experiment) -> None:
    summary, events = run(made)
    assert summary.done == 4
    assert not [event for event in events if isinstance(event, JobDone)]
    assert [event.tasks for event in events if isinstance(event, TestsStarted)] == [{}, {}, {}]


def test_tests_go_on_where_they_ended(made: Experiment, tmp_path: Path) -> None:
    """When a record and the choices are gone, what is left is kept."""
    wanted = _records(made)
    copy = experiment(tmp_path, _TEXT)
    shutil.copytree(made.directory, copy.directory)
    first = next(iter(wanted))
    record_file(copy.directory, "gripper", first).unlink()
    (copy.directory / "final-tests" / "choices.json").unlink()
    summary, events = run(copy)
    assert summary.exit_code == 0
    begun = [list(event.tasks.values()) for event in events if isinstance(event, TestsStarted)]
    assert begun[0] == [f"final-tests: gripper/{first}, initial states"]
    assert len(begun[2]) <= 1
    again = _records(copy)
    for task, record in wanted.items():
        compared = {c.digest for c in _choices(made).values()}
        assert {d: s for d, s in again[task].solved.items() if d in compared} == {
            d: s for d, s in record.solved.items() if d in compared
        }
        assert again[task].tests == record.tests
    assert _choices(copy) == _choices(made)


def test_domains_that_are_left_out_keep_their_choices(made: Experiment, tmp_path: Path) -> None:
    wanted = _choices(made)
    copy = tmp_path / "copy"
    shutil.copytree(made.directory, copy)
    tests = FinalTests(made.grid, copy, [], lambda cell: tmp_path)
    assert [jobs for _, jobs in tests.stages(0)] == [{}, {}, {}]
    found = read_choices(copy)
    assert found is not None and list(found.choices) == list(wanted.values())


def test_other_tests_need_another_folder(made: Experiment, tmp_path: Path) -> None:
    copy = experiment(tmp_path, _TEXT.replace("test.fuzz.pool_size = 6", ""))
    shutil.copytree(made.directory, copy.directory)
    with pytest.raises(InputError, match="before the options of tests changed"):
        copy.run()


def test_other_tasks_need_another_folder(made: Experiment, tmp_path: Path) -> None:
    copy = experiment(tmp_path, _TEXT.replace("balls = [2, 3] }", "balls = [2] }"))
    shutil.copytree(made.directory, copy.directory)
    with pytest.raises(InputError, match="it has other validation tasks"):
        copy.run()


def test_tasks_that_cannot_be_used_are_dropped(made: Experiment, tmp_path: Path) -> None:
    text = _TEXT.replace(
        'test = { generator = "gripper", parameters = { balls = [1, 2, 3] }, seeds = [2] }',
        'test = { generator = "ferry" }',
    )
    copy = experiment(tmp_path, text)
    shutil.copytree(made.directory, copy.directory)
    summary, _ = run(copy)
    assert summary.exit_code == 0
    table = criteria_table(collect_runs([copy.directory]))
    assert table.rows[0].cells[0] == 0
    assert any("is of another domain" in note for note in table.notes)


@pytest.mark.skipif(not IS_DEEP, reason="trains everything again: see tests/depth.py")
def test_a_killed_experiment_goes_on(made: Experiment, tmp_path: Path) -> None:
    killed = experiment(tmp_path, _TEXT)
    stopped(killed, signal.SIGKILL)
    summary, _ = run(killed, workers=2)
    assert (summary.done, summary.exit_code) == (4, 0)
    for cell in made.grid.cells:
        assert contents(killed.directory / cell.folder) == contents(made.directory / cell.folder)
    assert _choices(killed) == _choices(made)
