"""`find_bugs` never looks as if all were well while something is undecided."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.campaigns.several.several import joint_summary
from bugsieve.cli import main
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import astar
from tests.unit.policies.generated import write_task
from tests.unit.policies.line import line_task


@bugsieve.policy
def there_and_back(facts: frozenset[str], applicable: list[str]) -> str:
    """Goes right from the first place, and left from all others."""
    return next((action for action in applicable if "left" in action), "(right p0)")


@pytest.fixture(scope="module")
def task() -> Task:
    return line_task(5)


def test_bugs_are_a_sequence(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, there_and_back, pool_size=3)
    assert isinstance(bugs, Bugs) and bugs and len(bugs) == bugs.summary.bugs > 0
    assert bugs[0] is next(iter(bugs)) and bugs[:1] == [bugs[0]]
    assert bugs == list(bugs) and bugs != [] and list(bugs) == bugs
    assert bugs.undecided == 0 and "bug" in repr(bugs)


@pytest.mark.parametrize(("whole", "sure"), [("auto", True), ("no", False)])
def test_only_a_proven_optimum_is_told_as_what_could_be_had(
    task: Task, whole: str, sure: bool
) -> None:
    bugs = bugsieve.find_bugs(task, there_and_back, whole=whole, pool_size=None)
    for bug in bugs:
        least = astar(task, task.checked_state(bug.certificate["state"])).cost
        known = bug.certificate["plan"]["cost"]
        assert bug.in_words == (
            f"loop instead of a plan of {'cost' if sure else 'at most'} {known}"
        )
        assert least is not None and known >= least and (known == least or not sure)
    assert bugs


def test_a_bug_reads_well(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, there_and_back, pool_size=3)
    start = next(bug for bug in bugs if bug.found_by and bug.found_by.path == ())
    assert start.task == "line"
    assert str(start) == (
        f"unsolved bug {start.id}: loop instead of a plan of at most 4, "
        "in the initial state of line"
    )
    near = next(bug for bug in bugs if bug.found_by and len(bug.found_by.path or ()) == 1)
    assert str(near).endswith(", 1 step from the initial state of line")
    assert str(replace(near, found_by=None)).endswith(", in a state of line")
    assert repr(near) == f"<{near}>"


FAILING_TEST = """
import bugsieve

def left(facts, applicable):
    return min(applicable)

def test_policy():
    assert not bugsieve.find_bugs("line.sas", left, pool_size=3)
"""


def test_what_a_failing_assertion_shows(task: Task, tmp_path: Path) -> None:
    (tmp_path / "line.sas").write_text(task.to_sas())
    (tmp_path / "test_policy.py").write_text(FAILING_TEST)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", "."]
    quick = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    shown = subprocess.run(
        [*command, "test_policy.py"],
        cwd=tmp_path,
        env=quick,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert (
        "assert not <3 bugs with 1 cause in 3 test states (policy function:left, line);" in shown
    )
    assert "instead of a plan of " in shown and "initial state of line>" in shown


def test_the_bugs_as_a_text(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, there_and_back, pool_size=3)
    first, *rest = str(bugs).splitlines()
    assert len(bugs) == 3
    assert first == f"{bugs.verdict} (policy function:there_and_back, line)"
    assert str(bugs.verdict) == "3 bugs with 1 cause in 3 test states"
    assert rest == [f"  {bug}" for bug in bugs]
    assert len(repr(bugs)) < 240  # where test runners begin to cut


def leftward(facts: frozenset[str], applicable: list[str]) -> str:
    """A plain function."""
    return next((action for action in applicable if "left" in action), "(right p0)")


def test_plain_functions(task: Task) -> None:
    few = functools.partial(bugsieve.find_bugs, pool_size=4)
    expected = [bug.certificate["state"] for bug in few(task, there_and_back)]
    for given in (leftward, functools.partial(leftward)):
        bugs = few(task, given)
        assert [bug.certificate["state"] for bug in bugs] == expected
    with pytest.raises(UsageError, match="the policy function"):
        bugsieve.find_bugs(task, lambda facts: None)


@pytest.mark.parametrize("policy", [leftward, "random:1"])
def test_several_tasks(policy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [line_task(places) for places in (6, 4)]
    alone = [bugsieve.find_bugs(task, policy, pool_size=4) for task in tasks]
    bugs = bugsieve.find_bugs(tasks, policy, pool_size=4, folder=tmp_path / "kept")
    assert {bug.id for bug in bugs} == {bug.id for part in alone for bug in part}
    assert sorted(map(len, bugs.parts.values())) == sorted(map(len, alone))
    assert [*bugs.parts] == ["line", "line-2"]  # one name for both tasks
    assert [bug.gap for bug in bugs] == sorted((bug.gap for bug in bugs), reverse=True)
    assert "2 problems" in repr(bugs)
    assert bugsieve.find_bugs(tasks[::-1], policy, pool_size=4) == bugs
    assert len(bugsieve.find_bugs(tasks, policy, pool_size=4, max_bugs=2)) == 2
    assert joint_summary(tmp_path / "kept").bugs == len(bugs) > 2
    if policy is leftward:
        assert main(["resume", str(tmp_path / "kept")]) == 4
        told = [repr(part) for part in (*alone, bugs, *bugs.parts.values())]
        assert all("policy function:leftward, " in text for text in told)
        error = capsys.readouterr().err
        assert "tests the Python object function:leftward: do so in Python" in error


def test_files_and_folders(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_task(tmp_path, "gripper", seed=seed, balls=2)
    domain = tmp_path / "gripper-1-domain.pddl"
    problems = tmp_path / "gripper-*-problem.pddl"
    bugs = bugsieve.find_bugs([domain, problems], "hill-climbing:hadd", pool_size=4, max_time=60)
    assert [*bugs.parts] == ["gripper-1-problem", "gripper-2-problem"]
    task = bugsieve.load_task(domain, tmp_path / "gripper-2-problem.pddl")
    assert bugs.parts["gripper-2-problem"] == bugsieve.find_bugs(
        task, "hill-climbing:hadd", pool_size=4
    )
    (tmp_path / "gripper-2-problem.pddl").write_text("(define (problem x)")
    fine = bugsieve.find_bugs([domain, problems], "optimal", pool_size=2)
    assert fine and not len(fine) and fine.untested == ["gripper-2-problem"]
    assert "not tested: gripper-2-problem" in repr(fine)
    (tmp_path / "gripper-1-problem.pddl").write_text("(define (problem x)")
    with pytest.raises(InputError, match=r"gripper-1-problem\.pddl:1"):
        bugsieve.find_bugs([domain, problems], "optimal", pool_size=2)


def test_what_cannot_be_tested_on_several_tasks() -> None:
    tasks = [line_task(4), line_task(5)]
    with pytest.raises(UsageError, match="bound to one task"):
        bugsieve.find_bugs(tasks, bugsieve.make_policy("random", tasks[0]))
    with pytest.raises(PolicyError, match="could not be tested"):
        bugsieve.find_bugs(tasks, "cmd:true", pool_size=3)


def test_nothing_found_and_nothing_open_is_an_empty_list(task: Task) -> None:
    bugs = bugsieve.find_bugs(task, "greedy:hff", pool_size=3)
    assert not bugs and bugs == [] and len(bugs) == 0


def test_what_is_undecided_is_not_empty(task: Task) -> None:
    """No oracle can decide here: it improves plans, and the policy has none."""
    found = bugsieve.find_bugs(task, there_and_back, pool_size=3, oracles="aras")
    assert isinstance(found.summary, CostSummary)
    summary = replace(found.summary, bugs=0, bugs_by_kind={}, open_runs={"loop": 2})
    bugs: Bugs[FoundBug] = Bugs([], summary)
    assert (len(bugs), list(bugs), bugs.undecided, summary.exit_code) == (0, [], 2, 6)
    assert bugs and bugs != [] and bugs != [] and bugs != Bugs([], replace(summary, open_runs={}))
    assert bugs == Bugs([], summary)
    assert repr(bugs) == "<undecided: 2 of 3 test states>"
