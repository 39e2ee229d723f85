"""Runs as oracles see them: bugs and faults, verdicts under limits, and what is shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.oracles.analysis import RunAnalyst
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.tasks.search_limits import Limits
from tests.property.safety_models import Case, ListedPolicy
from tests.unit.oracles.safety.runs import OTHER_RUN, RUN, small_case
from tests.unit.tasks.jani.small import binary, bounded, edge, simple, variable


@pytest.fixture
def case() -> Case:
    return small_case()


def analyst(case: Case, *specs: str, **options: Any) -> RunAnalyst:
    return RunAnalyst(case.model, case.policy, specs or ("tarjan",), **options)


def test_bugs_and_faults(case: Case) -> None:
    found = analyst(case, "tarjan", "vi:1", "lao:0").verdicts(case.unsafe_run(RUN))
    assert [oracle.bugs for oracle in found] == [(0, 1), (0, 1), ()]
    assert [oracle.faults for oracle in found] == [(1,), (1,), ()]
    assert [oracle.oracle for oracle in found] == ["tarjan", "vi:1", "lao:0"]
    assert all(oracle.reached is None for oracle in found)
    assert case.model.unpack(found[0].outcomes[1].reshape(1, -1)).tolist() == [[2.0]]


def test_runs_share_what_was_found_out(case: Case) -> None:
    judge = analyst(case)
    assert judge.verdicts(case.unsafe_run(RUN))[0].expanded > 0
    assert judge.verdicts(case.unsafe_run(RUN))[0].expanded == 0
    judge.forget()
    assert judge.verdicts(case.unsafe_run(RUN))[0].expanded > 0


def test_limits_make_verdicts_unknown(case: Case) -> None:
    judge = analyst(case, limits=Limits(expansions=0))
    oracle = judge.verdicts(case.unsafe_run(RUN))[0]
    assert oracle.safety.tolist() == [Safety.UNKNOWN] * 4 + [Safety.LOST]
    assert oracle.reached == "expansions"
    assert oracle.open_faults == (0, 1, 2, 3)


def test_memory_of_earlier_runs_costs_no_verdicts(case: Case) -> None:
    needed = 0
    for run in case.runs:
        fresh = analyst(case)
        fresh.verdicts(case.unsafe_run(run))
        needed = max(needed, fresh._deciders[fresh.specs[0]].memory_bytes)
    judge = analyst(case, limits=Limits(bytes=needed))
    for run in (OTHER_RUN, RUN, OTHER_RUN):
        oracle = judge.verdicts(case.unsafe_run(run))[0]
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
            judge.verdicts(one)
        return judge._deciders[judge.specs[0]].memory_bytes

    short, long = run(0, length // 2), run(1, 0)
    limit = max(memory(long), 2 * memory(short)) * 21 // 20
    assert memory(short, long) > limit
    judge = RunAnalyst(loaded, policy, ["tarjan"], limits=Limits(bytes=limit))
    for one in (short, long):
        assert not judge.verdicts(one)[0].unknown


def test_states_alone(case: Case) -> None:
    judged = analyst(case, "tarjan", "vi:1").alone(case.unsafe_run(RUN), (0, 3, 4))
    assert [(row.position, row.oracle, row.safety) for row in judged] == [
        (0, "tarjan", Safety.SAFE), (0, "vi:1", Safety.SAFE),
        (3, "tarjan", Safety.LOST), (3, "vi:1", Safety.LOST),
        (4, "tarjan", Safety.LOST), (4, "vi:1", Safety.LOST),
    ]  # fmt: skip
    assert judged[0].expanded > 0
    assert judged[0].seconds > 0
    assert all(row.reached is None for row in judged)


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
        judge.verdicts(UnsafeRun(states, np.zeros(3, dtype=np.int32)))
