"""Experiments end to end: what is run, skipped, gone on with, and reported."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.several.index import read_index
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.lock import EXPERIMENT_LOCK_FILE, FolderLock
from bugsieve.rooms.lab.experiments.experiment import (
    Experiment,
    ExperimentStarted,
    ExperimentSummary,
)
from bugsieve.rooms.lab.experiments.jobs import JobDone, JobFailed, JobStarted
from tests.hostile.processes import children, needs_proc
from tests.unit.campaigns.contents import contents
from tests.unit.experiments.experiments import (
    check_change,
    copied,
    experiment,
    folders,
    run,
    stopped,
)

GRID = """
name = "tiny"
seeds = [0, 1]
policies = ["hill-climbing:hadd"]
oracles = ["lookahead"]
[campaign]
fuzz.pool_size = 15
fuzz.round_walks = 4
[fuzzers.on]
[fuzzers.off]
bias = "uniform"
novelty = 0
[[domains]]
generator = "visitall"
label = "Walking"
parameters = { width = 2, height = 3 }
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
    assert events[0] == ExperimentStarted(4, 0, 2)
    assert sorted(e.number for e in events if isinstance(e, JobDone)) == [0, 1, 2, 3]
    seconds = []
    for folder in folders(made):
        with CostRecords(folder) as records:
            assert records.progress().finished is not None
            seconds.append(records.progress().seconds)
            assert records.header.subject.problem == made.grid.cells[0].instance.texts[1]
    summary, events = run(made)
    assert (summary.done, events) == (4, [ExperimentStarted(4, 4, 1)])
    for folder, before in zip(folders(made), seconds, strict=True):
        with CostRecords(folder) as records:
            assert records.progress().seconds == before


def test_results_do_not_depend_on_workers_or_interruptions(
    finished: Finished, tmp_path: Path
) -> None:
    parts = experiment(tmp_path / "parts", GRID)
    run(experiment(tmp_path / "parts", GRID.replace("[0, 1]", "[0]")), workers=1)
    cell = parts.grid.cells[-1]
    files = tuple(str(tmp_path / name) for name in ("domain.pddl", "problem.pddl"))
    for file, text in zip(files, cell.instance.texts, strict=True):
        Path(file).write_bytes(text)
    assert isinstance(cell.options, CostOptions)
    cut = Campaign.create(parts.directory / cell.folder, replace(cell.options, task=files))
    cut.options = replace(cut.options, stop=StopRules(max_bugs=1))
    cut.run()
    _unfinish(parts.directory / cell.folder)
    summary, events = run(parts, workers=1)
    assert events[0] == ExperimentStarted(4, 2, 1)
    assert summary.exit_code == 0
    for one, other in zip(folders(finished[0]), folders(parts), strict=True):
        assert contents(one) == contents(other)


def _unfinish(folder: Path) -> None:
    """As if the campaign had been killed where it stopped."""
    import sqlite3

    with sqlite3.connect(folder / "campaign.sqlite") as connection:
        connection.execute("UPDATE progress SET finished = NULL")
    connection.close()


def test_the_index_tells_labels(finished: Finished, tmp_path: Path) -> None:
    made, _ = finished
    index = read_index(made.directory)
    assert index is not None and index.name == "tiny"
    assert list(index.entries) == [cell.folder for cell in made.grid.cells]
    entry = index.entries[made.grid.cells[1].folder]
    assert (entry.domain, entry.fuzzer, entry.seed, entry.error) == ("Walking", "off", 0, None)
    more = copied(made, tmp_path, GRID.replace("[0, 1]", "[5]"))
    run(more)
    index = read_index(more.directory)
    assert index is not None and len(index.entries) == 6  # earlier ones keep their labels


def test_a_failure_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise RuntimeError('no policy here')\n")
    text = GRID.replace('["hill', f'["python:{tmp_path / "bad.py"}:choose", "hill')
    made = experiment(tmp_path, text.replace("[0, 1]", "[0]"))
    summary, events = run(made, trust_policy=True)
    assert (summary.campaigns, summary.done, summary.exit_code) == (4, 2, 4)
    assert len(summary.failures) == 2
    (failure, *_) = [event for event in events if isinstance(event, JobFailed)]
    assert "no policy here" in failure.error and "\n" not in failure.error
    index = read_index(made.directory)
    assert index is not None
    errors = [entry.error for entry in index.entries.values()]
    assert [error is None for error in errors] == [False, False, True, True]
    (tmp_path / "bad.py").write_text("def choose(facts, applicable):\n    return applicable[0]\n")
    summary, events = run(made)
    assert (summary.done, summary.exit_code) == (4, 0)
    assert events[0].done == 2
    index = read_index(made.directory)
    assert index is not None and not any(entry.error for entry in index.entries.values())


def test_a_killed_process_costs_one_campaign(finished: Finished, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill_the_first(event: object) -> None:
        if isinstance(event, JobStarted) and not killed:
            (child,) = children(os.getpid())
            killed.append(child)
            os.kill(child, signal.SIGKILL)

    made = copied(finished[0], tmp_path, GRID, without=2)
    summary = made.run(workers=1, on_event=kill_the_first)
    (failure,) = summary.failures.values()
    assert "was killed, perhaps because the memory ran out" in failure.error
    assert (summary.done, summary.exit_code) == (3, 4)
    assert run(made)[0].done == 4


def test_our_own_faults_have_their_own_exit_code() -> None:
    assert ExperimentSummary(1, 0, {"a": JobFailed(0, "oops", 3)}, 0).exit_code == 3
    assert ExperimentSummary(1, 1, {}, 1).exit_code == 3
    assert ExperimentSummary(2, 0, {"a": JobFailed(0, "no memory", 5)}, 0).exit_code == 4


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("[fuzzers.on]", "[fuzzers.on]\nnovelty = 1", "fuzz.novelty was 2 and is 1"),
        ('["lookahead"]', '["aras"]', r"oracles was .*'lookahead'.* and is .*'aras'"),
        ("height = 3", "height = 3, visit = 50", None),  # another instance, another folder
        ("pool_size = 15", "pool_size = 16", "fuzz.pool_size was 15 and is 16"),
    ],
)
def test_a_changed_file_is_noticed(
    finished: Finished, tmp_path: Path, old: str, new: str, difference: str | None
) -> None:
    text = GRID.replace("[0, 1]", "[0]").replace(old, new)
    check_change(copied(finished[0], tmp_path, text), difference)


def test_a_changed_problem_is_noticed(tmp_path: Path) -> None:
    cell = experiment(tmp_path, GRID).grid.cells[0]
    for name, content in zip(("d.pddl", "p.pddl"), cell.instance.texts, strict=True):
        (tmp_path / name).write_bytes(content)
    text = GRID.partition("[[domains]]")[0].replace("[0, 1]", "[0]")
    text += "[[domains]]\nlabel = 'x'\ndomain = 'd.pddl'\nproblems = ['p.pddl']\n"
    assert run(experiment(tmp_path, text))[0].done == 2
    with (tmp_path / "p.pddl").open("ab") as file:
        file.write(b"; something new\n")
    with pytest.raises(InputError, match="the task p is another one.* name a new folder with -o"):
        experiment(tmp_path, text).run()


def test_a_damaged_campaign_is_reported(finished: Finished, tmp_path: Path) -> None:
    made = copied(finished[0], tmp_path, GRID, without=2)
    folder = folders(made)[0]
    folder.mkdir(parents=True)
    (folder / "campaign.sqlite").write_text("nonsense" * 100)
    summary, _ = run(made)
    assert summary.done == 3
    assert "is damaged or no store at all" in summary.failures[made.grid.cells[0].folder].error


def test_folders_that_hold_something_else_are_refused(tmp_path: Path) -> None:
    made = experiment(tmp_path, GRID)
    made.directory.mkdir()
    (made.directory / "thesis.tex").touch()
    with pytest.raises(UsageError, match="holds something else than an experiment"):
        made.run()
    with pytest.raises(UsageError, match="is a file, name a folder"):
        Experiment(made.grid, tmp_path / "grid.toml").run()


def test_two_processes_cannot_run_it_at_once(finished: Finished, tmp_path: Path) -> None:
    made = copied(finished[0], tmp_path, GRID, without=1)
    lock = FolderLock(made.directory, EXPERIMENT_LOCK_FILE)
    try:
        with pytest.raises(UsageError, match="another process .* is running this experiment"):
            made.run()
    finally:
        lock.close()
    assert run(made)[0].done == 4


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_children_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    text = GRID.replace("pool_size = 15", "pool_size = 100000").replace("height = 3", "height = 9")
    made = experiment(tmp_path, text)
    output, errors = stopped(made, number)
    assert errors == ""
    assert output.endswith("stopped\n") == (number == signal.SIGINT)
    with CostRecords(folders(made)[0]) as records:
        assert records.progress().finished is None
