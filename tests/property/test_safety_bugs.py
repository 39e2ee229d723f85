"""Analyses of runs on thousands of random systems: verdicts, faults, and certificates."""

from __future__ import annotations

import copy
import json
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.safety.bugs.bug import long_certificate
from bugsieve.rooms.safety.bugs.rows import KnownRows
from bugsieve.rooms.safety.checker.safety import SafetyBugChecker, check_safety_bug
from bugsieve.rooms.safety.checker.safety_claims import CertificateError
from bugsieve.rooms.safety.oracles.analysis import RunAnalyst
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.walks.run_examiner import RunExaminer
from tests.depth import examples
from tests.property.safety_claims import (
    ALGORITHMS,
    CHANGES,
    RADII,
    accepts,
    found_bugs,
    is_true,
    mutate,
    plain_certificate,
    spec,
)
from tests.property.safety_models import Case, cases
from tests.reference.safety import safe_states
from tests.unit.bugs.mutations import misshapen

PORTIONS, SYSTEMS = range(6), 350


def true_faults(case: Case, run: tuple[int, ...], safe: set[int]) -> list[int]:
    """Definition 3, along a run."""
    outcomes = [case.system.transitions[s][case.system.policy[s]] for s in run[:-1]]
    return [
        position
        for position, state in enumerate(run[:-1])
        if state in safe and not safe.issuperset(outcomes[position])
    ]


@pytest.mark.parametrize("portion", PORTIONS)
def test_verdicts_and_faults_are_true_and_bugs_proven(portion: int) -> None:
    proven = several = 0
    for case in cases(portion, SYSTEMS):
        for radius in RADII:
            safe = safe_states(case.system, radius)
            specs = [spec(algorithm, radius) for algorithm in ALGORITHMS]
            examiner = RunExaminer(case.policy, specs)
            claimed, known = set(), set()
            for run in case.runs:
                analysis = examiner.analyse(case.unsafe_run(run))
                wanted = true_faults(case, run, safe)
                several += len(wanted) > 1
                for oracle in analysis.oracles:
                    assert [s in safe for s in run] == (oracle.safety == Safety.SAFE).tolist()
                    assert not oracle.unknown
                    assert list(oracle.faults) == wanted, case.seed
                assert not (analysis.rejected or analysis.unproven)
                claimed |= {run[position] for position in wanted}
                known |= {bug.id for bug in analysis.bugs}
                assert {sighting.bug for sighting in analysis.sightings} <= known
                assert [sighting.position for sighting in analysis.sightings] == wanted
                for bug in analysis.bugs:
                    assert is_true(case.system, dict(bug.certificate))
            assert len(known) == len(claimed)
            proven += len(known)
    assert proven > examples(50)
    assert several > examples(2)


def test_bugs_can_be_checked_from_their_files() -> None:
    checked = 0
    for case in cases(10, SYSTEMS):
        document = json.loads(json.dumps(case.model.document))
        for radius in (1, None):
            for bug in found_bugs(case, radius):
                check_safety_bug(document, json.loads(json.dumps(bug.to_json())))
                checked += 1
    assert checked > examples(30)


def test_bugs_become_more_as_the_radius_grows() -> None:
    grown = 0
    for case in cases(20, SYSTEMS):
        analyst = RunAnalyst(case.model, case.policy, [spec("tarjan", r) for r in RADII])
        for run in case.runs:
            found = [set(o.bugs) for o in analyst.verdicts(case.unsafe_run(run))]
            assert all(less <= more for less, more in pairwise(found)), case.seed
            assert not found[0]  # without divergence there is only the policy's own run
            grown += found[1] < found[-1]
    assert grown > examples(10)


@cache
def certificates(portion: int, count: int) -> list[tuple[Case, SafetyBugChecker, dict[str, Any]]]:
    found = []
    for case in cases(portion, count):
        checker = SafetyBugChecker(case.model.document)
        for radius in RADII:
            bugs = found_bugs(case, radius)
            found += [(case, checker, plain_certificate(bug)) for bug in bugs]
    return found


def test_what_is_accepted_is_true() -> None:
    accepted = rejected = 0
    for case, checker, certificate in certificates(30, 500):
        random = Random(case.seed)
        for _ in range(20):
            changed = mutate(random, case.system, certificate)
            if changed != certificate and accepts(checker, changed):
                accepted += 1
                assert is_true(case.system, changed), (case.seed, certificate, changed)
            else:
                rejected += changed != certificate
    assert accepted > examples(20)
    assert rejected > 3 * accepted


def test_what_rests_on_earlier_proofs_is_true() -> None:
    """Each bug is checked without the rows of those before it, as it is and changed."""
    shorter = accepted = rejected = 0
    for case in cases(34, 400):
        random = Random(case.seed)
        for radius in (1, None):
            checker, known = SafetyBugChecker(case.model.document), KnownRows()
            for bug in found_bugs(case, radius):
                whole = long_certificate(plain_certificate(bug))
                new = known.without(whole.tables)
                rest = whole.with_rows(new)
                for _ in range(5):
                    changed = mutate(random, case.system, rest)
                    if changed != rest and accepts_next(copy.deepcopy(checker), changed):
                        accepted += 1
                        assert is_true(case.system, changed), (case.seed, rest, changed)
                    else:
                        rejected += changed != rest
                shorter += sum(map(len, new.values())) < sum(map(len, whole.tables.values()))
                checker.check_next(rest)
                checker.check(dict(whole))
                known.add(new)
    assert shorter > examples(5)
    assert accepted > examples(10)
    assert rejected > accepted


def accepts_next(checker: SafetyBugChecker, certificate: Any) -> bool:
    try:
        checker.check_next(certificate)
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_rejected(name: str) -> None:
    tried = 0
    for case, checker, certificate in certificates(30, 500):
        changed = copy.deepcopy(certificate)
        if CHANGES[name](changed):
            tried += 1
            assert not accepts(checker, changed), (case.seed, certificate, changed)
    assert tried > examples(2)


FREE = (("policy",), ("model", "name"))


def test_misshapen_certificates_are_rejected() -> None:
    tried = 0
    for case, checker, certificate in certificates(32, 80):
        for changed in misshapen(certificate, Random(case.seed), free=FREE):
            tried += 1
            if accepts(checker, changed):  # an answer or a radius may be replaced by null
                assert is_true(case.system, changed), (certificate, changed)
    assert tried > examples(500)
