"""`bugsieve domain` as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.cli.commands import Run
from tests.unit.domain_testing.lights import DOMAIN, PROBLEM, write_files, write_suite

BEST = {"label": "best", "minLength": 3, "maxLength": 3, "tags": ["quick"]}
WRONG = {"label": "wrong", "expect": "unsolvable", "tags": ["slow"]}


def test_what_there_is(run: Run) -> None:
    code, out, _ = run("domain", "--help")
    assert code == 0
    assert all(action in out for action in ("lint", "coverage", "mutate", "test"))
    code, _, err = run("domain")
    assert code == 4 and "say what to do: lint, coverage, mutate, test" in err
    assert run("domain", "tset")[0] == 4


def test_lint(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path)
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    note = f"{domain}:4: note: no action changes 'wired', 'next': conditions find there what the "
    note += "problem says [immutable-predicate]"
    assert run("domain", "lint", domain, problem) == (0, f"{note}\n1 note\n", "")
    domain.write_text(DOMAIN.replace("(on ?l - lamp)", "(on ?l - lamp) (off)"))
    code, out, _ = run("domain", "lint", domain, problem)
    assert code == 1
    assert out.splitlines() == [
        note,
        f"{domain}:4: warning: the predicate 'off' is declared, but no action or goal mentions it "
        "[unused-predicate]",
        "1 warning, 1 note",
    ]
    code, out, _ = run("domain", "lint", domain, problem, "--json")
    _, found = json.loads(out)["findings"]
    assert code == 1
    assert (found["code"], found["severity"], found["line"]) == ("unused-predicate", "warning", 4)


def test_lint_of_what_is_no_domain(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, domain=DOMAIN[:-3])
    code, out, _ = run("domain", "lint", tmp_path / "domain.pddl")
    assert code == 1 and "domain.pddl:" in out and "never closed" in out
    (tmp_path / "domain.pddl").write_text("; nothing")
    code, _, err = run("domain", "lint", tmp_path / "domain.pddl")
    assert code == 4 and "domain.pddl: holds nothing" in err
    assert run("domain", "lint")[0] == 4
    code, out, _ = run("domain", "lint", "--codes")
    assert code == 0 and "unused-predicate" in out


def test_test(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST, WRONG).path
    code, out, _ = run("domain", "test", suite, "--junit", tmp_path / "out.xml")
    assert code == 1
    assert out.splitlines()[0] == "PASS      case 1 (best): a plan was found"
    assert "FAIL      case 2 (wrong): a plan was found where none was expected" in out
    assert "   2. (pass a b)  +(on b) -(on a)" in out
    assert out.splitlines()[-1] == "1 passed, 1 failed"
    assert ElementTree.parse(tmp_path / "out.xml").getroot().get("failures") == "1"


def test_exit_codes_of_test(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST, WRONG).path
    assert run("domain", "test", suite, "--tags", "quick")[0] == 0
    code, out, _ = run("domain", "test", suite, "--tags", "never")
    assert (code, out) == (5, "no case to run\n")
    assert run("domain", "test", suite, "--tags", "quick", "--expansions", 1)[0] == 6
    assert run("domain", "test", tmp_path / "nowhere.json")[0] == 4
    (tmp_path / "problem.pddl").write_text("(define")
    code, _, err = run("domain", "test", suite)
    assert code == 4 and "case 1 (best)" in err and "problem.pddl:1" in err


def test_test_for_programs(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST).path
    code, out, _ = run("domain", "test", suite, "--json")
    (case,) = json.loads(out)["cases"]
    assert code == 0
    assert case["outcome"] == "pass"
    assert case["verdicts"] == {"goal": "solvable", "bounds": "within bounds"}


def test_coverage(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST).path
    by_files = run("domain", "coverage", tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    by_suite = run("domain", "coverage", suite)
    assert by_files == by_suite
    assert by_files[0] == 0
    assert "parts of preconditions that alone failed: 4 of 4 (100 %)" in by_files[1]


def test_coverage_of_a_plan(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path)
    (tmp_path / "short.plan").write_text("(light s a)\n")
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    given = ("domain", "coverage", *files, "--plan", tmp_path / "short.plan")
    code, out, _ = run(*given)
    assert code == 0 and "actions used: 1 of 2 (50 %)" in out
    assert f"{files[0]}:9: action pass" in out
    assert run(*given, "--min", 100)[0] == 1
    record = json.loads(run(*given, "--json")[1])
    assert record["summary"][0] == {"of": "actions used", "covered": 1, "total": 2}
    assert record["items"][0]["covered_by"] == str(tmp_path / "short.plan")


def test_coverage_without_a_plan(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, problem=PROBLEM.replace("(next a b)", ""))
    code, out, _ = run("domain", "coverage", tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    assert code == 5 and "no plan was found for" in out
    code, _, err = run("domain", "coverage", tmp_path / "domain.pddl")
    assert code == 4 and "give DOMAIN PROBLEM" in err


def test_mutate(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST, WRONG).path
    quick = ("domain", "mutate", suite, "--tags", "quick")
    code, out, _ = run(*quick, "--write", tmp_path / "survivors")
    domain = tmp_path / "domain.pddl"
    assert code == 0
    lines = out.splitlines()
    at = lines.index(f"survived: {domain}:7: light: without (not (on ?l)) [drop-precondition]")
    assert lines[at + 1].strip() == ":precondition (and (wired ?s ?l) (not (on ?l)))"
    assert "non-equivalent mutants killed (" in lines[-1]
    written = sorted((tmp_path / "survivors").iterdir())
    assert len(written) == sum(line.startswith("survived") for line in lines)
    assert run("domain", "lint", written[0])[0] in (0, 1)
    code, _, err = run(*quick, "--write", tmp_path / "survivors")
    assert code == 4 and "exists already" in err


def test_mutate_for_programs(run: Run, tmp_path: Path) -> None:
    suite = write_suite(tmp_path, BEST).path
    code, out, _ = run("domain", "mutate", suite, "--json", "--min", 100)
    record = json.loads(out)
    assert code == 1
    assert record["kill_ratio_of_non_equivalent"] == record["killed"] / (
        record["killed"] + record["survived"]
    )
    assert len(record["mutants"]) == 21
    listed = json.loads(run("domain", "mutate", suite, "--list", "--json")[1])["mutants"]
    assert [m["description"] for m in listed] == [m["description"] for m in record["mutants"]]
    assert len(run("domain", "mutate", suite, "--list")[1].splitlines()) == 21


@pytest.mark.parametrize("action", ["lint", "coverage", "mutate", "test"])
def test_help_needs_nothing_heavy(action: str) -> None:
    script = (
        "import sys; from bugsieve.cli import main; "
        f"code = main(['domain', {action!r}, '--help']); "
        "heavy = {'numpy', 'bugsieve._native', 'bugsieve.rooms.rules.ltl'} & set(sys.modules); "
        "sys.exit(code or bool(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0
