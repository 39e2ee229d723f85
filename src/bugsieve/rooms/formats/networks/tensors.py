"""Named tensors, as safetensors, NumPy and PyTorch files hold them, and the layers they form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.names import suggest
from bugsieve.rooms.formats.networks.network import (
    ACTIVATIONS,
    Layer,
    Network,
    NetworkDescription,
    assemble,
    shortened,
)

FLOAT_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""Element types we read, by their names in safetensors, and how NumPy sees their bytes."""

_WEIGHT, _BIAS = ".weight", ".bias"
_MOST_SHOWN = 4


def decode_tensor(place: str, data: bytes, kind: str, shape: Sequence[int]) -> NDArray[Any]:
    """The numbers in raw little-endian bytes; `place` begins the sentence on what is wrong."""
    if kind not in FLOAT_TYPES:
        known = ", ".join(FLOAT_TYPES)
        raise InputError(f"{place} has elements of type {kind}; {known} can be read")
    check_size(place, data, shape, np.dtype(FLOAT_TYPES[kind]).itemsize)
    numbers = np.frombuffer(data, dtype=FLOAT_TYPES[kind])
    if kind == "BF16":  # the upper half of a 32-bit float
        take_memory(4 * len(data))
        numbers = (numbers.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return numbers.reshape(tuple(shape))


def check_size(place: str, data: bytes, shape: Sequence[int], size: int) -> None:
    """Refuse data that are not as long as elements of this size and shape need, or empty."""
    if 0 in shape:  # its other sizes may be too large for NumPy
        raise InputError(f"{place} is empty")
    # Python's integers cannot overflow here, so an absurd shape is simply unequal.
    needed = prod(shape) * size
    if needed != len(data):
        raise InputError(
            f"{place} of the shape {tuple(shape)} needs {needed} bytes, but has {len(data)}"
        )


def network_of(
    file: str,
    tensors: Mapping[str, NDArray[Any]],
    prefixes: Sequence[str] | None,
    metadata: Mapping[str, object] | None = None,
) -> Network:
    """The network that the named tensors of a file form; InputError where they form none."""
    layers = layers_in(file, tensors, prefixes)
    hint = prefix_hint(tensors, prefixes)
    return assemble(file, layers, describe(file, metadata or {}), hint=hint)


def layers_in(
    file: str, tensors: Mapping[str, NDArray[Any]], prefixes: Sequence[str] | None = None
) -> list[Layer]:
    """Layers made of `*.weight` and `*.bias`, in the natural order of their names.

    With prefixes, the tensors below the first come first, and all others are left out.
    """
    layers = []
    for name in choose_names(file, tensors, prefixes):
        stem, _, _ = name.rpartition(".")
        if name.endswith(_WEIGHT):
            layers.append(Layer(stem, tensors[name], tensors.get(stem + _BIAS)))
        # Anything else (a convolution, an embedding, statistics of a normalisation) would be part
        # of the function that we do not compute.
        elif not name.endswith(_BIAS) or stem + _WEIGHT not in tensors:
            raise InputError(
                f"{file}: tensor {name!r} is neither the weight nor the bias of a layer"
            )
    if not layers:
        raise InputError(f"{file}: has no tensor whose name ends in '{_WEIGHT}'")
    return layers


def prefix_hint(tensors: Mapping[str, NDArray[Any]], prefixes: Sequence[str] | None) -> str:
    """A hint for the sentence on layers that do not fit: perhaps they are several networks."""
    heads = sorted({name.rpartition(".")[0].rstrip("0123456789").rstrip(".") for name in tensors})
    if prefixes is not None or len(heads) < 2:
        return ""
    shown = ", ".join(heads[:_MOST_SHOWN]) + (", …" if len(heads) > _MOST_SHOWN else "")
    return f"; name those of the policy in their order by layers=NAME+NAME, there are {shown}"


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Sorts `layer10` behind `layer9`."""
    parts = re.findall(r"(\D*)(\d{0,18})", name)
    return tuple((text, int(digits) if digits else -1) for text, digits in parts)


def describe(file: str, metadata: Mapping[str, object]) -> NetworkDescription:
    """The optional keys `activation`, `inputs`, `outputs` (JSON lists of names) and `filter`."""
    return NetworkDescription(
        activation=_activation(file, metadata.get("activation")),
        inputs=_names(file, "inputs", metadata.get("inputs")),
        outputs=_names(file, "outputs", metadata.get("outputs")),
        filter=_flag(file, metadata.get("filter")),
    )


def choose_names(file: str, names: Iterable[str], prefixes: Sequence[str] | None) -> list[str]:
    """The names of tensors in the order of layers; below the prefixes, where there are any."""
    ordered = sorted(names, key=natural_key)
    if prefixes is None:
        return ordered
    chosen: list[str] = []
    for prefix in prefixes:
        below = [name for name in ordered if name.startswith(prefix + ".")]
        if not below:
            stems = {name.rpartition(".")[0] for name in ordered}
            raise UsageError(f"{file}: has no layer {prefix!r}{suggest(prefix, stems)}")
        chosen += below
    return chosen


def _names(file: str, key: str, value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
        if value is None:
            raise InputError(f"{file}: metadata {key!r} is no JSON list of names")
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InputError(f"{file}: metadata {key!r} is no JSON list of names")
    return tuple(value)


def _activation(file: str, value: object) -> str | None:
    if value is None or value in ACTIVATIONS:
        return None if value is None else str(value)
    known = ", ".join(ACTIVATIONS)
    raise InputError(
        f"{file}: metadata 'activation' is {shortened(value)!r}; networks are read with {known}"
    )


def _flag(file: str, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    flag = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    found = flag.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise InputError(f"{file}: metadata 'filter' is neither 'yes' nor 'no'")
    return found
