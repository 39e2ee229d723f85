"""`@bugsieve.policy` and the tie-breaking rule."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bugsieve
from bugsieve.base.errors import PolicyError
from bugsieve.policies.decisions import Ending
from bugsieve.policies.policy import argbest_within
from bugsieve.policies.runs import run_policy
from bugsieve.policies.task_view import TaskView
from bugsieve.tasks.grounded.task import NO_ACTION
from tests.depth import examples
from tests.unit.policies.line import at, line_task


@bugsieve.policy
def rightwards(facts: frozenset[str], applicable: list[str]) -> str | None:
    """Walks to the right, but stumbles in a few places."""
    (fact,) = facts
    if fact == "(at p4)":
        raise LookupError("lost")
    if fact == "(at p5)":
        return None
    return next(name for name in applicable if name.startswith("(right"))


def test_a_lifted_function_runs_and_can_still_be_called() -> None:
    assert rightwards(frozenset({"(at p0)"}), ["(right p0)"]) == "(right p0)"
    task = line_task(8)
    runs = run_policy(task, rightwards.bind(task), at(2, 5, 6))
    assert [run.ending for run in runs] == [Ending.POLICY_CRASH, Ending.NO_ACTION, Ending.SOLVED]
    assert runs[0].detail == "LookupError: lost"


def test_a_third_argument_gets_the_task() -> None:
    seen: list[TaskView] = []

    @bugsieve.policy
    def knows(facts: frozenset[str], applicable: list[str], task: TaskView) -> str | None:
        seen.append(task)
        return applicable[0]

    task = line_task(3)
    knows.bind(task).choose(at(0))
    assert seen[0].goal == ("(at p2)",)
    assert seen[0].name == "line"


def test_answers_that_are_no_action() -> None:
    @bugsieve.policy
    def odd(facts: frozenset[str], applicable: list[str]) -> str | None:
        return 7 if "(at p0)" in facts else "(jump)"  # type: ignore[return-value]

    task = line_task(4)
    runs = run_policy(task, odd.bind(task), at(0, 1))
    assert [run.ending for run in runs] == [Ending.POLICY_CRASH, Ending.ILLEGAL_ACTION]
    assert runs[1].detail == '"(jump)" is no action of the task'
    with pytest.raises(
        PolicyError, match=re.escape("state 0 of the batch: policy crash: returned 7")
    ):
        odd.bind(task).choose(at(0, 1))


def naive_best(scores: list[float], ids: list[int], epsilon: float) -> int:
    if not ids:
        return NO_ACTION
    ranked = [-np.inf if np.isnan(score) else score for score in scores]
    return min(i for i, score in zip(ids, ranked, strict=True) if score >= max(ranked) - epsilon)


segments = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1e-7, 1.0, 1.0 + 1e-7, 2.0, -3.0, np.inf, -np.inf, np.nan]),
            st.integers(0, 50),
        ),
        max_size=6,
    ),
    max_size=8,
)


@settings(max_examples=examples(300), deadline=None, derandomize=True, database=None)
@given(segments=segments, epsilon=st.sampled_from([0.0, 1e-5, 1.0]))
def test_ties_go_to_the_lowest_id(segments: list[list[tuple[float, int]]], epsilon: float) -> None:
    flat = [pair for segment in segments for pair in segment]
    offsets = np.cumsum([0, *map(len, segments)], dtype=np.int64)
    chosen = argbest_within(
        np.array([score for score, _ in flat], dtype=np.float64),
        np.array([identity for _, identity in flat], dtype=np.int32),
        offsets,
        epsilon=epsilon,
    )
    expected = [
        naive_best([score for score, _ in segment], [i for _, i in segment], epsilon)
        for segment in segments
    ]
    assert chosen.tolist() == expected
