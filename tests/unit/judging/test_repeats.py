"""States that come again are judged once, and what is said of them is the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.pipeline.bench import Bench, Origin
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.escalation import Due, Escalation, Outlay
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(Path(tmp_path_factory.mktemp("task")), "gripper", seed=1, balls=2)


def test_each_state_is_put_to_the_oracle_once(task: Task) -> None:
    bench = Bench(task, make_policy("random:3", task), make_objective("quantitative", task))
    oracle = make_oracle("perfect", bench)
    asked: list[int] = []
    judge_all = oracle.judge
    oracle.judge = lambda suspects: (  # type: ignore[method-assign]
        asked.append(len(suspects)) or judge_all(suspects)  # type: ignore[func-returns-value]
    )
    first, _, _ = task.all_successors(task.initial_state)
    states = np.concatenate([first, first[::-1], first])
    with Judge(bench, [oracle], repeats=True) as judge:
        found = judge.judge(Parcel.given(states)) + judge.judge(Parcel.given(first, len(states)))
    assert sum(asked) == len({state.tobytes() for state in first})
    assert [finding.visit.case for finding in found] == list(range(len(states) + len(first)))
    assert all(row.case == finding.visit.case for finding in found for row in finding.bugs)
    assert any(finding.bugs for finding in found)
    with Judge(bench, [make_oracle("perfect", bench)]) as plain:
        alone = plain.judge(Parcel.given(np.concatenate([states, first])))
    said = [[(row.oracle, row.verdict) for row in finding.verdicts] for finding in found]
    assert said == [[(row.oracle, row.verdict) for row in finding.verdicts] for finding in alone]
    assert [[b.id for b in f.bugs] for f in found] == [[b.id for b in f.bugs] for f in alone]


def test_it_does_not_matter_by_which_walk_a_state_came(task: Task) -> None:
    bench = Bench(task, make_policy("optimal", task), make_objective("quantitative", task))
    states, operators, _ = task.all_successors(task.initial_state)
    origins = tuple(
        Origin(task.initial_state, (operator,), (operator,)) for operator in operators.tolist()
    )
    parcel = replace(Parcel.given(states), origins=origins)
    reasons = {}
    for repeats in (False, True):
        with Judge(bench, [make_oracle("inv-quant", bench)], repeats=repeats) as judge:
            said = [finding.verdicts[0].verdict.reason for finding in judge.judge(parcel)]
        reasons[repeats] = set(said)
    assert reasons[True] == {"no walk led here"}
    assert "no walk led here" not in reasons[False]


def test_known_bugs_are_sighted(task: Task) -> None:
    bench = Bench(task, make_policy("random:3", task), make_objective("quantitative", task))
    with Judge(bench, [make_oracle("perfect", bench)]) as judge:
        (finding,) = judge.judge(Parcel.given(task.initial_state.reshape(1, -1)))
    (row,) = finding.bugs
    again = finding.with_sightings({row.id})
    assert again.bugs == ()
    assert [sighting.bug for sighting in again.sightings] == [row.id]
    assert finding.with_sightings(set()).bugs == finding.bugs


def test_what_is_open_is_searched_at_once() -> None:
    waiting, at_once = Escalation((500,)), Escalation((500,), at_once=True)
    for escalation in (waiting, at_once):
        escalation.note(Outlay(0, 0, is_open=True, expanded=10))
        assert escalation.due() == Due(0, 1)  # the first one always is
        escalation.note(Outlay(0, 1, is_open=True, expanded=500))
        escalation.note(Outlay(1, 0, is_open=True, expanded=10))
    assert waiting.due() is None
    assert at_once.due() == Due(1, 1)
