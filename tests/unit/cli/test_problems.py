"""`bugsieve test` over several problems of a domain, and the commands that look at the results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bugsieve.cli import main
from bugsieve.rooms.zoo.domains import generate
from tests.unit.cli.commands import Run


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A domain with two problems, of which the policy of the tests solves one at its start."""
    folder = tmp_path_factory.mktemp("blocksworld")
    for seed in (1, 2):
        made = generate("blocksworld", seed=seed, blocks=5)
        (folder / "domain.pddl").write_text(made.domain)
        (folder / f"p{seed}.pddl").write_text(made.problem)
    return folder


OPTIONS = ["--policy", "hill-climbing:hadd", "--pool-size", "12"]


@pytest.fixture(scope="module")
def results(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "set"
    assert main(["test", str(problems), *OPTIONS, "-o", str(folder)]) == 1
    return folder


def bugs_of(run: Run, folder: Path) -> dict[str, list[str]]:
    found = json.loads(run("status", folder, "--json")[1])["found"]
    return {name: [bug["id"] for bug in bugs] for name, bugs in found.items()}


def test_one_summary_over_all(problems: Path, results: Path, tmp_path: Path, run: Run) -> None:
    code, out, err = run("test", problems, *OPTIONS, "-o", tmp_path / "set")
    bugs = bugs_of(run, tmp_path / "set")
    total = sum(map(len, bugs.values()))
    lines = out.splitlines()
    assert (code, err) == (1, "")
    assert lines[0].startswith(f"{total} bugs with ")
    assert lines[0].endswith(" test states of 2 problems")
    assert lines[1] == f"2 problems, {total} bugs: {total} unsolved"
    assert lines[3] == f"results in {tmp_path / 'set'}"
    assert "with bugs: 2 of 2: p1, p2" in lines
    assert "not solved from the initial state: 1 of 2: p2" in lines
    assert any(line.startswith(f"  p1  {len(bugs['p1'])} bug") for line in lines)
    first = next(line for line in lines if line.startswith("look closer: "))
    assert run(*first.split()[3:])[0] == 0  # the command as it is shown
    code, out, _ = run("status", results)
    assert (code, out.splitlines()[0]) == (0, lines[0])


def test_the_order_of_the_problems_does_not_matter(
    problems: Path, results: Path, tmp_path: Path, run: Run
) -> None:
    files = [problems / name for name in ("p2.pddl", "p1.pddl")]
    folder = tmp_path / "shuffled"
    assert run("test", problems / "domain.pddl", *files, *OPTIONS, "-o", folder)[0] == 1
    assert bugs_of(run, folder) == bugs_of(run, results)
    pattern = problems / "p?.pddl"
    code, out, _ = run(
        *("test", problems / "domain.pddl", pattern, *OPTIONS, "--json"),
        *("--max-bugs", 3, "-o", tmp_path / "three"),
    )
    summary = json.loads(out)
    assert (code, summary["bugs"], summary["folder"]) == (1, 3, str(tmp_path / "three"))
    code, out, _ = run("resume", tmp_path / "three", "--max-bugs", 10**6, "--json")
    assert (code, json.loads(out)["reason"]) == (1, "all campaigns are done")
    found = {name: {*ids} for name, ids in bugs_of(run, tmp_path / "three").items()}
    assert found == {name: {*ids} for name, ids in bugs_of(run, results).items()}


def test_one_problem_is_a_campaign_as_ever(problems: Path, tmp_path: Path, run: Run) -> None:
    files = [problems / "domain.pddl", problems / "p1.pddl"]
    assert run("test", *files, *OPTIONS, "-o", tmp_path / "one")[0] == 1
    assert (tmp_path / "one" / "campaign.sqlite").exists()


def test_problems_that_cannot_be_tested_are_named(
    problems: Path, tmp_path: Path, run: Run
) -> None:
    files = tmp_path / "files"
    shutil.copytree(problems, files)
    (files / "p2.pddl").write_text("(define (problem x)")
    fine = ["--policy", "optimal", "--pool-size", 3]
    code, out, _ = run("test", files, *fine, "-o", tmp_path / "set")
    assert (code, out.splitlines()[0]) == (4, "1 of 2 problems could not be tested")
    assert "could not be tested: 1 of 2: p2" in out and "p2.pddl:1: the '('" in out
    (files / "p1.pddl").write_text("(define")
    code, out, err = run("test", files, *fine, "-o", tmp_path / "none", "--json")
    assert (code, json.loads(out)["parts"], "p1.pddl:1" in err) == (4, {}, True)
    code, _, err = run("test", files, "--policy", "gredy:hff", "-o", tmp_path / "never")
    assert (code, "did you mean 'greedy'" in err) == (4, True)
    assert not (tmp_path / "never").exists()


def test_what_is_left_open_on_one_problem_is_left_open(
    problems: Path, tmp_path: Path, run: Run
) -> None:
    short = ["--policy", "optimal", "--pool-size", 3, "--step-limit", 1, "--bias", "uniform"]
    code, out, _ = run("test", problems, *short, "-o", tmp_path / "short")
    told = "nothing could be tested: it would take longer runs (--step-limit)"
    assert (code, out.splitlines()[0]) == (5, told)
    code, _, err = run("test", problems, *OPTIONS, "--from", "x.json", "-o", tmp_path / "x")
    assert (code, "belong to one task" in err) == (4, True)


def test_the_status_of_an_experiment_counts_what_failed(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bad.pddl").write_text("(define (problem x)")
    made = generate("gripper", seed=1, balls=2)
    (tmp_path / "domain.pddl").write_text(made.domain)
    (tmp_path / "good.pddl").write_text(made.problem)
    (tmp_path / "grid.toml").write_text(
        'name = "grid"\npolicies = ["greedy:hff"]\n[campaign.fuzz]\npool_size = 4\n'
        '[[domains]]\nlabel = "gripper"\ndomain = "domain.pddl"\n'
        'problems = ["good.pddl", "bad.pddl"]\n'
    )
    assert run("experiment", tmp_path / "grid.toml", "-o", tmp_path / "grid")[0] == 4
    code, out, _ = run("status", tmp_path / "grid")
    assert (code, " of 2 campaigns" in out.splitlines()[0]) == (0, True)
    assert "could not be tested: 1 of 2: gripper/bad/" in out
    assert " in 4 test states (pool full)" in out
    code, _, err = run("resume", tmp_path / "grid")
    assert (code, "is an experiment: 'bugsieve experiment FILE -o" in err) == (4, True)


def test_commands_for_one_campaign_say_which_there_are(results: Path, run: Run) -> None:
    for command in (["replay"], ["explain", "abc"], ["export", "--json", results / "x.json"]):
        code, _, err = run(command[0], results, *command[1:])
        assert (code, f"holds several campaigns, name one: {results / 'p1'}" in err) == (4, True)
