"""Bugs as campaigns keep them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.checkers.cost import ID_LENGTH, bug_id
from bugsieve.pipeline.bugs.bug import Bug, FoundBy, bug_from_json, make_bug
from tests.unit.bugs.samples import line_bench, proven
from tests.unit.policies.line import at, line_task

TASK = line_task(4)
START = at(0)[0]


def some_bug(**changes: Any) -> Bug:
    bench = line_bench(TASK, {0: "right"})
    verdict = proven(bench, START, (0, 1, 2))
    return make_bug(bench, START, verdict, oracle="told", **changes)


def test_kind_and_gap_are_the_certificate_s() -> None:
    bug = some_bug()
    assert (bug.kind, bug.gap) == ("unsolved", math.inf)
    assert (bug.oracle, bug.reason, bug.exact) == ("told", "told so", False)


def test_the_id_names_task_objective_policy_and_state_only() -> None:
    bug = some_bug()
    assert len(bug.id) == ID_LENGTH
    assert bug.id == bug_id(bug.certificate)
    other_plan = {**bug.certificate, "plan": {}, "gap": 3, "kind": "costly", "run": {}}
    assert bug_id(other_plan) == bug.id
    changes: tuple[dict[str, Any], ...] = (
        {"task": {"sha256": "0"}},
        {"objective": "qualitative"},
        {"policy": "another"},
        {"state": [1]},
    )
    assert len({bug_id({**bug.certificate, **change}) for change in changes} | {bug.id}) == 5


@pytest.mark.parametrize(
    ("objective", "oracle", "exact", "words"),
    [
        ("quantitative", "told", True, "loop instead of a plan of cost 3"),
        ("quantitative", "told", False, "loop instead of a plan of at most 3"),
        ("qualitative", "told", True, "loop instead of a plan of at most 3"),
        ("qualitative", "exact", True, "loop instead of a plan of cost 3"),
        ("quantitative", "exact", False, "loop instead of a plan of at most 3"),
    ],
)
def test_only_an_optimal_plan_says_what_could_be_had(
    objective: str, oracle: str, exact: bool, words: str
) -> None:
    bug = some_bug()
    certificate = {**bug.certificate, "objective": objective}
    certificate["run"] = {**certificate["run"], "ending": "loop"}
    told = replace(bug, certificate=certificate, exact=exact, oracle=oracle)
    assert told.in_words == words


@pytest.mark.parametrize("exact", [True, False])
def test_of_costly_bugs_as_well(exact: bool) -> None:
    bug = some_bug()
    run = {**bug.certificate["run"], "ending": "solved", "cost": 5}
    certificate = {**bug.certificate, "kind": "costly", "run": run}
    words = replace(bug, certificate=certificate, exact=exact).in_words
    assert words == f"cost 5 instead of {'' if exact else 'at most '}3"


@pytest.mark.parametrize(
    "found_by", [None, FoundBy(7), FoundBy(7, 3, (0, 4)), FoundBy(0, None, ())]
)
def test_json_and_back(found_by: FoundBy | None) -> None:
    bug = some_bug(found_by=found_by)
    data = json.loads(json.dumps(bug.to_json()))
    assert bug_from_json(data, source="x.json") == bug
    assert data["kind"] == "unsolved"


@pytest.mark.parametrize(
    "change",
    [
        {"id": ...},
        {"certificate": 3},
        {"found_by": 3},
        {"found_by": {"index": "x", "walk": None, "path": None}},
        {"found_by": {"index": 1}},
    ],
)
def test_other_data_is_no_bug(change: dict[str, Any]) -> None:
    data = {**some_bug().to_json(), **change}
    kept = {key: value for key, value in data.items() if value is not ...}
    with pytest.raises(InputError, match="x.json: is not a bug as Bugsieve writes it"):
        bug_from_json(kept, source="x.json")
