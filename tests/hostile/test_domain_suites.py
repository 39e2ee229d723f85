"""Suites, plans and domains of strangers: data, whatever they hold."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.base.seeds import Stream
from bugsieve.rooms.domain_testing.lint.run import lint
from bugsieve.rooms.domain_testing.mutants import mutants_of
from bugsieve.rooms.domain_testing.plan_files import read_plan
from bugsieve.rooms.domain_testing.suite_runs import RunOptions, run_suite
from bugsieve.rooms.domain_testing.suites import read_suite
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.reader import MAX_DEPTH, Document, parse
from tests.depth import examples
from tests.unit.domain_testing.lights import DOMAIN, write_files, write_suite

TEXTS = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"cases":' + b"[" * 50_000,
    b'{"cases": NaN}',
    b'{"cases": [{"label": "\\ud800"}]}',
    b'{"cases": [' + b"{}," * 20_000 + b"{}]}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_are_no_suites(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "suite.ptest.json"
    path.write_bytes(text)
    with pytest.raises(InputError, match="suite.ptest.json"):
        read_suite(path)


VALUES: list[Any] = [None, 0, -1, 2**70, 1.5, True, "", "\0", "a" * 5000, [], [[]], {}, {"a": {}}]


def test_any_value_in_any_place(tmp_path: Path) -> None:
    """Every key of a suite and of a case may hold anything."""
    (tmp_path / "0.plan").write_text("(light s a)\n")
    draws = Stream(1, "suites")
    keys = ["label", "domain", "problem", "options", "expectedPlans", "expect", "requirement"]
    keys += ["atoms", "rules", "criterion", "view", "goalConstrained", "minCost", "tags", "else"]
    ran = 0
    for _ in range(examples(2000, quick=300)):
        case = {draws.choice(keys): draws.choice(VALUES) for _ in range(3)}
        with suppress(InputError):
            suite = write_suite(tmp_path, case)
            ran += 1
            list(run_suite(suite, Files(), RunOptions(expansions=10)))
    assert ran


def test_pipes_and_folders_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "..", "x/../pipe"):
        for key in ("domain", "problem", "rules"):
            with pytest.raises(InputError, match=f"'{key}' is .*, which is no file"):
                write_suite(tmp_path, {key: name})
    with pytest.raises(InputError, match="which is no file"):
        write_suite(tmp_path, {"expectedPlans": ["pipe"]})


def test_nothing_is_run_and_nothing_written(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    before = {"options": f"; touch {flag}", "label": f"$(touch {flag})"}
    suite = write_suite(tmp_path, before)
    files = set(tmp_path.iterdir())
    assert [r.outcome for r in run_suite(suite, Files(), RunOptions())] == ["pass"]
    assert set(tmp_path.iterdir()) == files


@pytest.mark.parametrize(
    "text", ["(", "())", "((a))", "(a) (b)", "1: (a) [2", "\x1b[2J", "a" * 100_000]
)
def test_plans_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.plan"
    path.write_text(f"(ok)\n{text}\n")
    with pytest.raises(InputError, match=r"x\.plan:2: an action in parentheses"):
        read_plan(path)


def deep(levels: int) -> str:
    condition = "(and " * levels + "(on ?l)" + ")" * levels
    return DOMAIN.replace("(and (on ?l) (next ?l ?m))", condition)


@pytest.mark.parametrize("levels", [MAX_DEPTH, 5000])
def test_conditions_that_are_too_deep(tmp_path: Path, levels: int) -> None:
    write_files(tmp_path, domain=deep(levels))
    with pytest.raises(InputError, match="nesting deeper"):
        lint(tmp_path / "domain.pddl", [], Files())


def test_deep_conditions(tmp_path: Path) -> None:
    data = deep(MAX_DEPTH - 10).encode()
    write_files(tmp_path, domain=data.decode())
    findings = lint(tmp_path / "domain.pddl", [tmp_path / "problem.pddl"], Files())
    assert [each for each in findings if each.severity == "error"] == []
    document = Document("d", data, parse(data, "d"))
    assert all(parse(mutant.text.encode(), "m") for mutant in mutants_of(check_domain(document)))


def test_names_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, {"label": "\x1b]0;title\x07", "problem": "nowhere.pddl"})
    with pytest.raises(InputError) as caught:
        list(run_suite(suite, Files(), RunOptions()))
    assert "\x1b" not in str(caught.value) and "\\x1b" in str(caught.value)


def test_texts_of_domains_cut_anywhere(tmp_path: Path) -> None:
    """Whatever is left of a domain, it is linted or refused."""
    draws = Stream(2, "cuts")
    for _ in range(examples(500, quick=60)):
        begin = draws.integer(0, len(DOMAIN) - 1)
        text = DOMAIN[:begin] + DOMAIN[begin + draws.integer(1, 30) :]
        write_files(tmp_path, domain=text)
        with suppress(InputError):
            lint(tmp_path / "domain.pddl", [], Files())
