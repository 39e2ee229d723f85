"""What a stop token ends, and that everything it has ended can be asked again.

Without the token, the work here takes minutes or never ends.
"""

from __future__ import annotations

import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.checkers.cost import Checker
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.proving import Prover
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.fast_downward import VARIABLE, FastDownward
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.novelty import NovelStates
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.policies.foreign.function_policy import FunctionPolicy
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.safety.oracles.decide import Safety, SafetyDecider, WordArray
from bugsieve.tasks.grounded.task import ActionArray, StateArray
from bugsieve.tasks.search import astar, exact_goal_distances
from bugsieve.tasks.search_limits import NO_LIMITS
from tests.unit.clock import Clock
from tests.unit.native.chains import switches
from tests.unit.oracles.benches import places, road_bench, road_map
from tests.unit.oracles.safety.paths import path_system
from tests.unit.policies.line import as_task, at, line_task

_CLOSES_ITS_OUTPUT = """
import os, sys, time
print('{"ready": true}', flush=True)
sys.stdin.readline()
sys.stdin.readline()
os.close(1)
time.sleep(600)
"""

_SLOW = """
import os, time
def policy(facts, applicable):
    if os.path.exists({marker!r}):
        time.sleep(600)
    return applicable[-1]
"""


@contextmanager
def stopped_soon(token: StopToken | None = None) -> Iterator[None]:
    """Inside, work must end by Stopped."""
    token = token or StopToken(time.monotonic() + 0.2)
    with pytest.raises(Stopped), token.active():
        yield


class Patient:
    """Goes right, after a pause while `pause` is not 0."""

    def __init__(self, pause: float) -> None:
        self.pause = pause

    def choose(self, states: StateArray) -> ActionArray:
        """The step to the right has the number of the place."""
        time.sleep(self.pause)
        return states[:, 0].astype(np.int32)


def test_native_searches() -> None:
    task = as_task(switches(60))
    with stopped_soon():
        astar(task, task.initial_state, "blind")
    with stopped_soon():
        exact_goal_distances(task, max_states=10**12)
    assert astar(task, task.initial_state, "lmcut").cost == 60


def test_a_native_search_when_another_thread_says_so() -> None:
    task, token = as_task(switches(60)), StopToken()
    thread = threading.Timer(0.1, token.stop)
    thread.start()
    with stopped_soon(token):
        astar(task, task.initial_state, "blind")
    thread.join()


def test_calls_of_the_core_however_short_each_of_them_is() -> None:
    task = line_task(4)
    with stopped_soon(StopToken(0.0)):
        for _ in range(100_000):
            task.all_successors(task.initial_state)


def test_policies_that_search_in_state_after_state() -> None:
    task = line_task(60)
    with stopped_soon(StopToken(0.0)):
        for _ in range(1000):
            make_policy("lazy:hff", task).choose(at(*range(60)))
    assert make_policy("lazy:hff", task).choose(at(40)).tolist() == [40]


def test_a_heuristic_that_was_stopped_gives_the_same_values_later() -> None:
    task = as_task(switches(80))
    states = task.all_successors(task.initial_state)[0]
    stopped, fresh = (make_policy("greedy:lmcut", task) for _ in range(2))
    with stopped_soon(StopToken(time.monotonic() + 0.05)):
        while True:
            stopped.choose(states)
            stopped = make_policy("greedy:lmcut", task)
    assert stopped.choose(states).tolist() == fresh.choose(states).tolist()


@pytest.mark.parametrize("algorithm", _native.SAFETY_ALGORITHMS)
def test_safety_deciders(algorithm: str) -> None:
    pauses = [0.1]

    def policy(rows: WordArray) -> ActionArray:
        if pauses:
            time.sleep(pauses[0])
        return np.zeros(len(rows), dtype=np.int32)

    system = path_system(3000, "unsafe")
    judge = SafetyDecider(system, policy, algorithm=algorithm, radius=0)
    with stopped_soon():
        judge.decide([0])
    pauses.clear()
    assert judge.decide([0, 2999]).safety.tolist() == [Safety.LOST, Safety.LOST]


def test_a_policy_in_a_worker_process(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    file = tmp_path / "slow.py"
    file.write_text(_SLOW.format(marker=str(marker)))
    limits = WorkerLimits(deadline=900)
    with make_policy(f"python:{file}:policy", line_task(4), limits=limits) as policy:
        graph = PolicyGraph(policy.task, policy)
        marker.touch()
        with stopped_soon():
            graph.table(at(1))
        marker.unlink()
        assert graph.decide(at(1)).failures == {}
        assert policy.choose(at(1, 0)).tolist() == [3, 0]


def test_a_policy_that_is_slow_to_start(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    file = tmp_path / "slow.py"
    file.write_text(f"import os, time\nif os.path.exists({str(marker)!r}): time.sleep(600)\n")
    file.write_text(file.read_text() + "def policy(facts, applicable): return applicable[0]\n")
    with make_policy(f"python:{file}:policy", line_task(4)) as policy:
        policy.close()
        marker.touch()
        with stopped_soon():
            policy.choose(at(1))
        marker.unlink()
        assert policy.choose(at(1)).tolist() == [1]


def test_a_program_that_closes_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "closes.py"
    file.write_text(_CLOSES_ITS_OUTPUT)
    with make_policy(f"cmd:{sys.executable} {file}", line_task(4)) as policy:
        Clock(monkeypatch)  # stands still: we would wait for its end for ever
        token = StopToken()
        thread = threading.Timer(0.3, token.stop)
        thread.start()
        with stopped_soon(token):
            PolicyGraph(policy.task, policy).decide(at(1))
        thread.join()


def test_a_function_that_is_slow_in_every_state() -> None:
    task = line_task(4)
    policy = FunctionPolicy(task, lambda facts, applicable: time.sleep(0.05))
    with stopped_soon():
        policy.choose(at(*[1] * 10_000))


def test_runs_of_a_policy_graph() -> None:
    policy = Patient(0.1)
    task = line_task(1000)
    graph = PolicyGraph(task, policy)
    with stopped_soon():
        graph.table(at(0, 17, 500))
    assert graph.decisions_taken > 0
    policy.pause = 0
    asked = at(0, 17, 500, 998)
    cut, whole = graph.table(asked), PolicyGraph(task, policy).table(asked)
    for name in ("endings", "steps", "costs"):
        assert getattr(cut, name).tolist() == getattr(whole, name).tolist()


@pytest.mark.parametrize("spec", ["lookahead:2", "planner:ehc", "aras", "any:aras+perfect"])
def test_oracles_stop_between_states(spec: str) -> None:
    roads = ((0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 3))
    bench = road_bench(road_map(roads, places=4, goal=3), {0: 2, 1: 1, 2: 3})
    oracle = make_oracle(spec, bench)
    suspects = bench.suspects(places(0))
    many = suspects.rows([0] * 100_000)
    with stopped_soon():
        oracle.judge(many)
    (verdict,) = oracle.judge(suspects)
    assert verdict.is_bug and verdict.gap == 2


def test_fuzzing_drops_the_round_under_way() -> None:
    task, policy = line_task(300), Patient(0.1)
    options = FuzzOptions(
        pool_size=100, walk_length=1000, bias="policy-quality", prune_dead_ends=False
    )

    def fuzzer() -> Fuzzer:
        bench = Bench(task, policy, make_objective("quantitative", task))
        return Fuzzer(bench, options)

    cut = fuzzer()
    with stopped_soon():
        cut.round()
    assert cut.walks_done == 0 and len(cut.pool) == 1
    policy.pause = 0
    found, expected = cut.round(), fuzzer().round()
    assert [(e.walk, e.actions) for e in found] == [(e.walk, e.actions) for e in expected]
    assert len(found) > 0


class _HalfStore:
    """Learns of half of the states, then the time is over."""

    def __init__(self, store: _native.NoveltyStore) -> None:
        self._store = store

    def insert(self, states: StateArray) -> None:
        self._store.insert(states[: len(states) // 2])
        raise Stopped


def test_a_filter_that_was_stopped_has_learnt_nothing() -> None:
    task = line_task(20)
    pool = Pool(task)
    pool.add(task.initial_state)
    states = at(*range(10))
    stopped, fresh = NovelStates(pool, 1), NovelStates(pool, 1)
    stopped._known = _HalfStore(stopped._store())  # type: ignore[assignment]
    with pytest.raises(Stopped):
        stopped.admit(states)
    assert stopped.admit(states).tolist() == fresh.admit(states).tolist()
    assert stopped.would_admit(at(3, 12)).tolist() == [False, True]


def _claim() -> tuple[Bench, Parcel, Verdict]:
    roads = ((0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 3))
    bench = road_bench(road_map(roads, places=4, goal=3), {0: 2, 1: 1, 2: 3})
    (verdict,) = make_oracle("lookahead:2", bench).judge(bench.suspects(places(0)))
    return bench, Parcel.given(places(0)), verdict


def test_proofs_are_checked_under_the_token() -> None:
    bench, parcel, verdict = _claim()
    prover = Prover(bench)
    with stopped_soon(StopToken(0.0)):
        prover.prove(parcel.case(0), verdict, "lookahead:2")
    assert isinstance(prover.prove(parcel.case(0), verdict, "lookahead:2"), Bug)


def test_a_checker_polls_in_every_part_of_the_task_and_every_step() -> None:
    bench, parcel, verdict = _claim()
    bug = Prover(bench).prove(parcel.case(0), verdict, "lookahead:2")
    assert isinstance(bug, Bug)
    polls: list[None] = []
    checker = Checker(bench.task.to_sas(), poll=lambda: polls.append(None))
    checker.check(bug.certificate)
    read = len(polls)
    checker.check(bug.certificate)
    steps = len(bug.certificate["run"]["operators"]) + len(bug.certificate["plan"]["operators"])
    assert len(polls) - read == steps and read - steps > bench.task.num_operators


def test_fast_downward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "downward"
    program.write_text("#!/bin/sh\nsleep 600\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(VARIABLE, str(program))
    task = line_task(4)
    with stopped_soon():
        FastDownward("astar(blind())").search(task, task.initial_state, NO_LIMITS, None)
