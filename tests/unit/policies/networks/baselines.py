"""Files as Stable-Baselines3 saves them, written by PyTorch alone.

The layout is that of its `save_to_zip_file` and `data_to_json`: what is no JSON is a pickle in
base64, with the type and the attributes of the object beside it, as text.
"""

from __future__ import annotations

import base64
import io
import json
import pickle
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

PPO = "stable_baselines3.common.policies"
DQN = "stable_baselines3.dqn.policies"


class Bomb:
    """Leaves a file behind wherever a pickle of it is run."""

    def __reduce__(self) -> Any:
        return (Path.touch, (Path("made-by-a-pickle"),))


def pickled(kind: str, **attributes: Any) -> dict[str, Any]:
    """An object that is no JSON."""
    return {
        ":type:": f"<class '{kind}'>",
        ":serialized:": base64.b64encode(pickle.dumps(Bomb())).decode(),
        **attributes,
    }


def data(module: str = PPO, **changes: Any) -> dict[str, Any]:
    """What the part `data` says."""
    whole = {
        "policy_class": pickled("abc.ABCMeta", __module__=module, __doc__="Policy class …"),
        "verbose": 1,
        "policy_kwargs": {},
        "observation_space": pickled(
            "gymnasium.spaces.box.Box", dtype="float32", _shape=[3], low="[-inf -inf -inf]"
        ),
        "action_space": pickled("gymnasium.spaces.discrete.Discrete", n="3", start="0", _shape=[]),
        "learning_rate": 0.0003,
        "max_grad_norm": float("inf"),
        "lr_schedule": pickled("stable_baselines3.common.utils.FloatSchedule"),
    }
    return {**whole, **changes}


def actor_critic(activation: str, *sizes: int, shared: tuple[int, ...] = ()) -> Any:
    """The modules of an `ActorCriticPolicy`: inputs, hidden layers, outputs."""
    torch = pytest.importorskip("torch")
    inputs, *hidden, outputs = sizes
    before = shared[-1] if shared else inputs
    extractor = torch.nn.Module()
    if shared:
        extractor.shared_net = _stack(activation, inputs, *shared)
    extractor.policy_net = _stack(activation, before, *hidden)
    extractor.value_net = _stack(activation, before, 7)
    policy = torch.nn.Module()
    policy.mlp_extractor = extractor
    policy.action_net = torch.nn.Linear(hidden[-1] if hidden else before, outputs)
    policy.value_net = torch.nn.Linear(7, 1)
    return policy


def q_networks(activation: str, *sizes: int) -> Any:
    """The modules of a `DQNPolicy`."""
    torch = pytest.importorskip("torch")
    policy = torch.nn.Module()
    *body, outputs = sizes
    for name in ("q_net", "q_net_target"):
        inner = torch.nn.Module()
        stack = [*_stack(activation, *body), torch.nn.Linear(body[-1], outputs)]
        inner.q_net = torch.nn.Sequential(*stack)
        setattr(policy, name, inner)
    return policy


def _stack(activation: str, *sizes: int) -> Any:
    torch = pytest.importorskip("torch")
    modules: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        modules += [torch.nn.Linear(inputs, outputs), getattr(torch.nn, activation)()]
    return torch.nn.Sequential(*modules)


def saved(about: Any, state: Any) -> bytes:
    """The bytes of the file; without the part whose content is None."""
    torch = pytest.importorskip("torch")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        if about is not None:
            text = about if isinstance(about, bytes) else json.dumps(about, indent=4)
            archive.writestr("data", text)
        for name, content in (("pytorch_variables", None), ("policy.optimizer", {"state": {}})):
            with archive.open(f"{name}.pth", "w", force_zip64=True) as part:
                torch.save(content, part)
        if state is not None:
            with archive.open("policy.pth", "w", force_zip64=True) as part:
                torch.save(state, part)
        archive.writestr("_stable_baselines3_version", "2.3.0")
        archive.writestr("system_info.txt", "- OS: none")
    return stream.getvalue()
