"""Training: learns what there is to learn, the same way each time, and stops when told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from bugsieve.policies.policy import PolicySettings
from bugsieve.rooms.formats.mlp import MlpPolicy
from bugsieve.rooms.formats.networks import write_safetensors
from bugsieve.rooms.training.learner import QNetwork
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.training.q_learning import (
    Evaluated,
    Event,
    TrainedNetwork,
    TrainingStarted,
    train_q,
)
from tests.unit.training.path import LEAP, path

QUICK = QOptions(
    hidden=(16,),
    steps=20_000,
    learning_rate=0.005,
    epsilon_decay=6_000,
    buffer=5_000,
    batch=32,
    warmup=200,
    target_every=50,
    envs=16,
    episode_limit=40,
    evaluate_every=2_000,
    evaluation_runs=50,
    progress_reward=0.0,
)


@pytest.fixture(scope="module")
def trained() -> TrainedNetwork:
    return train_q(path(), QUICK)


def test_a_small_model_is_learned_perfectly(trained: TrainedNetwork) -> None:
    assert (trained.best.goal_rate, trained.best.unsafe_rate) == (1.0, 0.0)
    assert trained.random.unsafe_rate > 0
    assert trained.steps < QUICK.steps  # stopped when all was well
    assert not trained.is_interrupted


def test_the_network_names_what_it_takes_and_gives(trained: TrainedNetwork) -> None:
    model = path()
    assert trained.network.inputs == ("position", "load")
    assert trained.network.outputs == model.actions
    assert trained.network.filter
    assert [w.shape for w in trained.network.weights] == [(16, 2), (3, 16)]


def test_the_same_seed_gives_the_same_network(trained: TrainedNetwork) -> None:
    again = train_q(path(), QUICK)
    for ours, theirs in zip(trained.network.weights, again.network.weights, strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert (again.best, again.steps) == (trained.best, trained.steps)
    other = train_q(path(), replace(QUICK, seed=1))
    assert other.network.weights[0].tobytes() != trained.network.weights[0].tobytes()


def test_the_written_network_acts_as_the_trained_one(
    trained: TrainedNetwork, tmp_path: pytest.TempPathFactory
) -> None:
    model = path()
    file = f"{tmp_path}/net.safetensors"
    write_safetensors(file, trained.network)
    states = np.array([model.state([p, x]) for p in range(6) for x in (0.0, 0.3, 1.0)])
    _, flags = model.observe(states)
    layers = list(zip(trained.network.weights, trained.network.biases, strict=True))
    expected = QNetwork(layers).greedy(states.astype(np.float32), flags)
    policy = MlpPolicy.from_spec(model, file, PolicySettings())
    assert policy.choose(states).tolist() == expected.tolist()
    assert model.actions.index(LEAP) not in expected.tolist()


def test_a_reward_for_progress_leaves_the_best_policy_the_best() -> None:
    found = train_q(path(), replace(QUICK, progress_reward=1.0, discount=0.9))
    assert (found.best.goal_rate, found.best.unsafe_rate) == (1.0, 0.0)


def test_without_scaling_the_weights_are_those_of_the_training() -> None:
    found = train_q(path(), replace(QUICK, normalise=False, steps=100))
    assert found.best_steps in (0, 112)
    assert np.abs(found.network.weights[0]).max() <= np.sqrt(6 / 2) + 0.1


def test_events() -> None:
    events: list[Event] = []
    train_q(path(), replace(QUICK, steps=4_100, stop_at=2.0), events.append)
    assert isinstance(events[0], TrainingStarted)
    looks = [event for event in events if isinstance(event, Evaluated)]
    assert [event.steps for event in looks] == [0, 2_000, 4_000, 4_112]
    assert looks[0].is_best
    assert looks[0].epsilon == 1.0 > looks[1].epsilon


def test_an_interruption_keeps_the_best_network() -> None:
    seen: list[Evaluated] = []

    def interrupt(event: Event) -> None:
        if isinstance(event, Evaluated):
            seen.append(event)
            if event.steps >= 4_000:
                raise KeyboardInterrupt

    found = train_q(path(), replace(QUICK, stop_at=2.0), interrupt)
    assert found.is_interrupted
    assert found.steps == 4_000
    best = [event for event in seen if event.is_best][-1]
    assert (found.best, found.best_steps) == (best.evaluation, best.steps)


def test_an_interruption_before_there_is_a_network_goes_through() -> None:
    def interrupt(event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_q(path(), QUICK, interrupt)


def test_settings_of_pytorch_are_left_as_they_were() -> None:
    import torch

    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    train_q(path(), replace(QUICK, steps=100, threads=3))
    assert before == (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled())
