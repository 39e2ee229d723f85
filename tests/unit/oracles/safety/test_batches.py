"""A policy whose calls are expensive is asked about many states at once, about none twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.rooms.safety.oracles.decide import SafetyDecider, WordArray
from tests.unit.oracles.safety.graphs import Kind, graph_system

Actions = np.ndarray[Any, np.dtype[np.int32]]

SIZE = 2000
DANGER = range(SIZE - 20, SIZE)


def tree() -> _native.ExplicitSystem:
    """State i leads to 3i + 1 … 3i + 3, by an action with three outcomes, or by one with one."""
    kinds = [Kind.UNSAFE if state in DANGER else Kind.ORDINARY for state in range(SIZE)]
    transitions: list[dict[int, list[int]]] = []
    for state in range(SIZE):
        children = [child for child in range(3 * state + 1, 3 * state + 4) if child < SIZE]
        transitions.append({0: children, 1: children[:1]} if children else {})
    return graph_system(kinds, transitions)


class Policy:
    """Action 0 everywhere; remembers what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def __call__(self, rows: WordArray) -> Actions:
        self.batches.append(rows[:, 0].tolist())
        return np.zeros(len(rows), dtype=np.int32)


@pytest.mark.parametrize("algorithm", _native.SAFETY_ALGORITHMS)
@pytest.mark.parametrize("radius", [0, 1, 3])
def test_few_calls_and_the_same_verdicts(algorithm: str, radius: int) -> None:
    policy = Policy()
    asked = SafetyDecider(tree(), policy, algorithm=algorithm, radius=radius)
    table = np.zeros(SIZE, dtype=np.int32)
    alone = SafetyDecider(tree(), table, algorithm=algorithm, radius=radius)
    for states in ([0], range(SIZE)):
        assert asked.decide(states).safety.tolist() == alone.decide(states).safety.tolist()
    assert asked.num_expanded == alone.num_expanded
    states_asked = [state for batch in policy.batches for state in batch]
    assert len(states_asked) == len(set(states_asked))
    assert not set(states_asked) & set(DANGER)
    assert len(policy.batches) < SIZE / 5


def failing(state: int, error: Callable[[], BaseException]) -> Callable[[WordArray], Actions]:
    def policy(rows: WordArray) -> Actions:
        if state in rows[:, 0]:
            raise error()
        return np.zeros(len(rows), dtype=np.int32)

    return policy


def test_a_failure_counts_only_in_states_that_matter() -> None:
    # 0 may go to 1 or 2, and 1 stays where it is: what the policy does in 2 is of no interest.
    system = graph_system([0, 0, 0], [{0: [1], 1: [2]}, {0: [1]}, {0: [2]}])
    judge = SafetyDecider(system, failing(2, ZeroDivisionError), radius=0)
    assert judge.decide([0, 1]).safety.tolist() == [1, 1]
    with pytest.raises(ZeroDivisionError):
        judge.decide([2])
    with pytest.raises(KeyboardInterrupt):
        SafetyDecider(system, failing(2, KeyboardInterrupt), radius=0).decide([0])


def test_decisions_of_a_run_are_asked_for_at_once() -> None:
    policy = Policy()
    system = graph_system([0] * 50, [{0: [(state + 1) % 50]} for state in range(50)])
    assert SafetyDecider(system, policy).faults(range(50)).faults == ()
    assert [len(batch) for batch in policy.batches] == [50]
