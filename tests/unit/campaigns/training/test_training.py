"""Trainings as campaigns: what they store, how they go on, and what is wrong with some."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import BudgetError, BugsieveError, InputError, UsageError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.rooms.training.asnets.data import Examples
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.campaign.choices import stored_signature, stored_weights
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.summary import TrainingSummary
from bugsieve.rooms.training.model_tests import LocalTester, ModelTestPlan, PooledTask
from bugsieve.rooms.training.selection import Schedule
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.tables import BUGS
from bugsieve.tasks.grounded.task import Task
from tests.unit.campaigns.training.contents import contents, small_options

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was never interrupted."""
    folder = tmp_path_factory.mktemp("training")
    Campaign.create(folder / "campaign", small_options(folder)).run()
    return folder / "campaign"


def test_the_schedule_is_followed(finished: Path) -> None:
    with TrainingRecords(finished) as records:
        rows, candidates = records.models(), candidates_in(records)
        options = TrainingOptions.from_toml(records.header.options, name="options")
    assert len(rows) == 8 == options.schedule.models
    assert [row.parent for row in rows[:4]] == [None, 0, None, 2]
    for number in range(4, 8):
        seed = options.fuzz.seed
        assert rows[number].parent == options.schedule.following(candidates[:number], seed)
    for row in rows:
        assert row.epoch == (0 if row.parent is None else rows[row.parent].epoch + 1)
        assert (row.loss is None) == (row.solved is None) == (row.parent is None)


def test_stored_tests_are_those_of_the_stored_weights(finished: Path) -> None:
    """Nothing of a test depends on when it was made: it can be made again from the store."""
    with TrainingRecords(finished) as records:
        tasks = records.validation_tasks()
        pooled = [PooledTask(row.task, row.states) for row in tasks]
        tester = LocalTester(pooled, ModelTestPlan(("bmo:100",), 1000, 100_000))
        signature = stored_signature(records)
        found = records.tests()
        for number in range(records.case_count()):
            weights = stored_weights(records, number, signature)
            again = dict(zip((row.number for row in tasks), tester.test(weights), strict=True))
            assert found[number] == again
    assert any(test.is_solved for tests in found.values() for test in tests.values())
    assert any(not test.is_solved for tests in found.values() for test in tests.values())


def test_the_summary_says_what_matters(finished: Path) -> None:
    summary = summary_of(finished)
    assert isinstance(summary, TrainingSummary) and summary.exit_code == 0
    assert (summary.models, summary.planned, summary.validation_tasks) == (8, 8, 3)
    assert summary.best is not None and 0 < summary.best.score <= 1
    assert summary.teacher_calls > 0 and summary.teacher_failures == 0
    assert summary.reason == "all models are trained"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_training_that_was_stopped_goes_on_to_the_same_models(
    finished: Path, tmp_path: Path, workers: int
) -> None:
    options = replace(small_options(tmp_path), workers=workers)
    folder = tmp_path / "campaign"
    campaign = Campaign.create(folder, options)
    made = 0

    def leave(event: object) -> None:
        nonlocal made
        made += type(event).__name__ == "RoundDone"
        if made == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(leave)
    assert summary_of(folder).models == 5
    Campaign.open(folder).run()
    assert contents(folder) == contents(finished)


def test_time_is_a_stop_rule(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    options = small_options(tmp_path, stop=StopRules(max_time=1e-3))
    assert Campaign.create(folder, options).run().reason == "out of time"
    Campaign.open(folder, stop=StopRules()).run()
    assert contents(folder) == contents(finished)
    again = Campaign.open(folder, stop=StopRules(max_time=1e-3)).run()
    assert again.reason == "all models are trained"


def test_another_seed_gives_other_models(finished: Path, tmp_path: Path) -> None:
    options = small_options(tmp_path, schedule=Schedule(inits=1, start_epochs=1, main_epochs=0))
    other = replace(options, fuzz=replace(options.fuzz, seed=1))
    Campaign.create(tmp_path / "campaign", other).run()
    first = contents(tmp_path / "campaign")["weights"]
    assert not set(first) & set(contents(finished)["weights"])


def test_bugs_of_training_tasks_enter_the_data(tmp_path: Path) -> None:
    """Each label is the step that a better plan takes, and resuming knows them all."""
    # Many networks that have learnt nothing: some of them solve tasks, but badly.
    schedule = Schedule(inits=12, start_epochs=0, main_epochs=2, model_expansions=1)
    options = small_options(tmp_path, replay_bugs=True, schedule=schedule)
    options = replace(options, fuzz=replace(options.fuzz, pool_size=12))
    Campaign.create(tmp_path / "whole", options).run()
    with TrainingRecords(tmp_path / "whole") as records:
        tasks: list[Task] = [row.task.load() for row in records.training_tasks()]
        rows = [row for row in records.examples() if row.source == BUGS]
    assert rows
    for row in rows:
        assert len(Examples.from_bytes(row.content, tasks))  # checks that labels are applicable
    campaign = Campaign.create(tmp_path / "cut", options)
    events: list[object] = []

    def leave(event: object) -> None:
        events.append(event)
        if len(events) == 14:  # among the models that learn
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(leave)
    Campaign.open(tmp_path / "cut").run()
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_validation_tasks_that_cannot_be_used_are_dropped_and_listed(tmp_path: Path) -> None:
    options = small_options(tmp_path, schedule=Schedule(inits=1, start_epochs=0, main_epochs=0))
    broken, absent = tmp_path / "broken.pddl", tmp_path / "absent.pddl"
    broken.write_text("(define (problem x) (:domain visit-all) (:objects")
    files = (*options.validation, str(broken))
    summary = Campaign.create(tmp_path / "campaign", replace(options, validation=files)).run()
    assert [file for file, _ in summary.dropped] == [str(broken)]
    assert summary.validation_tasks == len(options.validation)
    with pytest.raises(UsageError, match="none of the validation tasks can be used"):
        Campaign.create(tmp_path / "none", replace(options, validation=(str(broken),)))
    with pytest.raises(InputError, match="absent"):  # mistyped, which nobody should overlook
        Campaign.create(tmp_path / "none", replace(options, validation=(*files, str(absent))))
    with pytest.raises(InputError, match="absent"):
        Campaign.create(tmp_path / "none", replace(options, training=(str(absent),)))


def test_a_teacher_that_fails_on_everything(tmp_path: Path) -> None:
    options = small_options(tmp_path, asnets=AsnetOptions(teacher_expansions=1, steps=1))
    *validation, hard = options.validation
    options = replace(options, training=(hard,), validation=tuple(validation))
    with pytest.raises(BudgetError, match="the teacher 'astar' found no plan"):
        Campaign.create(tmp_path / "campaign", options).run()
    assert summary_of(tmp_path / "campaign").models == 1  # what was made is kept


def test_a_folder_in_use(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds a campaign already"):
        Campaign.create(finished, small_options(tmp_path))


def test_tasks_of_another_domain(tmp_path: Path) -> None:
    options = small_options(tmp_path)
    text = Path(options.training[0]).read_text().replace("(:domain ", "(:domain other-")
    (tmp_path / "other.pddl").write_text(text)
    with pytest.raises(BugsieveError, match="other"):
        Campaign.create(
            tmp_path / "campaign", replace(options, training=(str(tmp_path / "other.pddl"),))
        )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"training": ()}, "at least one problem file"),
        ({"training": ("a", "a")}, "a: is named twice among the training tasks"),
        ({"validation": ()}, "name some .--validate"),
        ({"stop": StopRules(max_bugs=1)}, "a training looks for no bugs"),
        ({"test_work": 0}, "test_work must be at least 1"),
    ],
)
def test_wrong_options(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        small_options(tmp_path, **changes)


def test_pools_take_no_bias(tmp_path: Path) -> None:
    options = small_options(tmp_path)
    with pytest.raises(UsageError, match="the same for all models"):
        replace(options, fuzz=replace(options.fuzz, bias="policy-quality"))


def test_options_survive_their_file(tmp_path: Path) -> None:
    options = small_options(tmp_path, replay_bugs=True, unit_cost=True)
    assert TrainingOptions.from_toml(options.to_toml(), name="options") == options
