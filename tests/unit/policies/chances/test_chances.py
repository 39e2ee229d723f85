"""Probabilities of reaching the goal against a slow twin that solves them in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.policies.asking import weigh
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.distributions import (
    Distributions,
    Weights,
    checked_weights,
    differ,
    likeliest,
)
from bugsieve.policies.runs import runs_of
from bugsieve.rooms.stochastic.runs import ChanceRuns
from bugsieve.rooms.stochastic.sampling import Sampled
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from tests.depth import examples
from tests.reference.chances import probabilities
from tests.unit.policies.chances.samples import ErraticWeights, WeightTable, chance_bench
from tests.unit.policies.line import line_task

NEAR = Fraction(1, 10**9)


def states_of(bench: Bench, most: int) -> StateArray:
    states, _ = exact_goal_distances(bench.task)
    return states[:most]


def test_bounds_are_the_probabilities_that_fractions_give() -> None:
    seen = {"0": 0, "between": 0, "1": 0}
    for seed in range(examples(1500)):
        sas, bench = chance_bench(seed)
        states = states_of(bench, 6)
        values = bench.suspects(states).values
        assert isinstance(bench.policy, ErraticWeights)
        for state, value in zip(states.tolist(), values.tolist(), strict=True):
            true = probabilities(sas, tuple(state), bench.policy.chances)[tuple(state)]
            bound = Fraction(str(value))
            assert (bound == 1) == (true == 1)
            assert true <= bound <= true + NEAR
            seen["between" if 0 < true < 1 else str(true)] += 1
    assert min(seen.values()) >= examples(150)


def test_a_limit_on_states_gives_bounds_that_hold_and_grow_no_worse_with_it() -> None:
    proven = open_ones = 0
    for seed in range(examples(1000)):
        sas, bench = chance_bench(seed)
        start = tuple(bench.task.initial_state.tolist())
        assert isinstance(bench.policy, ErraticWeights)
        true = probabilities(sas, start, bench.policy.chances)[start]
        for limit in (1, 2, 5):
            narrow = Bench(
                bench.task, bench.policy, make_objective(f"probability:{limit}", bench.task)
            )
            (value,) = narrow.suspects(bench.task.initial_state).values.tolist()
            if math.isnan(value):
                open_ones += 1
            else:
                assert true <= Fraction(str(value))
                proven += value < 1 and limit < 5
    assert proven >= examples(100) and open_ones >= examples(100)


def test_nothing_depends_on_what_else_is_asked() -> None:
    for seed in range(examples(200)):
        _, bench = chance_bench(seed)
        states = states_of(bench, 12)
        together = bench.runs(states)
        backwards = bench.afresh().runs(states[::-1])
        for row in range(len(states)):
            alone = bench.afresh().runs(states[row])
            back = backwards.rows([len(states) - 1 - row])
            for other in (alone, back):
                (one,), (two,) = runs_of(together.rows([row])), runs_of(other)
                assert (one.ending, one.actions, one.loop_start) == (
                    two.ending,
                    two.actions,
                    two.loop_start,
                )
                sources = (together.source, other.source)
                first, second = (
                    source.chance(int(table.ids[0])) if isinstance(source, ChanceRuns) else None
                    for source, table in zip(sources, (together.rows([row]), other), strict=True)
                )
                assert first is not None and second is not None
                assert first.rows == second.rows


def test_each_state_is_asked_once() -> None:
    _, bench = chance_bench(3)
    states = states_of(bench, 50)
    bench.runs(states)
    bench.values(bench.runs(states[::-1]))
    assert isinstance(bench.policy, ErraticWeights)
    assert bench.decisions_taken == bench.policy.asked <= len(exact_goal_distances(bench.task)[0])


def line_bench(
    table: dict[tuple[int, ...], Weights | Failure], *, objective: str = "probability"
) -> Bench:
    task = line_task(3)
    return Bench(task, WeightTable(table), make_objective(objective, task))


def moves(task: Task) -> dict[str, int]:
    return {name: number for number, name in enumerate(task.operator_names)}


def test_runs_that_show_what_may_become_of_a_state() -> None:
    task = line_task(3)
    number = moves(task)
    right = [number[f"(right p{place})"] for place in range(2)]
    left = number["(left p1)"]
    sure: dict[tuple[int, ...], Weights | Failure] = {
        (0,): ((right[0], 1.0),),
        (1,): ((right[1], 1.0), (left, 3.0)),
    }
    bench = line_bench(sure)
    (run,) = runs_of(bench.runs(task.initial_state))
    # The likeliest action goes in a circle, but not for ever.
    assert (run.ending, run.actions) == (Ending.SOLVED, (right[0], right[1]))
    assert bench.values(bench.runs(task.initial_state)).tolist() == [1.0]
    bench = line_bench({**sure, (1,): ((left, 1.0),)})
    (run,) = runs_of(bench.runs(task.initial_state))
    assert (run.ending, run.actions, run.loop_start) == (Ending.LOOP, (right[0], left), 0)
    crash = Failure(Ending.POLICY_CRASH, "so")
    bench = line_bench({**sure, (1,): crash})
    (run,) = runs_of(bench.runs(task.initial_state))
    assert (run.ending, run.detail) == (Ending.POLICY_CRASH, "so")
    assert bench.values(bench.runs(task.initial_state)).tolist() == [0.0]


@pytest.mark.parametrize(
    "failure", [Failure(Ending.POLICY_HANG, "slow"), Failure(Ending.POLICY_CRASH, "m", True)]
)
def test_what_says_nothing_of_the_policy_proves_nothing(failure: Failure) -> None:
    task = line_task(3)
    number = moves(task)
    bench = line_bench({(0,): ((number["(right p0)"], 1.0),), (1,): failure})
    runs = bench.runs(task.initial_state)
    assert runs.endings.tolist() == [failure.ending] and np.isnan(bench.values(runs)).all()
    assert runs.failure(0) == failure


def test_a_run_longer_than_the_step_limit_is_cut() -> None:
    task = line_task(3)
    number = moves(task)
    table: dict[tuple[int, ...], Weights | Failure] = {
        (place,): ((number[f"(right p{place})"], 1.0),) for place in range(2)
    }
    bench = line_bench(table)
    for limit, ending in ((1, Ending.STEP_LIMIT), (2, Ending.SOLVED)):
        runs = bench.runs(task.initial_state, step_limit=limit)
        assert (runs.endings.tolist(), runs.steps.tolist()) == ([ending], [limit])
        assert np.isnan(bench.values(runs)[0]) == (limit == 1)


def test_samples_are_numbered_and_their_interval_holds_the_truth() -> None:
    inside = total = 0
    for seed in range(examples(200)):
        sas, bench = chance_bench(seed, objective="probability:1")
        runs = bench.runs(bench.task.initial_state)
        if runs.endings[0] != Ending.STEP_LIMIT:
            continue
        failure = runs.failure(0)
        assert failure is not None
        assert failure == bench.afresh().runs(bench.task.initial_state).failure(0)
        words = failure.detail.split()
        low, high = float(words[-5]), float(words[-3])
        start = tuple(bench.task.initial_state.tolist())
        assert isinstance(bench.policy, ErraticWeights)
        true = probabilities(sas, start, bench.policy.chances)[start]
        total += 1
        inside += low - 0.006 <= true <= high + 0.006
    assert total >= examples(20) and inside >= 0.95 * total


def tail(successes: range, chance: Fraction) -> Fraction:
    """The probability of so many successes in 100."""
    return sum(
        (math.comb(100, k) * chance**k * (1 - chance) ** (100 - k) for k in successes), Fraction()
    )


def test_the_interval_of_clopper_and_pearson() -> None:
    # By definition: at its ends, what was seen or more of it has a probability of 0.5 %.
    low, high = Sampled(10, 0).interval
    assert float(tail(range(10, 101), Fraction(low))) == pytest.approx(0.005)
    assert float(tail(range(11), Fraction(high))) == pytest.approx(0.005)
    assert Sampled(0, 0).interval[1] == pytest.approx(1 - 0.005 ** (1 / 100))
    assert Sampled(0, 0).interval[0] == 0 and Sampled(100, 0).interval[1] == 1
    assert Sampled(10, 90).interval == (low, 1.0)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([(0, -0.5), (1, 1.0)], "answered the weight -0.5"),
        ([(0, math.nan)], "answered the weight nan"),
        ([(0, math.inf)], "answered the weight inf"),
        ([(0, 0.0), (1, 0.0)], "answered weights whose sum is 0"),
        ([(0, 1e308), (1, 1e308)], "answered weights whose sum is inf"),
        ([(0, 0.5), (0, 0.5)], "answered two weights for one action"),
        ([], "answered weights whose sum is 0"),
    ],
)
def test_what_is_no_distribution(weights: list[tuple[int, float]], sentence: str) -> None:
    assert checked_weights(weights) == Failure(Ending.POLICY_CRASH, sentence)


def test_the_likeliest_action_and_ties() -> None:
    assert likeliest(((3, 1.0), (5, 3.0))) == 5
    assert likeliest(((3, 0.3), (5, 0.300001))) == 3
    assert likeliest(((3, 300.0), (5, 300.1))) == 5  # by probability, not by weight
    assert not differ(((3, 1.0), (5, 1.0)), ((3, 0.5), (5, 0.500001)))
    assert differ(((3, 1.0), (5, 1.0)), ((3, 1.0),))


class _Raising(ErraticWeights):
    def distributions(self, states: StateArray) -> Distributions:
        if (states[:, 0] == 1).any():
            raise KeyError("no")
        return super().distributions(states)


def test_a_raised_exception_is_blamed_on_its_state() -> None:
    task = line_task(4)
    policy = _Raising(task, 4, mischief=0.0)
    states = np.array([[0], [1], [2], [1]], dtype=np.uint16)
    answers = weigh(policy, states)
    rows = [row for row in range(len(states)) if isinstance(answers.row(row), Failure)]
    assert rows == [1, 3]


def test_answers_of_the_wrong_shape() -> None:
    task = line_task(3)

    class Wrong(WeightTable):
        def distributions(self, states: StateArray) -> Distributions:
            short = np.zeros(1, dtype=np.int64)
            return Distributions(np.zeros(1, np.int32), np.ones(1), short)

    with pytest.raises(PolicyError, match="2 ascending offsets from 0"):
        weigh(Wrong({}), task.initial_state[None])


def test_a_deterministic_policy_is_certain_of_its_actions() -> None:
    decisions = Decisions(np.array([4, NO_ACTION, 2, 1], dtype=np.int32))
    decisions = Decisions(decisions.actions, {2: Failure(Ending.POLICY_CRASH, "so")})
    made = Distributions.certain(decisions)
    rows = [made.row(row) for row in range(len(made))]
    assert rows == [((4, 1.0),), (), decisions.failures[2], ((1, 1.0),)]
