"""Findings: several oracles on one state, and claims that the checker does not believe."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InternalError
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.bug import Bug, make_bug
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, implied, passed
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.unit.policies.line import at, line_task

TASK = line_task(4, right_costs=[1, 5, 1])


class GoesLeft:
    """Walks right from p2, left from everywhere else; so p1 and p0 never reach the goal."""

    spec = "goes-left"

    def __init__(self, task: Task) -> None:
        self.task = task

    def choose(self, states: StateArray) -> ActionArray:
        return np.array([2 if s == 2 else 0 if s == 0 else 3 for s in states[:, 0]], np.int32)


class Says(Oracle):
    """An oracle that gives each state the verdict it was told to."""

    def __init__(self, bench: Bench, spec: str, answer: Callable[[int], Verdict]) -> None:
        super().__init__(bench, spec)
        self.answer = answer

    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [self.answer(int(state[0])) for state in suspects.states]


def bench() -> Bench:
    return Bench(TASK, GoesLeft(TASK), make_objective("quantitative", TASK))


def bug(plan: tuple[int, ...], *, gap: float = math.inf) -> Verdict:
    value = float(sum(TASK.operator_costs[list(plan)]))
    return Verdict(Outcome.BUG, "better", plan, value, gap)


def findings(*answers: Callable[[int], Verdict]) -> list[Finding]:
    place = bench()
    oracles = [Says(place, f"oracle-{i}", answer) for i, answer in enumerate(answers)]
    pool = Pool(TASK)
    for state in at(0, 1, 2):
        pool.add(state, parent=None if state[0] == 0 else 0, actions=(0,), walk=7)
    with Judge(place, oracles) as judge:
        return judge.judge(Parcel.of(pool, 0, 3))


def test_runs_and_verdicts_of_every_state() -> None:
    found = findings(lambda place: passed(f"at {place}"), lambda _: implied("so", gap=2.0))
    assert [finding.visit.case for finding in found] == [0, 1, 2]
    runs = [(f.run.ending, f.run.cost, f.run.value) for f in found]
    assert runs == [(Ending.LOOP, 2, math.inf), (Ending.LOOP, 2, math.inf), (Ending.SOLVED, 1, 1)]
    assert [row.verdict.reason for row in found[1].verdicts] == ["at 1", "so"]
    assert [row.oracle for row in found[1].verdicts] == ["oracle-0", "oracle-1"]
    assert all(not f.bugs and not f.rejected for f in found)


def test_the_largest_gap_is_kept_and_all_finders_are_listed() -> None:
    plan = {0: (0, 1, 2), 1: (1, 2)}
    detour = {0: (0, 3, 0, 1, 2), 1: (3, 0, 1, 2)}

    def claim(plans: dict[int, tuple[int, ...]]) -> Callable[[int], Verdict]:
        return lambda place: bug(plans[place]) if place in plans else passed("")

    found = findings(lambda _: passed(""), claim(detour), claim(plan))
    (row,) = found[1].bugs
    assert row.finders == ("oracle-1", "oracle-2")
    assert (row.bug.kind, row.bug.gap) == ("unsolved", math.inf)
    assert row.bug.oracle == "oracle-1"  # of equal gaps the first
    assert row.bug.found_by is not None and row.bug.found_by.walk == 7
    assert not found[2].bugs


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ((1,), "without a plan that reaches the goal"),
        ((2, 2, 2), ""),  # cannot be followed
        (None, "without a plan"),
    ],
)
def test_a_claim_without_proof_is_no_bug(plan: tuple[int, ...] | None, reason: str) -> None:
    claim = Verdict(Outcome.BUG, "trust me", plan, 1.0, 5.0)
    found = findings(lambda place: claim if place == 1 else passed(""))
    assert not found[1].bugs
    (row,) = found[1].rejected
    assert (row.case, row.oracle) == (1, "oracle-0")
    assert row.reason and reason in row.reason


def test_an_honest_oracle_beside_a_lying_one() -> None:
    found = findings(lambda place: bug((1,)), lambda place: bug((1, 2)))
    (row,) = found[1].bugs
    assert row.finders == ("oracle-1",)
    assert [rejected.oracle for rejected in found[1].rejected] == ["oracle-0"]


def test_an_oracle_that_leaves_states_out() -> None:
    class Lazy(Says):
        def judge(self, suspects: Suspects) -> list[Verdict]:
            return super().judge(suspects)[1:]

    place = bench()
    pool = Pool(TASK)
    pool.add(TASK.initial_state)
    with pytest.raises(InternalError, match="oracle lazy left out some of the states"):
        Judge(place, [Lazy(place, "lazy", lambda _: passed(""))]).judge(Parcel.of(pool, 0, 1))


def test_the_checker_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def forged(*args: Any, **options: Any) -> Bug:
        made = make_bug(*args, **options)
        return replace(made, certificate={**made.certificate, "value": 1})

    monkeypatch.setattr("bugsieve.pipeline.judging.proving.make_bug", forged)
    found = findings(lambda place: bug((1, 2)) if place == 1 else passed(""))
    assert not found[1].bugs
    (row,) = found[1].rejected
    assert row.certificate is not None and row.certificate["value"] == 1
    assert "value" in row.reason
