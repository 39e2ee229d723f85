"""The random policy of models: applicable, the same for the same state, and near uniform."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bugsieve.rooms.jani.policies.policy import NO_ACTION
from bugsieve.rooms.jani.policies.random import RandomModelPolicy
from bugsieve.rooms.jani.policies.registry import make_model_policy
from tests.unit.policies.models.lift import floors, lift


def test_the_choice_depends_on_the_state_and_the_seed_alone() -> None:
    model = lift()
    states = np.array(
        [model.state([f, o, w / 64]) for f in (0, 3) for o in (0 > 1, 1 > 0) for w in range(32)]
    )
    policy = RandomModelPolicy(model, seed=5)
    together = policy.choose(states)
    order = np.random.default_rng(0).permutation(len(states))
    assert policy.choose(states[order]).tolist() == together[order].tolist()
    assert [int(policy.choose(s[np.newaxis])[0]) for s in states] == together.tolist()
    assert (
        make_model_policy("random:5", model, seed=1).choose(states).tolist() == together.tolist()
    )
    assert make_model_policy("random", model, seed=5).spec == "random:5"
    assert make_model_policy("random:6", model).choose(states).tolist() != together.tolist()


def test_all_applicable_actions_are_chosen_about_equally_often() -> None:
    model = lift()
    states = np.array([model.state([2, False, load / 1024]) for load in range(2048)])
    counts = Counter(RandomModelPolicy(model).choose(states).tolist())
    assert {model.actions[action] for action in counts} == {"up", "down"}
    assert min(counts.values()) > 0.45 * len(states)  # 4.5 standard deviations from the half


def test_no_action_where_none_is_applicable() -> None:
    model = lift()
    assert RandomModelPolicy(model).choose(floors(model, 5)).tolist() == [NO_ACTION]
    assert RandomModelPolicy(model).choose(floors(model, 5)[:0]).tolist() == []


def test_minus_zero_is_zero() -> None:
    model = lift()
    states = np.repeat(floors(model, 1, 2, 3, 4), 2, axis=0)
    states[1::2, 2] = -0.0
    chosen = [RandomModelPolicy(model, seed=seed).choose(states) for seed in range(20)]
    assert all(row[::2].tolist() == row[1::2].tolist() for row in chosen)
