"""`--rules`: policies and models against a rules file, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.benches.test_rules import RULES
from tests.unit.cli.commands import Run, check_explained_fields, falsified
from tests.unit.cli.test_fond import DOMAIN, PROBLEM
from tests.unit.policies.generated import write_task

FALLING = """\
format = 1
[[atom]]
name = "fallen"
is = "(fallen)"
[[rule]]
id = "FR-7"
kind = "desired"
ltl = "G !fallen"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "rules.toml").write_text(RULES)
    return tmp_path / "rules.toml"


@pytest.fixture
def results(tmp_path: Path, rules: Path, run: Run) -> Path:
    task = write_task(tmp_path, "ferry", seed=1)
    code, out, _ = run(
        "test",
        *task,
        "--policy",
        "random",
        "--rules",
        rules,
        "--pool-size",
        12,
        "-o",
        tmp_path / "r",
    )
    assert code == 1
    assert "objective rules FR-1" in out and "violates FR-1 after" in out
    rules.unlink()  # the campaign holds what it says
    return tmp_path / "r"


def test_bugs_are_kept_shown_explained_and_asked_for_again(results: Path, run: Run) -> None:
    bug = next((results / "bugs").iterdir()).stem
    code, out, _ = run("explain", results, bug)
    assert code == 0
    assert "FR-1 is violated after" in out and "[rule violated]" in out
    assert "the goal could be reached within the rules before this decision" in out
    check_explained_fields(run, results)
    assert json.loads(run("explain", results, bug, "--json")[1])["rules"] == ["FR-1"]
    code, out, _ = run("replay", results, bug)
    assert (code, "STILL FAILS: the policy does the same again: rule violated" in out) == (1, True)
    assert "objective rules FR-1" in run("status", results)[1]
    assert run("resume", results)[0] == 1
    again = results.with_name("again")
    code, out, _ = run("test", "--from", results, "--pool-size", 3, "-o", again)
    assert "objective rules FR-1" in out


def test_a_certificate_that_names_another_rule_is_refused(
    results: Path, tmp_path: Path, run: Run
) -> None:
    copy = falsified(results, tmp_path / "copy", "run.rules", ["FR-2"])
    bug = next((results / "bugs").iterdir()).stem
    code, _, err = run("explain", copy, bug)
    assert (code, "the rules that the run violates are others" in err) == (4, True)


def test_judge_takes_rules(tmp_path: Path, rules: Path, run: Run) -> None:
    task = write_task(tmp_path, "ferry", seed=1)
    code, out, _ = run("judge", *task, "--policy", "greedy:hff", "--rules", rules, "--json")
    assert code == 0
    assert json.loads(out)["objective"] == f"rules:{rules}"
    code, _, err = run(
        "judge", *task, "--policy", "random", "--rules", rules, "--objective", "qualitative"
    )
    assert (code, "not allowed with" in err) == (4, True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("sail * *", "sale * *"), "did you mean 'sail'"),
        (("G(sails", "G(sale"), "did you mean 'sails'"),
        (("format = 1", "format = 2"), "format"),
    ],
)
def test_mistakes_in_the_file_are_named_with_their_place(
    change: tuple[str, str], sentence: str, tmp_path: Path, rules: Path, run: Run
) -> None:
    rules.write_text(RULES.replace(*change))
    task = write_task(tmp_path, "ferry", seed=1)
    code, _, err = run("test", *task, "--policy", "random", "--rules", rules, "-o", tmp_path / "r")
    assert code == 4
    assert sentence in err and "rules.toml:" in err
    assert not (tmp_path / "r").exists()


def test_models_are_tested_for_safety_rules(tmp_path: Path, run: Run) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    (tmp_path / "rules.toml").write_text(FALLING)
    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    given = (*files, "--rules", tmp_path / "rules.toml", "--policy", "random")
    code, out, _ = run("safety", *given, "--walks", 40, "-o", tmp_path / "r")
    assert (code, "fault" in out) == (1, True)
    bug = next((tmp_path / "r" / "bugs").iterdir()).stem
    (tmp_path / "rules.toml").unlink()
    assert "[danger]" in run("explain", tmp_path / "r", bug)[1]
    assert run("replay", tmp_path / "r", bug)[0] == 1
    (tmp_path / "rules.toml").write_text(FALLING.replace("G !", "F "))
    code, _, err = run("safety", *given, "-o", tmp_path / "s")
    assert (code, "rule FR-7 is no safety rule" in err) == (4, True)
    code, _, err = run("safety", *given, "--unsafe", "(fallen)", "-o", tmp_path / "s")
    assert (code, "two unsafety conditions" in err) == (4, True)
    code, _, err = run("decide", *files)
    assert (code, "say what is unsafe with --unsafe '(CONDITION)' or --rules FILE" in err) == (
        4,
        True,
    )


def constrained(tmp_path: Path) -> list[Path]:
    """A ferry that may come to one of its ports but once."""
    domain, problem = map(Path, write_task(tmp_path, "ferry", seed=1))
    text = problem.read_text().rstrip().removesuffix(")")
    problem.write_text(f"{text} (:constraints (at-most-once (at-ferry loc4))))")
    return [domain, problem]


def test_constraints_of_the_pddl_are_rules(tmp_path: Path, rules: Path, run: Run) -> None:
    task = constrained(tmp_path)
    given = ("test", *task, "--policy", "random", "--pool-size", 12)
    assert run(*given, "-o", tmp_path / "none")[0] == 4  # who does not heed them must not go on
    code, out, _ = run(*given, "--rules", "constraints", "-o", tmp_path / "own")
    assert (code, "objective rules problem-constraint-1" in out) == (1, True)
    bug = next((tmp_path / "own" / "bugs").iterdir()).stem
    assert "problem-constraint-1 is violated" in run("explain", tmp_path / "own", bug)[1]
    assert run("resume", tmp_path / "own")[0] == 1
    code, out, _ = run(*given, "--rules", rules, "-o", tmp_path / "both")
    assert (code, "objective rules FR-1, problem-constraint-1" in out) == (1, True)
    code, out, _ = run("judge", *task, "--policy", "random", "--rules", "constraints")
    assert code in (0, 1) and out


def test_tasks_without_constraints_have_none_to_keep(tmp_path: Path, run: Run) -> None:
    task = write_task(tmp_path, "ferry", seed=1)
    code, _, err = run("test", *task, "--policy", "random", "--rules", "constraints")
    assert (code, "has no ':constraints'" in err) == (4, True)


def test_warnings_of_rules_are_shown(tmp_path: Path, rules: Path, run: Run) -> None:
    unused = '[[atom]]\nname = "unused"\nis = "(empty-ferry)"\n'
    tautology = '[[rule]]\nid = "T"\nkind = "desired"\nltl = "G(empty | !empty)"\n'
    rules.write_text(f"{RULES}{tautology}".replace("[[rule]]", f"{unused}[[rule]]", 1))
    task = write_task(tmp_path, "ferry", seed=1)
    given = (*task, "--policy", "greedy:hff", "--rules", rules)
    for command in (("test", "--pool-size", 2, "-o", tmp_path / "r"), ("judge",)):
        _, _, err = run(command[0], *given, *command[1:])
        warnings = [line for line in err.splitlines() if line.startswith("warning: ")]
        assert any("no rule uses the atom 'unused'" in line for line in warnings)
        assert any("a tautology" in line and "rules.toml:" in line for line in warnings)
