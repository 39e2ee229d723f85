"""Bugs in Python: they know their cause, their culprit and whether another policy has them."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

import bugsieve
from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.checkers.cost import check_bug
from bugsieve.cli import main
from bugsieve.pipeline.bugs.replay import ReplayStatus
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.zoo.domains import generate
from bugsieve.rooms.zoo.model_domains import generate_model
from bugsieve.tasks.grounded.task import Task
from tests.unit.faults import ferryman
from tests.unit.pictures.subjects import model_of
from tests.unit.policies.line import line_task


@bugsieve.policy
def there_and_back(facts: frozenset[str], applicable: list[str]) -> str:
    """Goes right from the first place, and left from all others."""
    return next((action for action in applicable if "left" in action), "(right p0)")


def to_the_right(facts: frozenset[str], applicable: list[str]) -> str:
    """Goes where the goal is."""
    return next(action for action in applicable if "right" in action)


@pytest.fixture(scope="module")
def task() -> Task:
    return line_task(5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("found") / "campaign"


@pytest.fixture(scope="module")
def bugs(task: Task, folder: Path) -> Bugs[FoundBug]:
    return bugsieve.find_bugs(task, there_and_back, pool_size=4, folder=folder)


def test_the_culprit(bugs: Bugs[FoundBug], task: Task) -> None:
    for bug in bugs:
        found = bug.blame
        assert found.action is not None and "left" in task.operator_names[found.action]
        assert "right" in task.operator_names[found.better]
        assert bug.blame is found  # searched for once


def test_explained_as_the_command_does(
    bugs: Bugs[FoundBug], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(folder), bugs[0].id]) == 0
    assert capsys.readouterr().out == f"{bugs[0].explain()}\n"
    assert "is to blame" in bugs[0].explain(expansions=1)


def test_causes(bugs: Bugs[FoundBug]) -> None:
    (group,) = bugs.causes()
    assert group.count == len(bugs) and {bug.cause for bug in bugs} == {group.cause}
    assert str(group) == f"{len(bugs)} × {group.words}" == "4 × (left p1) in one state"
    example = next(bug for bug in bugs if bug.id == group.example)
    assert example.steps == min(bug.steps for bug in bugs)


def test_replay(bugs: Bugs[FoundBug], task: Task) -> None:
    assert bugs[0].replay(there_and_back).status is ReplayStatus.STILL_FAILS
    assert bugs[0].replay(to_the_right).status is ReplayStatus.FIXED
    assert bugs[0].replay("optimal").status is ReplayStatus.FIXED
    with bugsieve.make_policy("optimal", task) as policy:
        assert bugs[0].replay(policy).status is ReplayStatus.FIXED
    with pytest.raises(UsageError):
        bugs[0].replay(object())


def test_a_folder_gives_the_same_bugs(bugs: Bugs[FoundBug], folder: Path) -> None:
    loaded = bugsieve.load_bugs(folder)
    assert loaded == bugs and loaded.causes() == bugs.causes()
    assert repr(loaded).startswith(f"<{len(bugs)} bugs")
    assert [bug.explain() for bug in loaded if isinstance(bug, FoundBug)] == [
        bug.explain() for bug in bugs
    ]


def test_examples_of_two_tasks() -> None:
    found = bugsieve.find_bugs([line_task(4), line_task(6)], there_and_back, pool_size=3)
    examples = found.to_examples()
    assert {len(example.facts) for example in examples} == {1}
    assert {example.bug for example in examples} <= {bug.id for bug in found}
    assert all("right" in example.action for example in examples)
    goals = {example.goal for example in examples}
    assert len(goals) == 2


def test_safety_bugs_have_causes(tmp_path: Path) -> None:
    path = tmp_path / "model.jani"
    path.write_text(generate_model("one-way-line", length=6, packages=2).text)
    folder = tmp_path / "danger"
    found = bugsieve.find_safety_bugs(load_model(path), "random", walks=50, folder=folder)
    assert found and sum(group.total for group in found.causes()) == len(found)
    assert bugsieve.load_bugs(folder).causes() == found.causes()
    with pytest.raises(UsageError, match="cost testing"):
        found.to_examples()


def test_safety_bugs_are_explained_as_the_command_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.jani"
    path.write_text(generate_model("one-way-line", length=6, packages=2).text)
    folder, model = tmp_path / "danger", load_model(path)
    kept = bugsieve.find_safety_bugs(model, "random", walks=20, folder=folder)
    assert main(["explain", str(folder), kept[0].id]) == 0
    assert capsys.readouterr().out == f"{kept[0].explain()}\n"
    gone = bugsieve.find_safety_bugs(model, "random", walks=20)
    assert gone[0].explain() == kept[0].explain(), "no folder is left"


@pytest.fixture(scope="module")
def ferry_bug(tmp_path_factory: pytest.TempPathFactory) -> FoundBug:
    """A bug of the ferryman on a task of PDDL."""
    folder = tmp_path_factory.mktemp("ferry")
    made = generate("ferry", cars=3, locations=3, seed=2)
    (folder / "domain.pddl").write_text(made.domain)
    (folder / "problem.pddl").write_text(made.problem)
    return bugsieve.find_bugs(folder, ferryman.choose, pool_size=10)[0]


def test_minimise_a_function(ferry_bug: FoundBug) -> None:
    example = ferry_bug.minimise(ferryman.choose)
    assert example.is_new_problem and example.kept is None
    assert example.objects < example.objects_before == 6
    check_bug(example.task.to_sas(), example.bug.to_json())
    cut = ferry_bug.minimise(bugsieve.policy(ferryman.choose), candidates=1)
    assert cut.candidates == 1 and cut.objects == 6
    with pytest.raises(UsageError, match="candidates must be at least 0"):
        ferry_bug.minimise(ferryman.choose, candidates=-1)


def test_minimise_what_is_bound_to_its_task(ferry_bug: FoundBug) -> None:
    bound = bugsieve.policy(ferryman.choose).bind(ferry_bug.bench.task)
    example = ferry_bug.minimise(bound)
    assert example.kept == "the policy is a Python object, bound to its task"
    assert (example.objects, example.candidates) == (6, 0) and not example.is_new_problem
    other = ferry_bug.minimise("greedy:hff")
    assert other.kept == "made anew for the problem that begins there, the policy has no such bug"


def test_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=str(tmp_path)):
        bugsieve.load_bugs(tmp_path)


def test_notebooks_show_bugs_runs_and_campaigns(
    bugs: Bugs[FoundBug], task: Task, folder: Path
) -> None:
    table, bug = bugs._repr_html_(), bugs[0]
    assert table.count("<tr>") == 1 + len(bugs) and bug.id in table
    run = bugsieve.run_policy(task, there_and_back, task.initial_state)[0]
    with bugsieve.Campaign.open(folder, policy=there_and_back.bind(task)) as campaign:
        told = campaign._repr_html_()
    assert f"{len(bugs)} bugs" in told
    shown = (table, bug._repr_html_(), run._repr_html_(), told)
    assert not any("<script" in text for text in shown)
    assert [text.count("<img") for text in shown] == [0, 1, 1, 0]
    assert f"loop after {len(run.actions)} steps" in shown[2]


def test_notebooks_mark_the_decision_once_it_is_known(task: Task) -> None:
    bug = bugsieve.find_bugs(task, there_and_back, pool_size=2)[0]
    assert "the decision" not in drawn(bug._repr_html_())
    assert bug.blame.is_one_decision
    assert drawn(bug._repr_html_()).count("the decision") == 2


def test_notebooks_show_safety_bugs() -> None:
    model = model_of("one-way-line")
    bugs = bugsieve.find_safety_bugs(model, "random:1", walks=20)
    text = bugs[0]._repr_html_()
    assert bugs[0].id in text and "[danger]" in drawn(text)


def drawn(html: str) -> str:
    """The picture in it."""
    return b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
