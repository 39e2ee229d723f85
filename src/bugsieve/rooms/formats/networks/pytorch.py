"""PyTorch's zip files with the state dictionary of a model, read without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.archive import unpack
from bugsieve.rooms.formats.networks.network import Network, check_length, shortened
from bugsieve.rooms.formats.networks.pickles import Call, Name, PickleError, Reference, read_pickle
from bugsieve.rooms.formats.networks.tensors import choose_names, decode_tensor, network_of

_STORAGES = {
    "FloatStorage": ("F32", 4),
    "DoubleStorage": ("F64", 8),
    "HalfStorage": ("F16", 2),
    "BFloat16Storage": ("BF16", 2),
}
_WRAPPERS = ("state_dict", "model_state_dict")
_ADVICE = (
    "save the state dictionary of its fully connected layers, "
    "or better safetensors.torch.save_file(model.state_dict(), ...)"
)


@dataclass(frozen=True, eq=False)
class PytorchFile:
    """The content of a file of PyTorch as plain data; tensors are decoded on request."""

    file: str
    content: Any
    parts: Mapping[str, bytes]
    folder: str

    def state(self) -> Mapping[str, Any] | None:
        """The state dictionary in it, its tensors not yet decoded; None if there is none."""
        state = _state(self.content)
        check_length(self.file, state or ())
        return state

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensors in the state dictionary."""
        return tuple(self._items())

    def network(self, prefixes: Sequence[str] | None = None) -> Network:
        """The network of all tensors, or of those below the prefixes, in their order."""
        items = self._items()
        # If layers were named, only these are decoded: the rest may be of any type.
        names = choose_names(self.file, items, prefixes)
        tensors = {name: self.tensor(name, items[name]) for name in names}
        return network_of(self.file, tensors, prefixes)

    def _items(self) -> Mapping[str, Any]:
        items = self.state()
        if items is None:
            raise InputError(f"{self.file}: holds no state dictionary of PyTorch; {_ADVICE}")
        return items

    def tensor(self, name: str, value: Any) -> NDArray[Any]:
        """A tensor of the content; InputError if it is not a tensor of floats."""
        return _tensor(f"{self.file}: tensor {name!r}", value, self.parts, self.folder)


def open_pytorch(file: str, data: bytes, *, advice: str = _ADVICE) -> PytorchFile:
    """The content of a zip file of PyTorch, of which nothing is run; `advice` ends errors."""
    parts = unpack(file, data, "PyTorch (zip)")
    pickles = [name for name in parts if name.endswith("data.pkl")]
    if len(pickles) != 1:
        raise InputError(f"{file}: holds no state dictionary of PyTorch; {advice}")
    folder = pickles[0].removesuffix("data.pkl")
    if parts.get(folder + "byteorder", b"little") != b"little":
        raise InputError(f"{file}: its numbers are not in little-endian order")
    try:
        content = read_pickle(parts[pickles[0]])
    except PickleError as error:
        raise InputError(
            f"{file}: cannot be read as a state dictionary ({shortened(error)}); {advice}"
        ) from None
    return PytorchFile(file, content, parts, folder)


def read_pytorch(file: str, data: bytes, prefixes: Sequence[str] | None = None) -> Network:
    """The network in the bytes of a `.pth` file."""
    return open_pytorch(file, data).network(prefixes)


def _state(value: Any) -> Mapping[str, Any] | None:
    """The dictionary of tensors, which checkpoints keep under a name of their own."""
    for _ in range(2):
        items = value.items if isinstance(value, Call) else value
        if not isinstance(items, dict) or not items:
            return None
        inner = next((items[name] for name in _WRAPPERS if name in items), None)
        if inner is None:
            return items
        value = inner
    return None


def _tensor(place: str, value: Any, parts: Mapping[str, bytes], folder: str) -> NDArray[Any]:
    # Parameters are wrapped tensors; buffers and plain dictionaries hold the tensors themselves.
    parameter = _arguments(value, "_rebuild_parameter", 1)
    arguments = _arguments(parameter[0] if parameter else value, "_rebuild_tensor_v2", 4)
    if arguments is None:
        raise InputError(f"{place} is no plain tensor; {_ADVICE}")
    reference, offset, shape, strides = arguments[:4]
    stored = _storage(place, reference, parts, folder)
    if not (_are_counts((offset,)) and _are_counts(shape) and _are_counts(strides)):
        raise InputError(f"{place} is damaged")
    return _view(place, stored, offset, shape, strides)


def _arguments(value: Any, function: str, least: int) -> tuple[Any, ...] | None:
    """The arguments of a call of this function of PyTorch, None for anything else."""
    if not isinstance(value, Call) or value.function != Name("torch._utils", function):
        return None
    arguments = value.arguments
    is_enough = isinstance(arguments, tuple) and len(arguments) >= least
    return arguments if is_enough else None


def _storage(place: str, reference: Any, parts: Mapping[str, bytes], folder: str) -> NDArray[Any]:
    target = reference.target if isinstance(reference, Reference) else None
    if not isinstance(target, tuple) or len(target) < 3 or not isinstance(target[1], Name):
        raise InputError(f"{place} is damaged")
    if target[1].name not in _STORAGES:
        raise InputError(
            f"{place} has elements of type {shortened(target[1])}; floats can be read"
        )
    data = parts.get(f"{folder}data/{target[2]}") if isinstance(target[2], str) else None
    if data is None:
        raise InputError(f"{place} has no data in the file")
    kind, size = _STORAGES[target[1].name]
    if len(data) % size:
        raise InputError(f"{place} has data of {len(data)} bytes, no multiple of {size}")
    return decode_tensor(place, data, kind, (len(data) // size,))


def _view(
    place: str,
    stored: NDArray[Any],
    offset: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
) -> NDArray[Any]:
    if len(shape) != len(strides) or len(shape) > 8:
        raise InputError(f"{place} is damaged")
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if 0 in shape or max(prod(shape), last + 1) > stored.size:
        raise InputError(f"{place} of the shape {shape} has data of {stored.size} elements")
    take_memory(prod(shape) * stored.itemsize)
    steps = tuple(step * stored.itemsize for step in strides)
    view = np.lib.stride_tricks.as_strided(stored[offset:], shape, steps)
    return np.ascontiguousarray(view)


def _are_counts(values: Any) -> bool:
    return isinstance(values, tuple) and all(
        type(value) is int and 0 <= value < 1 << 40 for value in values
    )
