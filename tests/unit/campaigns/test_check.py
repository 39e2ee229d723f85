"""`bugsieve.check` and files of checks: what fails, what passes, and what is a mistake."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.campaigns.campaign import read_campaign, summary_of
from bugsieve.campaigns.flat_options import flat_options
from bugsieve.campaigns.options import CostOptions
from bugsieve.commands.shared.campaign_arguments import options_of
from bugsieve.commands.shared.parser import Parser
from bugsieve.commands.test import register
from bugsieve.policies.limits import WorkerLimits
from bugsieve.rooms.regression.check import Checked, plan_check
from bugsieve.rooms.regression.check_file import read_check_file
from bugsieve.tasks.problem_sets import problems_beside
from bugsieve.tasks.search import Limits
from tests.unit.policies.line import line_task
from tests.unit.pytest_plugin.projects import write_project

BLIND: dict[str, Any] = {"oracle": "planner:astar-blind", "expansions": 1, "escalate_to": 0}


def back(facts: frozenset[str], applicable: list[str]) -> str:
    return next((action for action in applicable if "left" in action), applicable[0])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_project(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_bugs_fail_with_causes_and_a_folder(project: Path) -> None:
    with pytest.raises(AssertionError) as raised:
        bugsieve.check("random:1", "problems/*.pddl", pool_size=3)
    text = str(raised.value)
    assert text.startswith("6 bugs with 1 cause in 6 test states of 2 problems (policy ran")
    assert "× loop of left and right" in text and "keep tests:  bugsieve export --reg" in text
    (folder,) = re.findall(r"^results in   (.*)$", text, re.MULTILINE)
    assert summary_of(Path(folder) / "p1").bugs == 3


def test_a_folder_of_ones_own_and_a_function(project: Path) -> None:
    with pytest.raises(AssertionError, match=r"look closer: bugsieve explain kept [0-9a-f]{12}\n"):
        bugsieve.check(back, "problems/p1.pddl", pool_size=3, folder="kept")
    with pytest.raises(AssertionError) as raised:
        bugsieve.check(back, line_task(5), pool_size=3, folder="other")
    assert "bugsieve replay" not in str(raised.value), "no command can ask the function"


def test_undecided_fails_unless_allowed(project: Path) -> None:
    with pytest.raises(AssertionError, match="undecided: 3 of 3 test states .*\n3 fail"):
        bugsieve.check("random:1", "problems/p1.pddl", pool_size=3, **BLIND)
    found = bugsieve.check(
        "random:1", "problems/p*.pddl", pool_size=3, allow_undecided=True, **BLIND
    )
    assert found.undecided == 6 and not list(found)


def test_what_is_worse_than_undecided_is_never_fine(project: Path) -> None:
    plan = plan_check("random:1", "problems/p*.pddl", None, True, {"pool_size": 3, **BLIND})
    checked = plan.run(project / "kept")
    assert checked.passes and not replace(checked, allow_undecided=False).passes
    summary: Any = checked.bugs.summary
    bugs = type(checked.bugs)([], replace(summary, not_begun=("p9",)))
    assert not Checked(bugs, allow_undecided=True, has_spec=True).passes


def test_a_policy_that_says_nothing_fails(project: Path) -> None:
    with pytest.raises(PolicyError, match="could not be tested"):
        bugsieve.check(
            "python:policy.py:hang", "problems/p1.pddl", pool_size=1, deadline=0.2, escalate_to=0
        )
    with pytest.raises(PolicyError, match=r"first decision, policy crash .*: RuntimeError: no id"):
        bugsieve.check("python:policy.py:crash", "problems/p1.pddl", pool_size=2)


def test_options_are_those_of_the_command() -> None:
    words = (
        "d.pddl p.pddl --policy optimal --pool-size 7 --walk-length 3 --novelty 1 --bias uniform "
        "--insert all --round-walks 8 --patience 9 --along-runs --seed 4 --expansions 11 "
        "--oracle-time 2.5 --oracle-memory 12 --escalate-to 0 --step-limit 13 --max-time 14 "
        "--max-bugs 15 --until-stale 16 --stale-rounds 17 --deadline 18 --memory 19 "
        "--hash-seed 20 --examples 3 --oracle aras --unit-cost --objective qualitative --workers 2"
    )
    parser = Parser()
    register(parser)
    args = parser.parse_args(words.split())
    pairs = re.findall(r"--([a-z-]+)(?: ([^-\s]\S*))?", words)
    table = {name: _value(text) for name, text in pairs if name != "policy"}
    typed = flat_options("optimal", table, place="here")
    assert typed == replace(options_of(args), task=())


def _value(text: str) -> object:
    if not text:
        return True
    return float(text) if "." in text else int(text) if text.isdigit() else text


def test_options_by_their_names() -> None:
    assert flat_options("optimal", {}, place="here") == CostOptions(task=(), policy="optimal")
    made = flat_options("optimal", {"memory": 5, "oracle-memory": 1}, place="here", folder="/")
    assert made.policy_limits == WorkerLimits(memory_mb=5) and made.policy_folder == "/"
    assert made.limits == Limits(20_000, None, 1 << 20)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("problems = []", "names no problem"),
        ("pool_size = 3", "lacks 'problems'"),
        ('problems = "p1.pddl"\npool-sise = 3', r"'pool-sise' \(did you mean 'pool_size'\?\)"),
        ('problem = "p1.pddl"', "lacks 'problems'"),
        ('problems = "p1.pddl"\npolicys = "x"', r"did you mean 'policy'\?"),
        ('problems = "p1.pddl"\nseed = "x"', "must be a whole number, got 'x'"),
        ('problems = "p1.pddl"\npool_size = 0', "pool size must be at least 1"),
        ('problems = "p1.pddl"\nallow_undecided = 1', "must be true or false"),
        ('problems = "p1.pddl"\npolicy = 3', "policy must be a text"),
        ("problems = 3", "problems must be a list of texts"),
        ('problems = "p7*.pddl"', "no file is named like this"),
        ('problems = "p1.pddl"\ndomain = "d.pddl"', "d.pddl: there is no such domain file"),
        ('problems = "p1.pddl"\n[fuzz]\npool_size = 3', "there is no option 'fuzz'"),
        ("problems = ", "is no TOML"),
        ("\x00", "is no TOML"),
        ("", "is empty"),
    ],
)
def test_mistakes_in_files(project: Path, text: str, words: str) -> None:
    path = project / "problems" / "x.bugsieve.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as raised:
        read_check_file(path)
    assert str(raised.value).startswith(str(project / "problems"))


def test_a_file_of_checks(project: Path) -> None:
    path = project / "x.bugsieve.toml"
    path.write_text('problems = ["problems/p1.pddl", "problems"]\ndomain = "problems/domain.pddl"')
    found = read_check_file(path)
    assert [problem.name for problem in found.problems] == ["p1", "p2"]
    assert found.policy is None and found.folder == str(project)
    plan = found.plan(found.problems[0], "optimal", "")
    assert plan.options == CostOptions(task=(), policy="optimal")
    plan.run(project / "kept")
    _, _, options = read_campaign(project / "kept")
    assert options.fuzz.pool_size == 200


def test_rules_are_beside_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "tests" / "x.bugsieve.toml"
    path.parent.mkdir()
    path.write_text('problems = "../problems/p1.pddl"\nobjective = "rules:r.toml"')
    monkeypatch.chdir("/")
    found = read_check_file(path)
    plan = found.plan(found.problems[0], "optimal", "")
    assert plan.options.objective == f"rules:{project}/tests/r.toml"


def test_what_could_not_be_tested_is_named(project: Path) -> None:
    (project / "problems" / "p3.pddl").write_text("(define")
    with pytest.raises(AssertionError, match=r"not tested: p3 .*\np3: .*p3.pddl:1"):
        bugsieve.check("optimal", "problems/*.pddl", pool_size=2, allow_undecided=True)


def test_a_policy_that_is_not_connected_as_it_should_be(project: Path) -> None:
    def nonsense(facts: frozenset[str], applicable: list[str]) -> str:
        return "(jump p0)"

    for size in (5, 2):
        with pytest.raises(PolicyError, match=r"ended at their first decision, .*\(jump p0\)"):
            bugsieve.check(nonsense, "problems/p2.pddl", pool_size=size)


def test_mistakes_in_calls(project: Path) -> None:
    with pytest.raises(InputError, match=r"check: .* \(did you mean 'max_time'\?\)"):
        bugsieve.check("optimal", "problems", max_tim=3)
    with pytest.raises(UsageError, match="allow_undecided must be True or False"):
        bugsieve.check("optimal", "problems", allow_undecided="no")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="problems must be a list of texts"):
        bugsieve.check("optimal", 3)  # type: ignore[arg-type]


def test_the_domain_is_found_beside_the_problems(project: Path) -> None:
    beside = problems_beside(["problems/*.pddl"], None)
    assert [problem.name for problem in beside] == ["p1", "p2"]
    assert beside == problems_beside(["problems"], None)
    assert beside == problems_beside(["problems/*.pddl"], "problems/domain.pddl")
    (project / "more").mkdir()
    (project / "more" / "p1.pddl").write_text("")
    with pytest.raises(InputError, match=r"more/domain.pddl: there is no such domain file"):
        problems_beside(["problems/p1.pddl", "more/p1.pddl"], None)
