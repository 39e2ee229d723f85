"""Zip files of Stable-Baselines3 with an `MlpPolicy` of PPO, A2C or DQN; no pickle in them is run.

`policy.pth` holds the layers, the JSON text `data` what the policy was made from. Objects are in
there as pickles, which are left alone, with their attributes beside them as text, which is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bugsieve.base.allowances import JSON_FACTOR, take_memory
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.archive import unpack
from bugsieve.rooms.formats.networks.network import Network, shortened
from bugsieve.rooms.formats.networks.pytorch import PytorchFile, open_pytorch

_STATE, _DATA = "policy.pth", "data"
_TYPE = ":type:"
_CLASS = re.compile(r"<class '(?:[\w.]+\.)?(\w+)'>")
_ACTIVATIONS = {
    "ReLU": "relu",
    "LeakyReLU": "leaky-relu",
    "ELU": "elu",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
}
_OURS = ("stable_baselines3.", "sb3_contrib.")
"""Modules whose policies compute what we compute; others may do anything with the layers."""


@dataclass(frozen=True)
class _Kind:
    """One layout of layers: stacks of them with an activation behind each, then a last one."""

    stacks: tuple[str, ...]
    last: str | None
    """None where it is the last of the stack."""
    others: tuple[str, ...]
    """Networks that decide nothing."""
    activation: str
    """Unless the policy was told another."""


_ACTOR_CRITIC = _Kind(
    ("mlp_extractor.shared_net", "mlp_extractor.policy_net"),
    "action_net",
    ("mlp_extractor.value_net", "value_net"),
    "tanh",
)
_DQN = _Kind(("q_net.q_net",), None, ("q_net_target.q_net",), "relu")


def read_stable_baselines(file: str, data: bytes) -> Network:
    """The network that decides in the bytes of a `.zip` file."""
    parts = unpack(file, data, "Stable-Baselines3 (zip)")
    if _STATE not in parts:
        raise InputError(
            f"{file}: has no part {_STATE!r}, so it is no policy that Stable-Baselines3 has saved"
        )
    state = open_pytorch(file, parts[_STATE])
    kind = _DQN if any(_below(name, _DQN.stacks) for name in state.names) else _ACTOR_CRITIC
    _check_tensors(file, state, kind)
    saved = _saved(file, parts.get(_DATA))
    _check_class(file, saved)
    _check_spaces(file, saved)
    stacks = tuple(s for s in kind.stacks if any(_below(name, (s,)) for name in state.names))
    last = () if kind.last is None else (kind.last,)
    return replace(state.network((*stacks, *last)), activation=_activation(file, saved, kind))


def _below(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name.startswith(f"{prefix}.") for prefix in prefixes)


def _check_tensors(file: str, state: PytorchFile, kind: _Kind) -> None:
    """Refuse what an `MlpPolicy` does not have: it would be part of the function."""
    last = (kind.last or kind.stacks[-1],)
    if not any(_below(name, last) for name in state.names):
        raise InputError(
            f"{file}: {_STATE} has no layer {last[0]!r}: only PPO, A2C and DQN are read"
        )
    for name in state.names:
        in_stack = next((s for s in kind.stacks if _below(name, (s,))), None)
        if in_stack is not None:
            number = name.removeprefix(f"{in_stack}.").partition(".")[0]
            is_known = number.isascii() and number.isdecimal() and number[-1] in "02468"
        else:
            is_known = _below(name, (*last, *kind.others))
        if not is_known:
            raise InputError(
                f"{file}: {_STATE} has {shortened(name)!r}, which is no part of an MlpPolicy with "
                "numbered actions; other policies are not read"
            )


def _saved(file: str, data: bytes | None) -> Mapping[str, Any]:
    """The arguments that made the policy; empty where the file does not say."""
    if data is None:
        return {}
    try:
        take_memory(JSON_FACTOR * len(data))
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: part {_DATA!r} is no JSON ({shortened(error)})") from None
    if not isinstance(document, dict):
        raise InputError(f"{file}: part {_DATA!r} must be an object")
    return document


def _object(saved: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = saved.get(key)
    return found if isinstance(found, dict) else {}


def _check_class(file: str, saved: Mapping[str, Any]) -> None:
    module = _object(saved, "policy_class").get("__module__")
    if isinstance(module, str) and not module.startswith(_OURS):
        raise InputError(
            f"{file}: its policy is a class of the module {shortened(module)!r}, which may "
            "compute anything; an MlpPolicy can be read"
        )
    extractor = _object(saved, "policy_kwargs").get("features_extractor_class")
    if extractor is not None and _class(extractor) != "FlattenExtractor":
        raise InputError(
            f"{file}: its policy changes observations by {shortened(extractor)!r} first; an "
            "MlpPolicy without a features extractor of its own can be read"
        )


def _check_spaces(file: str, saved: Mapping[str, Any]) -> None:
    """Observations are numbers as they are, and actions are numbered."""
    actions = _object(saved, "action_space").get(_TYPE)
    if actions is not None and _class(actions) != "Discrete":
        raise InputError(f"{file}: its actions are {shortened(actions)!r}; Discrete can be read")
    space = _object(saved, "observation_space")
    observations = space.get(_TYPE)
    if observations is not None and _class(observations) != "Box":
        raise InputError(
            f"{file}: its observations are {shortened(observations)!r}, which the policy encodes "
            "first; Box can be read"
        )
    shape = space.get("_shape")
    if isinstance(shape, list) and len(shape) != 1:
        raise InputError(f"{file}: its observations have {len(shape)} dimensions; 1 can be read")


def _activation(file: str, saved: Mapping[str, Any], kind: _Kind) -> str | None:
    """The activation between the layers; None where the file does not say it."""
    if not isinstance(saved.get("policy_kwargs"), dict):
        return None
    told = _object(saved, "policy_kwargs").get("activation_fn")
    if told is None:
        return kind.activation
    name = _class(told)
    if name not in _ACTIVATIONS:
        known = ", ".join(_ACTIVATIONS)
        raise InputError(f"{file}: has the activation {shortened(told)!r}; {known} can be read")
    return _ACTIVATIONS[name]


def _class(text: object) -> str | None:
    """The name in `<class 'module.name'>`."""
    match = _CLASS.fullmatch(text) if isinstance(text, str) else None
    return None if match is None else match[1]
