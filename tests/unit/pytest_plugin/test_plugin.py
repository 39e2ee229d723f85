"""The plug-in in a project of its own, as users have it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bugsieve.campaigns.campaign import summary_of
from bugsieve.cli import main
from tests.unit.pytest_plugin.projects import PLUGIN, Tests, run_pytest, write_project

TESTS = """\
import pytest

def right(facts, applicable):
    return next((action for action in applicable if "right" in action), None)

def test_bugs(bugsieve_check):
    bugsieve_check("random:1", problems="problems/*.pddl", pool_size=3)

def test_fine(bugsieve_check):
    assert not bugsieve_check(right, problems="problems/p1.pddl", pool_size=4)

def test_typo(bugsieve_check):
    bugsieve_check("optimal", problems="problems", pol_size=4)
"""
CHECKS = 'policy = "random:1"\nproblems = "../problems/p*.pddl"\npool-size = 3\n'
FINE = 'policy = "python:../policy.py:right"\nproblems = "../problems/p2.pddl"\npool-size = 3\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with all sorts of tests, and some files that look like ones."""
    folder = tmp_path_factory.mktemp("project")
    write_project(
        folder,
        **{
            "tests/test_policy.py": TESTS,
            "tests/line.bugsieve.toml": CHECKS,
            "tests/fine.bugsieve.toml": FINE,
            "tests/bugsieve.toml": "nonsense",
            "tests/bug.json": "nonsense",
            "tests/x.bugsieve.json": "nonsense",
            "tests/x.bug.toml": "nonsense",
        },
    )
    files = [str(folder / "problems" / name) for name in ("domain.pddl", "p1.pddl")]
    results = str(folder / "results")
    assert main(["test", *files, "--policy", "random:1", "--pool-size", "2", "-o", results]) == 1
    target = str(folder / "tests" / "bugs")
    assert main(["export", "--regression", results, "-o", target, "--all"]) == 0
    path = next((folder / "tests" / "bugs").glob("*.bug.json"))
    content = json.loads(path.read_text())
    (path.parent / f"open-{path.name}").write_text(json.dumps({**content, "expect": "open"}))
    return folder


@pytest.fixture(scope="module")
def failing(project: Path) -> Tests:
    return run_pytest(project, "--bugsieve-policy", "random:1")


def of_bugs(tests: Tests, prefix: str) -> set[str]:
    return {tests.outcomes[name] for name in tests.outcomes if f"/bugs/{prefix}" in name}


def test_every_file_is_a_test_and_no_other(project: Path, failing: Tests) -> None:
    bugs = [f"tests/bugs/{p.name}::replay" for p in project.glob("tests/bugs/*.bug.json")]
    assert len(bugs) == 3
    checks = ["line.bugsieve.toml::p1", "line.bugsieve.toml::p2", "fine.bugsieve.toml::p2"]
    functions = [f"tests/test_policy.py::test_{name}" for name in ("bugs", "fine", "typo")]
    assert sorted(failing.outcomes) == sorted(
        [*bugs, *(f"tests/{name}" for name in checks), *functions]
    )


def test_what_fails_says_why_and_keeps_its_folder(project: Path, failing: Tests) -> None:
    assert failing.code == 1
    for name in ("test_policy.py::test_bugs", "line.bugsieve.toml::p1"):
        assert failing.outcomes[f"tests/{name}"] == "FAILED"
    for name in ("test_policy.py::test_fine", "fine.bugsieve.toml::p2"):
        assert failing.outcomes[f"tests/{name}"] == "PASSED"
    assert "E       AssertionError: 6 bugs with 1 cause in 6 test states of 2" in failing.out
    assert "loop of left and right" in failing.out and "check.py" not in failing.out
    line = "look closer: bugsieve explain "
    (explain,) = {
        part.partition(line)[2] for part in failing.out.splitlines() if f"E       {line}" in part
    }
    folder, bug = explain.split()
    assert folder.startswith(".pytest_cache/d/bugsieve/test_bugs-")
    assert main(["explain", str(project / folder), bug]) == 0
    kept = {path.name.rpartition("-")[0] for path in (project / folder).parent.parent.iterdir()}
    assert kept == {"test_bugs", "p1", "p2"}, "what passes leaves nothing behind"


def test_mistakes_are_one_sentence(failing: Tests) -> None:
    assert failing.outcomes["tests/test_policy.py::test_typo"] == "FAILED"
    assert "there is no option 'pol_size' (did you mean 'pool_size'?)" in failing.out
    assert "flat_options" not in failing.out, "our code is of no interest"


def test_bugs_that_are_there(failing: Tests) -> None:
    assert of_bugs(failing, "open-") == {"XFAIL"}
    assert of_bugs(failing, "") == {"XFAIL", "FAILED"}
    assert "\nSTILL FAILS: the policy does the same again: loop after " in failing.out


def test_bugs_that_are_gone(project: Path) -> None:
    ran = run_pytest(project, "tests/bugs", "--bugsieve-policy", "optimal")
    assert of_bugs(ran, "open-") == {"FAILED"} and of_bugs(ran, "") == {"FAILED", "PASSED"}
    assert "\nFIXED: " in ran.out and 'expects it to be open: say "fixed" there' in ran.out


def test_the_same_on_many_processes(project: Path, failing: Tests) -> None:
    spread = run_pytest(project, "-n", "2", "--bugsieve-policy", "random:1")
    assert spread.outcomes == failing.outcomes
    folders = [
        sorted(line for line in ran.out.splitlines() if "bugsieve explain" in line)
        for ran in (spread, failing)
    ]
    assert folders[0] == folders[1]


def test_a_policy_must_be_named(project: Path) -> None:
    some = next(project.glob("tests/bugs/[0-9a-f]*.bug.json")).relative_to(project)
    ran = run_pytest(project, str(some))
    assert ran.code == 1 and "which policy is tested? Say --bugsieve-policy SPEC" in ran.out
    (project / "pytest.ini").write_text("[pytest]\nbugsieve_policy = optimal\n")
    try:
        ran = run_pytest(project, str(some))
    finally:
        (project / "pytest.ini").write_text("[pytest]\n")
    assert set(ran.outcomes.values()) == {"PASSED"}


def test_without_a_cache_what_was_found_is_kept_elsewhere(project: Path) -> None:
    ran = run_pytest(project, "tests/line.bugsieve.toml::p1", "-p", "no:cacheprovider")
    (folder,) = re.findall(r"^results in   (.*)$", ran.out, re.MULTILINE)
    assert summary_of(folder).bugs == 3 and not list(Path(folder).parent.glob("work"))
    shutil.rmtree(Path(folder).parent)


def test_loading_it_loads_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    program = (
        "import sys, pytest\n"
        f"code = pytest.main(['-q', *{PLUGIN[:2]!r}, '-p', 'no:hypothesispytest'])\n"
        "ours = {name for name in sys.modules if name.partition('.')[0] == 'bugsieve'}\n"
        "assert ours == {'bugsieve', 'bugsieve.pytest_plugin'}, ours\n"
        "assert 'numpy' not in sys.modules\n"
        "import bugsieve.base.names as one\n"
        "assert 'rewrite' not in type(one.__loader__).__module__, 'it would take long'\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


LATE = """\
asked = 0

def right(facts, applicable):
    return next((action for action in applicable if "right" in action), None)

def late(facts, applicable):
    global asked
    asked += 1
    return right(facts, applicable) if asked <= 30 else None

def test_late(bugsieve_check):
    bugsieve_check(late, problems="problems/p2.pddl")

def test_right(bugsieve_check):
    bugsieve_check(right, problems="problems/p2.pddl")
"""


def test_a_policy_that_fails_after_its_30th_answer_fails(tmp_path: Path) -> None:
    late = LATE.split("def test_")[0]
    check = 'policy = "python:../policy.py:{}"\nproblems = "../problems/p2.pddl"\n'
    project = write_project(
        tmp_path / "project",
        **{
            "tests/test_policy.py": LATE,
            "policy.py": late,
            "tests/late.bugsieve.toml": check.format("late"),
            "tests/right.bugsieve.toml": check.format("right"),
        },
    )
    tests = run_pytest(project)
    assert tests.outcomes == {
        "tests/test_policy.py::test_late": "FAILED",
        "tests/test_policy.py::test_right": "PASSED",
        "tests/late.bugsieve.toml::p2": "FAILED",
        "tests/right.bugsieve.toml::p2": "PASSED",
    }
    assert tests.out.count("when asked again") >= 2
