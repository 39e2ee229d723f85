"""Suites as the editor plug-in writes them, with what we add, and with mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.domain_testing.suites import Suite, read_suite


def read(folder: Path, **content: Any) -> Suite:
    path = folder / "suite.ptest.json"
    path.write_text(json.dumps(content))
    return read_suite(path)


def test_a_suite_of_the_editor_is_read_unchanged(tmp_path: Path) -> None:
    suite = read(
        tmp_path,
        defaultDomain="domain.pddl",
        defaultProblem="../p0.pddl",
        defaultOptions="-t 10",
        cases=[
            {"label": "first", "description": "the default"},
            {
                "label": "second",
                "domain": "other.pddl",
                "problem": "sub/p2.pddl",
                "options": "--fast",
                "expectedPlans": ["p2.plan", "p2-longer.plan"],
            },
        ],
    )
    first, second = suite.cases
    assert (first.domain, first.problem) == (tmp_path / "domain.pddl", tmp_path.parent / "p0.pddl")
    assert first.expect == "solvable" and first.plans == ()
    assert second.domain == tmp_path / "other.pddl"
    assert second.expect == "plan-valid"
    assert second.plans == (tmp_path / "p2.plan", tmp_path / "p2-longer.plan")


def case(**content: Any) -> dict[str, Any]:
    return {"label": "it", "domain": "d.pddl", "problem": "p.pddl", **content}


@pytest.mark.parametrize("key", ["goalConstrained", "goal-constrained"])
def test_what_we_add(tmp_path: Path, key: str) -> None:
    content = {
        "expect": "vacuous",
        "requirement": "G(a -> b)",
        "atoms": {"a": "(p)", "b": "(q)"},
        "criterion": "flip",
        "view": "weak",
        key: True,
        "tags": ["x", "y"],
    }
    (found,) = read(tmp_path, cases=[case(**content)]).cases
    assert found.expect == "vacuous" and found.requirement == "G(a -> b)"
    assert (found.criterion, found.view, found.with_goal) == ("flip", "weak", True)
    assert found.tags == ("x", "y")


def test_a_requirement_is_expected_to_hold(tmp_path: Path) -> None:
    (found,) = read(tmp_path, cases=[case(rules="r.toml")]).cases
    assert found.expect == "holds" and found.rules == tmp_path / "r.toml"


def test_tags_choose(tmp_path: Path) -> None:
    suite = read(
        tmp_path, cases=[case(tags=["a"]), case(tags=["b"]), case(tags=["a", "c"]), case()]
    )
    assert [found.number for found in suite.tagged(["a"]).cases] == [1, 3]
    assert [found.number for found in suite.tagged(["b", "c"]).cases] == [2, 3]
    assert len(suite.tagged([]).cases) == 4


MISTAKES = [
    ({"expct": "holds"}, "a case has no key 'expct' (did you mean 'expect'?)"),
    ({"expect": "solveable"}, "'expect' is 'solveable' (did you mean 'solvable'?)"),
    ({"expect": "holds"}, "expects 'holds' but has neither 'requirement' nor 'rules'"),
    ({"requirement": "G a", "expect": "solvable"}, "of which 'solvable' cannot be expected"),
    ({"requirement": "G a", "rules": "r.toml"}, "has both 'requirement' and 'rules'"),
    ({"requirement": {"ltel": "G a"}}, "a requirement has no key 'ltel' (did you mean 'ltl'?)"),
    ({"requirement": ["G a"]}, "'requirement' must be a text, or an object"),
    ({"requirement": {"ltl": 3}}, "'ltl' of 'requirement' must be a text, not 3"),
    ({"atoms": {"a": "(p)"}}, "has 'atoms' but no 'requirement'"),
    ({"requirement": "G a", "atoms": {"a": 1}}, "'atoms' must be an object"),
    ({"expect": "plan-valid"}, "expects 'plan-valid' but names no plan"),
    ({"expect": "unsolvable", "expectedPlans": ["x"]}, "expects 'unsolvable' and names plans"),
    ({"expect": "unsolvable", "maxCost": 3}, "has 'maxCost', which needs"),
    ({"maxCost": -1}, "'maxCost' must be a whole number, at least 0, not -1"),
    ({"maxLength": True}, "'maxLength' must be a whole number, at least 0, not true"),
    ({"minCost": 3, "maxCost": 2}, "'minCost' is greater than 'maxCost'"),
    ({"criterion": "mcdc"}, "'criterion' is 'mcdc'; it may be ufc, ufc-first, flip"),
    ({"goalConstrained": "yes"}, "'goalConstrained' must be true or false, not 'yes'"),
    ({"expectedPlans": "x.plan"}, "'expectedPlans' must be a list of texts"),
    ({"problem": "/etc/passwd"}, "files are named relative to the suite"),
    ({"problem": "."}, "'problem' is '.', which is no file"),
    ({"problem": 3}, "'problem' must be a text, not 3"),
]


@pytest.mark.parametrize(("content", "sentence"), MISTAKES)
def test_mistakes_are_named(tmp_path: Path, content: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, cases=[case(), case(**content)])
    assert f"suite.ptest.json: case 2: {sentence}" in str(caught.value) or (
        sentence in str(caught.value) and "suite.ptest.json: case 2: " in str(caught.value)
    )


def test_programs_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="case 1: uses 'preProcess', which runs programs"):
        read(tmp_path, cases=[case(preProcess={"kind": "command", "command": "rm"})])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "a suite is an object with 'cases'"),
        ({}, "'cases' must be a list"),
        ({"cases": [3]}, "case 1: must be an object, not 3"),
        ({"cases": [{"problem": "p.pddl"}]}, "case 1: names no domain; add 'domain', or 'def"),
        ({"case": []}, "a suite has no key 'case' (did you mean 'cases'?)"),
    ],
)
def test_what_is_no_suite(tmp_path: Path, content: Any, sentence: str) -> None:
    path = tmp_path / "suite.ptest.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_suite(path)
    assert sentence in str(caught.value)
