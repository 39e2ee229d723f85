"""π-tests of models on the pools of tasks, in this process or in several (papers/003).

Each task is tested from scratch for each model, by one process that has it loaded: what comes out
depends on the model, the pool and the limits, never on how many processes there are.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import Any, Protocol

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BudgetError, BugsieveError, InternalError
from bugsieve.base.files_and_processes.processes import Child, ChildDiedError
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.policy import NoPolicy
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.pool_test import PoolTest, examine_pool
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits

OBJECTIVE = "quantitative"
_MODULE = "bugsieve.rooms.training.tester_process"
_LOOK_SECONDS = 0.2
_CLEANUP_SECONDS = 0.5


@dataclass(frozen=True)
class ModelTestPlan:
    """How models are tested."""

    oracles: tuple[str, ...]
    step_limit: int
    """Longest run of a model."""
    work: int
    """Decisions and expansions that the test on one task may take."""
    limits: Limits = DEFAULT_LIMITS
    """The limits of an oracle on one state."""
    with_plans: bool = False
    """True if the plans that prove bugs are wanted."""


@dataclass(frozen=True, eq=False)
class PooledTask:
    """A task and the states in which all models are tested there."""

    task: SavedTask
    states: StateArray


def make_pool(task: Task, options: FuzzOptions, *names: str | int) -> StateArray:
    """Test states of walks from the initial state; the names tell the pools of one seed apart."""
    seed = Stream(options.seed, "pool", *names).integer(0, 2**63 - 1)
    fuzzer = Fuzzer(
        Bench(task, NoPolicy(), make_objective(OBJECTIVE, task)), replace(options, seed=seed)
    )
    while fuzzer.finished is None:
        check_stop()
        fuzzer.round()
    return fuzzer.pool.states()


def objection(task: Task, oracles: Sequence[str]) -> str | None:
    """The reason why these oracles cannot test models on a task; None if they can."""
    bench = Bench(task, NoPolicy(), make_objective(OBJECTIVE, task))
    try:
        for spec in oracles:
            make_oracle(spec, bench).close()
    except BugsieveError as error:
        return str(error)
    return None


class TaskTester:
    """Tests models on one task."""

    def __init__(self, pooled: PooledTask, plan: ModelTestPlan) -> None:
        self._states = pooled.states
        self._plan = plan
        self._grounding = ground(pooled.task.load())

    def test(self, weights: Weights) -> PoolTest:
        """Test the model with these weights; the test of another one does not change it."""
        task, plan = self._grounding.task, self._plan
        policy = AsnetPolicy(self._grounding, weights, "asnets:model")
        objective = make_objective(OBJECTIVE, task)
        bench = Bench(task, policy, objective, step_limit=plan.step_limit)
        start = time.thread_time()
        oracles = [make_oracle(spec, bench, limits=plan.limits) for spec in plan.oracles]
        try:
            found = examine_pool(
                bench, oracles, self._states, work=plan.work, with_plans=plan.with_plans
            )
            return replace(found, cpu_seconds=time.thread_time() - start)
        finally:
            for oracle in oracles:
                oracle.close()


class ModelTester(Protocol):
    """Tests models on all tasks."""

    def test(self, weights: Weights) -> list[PoolTest]:
        """The results of the model on each task, in their order."""
        ...

    def close(self, *, at_once: bool = False) -> None:
        """Let go of everything; `at_once` if there may be work under way."""
        ...


class LocalTester:
    """Tests in this process, one task after the other; each is loaded when it is first needed."""

    def __init__(self, tasks: Sequence[PooledTask], plan: ModelTestPlan) -> None:
        self._tasks = tasks
        self._plan = plan
        self._testers: dict[int, TaskTester] = {}

    def test(self, weights: Weights) -> list[PoolTest]:
        """The results of the model on each task, in their order."""
        return [self.test_one(number, weights) for number in range(len(self._tasks))]

    def test_one(self, number: int, weights: Weights) -> PoolTest:
        """The result of the model on the task of this number."""
        check_stop()
        with doing(f"testing the model on {self._tasks[number].task.name}"):
            if number not in self._testers:
                self._testers[number] = TaskTester(self._tasks[number], self._plan)
            return self._testers[number].test(weights)

    def close(self, *, at_once: bool = False) -> None:
        """There is nothing to let go of."""


class ProcessTester:
    """Tests in processes of their own; each has its share of the tasks, the large ones first."""

    def __init__(self, tasks: Sequence[PooledTask], plan: ModelTestPlan, workers: int) -> None:
        order = sorted(range(len(tasks)), key=lambda n: (-len(tasks[n].task.sas), n))
        self._shares = [order[first::workers] for first in range(min(workers, len(tasks)))]
        self._tasks = tasks
        self._plan = plan
        self._children: list[Child] = []

    def test(self, weights: Weights) -> list[PoolTest]:
        """The results of the model on each task, in their order."""
        self._start()
        found: dict[int, PoolTest] = {}
        with doing(f"testing the model on {counted(len(self._tasks), 'task')}"):
            self._send(weights)
            while len(found) < len(self._tasks):
                check_stop()
                connections = {child.connection: child for child in self._children}
                for connection in wait(list(connections), _LOOK_SECONDS):
                    place, test = _answer(connections[connection])  # type: ignore[index]
                    found[place] = test
        return [found[number] for number in range(len(self._tasks))]

    def close(self, *, at_once: bool = False) -> None:
        """End the processes."""
        for child in self._children:
            child.dismiss()
        end = time.monotonic() + (0.0 if at_once else _CLEANUP_SECONDS)
        for child in self._children:
            child.reap(end)
        self._children = []

    def _send(self, weights: Weights) -> None:
        try:
            for child in self._children:
                child.send(weights)
        except ChildDiedError as death:
            raise _explained(death) from None

    def _start(self) -> None:
        if self._children:
            return
        try:
            for share in self._shares:
                self._children.append(Child(_MODULE))
                tasks = {number: self._tasks[number] for number in share}
                self._children[-1].send((tasks, self._plan))
        except BaseException:
            self.close(at_once=True)
            raise


def _answer(child: Child) -> tuple[int, PoolTest]:
    """The number of a task and its test; raises what the process met instead."""
    try:
        answer: Any = child.receive()
    except ChildDiedError as death:
        raise _explained(death) from None
    if isinstance(answer, BaseException):
        raise answer
    number, test = answer
    return number, test


def _explained(death: ChildDiedError) -> BudgetError | InternalError:
    """The reason why a process ended without an answer."""
    if death.code == -signal.SIGKILL:
        return BudgetError(
            "a process that tests models was killed, perhaps because the memory ran out: use "
            "fewer workers; what was stored is kept"
        )
    return InternalError(
        f"a process that tests models ended unexpectedly (exit code {death.code})"
    )


def make_tester(tasks: Sequence[PooledTask], plan: ModelTestPlan, workers: int) -> ModelTester:
    """One that tests in this process, or in up to so many others."""
    several = min(workers, len(tasks)) > 1
    return ProcessTester(tasks, plan, workers) if several else LocalTester(tasks, plan)
