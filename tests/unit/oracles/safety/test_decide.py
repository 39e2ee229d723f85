"""The front of the deciders: verdicts, faults, limits, policies of all forms, wrong calls."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import BudgetError, UsageError
from bugsieve.rooms.safety.oracles.decide import Fault, Safety, SafetyDecider, WordArray
from bugsieve.tasks.search_limits import Limits
from tests.unit.oracles.safety.graphs import Kind, certificate_of, graph_system
from tests.unit.oracles.safety.paths import path_system

ALGORITHMS = _native.SAFETY_ALGORITHMS

# The policy goes 0 -> 1 -> 2 or 3, where 3 is unsafe; 1 could go back to 0, and 0 to the goal 4.
KINDS = [Kind.ORDINARY, Kind.ORDINARY, Kind.ORDINARY, Kind.UNSAFE, Kind.GOAL, Kind.ORDINARY]
TRANSITIONS: list[dict[int, list[int]]] = [
    {0: [1], 1: [4, 5]},
    {0: [2, 3], 1: [0]},
    {0: [3]},
    {},
    {},
    {},  # a run ends here
]
POLICY = [0, 0, 0, -1, -1, -1]
GRAPH = graph_system(KINDS, TRANSITIONS)


def decider(**options: Any) -> SafetyDecider:
    return SafetyDecider(GRAPH, POLICY, **options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("radius", "safe"),
    [
        (0, [0, 0, 0, 0, 1, 1]),
        (1, [1, 0, 0, 0, 1, 1]),  # 1 must differ twice: back to 0, then to the goal
        (2, [1, 1, 0, 0, 1, 1]),
        (None, [1, 1, 0, 0, 1, 1]),
    ],
)
def test_verdicts(algorithm: str, radius: int | None, safe: list[int]) -> None:
    verdicts = decider(algorithm=algorithm, radius=radius).decide(range(6))
    assert verdicts.safety.tolist() == safe
    assert verdicts.limits == (None,) * 6
    assert len(verdicts) == 6 and verdicts[0] is Safety(safe[0])


def test_several_faults_of_one_run() -> None:
    assert decider().faults([0, 1, 3]).faults == (Fault(1, (1,), (3,)),)
    assert decider(radius=1).faults([0, 1, 3]).faults == (Fault(0, (0,), (1,)),)
    # 0 -> 1 is a way back for the system, so that a run may leave the safe region twice.
    system = graph_system([0, 0, 2], [{0: [1, 2], 1: [0]}, {0: [0, 2], 1: [1]}, {}])
    found = SafetyDecider(system, [0, 0, -1]).faults([0, 1, 0, 2])
    assert [fault.position for fault in found.faults] == [0, 1, 2]
    assert {fault.outcome for fault in found.faults} == {(2,)}
    assert found.safety.tolist() == [1, 1, 1, 0]


def test_a_policy_without_an_applicable_action_has_no_fault_and_everything_differs_from_it() -> (
    None
):
    system = graph_system([0, 2], [{0: [0], 1: [1]}, {}])
    for answer in (-1, 5):
        assert SafetyDecider(system, [answer, -1]).faults([0]).faults == ()
        assert SafetyDecider(system, [answer, -1], radius=7).decide([0])[0] is Safety.LOST
    assert SafetyDecider(system, [0, -1], radius=0).decide([0])[0] is Safety.SAFE


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_limit_is_named(algorithm: str) -> None:
    def verdict(limits: Limits) -> str | None:
        judge = SafetyDecider(path_system(100_000, "unsafe"), algorithm=algorithm, limits=limits)
        verdicts = judge.decide([0])
        assert verdicts[0] is Safety.UNKNOWN
        with pytest.raises(BudgetError, match="limit"):
            certificate_of(judge, [0])
        return verdicts.limits[0]

    assert verdict(Limits(expansions=10)) == "expansions"
    assert verdict(Limits(seconds=0)) == "time"
    assert verdict(Limits(bytes=1000)) == "memory"


def test_unknown_steps_of_a_run_are_listed() -> None:
    system = path_system(1000, "goal")
    policy = np.zeros(1000, dtype=np.int32)
    judge = SafetyDecider(system, policy, limits=Limits(expansions=10))
    found = judge.faults([0, 985, 999])
    assert found.safety.tolist() == [-1, -1, 1]
    assert found.unknown == (0, 1)


def test_states_are_asked_about_once() -> None:
    asked: list[int] = []

    def policy(rows: WordArray) -> np.ndarray[Any, np.dtype[np.int32]]:
        assert rows.dtype == np.uint64 and rows.shape == (len(rows), 1)
        asked.extend(rows[:, 0].tolist())
        return np.array([POLICY[state] for state in rows[:, 0]], dtype=np.int32)

    judge = SafetyDecider(GRAPH, policy, radius=1)
    for _ in range(2):
        assert judge.decide(range(6)).safety.tolist() == [1, 0, 0, 0, 1, 1]
    assert sorted(asked) == [0, 1, 2, 5]  # neither goals nor dangers


def test_what_a_policy_raises_comes_out_and_spoils_nothing() -> None:
    broken = True

    def policy(rows: WordArray) -> np.ndarray[Any, np.dtype[np.int32]]:
        if broken and rows[0, 0] == 1:
            raise ZeroDivisionError("no idea")
        return np.array([POLICY[int(rows[0, 0])]], dtype=np.int32)

    for algorithm in ALGORITHMS:
        broken = True
        judge = SafetyDecider(GRAPH, policy, algorithm=algorithm, radius=2)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="no idea"):
                judge.decide([1])
        broken = False
        assert judge.decide(range(6)).safety.tolist() == [1, 1, 0, 0, 1, 1]


def test_a_policy_that_asks_the_decider_back_is_refused() -> None:
    def policy(rows: WordArray) -> np.ndarray[Any, np.dtype[np.int32]]:
        judge.decide(rows)
        return np.zeros(1, dtype=np.int32)

    judge = SafetyDecider(GRAPH, policy, radius=0)
    with pytest.raises(UsageError, match="asked"):
        judge.decide([0])


@pytest.mark.parametrize("answer", [np.zeros(2, dtype=np.int32), np.zeros(1), "up", None])
def test_a_policy_with_a_wrong_answer_is_refused(answer: Any) -> None:
    with pytest.raises(UsageError, match="1 operator number"):
        SafetyDecider(GRAPH, lambda rows: answer, radius=0).decide([0])


def test_an_interrupt_ends_a_decision() -> None:
    def policy(rows: WordArray) -> np.ndarray[Any, np.dtype[np.int32]]:
        if rows[0, 0] == 500:
            threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,)).start()
        return np.zeros(1, dtype=np.int32)

    judge = SafetyDecider(path_system(1_000_000, "goal"), policy, radius=0)
    with pytest.raises(KeyboardInterrupt):
        judge.decide([0])
    assert judge.num_expanded < 1_000_000


def test_threads_share_a_decider() -> None:
    judge = SafetyDecider(path_system(50_000, "unsafe"))

    def is_lost(start: int) -> bool:
        return not judge.decide(np.arange(start, 50_000, 97)).safety.any()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(is_lost, range(4))) == [True] * 4


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: decider(algorithm="dijkstra"), "no algorithm"),
        (lambda: decider(radius=-1), "at least 0"),
        (lambda: decider(radius=2**40), "at most"),
        (lambda: decider(radius=1.5), "whole number"),
        (lambda: SafetyDecider(GRAPH, radius=1), "needs a policy"),
        (lambda: SafetyDecider(GRAPH).faults([0]), "need a policy"),
        (lambda: SafetyDecider(GRAPH, [[0]]), "list"),
        (lambda: SafetyDecider(GRAPH, [0.5]), "list"),
        (lambda: decider().decide([6]), "no state 6"),
        (lambda: decider().decide([-1]), "negative"),
        (lambda: decider().decide([0.5]), "type"),
        (lambda: decider().decide([[0, 1]]), "shape"),
        (lambda: certificate_of(decider(), [0, 1]), "one state"),
        (lambda: graph_system([0], []), "1 kinds"),
        (lambda: graph_system([0], [{0: [1]}]), "no state 1"),
        (lambda: graph_system([0], [{0: []}]), "no outcomes"),
        (lambda: graph_system([3], [{}]), "unknown kind"),
        (lambda: graph_system([0], [{-1: [0]}]), "no action -1"),
    ],
)
def test_wrong_calls_get_a_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        call()
