"""Tests of models do not depend on processes, nor on the models tested before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import BudgetError, UsageError
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.formats.asnets.weights import Weights, random_weights
from bugsieve.rooms.training.model_tests import (
    LocalTester,
    ModelTestPlan,
    PooledTask,
    ProcessTester,
    make_pool,
    make_tester,
    objection,
)
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from tests.depth import IS_DEEP
from tests.unit.training.networks import write_visitall

POOL = FuzzOptions(pool_size=12, bias="uniform", seed=4)
PLAN = ModelTestPlan(("bmo:20",), 100, 2_000)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    domain, problems = write_visitall(tmp_path_factory.mktemp("tasks"), 2, 2, 3)
    return [load_task(domain, problem) for problem in problems]


@pytest.fixture(scope="module")
def pooled(tasks: list[Task]) -> list[PooledTask]:
    return [
        PooledTask(SavedTask.of(task), make_pool(task, POOL, number))
        for number, task in enumerate(tasks)
    ]


@pytest.fixture(scope="module")
def models(tasks: list[Task]) -> list[Weights]:
    """Random networks, of which some solve tasks."""
    signature = ground(tasks[0]).signature
    return [random_weights(signature, np.random.default_rng(seed)) for seed in range(14)]


def test_processes_and_earlier_models_change_nothing(
    pooled: list[PooledTask], models: list[Weights]
) -> None:
    local = LocalTester(pooled, PLAN)
    wanted = [local.test(model) for model in models]
    assert any(test.is_solved and test.bugs for tests in wanted for test in tests)
    assert any(not test.is_solved for tests in wanted for test in tests)
    afresh = LocalTester(pooled, PLAN)
    assert [afresh.test(model) for model in reversed(models[:9])] == wanted[8::-1]
    for workers in (2, 3) if IS_DEEP else (3,):
        pool = ProcessTester(pooled, PLAN, workers)
        try:
            assert [pool.test(model) for model in models[:6]] == wanted[:6]
        finally:
            pool.close()


def test_pools_are_the_same_for_the_same_names(tasks: list[Task]) -> None:
    first = make_pool(tasks[2], POOL, 2)
    assert len(first) == 12 and (first[0] == tasks[2].initial_state).all()
    assert np.array_equal(first, make_pool(tasks[2], POOL, 2))
    assert not np.array_equal(first, make_pool(tasks[2], POOL, 3))


def test_what_a_process_meets_is_raised_here(
    pooled: list[PooledTask], models: list[Weights]
) -> None:
    for workers in (1, 2):
        tester = make_tester(pooled, ModelTestPlan(("nobody",), 100, 100), workers)
        try:
            with pytest.raises(UsageError, match="there is no oracle 'nobody'"):
                tester.test(models[0])
        finally:
            tester.close(at_once=True)


def test_a_process_that_is_killed_is_no_fault_of_ours(
    pooled: list[PooledTask], models: list[Weights]
) -> None:
    tester = ProcessTester(pooled, PLAN, 2)
    tester.test(models[0])
    victim = tester._children[0].process
    victim.kill()
    victim.wait()
    with pytest.raises(BudgetError, match="was killed, perhaps because the memory ran out"):
        tester.test(models[0])
    tester.close(at_once=True)


def test_tasks_on_which_no_oracle_can_judge(tasks: list[Task]) -> None:
    assert objection(tasks[0], ("bmo:20",)) is None
    assert "there is no oracle" in str(objection(tasks[0], ("nobody",)))


def test_one_task_needs_no_process(pooled: list[PooledTask], tmp_path: Path) -> None:
    assert isinstance(make_tester(pooled[:1], PLAN, 4), LocalTester)
    assert isinstance(make_tester(pooled, PLAN, 4), ProcessTester)
