"""Replayed plans keep what the dominance function promises."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from tests.depth import examples
from tests.unit.dominance.merging import atomic_blocks, dfp_blocks
from tests.unit.dominance.naive import NaiveDominance, all_states
from tests.unit.dominance.plans import cost_of, is_goal, run, some_plan
from tests.unit.dominance.random_tasks import random_tasks
from tests.unit.dominance.replaying import replay
from tests.unit.dominance.small_tasks import small_task


@pytest.mark.parametrize("tau", ["stages", "local"])
def test_replayed_plans_are_valid_and_cheap_enough(tau: str) -> None:
    replayed = 0
    for task in random_tasks(examples(300, quick=40)):
        random, states = Random(task.name), all_states(task)
        naive = NaiveDominance(
            task, dfp_blocks(task, random.choice((0, 0, 30))), tau=tau, floor=40
        )
        for _ in range(30):
            s, t = random.choice(states), random.choice(states)
            plan = some_plan(task, s, random) if naive.value(s, t) > -inf else None
            if plan is None:
                continue
            found = replay(task, naive, s, plan, t)
            assert found is not None
            assert is_goal(task, run(task, t, found))
            assert cost_of(task, found) <= cost_of(task, plan) - naive.value(s, t)
            replayed += 1
    assert replayed > 100


def test_macros_let_the_other_factors_return() -> None:
    """Each step of a needs b=0 and sets b=1, from which b has to return."""
    task = small_task("a=2", "b=0,a=0 -> a=1,b=1", "b=0,a=1 -> a=2,b=1", "-> b=0")
    naive = NaiveDominance(task, atomic_blocks(task))
    assert len(naive.stages) == 2
    assert naive.walks[0][(0,)][(2,)] == 4
    assert replay(task, naive, (2, 0), [], (0, 0)) == (0, 2, 1, 2)
    assert replay(task, naive, (2, 1), [], (0, 1)) == (2, 0, 2, 1)


def test_a_state_that_was_pruned_follows_itself_alone() -> None:
    task = small_task("b=1", "a=1 -> b=1", initial="10")
    naive = NaiveDominance(task, atomic_blocks(task))
    assert replay(task, naive, (0, 1), [], (0, 1)) == ()
    assert replay(task, naive, (0, 1), [], (0, 0)) is None
