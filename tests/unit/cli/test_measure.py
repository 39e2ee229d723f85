"""`bugsieve measure`: what it prints first, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.campaigns.safety.ledge import ledge
from tests.unit.cli.commands import Run
from tests.unit.policies.generated import write_task


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return write_task(tmp_path, "gripper", seed=1, balls=2)


def test_the_figures_come_after_the_verdict(run: Run, files: list[str], tmp_path: Path) -> None:
    arguments = ("--policy", "greedy:hff", "--tests", 100, "-o", tmp_path / "x")
    code, out, _ = run("measure", *files, *arguments)
    verdict, share, risk, *_ = out.splitlines()
    assert (code, verdict.endswith(" in 100 tests")) == (1, True)
    assert share.startswith("share of tests with a bug: ")
    assert risk.startswith("risk that one more test shows a cause not seen before: at most 7.2 %")
    for words in (
        "a test is the end of a walk from the initial state: 1 to 50 steps",
        "a walk ends early where no action is applicable",
        "costly runs that no oracle could improve are not in the share",
        "limits are those after 100 tests: each of share and risk holds with a probability of 95",
        "300 more tests (400 in all) would halve the limit on the risk, if nothing new turns up",
    ):
        assert words in out
    assert run("status", tmp_path / "x")[1].splitlines()[:3] == [verdict, share, risk]
    found = json.loads(run("status", tmp_path / "x", "--json")[1])["measured"]
    assert found["tests"] == 100
    assert found["looks"][0]["share"]["bugs"] == sum(found["causes"].values())
    bug = next((tmp_path / "x" / "bugs").iterdir()).stem
    assert run("replay", tmp_path / "x", bug)[0] == 1
    assert run("explain", tmp_path / "x", bug)[0] == 0
    assert run("export", tmp_path / "x", "--csv", tmp_path / "csv")[0] == 0
    code, out, _ = run("resume", tmp_path / "x", "--tests", 200)
    assert code == 1 and "of 200 tests)" in out.splitlines()[1]


def test_a_policy_without_bugs_is_fine(run: Run, files: list[str], tmp_path: Path) -> None:
    arguments = ("--policy", "optimal", "--oracle", "perfect", "--tests", 100)
    code, out, _ = run("measure", *files, *arguments, "-o", tmp_path / "x")
    assert code == 0
    verdict, share, *_ = out.splitlines()
    assert verdict == "no bugs found in 100 tests"
    assert share == "share of tests with a bug: 0 % to 4.3 % (proven in 0 of 100 tests)"


def test_models_are_measured_for_safety(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ledge.jani").write_text(json.dumps(ledge()))
    arguments = ("--policy", "random", "--tests", 100, "-o", tmp_path / "x")
    code, out, _ = run("measure", tmp_path / "ledge.jani", *arguments)
    assert code == 1
    assert out.startswith("1 bug with 1 cause in 100 tests\nshare of tests with a bug: ")
    assert "a test is one run of the policy from a start state" in out
    assert "runs into a danger that nobody could have avoided are not in the share" in out


def test_several_problems_are_one_measurement(run: Run, tmp_path: Path) -> None:
    tasks = [write_task(tmp_path, "gripper", seed=seed, balls=2) for seed in (1, 2)]
    files = [tasks[0][0], *(problem for _, problem in tasks)]
    arguments = ("--policy", "greedy:hff", "--tests", 100, "-o", tmp_path / "x")
    code, out, _ = run("measure", *files, *arguments)
    assert code == 1
    assert out.splitlines()[0].endswith(" in 100 tests of 2 problems")
    assert "of 100 tests)" in out.splitlines()[1]
    assert "of one of 2 problems, drawn each time" in out
    assert run("status", tmp_path / "x")[1].splitlines()[:3] == out.splitlines()[:3]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--tests", 300), "tests must be 200 or 400, not 300"),
        (("--until-risk", 0.001), "it takes 25600 tests (--tests)"),
        (("--until-risk", 2), "must be at most 1"),
        (("--oracle", "bmo:10"), "the oracle 'bmo:10' learns from tests"),
        (("--goal", "x.json"), "--goal is for models"),
        (("--pool-size", 7), "unknown argument '--pool-size'"),
    ],
)
def test_what_cannot_be_measured_is_said_at_once(
    run: Run, files: list[str], tmp_path: Path, arguments: tuple[object, ...], complaint: str
) -> None:
    code, out, err = run(
        "measure", *files, "--policy", "optimal", "-o", tmp_path / "x", *arguments
    )
    assert (code, out) == (4, "")
    assert complaint in err
    assert not (tmp_path / "x").exists()


def test_other_campaigns_have_no_looks(run: Run, files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "x"
    run("test", *files, "--policy", "greedy:hff", "--max-bugs", 1, "-o", folder)
    code, _, err = run("resume", folder, "--tests", 200)
    assert code == 4 and "tests and until_risk are for measurements" in err


def test_a_policy_that_gives_no_answer_has_no_figures(
    run: Run, files: list[str], tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("def act(facts, applicable):\n    raise KeyError('x')\n")
    policy = f"python:{tmp_path / 'broken.py'}:act"
    code, out, _ = run("measure", *files, "--policy", policy, "--tests", 100, "-o", tmp_path / "x")
    assert code == 5
    assert out.startswith("nothing could be tested")
    assert "share" not in out
