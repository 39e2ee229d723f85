"""Bugs as files of a project: written once, read as a stranger's, and asked again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.cost.saved_bugs import SavedCostBugs
from bugsieve.cli import main
from bugsieve.pipeline.bugs.replay import ReplayResult, ReplayStatus
from bugsieve.rooms.regression.bug_file import read_bug_file
from bugsieve.rooms.regression.export import export_regression
from bugsieve.rooms.regression.replaying import ReplayedBug, replay_bug_file
from bugsieve.rooms.regression.subjects import SubjectFile, read_subject
from bugsieve.tasks.grounded.saved import SavedTask
from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.policies.line import line_task
from tests.unit.pytest_plugin.projects import write_project
from tests.unit.tasks.jani.small import write

LEFT = json.dumps({"rows": [[[place], "left" if place < 4 else "right"] for place in range(1, 6)]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign, one of several problems, and one of safety testing."""
    project = write_project(tmp_path_factory.mktemp("project"))
    test = ["test", "--policy", "random:1", "--pool-size", "4"]
    files = [str(project / "problems" / name) for name in ("domain.pddl", "p1.pddl")]
    assert main([*test, *files, "-o", str(project / "cost")]) == 1
    assert main([*test, str(project / "problems"), "-o", str(project / "several")]) == 1
    write(project, ledge())
    (project / "left.json").write_text(LEFT)
    policy = f"table:{project / 'left.json'}"
    safety = ["safety", str(project / "model.jani"), "--policy", policy, "--walks", "60"]
    assert main([*safety, "-o", str(project / "safety")]) == 1
    return project


def test_one_test_for_each_cause_or_for_all(folder: Path, tmp_path: Path) -> None:
    one = export_regression(folder / "several", tmp_path / "one")
    assert len(one.written) == 1 and not one.kept
    assert len(list((tmp_path / "one" / "tasks").iterdir())) == 1
    whole = export_regression(folder / "several", tmp_path / "all", every=True)
    assert len(whole.written) == 7 and len(list((tmp_path / "all" / "tasks").iterdir())) == 2
    again = export_regression(folder / "cost", tmp_path / "all", every=True)
    assert len(again.kept) == 3 and not again.written, "the bugs of a task are the same anywhere"


def test_what_a_file_says_of_a_bug_stays(folder: Path, tmp_path: Path) -> None:
    (path,) = export_regression(folder / "cost", tmp_path).written
    path.write_text(path.read_text().replace('"expect": "fixed"', '"expect": "open"'))
    assert export_regression(folder / "cost", tmp_path).kept == (path,)
    assert read_bug_file(path).is_open


def test_the_task_is_as_it_was(tmp_path: Path) -> None:
    task = replace(
        SavedTask.of(line_task(3)),
        objects=(("a", "b"),),
        static_facts=("(c)",),
        domain="ä\n".encode() + b"\xff",
        problem=b"",
        unit_cost=True,
    )
    file = SubjectFile.of(task, SavedCostBugs())
    (tmp_path / "tasks").mkdir()
    (tmp_path / file.name).write_bytes(file.data)
    assert read_subject(tmp_path, file.sha256, SavedCostBugs()) == task


@pytest.mark.parametrize(
    ("policy", "status"),
    [("random:1", ReplayStatus.STILL_FAILS), ("optimal", ReplayStatus.FIXED)],
)
def test_cost(folder: Path, tmp_path: Path, policy: str, status: ReplayStatus) -> None:
    (path,) = export_regression(folder / "cost", tmp_path).written
    judged = replay_bug_file(read_bug_file(path), policy)
    assert judged.result.status is status and judged.passes is (status is ReplayStatus.FIXED)
    assert judged.text.startswith(f"{status.value}: ")


def test_safety(folder: Path, tmp_path: Path) -> None:
    (path,) = export_regression(folder / "safety", tmp_path).written
    file = read_bug_file(path)
    left = replay_bug_file(file, "table:left.json", folder=str(folder))
    assert left.text.startswith("STILL FAILS: the policy still chooses 'left'")
    (folder / "right.json").write_text(LEFT.replace("left", "right"))
    assert replay_bug_file(file, "table:right.json", folder=str(folder)).passes


WORDS = {
    ReplayStatus.FIXED: "FIXED: ",
    ReplayStatus.IMPROVED: "IMPROVED: ",
    ReplayStatus.STILL_FAILS: "STILL FAILS: ",
    ReplayStatus.FLAKY: "unstable: ",
    ReplayStatus.CANNOT_REPLAY: "CANNOT REPLAY: ",
}


@pytest.mark.parametrize("status", ReplayStatus)
@pytest.mark.parametrize("is_open", [False, True])
def test_what_passes(folder: Path, tmp_path: Path, status: ReplayStatus, is_open: bool) -> None:
    (path,) = export_regression(folder / "cost", tmp_path).written
    file = replace(read_bug_file(path), is_open=is_open)
    judged = ReplayedBug(file, "p", ReplayResult(status, "so it is"))
    is_there = status not in (ReplayStatus.FIXED, ReplayStatus.CANNOT_REPLAY)
    assert judged.passes is (status is ReplayStatus.FIXED and not is_open)
    assert judged.is_known is (is_there and is_open)
    assert judged.text.startswith(f"{WORDS[status]}so it is\n")


def test_campaigns_that_cannot_be_asked(tmp_path: Path, folder: Path) -> None:
    files = main(["rules", "example", "-o", str(tmp_path / "example")])
    assert files == 0
    example = [str(tmp_path / "example" / name) for name in ("rover.pddl", "one-rover.pddl")]
    rules = str(tmp_path / "example" / "rules.toml")
    main(["rules", *example, rules, "-o", str(tmp_path / "rules"), "--expansions", "1"])
    with pytest.raises(UsageError, match="a campaign of tests of rules: regression tests are"):
        export_regression(tmp_path / "rules", tmp_path / "out")
    with pytest.raises(InputError, match="is not the folder of a campaign"):
        export_regression(tmp_path / "example", tmp_path / "out")
    problem = [str(folder / "problems" / name) for name in ("domain.pddl", "p1.pddl")]
    fine = ["test", *problem, "--policy", "optimal", "--pool-size", "2"]
    assert main([*fine, "-o", str(tmp_path / "fine")]) == 0
    with pytest.raises(UsageError, match="has no bugs"):
        export_regression(tmp_path / "fine", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command(folder: Path, tmp_path: Path, capsys: Any) -> None:
    target = tmp_path / "bugs"
    assert main(["export", "--regression", str(folder / "cost"), "-o", str(target)]) == 0
    assert capsys.readouterr().out.startswith(f"wrote 1 test to {target}\nrun them: pytest ")
    assert main(["export", str(folder / "cost"), "--regression", "-o", str(target), "--all"]) == 0
    assert capsys.readouterr().out.startswith(f"wrote 2 tests to {target}; 1 test stays as it was")
    for wrong in (["--regression"], ["--csv", "x", "-o", "y"], ["--csv", "x", "--all"]):
        assert main(["export", str(folder / "cost"), *wrong]) == 4
        assert "it is 'bugsieve export --regression DIR -o OUT" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    command = ["export", "--regression", str(folder / "cost"), "-o", str(tmp_path / "file")]
    assert main(command) == 4 and "cannot be written" in capsys.readouterr().err
