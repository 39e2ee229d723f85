"""Reads network files; the ending of the name says which format it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bugsieve.base.allowances import allowance
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.names import no_such
from bugsieve.rooms.formats.networks.interface import read_interface
from bugsieve.rooms.formats.networks.network import ACTIVATIONS, MAX_BYTES, Network
from bugsieve.rooms.formats.networks.nnet import read_nnet
from bugsieve.rooms.formats.networks.numpy_arrays import read_npz
from bugsieve.rooms.formats.networks.onnx import read_onnx
from bugsieve.rooms.formats.networks.pytorch import read_pytorch
from bugsieve.rooms.formats.networks.safetensors import read_safetensors
from bugsieve.rooms.formats.networks.stable_baselines import read_stable_baselines
from bugsieve.tasks.sources import read_input

_TENSOR_FILES = {
    ".safetensors": read_safetensors,
    ".npz": read_npz,
    ".pth": read_pytorch,
    ".pt": read_pytorch,
}
_OTHER_FILES = {".onnx": read_onnx, ".nnet": read_nnet, ".zip": read_stable_baselines}
_INTERFACE = ".jani2nnet"

ENDINGS = (*_TENSOR_FILES, *_OTHER_FILES, _INTERFACE)
"""Endings of the files that `read_network` takes."""


def read_network(
    path: str | os.PathLike[str],
    *,
    layers: Sequence[str] | None = None,
    activation: str | None = None,
) -> Network:
    """The network in a file; InputError says what is wrong with it.

    Files of named tensors do not say how they are connected: the natural order of the names is
    the order of the layers. `layers` names the prefixes of the tensors to take, in their order,
    where a file holds more than one network. `activation` says what is between the layers where
    the file does not; where it does, both must be the same.
    """
    with allowance(os.fspath(path)):
        network = _read(path, layers)
    if activation is not None and activation not in ACTIVATIONS:
        raise UsageError(no_such("activation", activation, ACTIVATIONS))
    if activation is not None and network.activation not in (None, activation):
        raise UsageError(
            f"{os.fspath(path)}: has {network.activation} between its layers, not {activation}"
        )
    network = replace(network, activation=network.activation or activation)
    if network.needs_activation:
        raise UsageError(
            f"{os.fspath(path)}: does not say which activation is between its layers; say it by "
            f"activation=NAME, one of {', '.join(ACTIVATIONS)} (actors of Stable-Baselines3 have "
            "tanh unless told otherwise)"
        )
    return network


def _read(path: str | os.PathLike[str], layers: Sequence[str] | None) -> Network:
    name = os.fspath(path)
    ending = Path(name).suffix.lower()
    if ending in _TENSOR_FILES:
        return _TENSOR_FILES[ending](
            name, read_input(path, kind="network", max_bytes=MAX_BYTES), layers
        )
    if Path(name).is_dir():
        raise InputError(f"{name}: is a directory, give the network file inside it")
    if ending not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise InputError(f"{name}: networks are read from files that end in {known}")
    if layers is not None:
        raise UsageError(f"{name}: layers can be chosen only in files of named tensors")
    if ending == _INTERFACE:
        return _read_through_interface(path)
    return _OTHER_FILES[ending](name, read_input(path, kind="network", max_bytes=MAX_BYTES))


def _read_through_interface(path: str | os.PathLike[str]) -> Network:
    interface = read_interface(path)
    target = Path(path).parent / interface.file
    if target.suffix.lower() == _INTERFACE:
        raise InputError(f"{os.fspath(path)}: 'file' must name a network, not an interface file")
    return interface.applied_to(_read(target, None), str(target))
