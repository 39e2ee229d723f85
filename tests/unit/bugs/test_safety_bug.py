"""Safety bugs as data: their certificates, names and files."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import SafetyBug, safety_bug_from_json
from bugsieve.rooms.safety.checker.safety import (
    SafetyBugChecker,
    bug_id,
    check_safety_bug,
    document_hash,
)
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.walks.run_examiner import RunExaminer
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, variable


class Hasty(ModelPolicy):
    """Goes on where it can; parks where it has stopped."""

    def choose(self, states: Valuations) -> ActionArray:
        return np.where(states[:, 2] == 1, 1, 0).astype(np.int32)


def road() -> JaniModel:
    """`go` may also gain speed; who is not too fast can `stop`, then `park`; 6 is too far.

    Speeds are reals, stopping a truth value, so that all kinds of values occur.
    """
    go = edge(
        {"x": binary("+", "x", 1)},
        {"x": binary("+", "x", 2), "v": binary("*", "v", 1.5)},
        guard=binary("∧", {"op": "¬", "exp": "done"}, binary("<", "x", 6)),
    )
    stop = edge({"done": True}, action="stop", guard=binary("<", "v", 2.0))
    park = edge({"v": 0}, action="park", guard="done")
    variables = [
        variable("x", bounded(0, 9), 0),
        variable("v", bounded(0, 99.5, "real"), 1),
        variable("done", "bool", False),
    ]
    unsafe, goal = binary("≥", "x", 6), binary("=", "v", 0)
    document = simple(go, stop, park, variables=variables, unsafe=unsafe, goal=goal)
    return load_document(document, name="road.jani")


def run_of(loaded: JaniModel) -> UnsafeRun:
    """The longer step each time."""
    rows = [[0.0, 1.0, 0.0]]
    while rows[-1][0] < 6:
        x, v, done = rows[-1]
        rows.append([x + 2, v * 1.5, done])
    return UnsafeRun(loaded.pack(rows), np.zeros(len(rows) - 1, dtype=np.int32))


@pytest.fixture(params=[None, 1])
def bug(request: pytest.FixtureRequest) -> tuple[JaniModel, SafetyBug]:
    loaded = road()
    radius: int | None = request.param
    spec = "tarjan" if radius is None else f"tarjan:{radius}"
    (found,) = RunExaminer(Hasty(loaded, "hasty"), [spec]).analyse(run_of(loaded)).bugs
    return loaded, found


def test_certificates_hold_plain_values(bug: tuple[JaniModel, SafetyBug]) -> None:
    loaded, found = bug
    certificate = found.certificate
    assert certificate["variables"] == ["x", "v", "done"]
    assert found.state == [2, 1.5, False]
    assert [type(value) for value in found.state] == [int, float, bool]
    assert (certificate["action_name"], found.kind) == ("go", "fault")
    assert certificate["outcome"] == [4, 2.25, False]
    assert found.alternative == [([2, 1.5, False], 2), ([2, 1.5, True], 1)]
    assert certificate["model"]["name"] == "small"
    assert json.loads(json.dumps(dict(certificate))) == certificate
    check_safety_bug(loaded.document, found.to_json())


def test_only_a_radius_needs_answers(bug: tuple[JaniModel, SafetyBug]) -> None:
    _, found = bug
    answers = [] if found.radius is None else [[[2, 1.5, True], 1]]
    assert found.certificate["answers"] == answers


def test_bugs_come_back_from_their_files(bug: tuple[JaniModel, SafetyBug]) -> None:
    _, found = bug
    data = json.loads(json.dumps(found.to_json()))
    assert safety_bug_from_json(data, source="bug.json") == found


@pytest.mark.parametrize("change", [
    {"kind": "avoidable"}, {"certificate": {}}, {"certificate": None}, {"found_in": 3},
    {"found_in": {"walk": "x", "position": 1}},
])  # fmt: skip
def test_other_files_are_refused(bug: tuple[JaniModel, SafetyBug], change: Any) -> None:
    with pytest.raises(InputError, match=r"^bug.json: is not a safety bug"):
        safety_bug_from_json({**bug[1].to_json(), **change}, source="bug.json")


def test_the_name_depends_on_the_claim_alone(bug: tuple[JaniModel, SafetyBug]) -> None:
    _, found = bug
    certificate = dict(copy.deepcopy(found.certificate))
    assert bug_id(certificate) == found.id
    certificate["safe"], certificate["run"] = [], {}
    assert bug_id(certificate) == found.id
    for key, value in (("policy", "x"), ("state", [0, 1.5, False]), ("radius", 9), ("action", 1)):
        assert bug_id({**certificate, key: value}) != found.id


def test_a_bug_under_a_wrong_name_is_rejected(bug: tuple[JaniModel, SafetyBug]) -> None:
    loaded, found = bug
    for change in ({"id": "0" * 12}, {"kind": "avoidable"}):
        with pytest.raises(CertificateError, match="belong to another certificate"):
            check_safety_bug(loaded.document, {**found.to_json(), **change})
    with pytest.raises(CertificateError, match="with 'certificate'"):
        check_safety_bug(loaded.document, {})


def test_certificates_are_about_one_model(bug: tuple[JaniModel, SafetyBug]) -> None:
    loaded, found = bug
    other = copy.deepcopy(dict(loaded.document))
    other["automata"][0]["edges"][1]["guard"]["exp"] = False
    with pytest.raises(CertificateError, match="about another model"):
        SafetyBugChecker(other).check(found.certificate)
    forged = copy.deepcopy(dict(found.certificate))
    forged["model"]["sha256"] = document_hash(other)
    with pytest.raises(CertificateError):
        SafetyBugChecker(other).check(forged)


def test_hashes_of_documents() -> None:
    assert document_hash({"a": 1, "b": [2]}) == document_hash({"b": [2], "a": 1})
    different = [
        *({"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}, {"a": [1]}, {"a": [[1]]}, {"a": None}),
        *({}, [], [[], 1], [[1]], [["a", 1]], "a", {"a": {"b": 1}}, [{"a": 1}]),
    ]
    assert len({document_hash(document) for document in different}) == len(different)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert document_hash(deep) != document_hash([deep])
