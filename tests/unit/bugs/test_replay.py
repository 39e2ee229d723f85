"""Whether a bug is still there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.replay import ReplayStatus, replay
from bugsieve.pipeline.objectives import make_objective
from bugsieve.tasks.grounded.task import ActionArray, StateArray
from tests.unit.bugs.samples import (
    LONG,
    TablePolicy,
    fork_task,
    line_bench,
    make_sample,
    proven,
)
from tests.unit.policies.line import at, line_task

TASK = line_task(5)
START = at(1)[0]
LOOP = {1: "right", 2: "left"}
GOOD = {1: "right", 2: "right", 3: "right"}


def recorded(steps: dict[int, str] = LOOP, objective: str = "quantitative") -> dict[str, Any]:
    bench = line_bench(TASK, steps, objective=objective)
    return certificate_of(bench, START, proven(bench, START, (1, 2, 3)))


def test_the_same_policy_still_fails() -> None:
    result = replay(line_bench(TASK, LOOP), recorded())
    assert result.status is ReplayStatus.STILL_FAILS
    assert result.sentence == "the policy does the same again: loop after 2 steps"
    assert result.differs_at is None
    assert result.run is not None and result.run.loop_start == 0


def test_a_policy_that_learnt_better_is_fixed() -> None:
    result = replay(line_bench(TASK, GOOD), recorded())
    assert result.status is ReplayStatus.FIXED
    assert result.differs_at == 1
    assert "acts differently from step 2 on" in result.sentence


def test_a_policy_that_fails_in_another_way_still_fails() -> None:
    result = replay(line_bench(TASK, {1: "right", 2: "right"}), recorded())
    assert result.status is ReplayStatus.STILL_FAILS
    assert result.differs_at == 1
    assert "(no action) is still worse than the plan" in result.sentence
    shorter = replay(line_bench(TASK, {1: "right"}), recorded())
    assert (shorter.status, shorter.differs_at) == (ReplayStatus.STILL_FAILS, 1)


def fork_bench(*choices: int, objective: str = "quantitative") -> Bench:
    """Someone at a fork who takes the first of these ways, then the second, if there is one."""
    task = fork_task()
    policy = TablePolicy({(place,): choice for place, choice in enumerate(choices)})
    return Bench(task, policy, make_objective(objective, task))


def test_a_failure_that_became_a_detour_is_improved() -> None:
    failing = fork_bench()
    start = failing.task.initial_state
    certificate = certificate_of(failing, start, proven(failing, start, (0,)))
    result = replay(fork_bench(1, 2), certificate)
    assert (result.status, result.differs_at) == (ReplayStatus.IMPROVED, 0)
    assert result.sentence.endswith("not as well as the plan does (cost 5; the plan: 1)")
    assert replay(fork_bench(1), certificate).status is ReplayStatus.STILL_FAILS
    assert replay(fork_bench(0), certificate).status is ReplayStatus.FIXED
    costly = certificate_of(fork_bench(1, 2), start, proven(fork_bench(1, 2), start, (0,)))
    assert replay(fork_bench(1, 2), costly).status is ReplayStatus.STILL_FAILS
    any_way = fork_bench(objective="qualitative")
    certificate = certificate_of(any_way, start, proven(any_way, start, (0,)))
    assert replay(fork_bench(1, 2, objective="qualitative"), certificate).status is (
        ReplayStatus.FIXED
    )


def test_a_run_that_is_cut_tells_nothing() -> None:
    result = replay(line_bench(TASK, LOOP, step_limit=1), recorded())
    assert result.status is ReplayStatus.CANNOT_REPLAY
    assert "ended by step limit after 1 step: that tells nothing" in result.sentence


class MoodyPolicy:
    """Turns round at the second time of asking."""

    spec = "moody"

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, states: StateArray) -> ActionArray:
        self.asked += 1
        way = "left" if self.asked == 2 else "right"
        names = [f"{way} p{place}" for (place,) in states.tolist()]
        return np.array([TASK.operator_id(name) for name in names], dtype=np.int32)


def test_a_policy_that_changes_its_mind_is_flaky() -> None:
    bench = Bench(TASK, MoodyPolicy(), make_objective("quantitative", TASK), step_limit=3)
    result = replay(bench, recorded())
    assert result.status is ReplayStatus.FLAKY
    assert "two runs of the policy from the same state differ at step" in result.sentence


def test_the_policy_is_asked_anew_each_time() -> None:
    bench = line_bench(TASK, LOOP)
    bench.runs(START)
    before = bench.policy.asked  # type: ignore[attr-defined]
    replay(bench, recorded())
    assert bench.policy.asked == before + 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"gap": 7}, "the certificate does not hold: gap must be null"),
        ({"task": {"name": "", "sha256": "0"}}, "belongs to another task"),
        ({"facts": 1}, "'facts' must be a list"),
    ],
)
def test_a_certificate_that_does_not_hold_is_not_replayed(
    change: dict[str, Any], sentence: str
) -> None:
    bench = line_bench(TASK, LOOP)
    result = replay(bench, {**recorded(), **change})
    assert result.status is ReplayStatus.CANNOT_REPLAY
    assert sentence in result.sentence
    assert bench.policy.asked == 0  # type: ignore[attr-defined]


def test_another_objective_cannot_be_replayed() -> None:
    result = replay(line_bench(TASK, LOOP, objective="qualitative"), recorded())
    assert result.status is ReplayStatus.CANNOT_REPLAY
    assert "objective quantitative" in result.sentence


def test_conditions_to_avoid() -> None:
    spec = "avoid:(at p0)"
    bench = line_bench(TASK, {1: "left", 0: "right"}, objective=spec)
    certificate = certificate_of(bench, START, proven(bench, START, (1, 2, 3)))
    assert replay(bench, certificate).status is ReplayStatus.STILL_FAILS
    wandering = line_bench(TASK, {1: "left"}, objective=spec)
    assert replay(wandering, certificate).differs_at is None, "what follows does not matter"
    late = line_bench(TASK, {1: "right", 2: "left"}, objective=spec)
    assert replay(late, certificate).status is ReplayStatus.FIXED
    cut = line_bench(TASK, GOOD, objective=spec, step_limit=1)
    assert replay(cut, certificate).status is ReplayStatus.CANNOT_REPLAY


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_bugs_of_deterministic_policies_are_always_there_again(objective: str) -> None:
    count = 0
    for seed in range(60):
        sample = make_sample(seed, shape=LONG, objective=objective, count=4)
        for state, verdict in sample.bugs():
            certificate = certificate_of(sample.bench, state, verdict)
            result = replay(sample.bench, certificate)
            assert (result.status, result.differs_at) == (ReplayStatus.STILL_FAILS, None)
            count += 1
    assert count >= 5
