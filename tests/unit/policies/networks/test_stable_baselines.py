"""Policies of Stable-Baselines3: the layers that decide, their activation, and nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.formats.networks import read_network
from tests.unit.policies.networks.baselines import (
    DQN,
    actor_critic,
    data,
    pickled,
    q_networks,
    saved,
)
from tests.unit.policies.networks.files import write

torch = pytest.importorskip("torch")
MODULE = "torch.nn.modules.activation"


@pytest.fixture(autouse=True)
def _nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(1)
    yield
    assert not (tmp_path / "made-by-a-pickle").exists()


def told(activation: str, **more: Any) -> dict[str, Any]:
    """`policy_kwargs` with an activation, which is a class and no JSON."""
    return pickled("dict", activation_fn=f"<class '{MODULE}.{activation}'>", **more)


def check(path: Path, expected: Any) -> None:
    """Our network gives the scores of the modules."""
    network = read_network(path)
    rows = np.random.default_rng(0).normal(size=(20, network.num_inputs)).astype(np.float32)
    core = _native.Network(
        list(network.weights), list(network.biases), network.activation or "relu"
    )
    with torch.no_grad():
        theirs = expected(torch.from_numpy(rows)).numpy()
    assert np.abs(core.outputs(rows) - theirs).max() < 1e-5


@pytest.mark.parametrize("activation", ["Tanh", "ReLU", "ELU", "LeakyReLU", "Sigmoid"])
def test_actors(tmp_path: Path, activation: str) -> None:
    policy = actor_critic(activation, 3, 16, 9, 3)
    about = data(policy_kwargs={} if activation == "Tanh" else told(activation, net_arch=[16, 9]))
    path = write(tmp_path, "ppo.zip", saved(about, policy.state_dict()))
    check(path, lambda x: policy.action_net(policy.mlp_extractor.policy_net(x)))


def test_actors_with_shared_layers(tmp_path: Path) -> None:
    policy = actor_critic("Tanh", 3, 5, 3, shared=(8, 6))
    path = write(tmp_path, "a2c.zip", saved(data(), policy.state_dict()))
    extractor = policy.mlp_extractor
    check(path, lambda x: policy.action_net(extractor.policy_net(extractor.shared_net(x))))


def test_actors_without_hidden_layers(tmp_path: Path) -> None:
    policy = actor_critic("Tanh", 3, 3)
    path = write(tmp_path, "ppo.zip", saved(data(), policy.state_dict()))
    check(path, policy.action_net)


@pytest.mark.parametrize("activation", ["ReLU", "Tanh"])
def test_q_networks(tmp_path: Path, activation: str) -> None:
    policy = q_networks(activation, 3, 12, 12, 3)
    kwargs = {} if activation == "ReLU" else told(activation)
    path = write(tmp_path, "dqn.zip", saved(data(DQN, policy_kwargs=kwargs), policy.state_dict()))
    check(path, policy.q_net.q_net)


def test_a_file_that_does_not_say_its_activation(tmp_path: Path) -> None:
    state = actor_critic("Tanh", 3, 5, 3).state_dict()
    for about in (None, {}, data(policy_kwargs=None)):
        path = write(tmp_path, "ppo.zip", saved(about, state))
        with pytest.raises(UsageError, match="does not say which activation"):
            read_network(path)
        assert read_network(path, activation="elu").activation == "elu"
    path = write(tmp_path, "ppo.zip", saved(data(), state))
    with pytest.raises(UsageError, match="has tanh between its layers, not relu"):
        read_network(path, activation="relu")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "activation": ({"policy_kwargs": told("SiLU")}, "has the activation .*SiLU.*; ReLU, .* read"),
    "a function": (
        {"policy_kwargs": {"activation_fn": "<function f at 0x7>"}},
        "has the activation '<function f at 0x7>'",
    ),
    "own class": (
        {"policy_class": pickled("abc.ABCMeta", __module__="my_policies")},
        "a class of the module 'my_policies', which may compute anything",
    ),
    "extractor": (
        {"policy_kwargs": pickled("dict", features_extractor_class="<class 'm.Scaled'>")},
        "changes observations by .*Scaled",
    ),
    "continuous": (
        {"action_space": pickled("gymnasium.spaces.box.Box")},
        "its actions are .*Box.*; Discrete can be read",
    ),
    "several": (
        {"action_space": pickled("gymnasium.spaces.multi_discrete.MultiDiscrete")},
        "its actions are .*MultiDiscrete",
    ),
    "one-hot": (
        {"observation_space": pickled("gymnasium.spaces.discrete.Discrete")},
        "its observations are .*Discrete.*, which the policy encodes first; Box can be read",
    ),
    "images": (
        {"observation_space": pickled("gymnasium.spaces.box.Box", _shape=[3, 8, 8])},
        "its observations have 3 dimensions",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_would_be_computed_otherwise(tmp_path: Path, name: str) -> None:
    changes, sentence = WRONG[name]
    state = actor_critic("Tanh", 3, 5, 3).state_dict()
    path = write(tmp_path, "ppo.zip", saved(data(**changes), state))
    with pytest.raises(InputError, match=rf"ppo\.zip: .*{sentence}"):
        read_network(path)


TENSORS = {
    "features_extractor.cnn.0.weight": "which is no part of an MlpPolicy",
    "log_std": "which is no part of an MlpPolicy",
    "lstm_actor.weight_ih_l0": "which is no part of an MlpPolicy",
    "mlp_extractor.policy_net.1.weight": "which is no part of an MlpPolicy",
    "mlp_extractor.policy_net.x.weight": "which is no part of an MlpPolicy",
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_that_do_not_belong(tmp_path: Path, name: str) -> None:
    state = actor_critic("Tanh", 3, 5, 3).state_dict()
    path = write(tmp_path, "ppo.zip", saved(data(), {**state, name: torch.ones(3, 3)}))
    with pytest.raises(InputError, match=rf"'{name}', {TENSORS[name]}"):
        read_network(path)


@pytest.mark.parametrize(
    ("about", "state", "sentence"),
    [
        (data(), None, "has no part 'policy.pth', so it is no policy"),
        (data(), {"actor.mu.weight": 1}, "has no layer 'action_net': only PPO, A2C and DQN"),
        (data(), {}, "ppo.zip: holds no state dictionary"),
        (b"{", {"action_net.weight": 1}, "part 'data' is no JSON"),
        (b"[" * 100_000, {"action_net.weight": 1}, "part 'data' is no JSON"),
        (b"\xff", {"action_net.weight": 1}, "part 'data' is no JSON"),
        (b"[]", {"action_net.weight": 1}, "part 'data' must be an object"),
        (data(), {"action_net.weight": 1}, "tensor 'action_net.weight' is no plain tensor"),
    ],
)
def test_files_that_are_no_policies(tmp_path: Path, about: Any, state: Any, sentence: str) -> None:
    path = write(tmp_path, "ppo.zip", saved(about, state))
    with pytest.raises(InputError, match=sentence):
        read_network(path)


def test_a_pickle_instead_of_the_layers(tmp_path: Path) -> None:
    from tests.unit.policies.networks.baselines import Bomb

    path = write(tmp_path, "ppo.zip", saved(data(), Bomb()))
    with pytest.raises(InputError, match="ppo.zip: holds no state dictionary"):
        read_network(path)


def test_layers_cannot_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, "ppo.zip", saved(data(), actor_critic("Tanh", 3, 3).state_dict()))
    with pytest.raises(UsageError, match="layers can be chosen only"):
        read_network(path, layers=["action_net"])
