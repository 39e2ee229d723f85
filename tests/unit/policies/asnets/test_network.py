"""The native network equals the twin that looks everything up by name."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.policies.asnets.goals import goal_atoms
from bugsieve.tasks.fdr.task import Task
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
