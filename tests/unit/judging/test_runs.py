"""Runs are examined: which claims become bugs, which stay unproven, and which are rejected."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bugsieve.pipeline.judging.findings import Sighting
from bugsieve.rooms.jani.model.model import Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray
from bugsieve.rooms.safety.checker import safety
from bugsieve.rooms.safety.checker.jani_terms import RefusedModelError
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.walks.run_examiner import RunExaminer
from tests.property.safety_models import Case, ListedPolicy
from tests.unit.oracles.safety.runs import OTHER_RUN, RUN, SYSTEM, small_case


@pytest.fixture
def case() -> Case:
    return small_case()


def examiner(case: Case, *specs: str, **options: Any) -> RunExaminer:
    return RunExaminer(case.policy, specs or ("tarjan",), **options)


def test_faults_become_bugs(case: Case) -> None:
    found = examiner(case, "tarjan", "vi:1", "lao:0").analyse(case.unsafe_run(RUN), walk=7)
    assert [oracle.oracle for oracle in found.oracles] == ["tarjan", "vi:1", "lao:0"]
    (bug,) = found.bugs
    assert (bug.kind, bug.state, bug.action, bug.radius) == ("fault", [1], 0, None)
    assert bug.oracle == "tarjan"
    assert bug.found_in is not None
    assert (bug.found_in.walk, bug.found_in.position) == (7, 1)
    assert bug.alternative == [([1], 1)]
    assert bug.certificate["outcome"] == [2]


def test_a_bug_is_proven_once(case: Case) -> None:
    judge = examiner(case)
    first = judge.analyse(case.unsafe_run(RUN))
    again = judge.analyse(case.unsafe_run(RUN))
    assert again.sightings == first.sightings == [Sighting(1, first.bugs[0].id)]
    assert not again.bugs
    other = judge.analyse(case.unsafe_run(OTHER_RUN))
    assert [bug.state for bug in other.bugs] == [[5]]
    assert other.sightings == [Sighting(1, first.bugs[0].id), Sighting(2, other.bugs[0].id)]


def test_bugs_that_are_known_from_the_start_are_only_seen(case: Case) -> None:
    known = examiner(case).analyse(case.unsafe_run(RUN)).bugs[0].id
    again = examiner(case, proven=[known]).analyse(case.unsafe_run(RUN))
    assert (again.bugs, again.sightings) == ([], [Sighting(1, known)])


def test_too_large_proofs_leave_claims_unproven(case: Case) -> None:
    found = examiner(case, proof_rows=4).analyse(case.unsafe_run(RUN), walk=7)
    assert not found.bugs
    assert [(claim.case, claim.kind, claim.position) for claim in found.unproven] == [
        (7, "fault", 1), (7, "avoidable", 1),
    ]  # fmt: skip
    assert found.unproven[0].reason.startswith("the proof takes at least 5 rows, more than")


def test_an_avoidable_bug_where_the_fault_is_unproven(case: Case) -> None:
    """Five rows are enough for the run and the way out, not for the lost region."""
    found = examiner(case, proof_rows=5).analyse(case.unsafe_run(RUN))
    (bug,) = found.bugs
    assert (bug.kind, bug.state) == ("avoidable", [1])
    assert [claim.kind for claim in found.unproven] == ["fault"]
    assert "unsafe" not in bug.certificate


def test_a_model_beyond_the_checker(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RefusedModelError("an odd part")

    monkeypatch.setattr(safety, "JaniInterpreter", refuse)
    found = examiner(case).analyse(case.unsafe_run(RUN))
    assert not found.bugs
    assert "the checker cannot read the model: an odd part" in found.unproven[0].reason


def test_a_rejected_claim_is_reported_with_its_certificate(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(*_: object) -> None:
        raise CertificateError("no proof")

    monkeypatch.setattr(safety.SafetyBugChecker, "check_next", reject)
    found = examiner(case).analyse(case.unsafe_run(RUN))
    assert not found.bugs
    assert found.rejected[0].reason == "no proof"
    assert found.rejected[0].certificate is not None


class Wavering(ListedPolicy):
    """Does something else in state 1 than it did during the run."""

    def choose(self, states: Valuations) -> ActionArray:
        return np.where(states[:, 0] == 1, 2, super().choose(states)).astype(np.int32)


def test_a_policy_that_wavers_is_not_our_mistake(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(*_: object) -> None:
        raise CertificateError("no proof")

    monkeypatch.setattr(safety.SafetyBugChecker, "check_next", reject)
    policy = Wavering(case.model, SYSTEM.policy)
    found = RunExaminer(policy, ["tarjan"]).analyse(case.unsafe_run(RUN))
    assert not found.rejected
    assert not found.bugs
    assert not found.unproven
    (row,) = found.unstable
    assert (json.loads(row.state), row.first, row.second) == ({"s": 1}, "a", "c")
