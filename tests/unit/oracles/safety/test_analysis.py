"""Analyses of runs: verdicts under limits, claims that stay unproven, and what is shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bugsieve.basis.errors import UsageError
from bugsieve.checkers import safety
from bugsieve.checkers.jani_terms import RefusedModelError
from bugsieve.checkers.safety_claims import CertificateError
from bugsieve.oracles.safety.analysis import RunAnalyst
from bugsieve.oracles.safety.decide import Safety
from bugsieve.policies.models.policy import ActionArray
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.search.limits import Limits
from bugsieve.tasks.jani.findings import ModelError
from bugsieve.tasks.jani.loading import load_document
from bugsieve.tasks.jani.model import Valuations
from tests.property.safety_models import Case, ListedPolicy, document
from tests.reference.safety import GOAL, ORDINARY, UNSAFE, System
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, variable

# 0 -a-> 1; 1 -a-> 2 or 5; 1 -b-> 6; 2 -a-> 3; 3 -a-> 4 (danger); 5 -b-> 6 (goal), 5 -a-> 4
SYSTEM = System(
    (ORDINARY, ORDINARY, ORDINARY, ORDINARY, UNSAFE, ORDINARY, GOAL),
    ({0: (1,)}, {0: (2, 5), 1: (6,)}, {0: (3,)}, {0: (4,)}, {}, {0: (4,), 1: (6,)}, {}),
    (0, 0, 0, 0, -1, 0, -1),
)
RUN = (0, 1, 2, 3, 4)
OTHER_RUN = (0, 1, 5, 4)


@pytest.fixture
def case() -> Case:
    loaded = load_document(document(SYSTEM), name="system")
    return Case(0, SYSTEM, loaded, ListedPolicy(loaded, SYSTEM.policy), (RUN, OTHER_RUN))


def analyst(case: Case, *specs: str, **options: Any) -> RunAnalyst:
    return RunAnalyst(case.model, case.policy, specs or ("tarjan",), **options)


def test_bugs_and_faults(case: Case) -> None:
    found = analyst(case, "tarjan", "vi:1", "lao:0").analyse(case.unsafe_run(RUN), walk=7)
    assert [oracle.bugs for oracle in found.oracles] == [(0, 1), (0, 1), ()]
    assert [[f.position for f in oracle.faults] for oracle in found.oracles] == [[1], [1], []]
    assert [oracle.spec for oracle in found.oracles] == ["tarjan", "vi:1", "lao:0"]
    assert all(oracle.limits == (None,) * 5 for oracle in found.oracles)
    (bug,) = found.bugs
    assert (bug.kind, bug.state, bug.action, bug.radius) == ("fault", [1], 0, None)
    assert bug.oracle == "tarjan"
    assert bug.found_in is not None
    assert (bug.found_in.walk, bug.found_in.position) == (7, 1)
    assert bug.alternative == [([1], 1)]
    assert bug.certificate["outcome"] == [2]


def test_a_bug_is_proven_once(case: Case) -> None:
    judge = analyst(case)
    first = judge.analyse(case.unsafe_run(RUN))
    again = judge.analyse(case.unsafe_run(RUN))
    assert [(bug.id, bug.position) for bug in again.known] == [(first.bugs[0].id, 1)]
    assert not again.bugs
    other = judge.analyse(case.unsafe_run(OTHER_RUN))
    assert [bug.state for bug in other.bugs] == [[5]]
    assert [bug.position for bug in other.known] == [1]


def test_runs_share_what_was_found_out(case: Case) -> None:
    judge = analyst(case)
    assert judge.analyse(case.unsafe_run(RUN)).oracles[0].expansions > 0
    assert judge.analyse(case.unsafe_run(RUN)).oracles[0].expansions == 0
    judge.forget()
    assert judge.analyse(case.unsafe_run(RUN)).oracles[0].expansions > 0


def test_limits_make_verdicts_unknown(case: Case) -> None:
    judge = analyst(case, limits=Limits(expansions=0))
    oracle = judge.analyse(case.unsafe_run(RUN)).oracles[0]
    assert oracle.safety.tolist() == [Safety.UNKNOWN] * 4 + [Safety.LOST]
    assert oracle.limits == ("expansions",) * 4 + (None,)
    assert oracle.open_faults == (0, 1, 2, 3)


def test_memory_of_earlier_runs_costs_no_verdicts(case: Case) -> None:
    needed = 0
    for run in case.runs:
        fresh = analyst(case)
        fresh.analyse(case.unsafe_run(run))
        needed = max(needed, fresh._deciders[fresh.specs[0]].memory_bytes)
    judge = analyst(case, limits=Limits(bytes=needed))
    for run in (OTHER_RUN, RUN, OTHER_RUN):
        oracle = judge.analyse(case.unsafe_run(run)).oracles[0]
        assert not oracle.unknown


def test_a_run_for_which_memory_does_not_suffice_gets_all_of_it() -> None:
    """Two chains into danger: what is known of the short one stands in the way of the long one."""
    length = 20_000
    go = edge({"x": binary("+", "x", 1)}, guard=binary("<", "x", length))
    jump = edge({"x": length}, action="jump")
    variables = [variable("x", bounded(0, length), 0), variable("chain", bounded(0, 1), 0)]
    document_ = simple(go, jump, variables=variables, unsafe=binary("=", "x", length))
    loaded = load_document(document_, name="chains")
    policy = ListedPolicy(loaded, (1,) * (length + 1))

    def run(chain: int, start: int) -> UnsafeRun:
        rows = [[float(x), float(chain)] for x in (start, length)]
        return UnsafeRun(loaded.pack(rows), np.ones(1, dtype=np.int32))

    def memory(*runs: UnsafeRun) -> int:
        judge = RunAnalyst(loaded, policy, ["tarjan"])
        for one in runs:
            judge.analyse(one)
        return judge._deciders[judge.specs[0]].memory_bytes

    short, long = run(0, length // 2), run(1, 0)
    limit = max(memory(long), 2 * memory(short)) * 21 // 20
    assert memory(short, long) > limit
    judge = RunAnalyst(loaded, policy, ["tarjan"], limits=Limits(bytes=limit))
    for one in (short, long):
        assert not judge.analyse(one).oracles[0].unknown


def test_too_large_proofs_leave_claims_unproven(case: Case) -> None:
    found = analyst(case, proof_rows=4).analyse(case.unsafe_run(RUN))
    assert not found.bugs
    assert [(claim.kind, claim.position) for claim in found.unproven] == [
        ("fault", 1), ("avoidable", 1),
    ]  # fmt: skip
    assert found.unproven[0].reason.startswith("the proof takes at least 5 rows, more than")


def test_an_avoidable_bug_where_the_fault_is_unproven(case: Case) -> None:
    """Five rows are enough for the run and the way out, not for the lost region."""
    found = analyst(case, proof_rows=5).analyse(case.unsafe_run(RUN))
    (bug,) = found.bugs
    assert (bug.kind, bug.state) == ("avoidable", [1])
    assert [claim.kind for claim in found.unproven] == ["fault"]
    assert "unsafe" not in bug.certificate


def test_a_model_beyond_the_checker(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RefusedModelError("an odd part")

    monkeypatch.setattr(safety, "JaniInterpreter", refuse)
    found = analyst(case).analyse(case.unsafe_run(RUN))
    assert not found.bugs
    assert "the checker cannot read the model: an odd part" in found.unproven[0].reason


def test_a_rejected_claim_is_reported_with_its_certificate(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(*_: object) -> None:
        raise CertificateError("no proof")

    monkeypatch.setattr(safety.SafetyBugChecker, "check", reject)
    found = analyst(case).analyse(case.unsafe_run(RUN))
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

    monkeypatch.setattr(safety.SafetyBugChecker, "check", reject)
    policy = Wavering(case.model, SYSTEM.policy)
    found = RunAnalyst(case.model, policy, ["tarjan"]).analyse(case.unsafe_run(RUN))
    assert not found.rejected
    assert "asked again" in found.unproven[0].reason


def test_states_alone(case: Case) -> None:
    words = case.model.pack([[0.0], [3.0], [4.0]])
    judged = analyst(case, "tarjan", "vi:1").judge_alone(words)
    assert [[verdict.safety for verdict in row] for row in judged] == [
        [Safety.SAFE, Safety.SAFE], [Safety.LOST, Safety.LOST], [Safety.LOST, Safety.LOST],
    ]  # fmt: skip
    assert [verdict.spec for verdict in judged[0]] == ["tarjan", "vi:1"]
    assert judged[0][0].expansions > 0
    assert judged[0][0].seconds > 0


def test_needs_an_oracle(case: Case) -> None:
    with pytest.raises(UsageError, match="needs an oracle"):
        RunAnalyst(case.model, case.policy, [])


def test_a_model_that_goes_wrong_is_a_finding() -> None:
    """From 1 on, another action would divide by zero."""
    edges = [
        edge({"x": binary("+", "x", 1)}, guard=binary("<", "x", 3)),
        edge({"y": binary("/", 1, binary("-", "x", 1))}, action="odd"),
    ]
    variables = [variable("x", bounded(0, 5), 0), variable("y", "real", 0)]
    document_ = simple(*edges, variables=variables, unsafe=binary("=", "x", 3))
    loaded = load_document(document_, name="odd.jani")
    states = loaded.pack([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    policy = ListedPolicy(loaded, (0,) * 6)
    judge = RunAnalyst(loaded, policy, ["tarjan"])
    with pytest.raises(ModelError, match="odd.jani: .*divides by zero"):
        judge.analyse(UnsafeRun(states, np.zeros(3, dtype=np.int32)))
