"""The native network equals the twin that looks everything up by name."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bugsieve.base.stopping import Stopped, StopToken
from bugsieve.rooms.formats.asnets.goals import goal_atoms
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.reference.asnets import choice
from tests.unit.policies.asnets.tasks import (
    DOMAINS,
    applicable_names,
    hall,
    made,
    network,
    twin_logits,
    walked,
    words,
)


def compare(task: Task, *, states: int = 4, hidden: int = 16, layers: int = 2) -> None:
    policy = network(task, seed=3, hidden=hidden, layers=layers)
    goal = set(goal_atoms(task))
    for state in walked(task, 20 * states)[::20]:
        expected = twin_logits(policy, state, goal)
        found = policy.logits(state)[0]
        assert np.abs(found - expected).max() <= 1e-5 * max(1.0, np.abs(expected).max())
        scores = dict(zip(policy.grounding.actions, found.tolist(), strict=True))
        wanted = choice(scores, applicable_names(policy.grounding, state))
        (chosen,) = policy.choose(state)
        assert wanted == (None if chosen < 0 else words(task.operator_names[chosen]))


@pytest.mark.parametrize("domain", DOMAINS)
def test_scores_equal_the_twin(domain: str) -> None:
    compare(made(domain))


def test_scores_equal_the_twin_where_facts_are_missing() -> None:
    task = hall()
    related = network(task).grounding.related
    assert any((table == len(network(task).grounding.facts)).any() for table in related)
    compare(task, states=8)


@pytest.mark.parametrize(
    ("hidden", "layers"), [(1, 1), (5, 2), (16, 1), (16, 3), (20, 2), (33, 2)]
)
def test_other_sizes_equal_the_twin(hidden: int, layers: int) -> None:
    compare(hall(), hidden=hidden, layers=layers)
    compare(made("blocksworld"), states=1, hidden=hidden, layers=layers)


@pytest.mark.parametrize("domain", ["blocksworld", "transport"])
def test_scores_are_the_same_bits_in_every_batch_and_on_all_instructions(domain: str) -> None:
    task = made(domain)
    states = walked(task, 70)
    together = network(task)
    scores, chosen = together.logits(states), together.choose(states)
    plain = network(task, baseline=True)
    assert plain.logits(states).tobytes() == scores.tobytes()
    for size in (1, 2, 7, 64):
        parts = [states[k : k + size] for k in range(0, len(states), size)]
        again = np.concatenate([together.logits(part) for part in parts])
        assert again.tobytes() == scores.tobytes()
        assert np.array_equal(np.concatenate([together.choose(p) for p in parts]), chosen)


def test_sums_beyond_all_floats_are_no_reason_to_fail() -> None:
    task = made("blocksworld")
    policy = network(task)
    for _, module in policy.weights.modules():
        module.weight[:] *= np.float32(1e38)
    again = type(policy)(policy.grounding, policy.weights, "asnets:huge")
    (chosen,) = again.choose(task.initial_state)
    assert task.is_applicable(task.initial_state, [chosen])[0]


WIDE = 64
"""Of vectors: some 50 states of the tasks below are then worth a thread."""


def many(task: Task, count: int) -> StateArray:
    """More states than a walk of 70 has, in another order each time."""
    return np.array(walked(task, 70)[np.random.default_rng(1).integers(0, 70, count)])


def test_threads_change_no_bit() -> None:
    """Whatever the number of states that a batch has, just enough for one thread more or not."""
    task = made("blocksworld")
    states = many(task, 400)
    alone = network(task, hidden=WIDE)
    scores, chosen = alone.logits(states), alone.choose(states)
    for threads in (1, 2, 3, 7):
        shared = network(task, hidden=WIDE, threads=threads)
        for size in (0, 1, 2, 3, 7, 8, *range(45, 225, 9), 399, 400):
            assert shared.logits(states[:size]).tobytes() == scores[:size].tobytes()
            assert np.array_equal(shared.choose(states[:size]), chosen[:size])


def test_threads_take_a_part_of_the_work() -> None:
    task = made("blocksworld")
    states = many(task, 3000)
    for threads in (1, 4):
        policy = network(task, hidden=WIDE, threads=threads)
        mine, everyone = time.thread_time(), time.process_time()
        policy.choose(states)
        mine, everyone = time.thread_time() - mine, time.process_time() - everyone
        assert (mine < 0.9 * everyone) is (threads > 1)


def test_several_may_ask_a_network_that_has_threads() -> None:
    task = made("blocksworld")
    states = many(task, 200)
    policy = network(task, hidden=WIDE, threads=3)
    expected = network(task, hidden=WIDE).logits(states)

    def ask(number: int) -> bool:
        rows = slice(10 * number, 200)
        return policy.logits(states[rows]).tobytes() == expected[rows].tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, [0, 1, 2, 3] * 2))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_end_comes_in_the_middle_of_a_batch(threads: int) -> None:
    """Of a minute of work; a later question is answered as ever."""
    task = made("blocksworld")
    policy = network(task, hidden=WIDE, threads=threads)
    states = many(task, 1_500_000)
    start = time.monotonic()
    with pytest.raises(Stopped), StopToken(start + 0.2).active():
        policy.choose(states)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        policy.choose(states)
    timer.join()
    assert time.monotonic() - start < 20
    again = network(task, hidden=WIDE).choose(states[:50])
    assert np.array_equal(policy.choose(states[:50]), again)
