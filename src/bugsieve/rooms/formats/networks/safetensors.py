"""Safetensors: the length of a JSON header, the header, and raw numbers."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import JSON_FACTOR, take_memory
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.rooms.formats.networks.network import Network, check_length, shortened
from bugsieve.rooms.formats.networks.tensors import decode_tensor, network_of

_LENGTH = struct.Struct("<Q")
_METADATA = "__metadata__"
_MOST_DIMENSIONS = 8
_LONGEST_HEADER = 16 << 20


def read_safetensors(file: str, data: bytes, prefixes: Sequence[str] | None = None) -> Network:
    """The network in the bytes of a safetensors file."""
    tensors, metadata = read_tensors(file, data)
    return network_of(file, tensors, prefixes, metadata)


def read_tensors(file: str, data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Tensors by name and the metadata, whose values may be anything, in the bytes of a file."""
    header, body = _split(file, data)
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict):
        raise InputError(f"{file}: '{_METADATA}' is no object")
    check_length(file, header)
    stored = {name: _stored(file, name, entry, body) for name, entry in header.items()}
    _require_cover(file, stored, body)
    tensors = {name: tensor.decoded(body) for name, tensor in stored.items()}
    return tensors, metadata


def write_safetensors(
    path: str | os.PathLike[str], network: Network, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a network, what else is known of it as metadata, and what the caller adds."""
    if network.normalisation is not None:
        raise UsageError("a network with normalised inputs cannot be written as safetensors")
    if network.needs_activation:
        raise UsageError("the network must say which activation is between its layers")
    write_tensors(path, _tensors(network), {**dict(metadata or {}), **_description(network)})


def write_tensors(
    path: str | os.PathLike[str],
    tensors: Mapping[str, NDArray[np.float32]],
    metadata: Mapping[str, str],
) -> None:
    """Write tensors as 32-bit floats."""
    write_atomically(Path(path), tensor_bytes(tensors, metadata))


def tensor_bytes(tensors: Mapping[str, NDArray[np.float32]], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a file with these tensors as 32-bit floats."""
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    parts: list[bytes] = []
    position = 0
    for name, array in tensors.items():
        data = np.ascontiguousarray(array, dtype="<f4").tobytes()
        offsets = [position, position + len(data)]
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": offsets}
        position += len(data)
        parts.append(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of 8
    return b"".join([_LENGTH.pack(len(text)), text, *parts])


def _tensors(network: Network) -> dict[str, NDArray[np.float32]]:
    tensors = {}
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        tensors[f"layers.{number}.weight"] = weight
        tensors[f"layers.{number}.bias"] = bias
    return tensors


def _description(network: Network) -> dict[str, str]:
    about: dict[str, str] = {}
    if network.activation is not None:
        about["activation"] = network.activation
    if network.inputs is not None:
        about["inputs"] = json.dumps(network.inputs, ensure_ascii=False)
    if network.outputs is not None:
        about["outputs"] = json.dumps(network.outputs, ensure_ascii=False)
    if network.filter is not None:
        about["filter"] = "yes" if network.filter else "no"
    return about


def is_safetensors(data: bytes) -> bool:
    """Return true if the bytes begin as such a file does."""
    return data[_LENGTH.size : _LENGTH.size + 1] == b"{"


def _split(file: str, data: bytes) -> tuple[dict[str, Any], memoryview]:
    if len(data) < _LENGTH.size:
        raise InputError(f"{file}: is truncated, a safetensors file has at least 8 bytes")
    (length,) = _LENGTH.unpack_from(data)
    end = _LENGTH.size + length
    if not is_safetensors(data):
        raise InputError(f"{file}: is no safetensors file, its header does not begin with '{{'")
    # Before the length is believed: 8 bytes can announce a header of exabytes.
    if length > _LONGEST_HEADER:
        raise InputError(f"{file}: has a header of {length} bytes, too long for a network")
    if end > len(data):
        raise InputError(
            f"{file}: is truncated, its header ends at byte {end}, the file at byte {len(data)}"
        )
    take_memory(JSON_FACTOR * length)
    try:
        header = json.loads(data[_LENGTH.size : end].decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(f"{file}: the header is no JSON object") from None
    return header, memoryview(data)[end:]


@dataclass(frozen=True)
class _Stored:
    """The header's entry on a tensor, and `place` for sentences."""

    place: str
    kind: str
    shape: list[int]
    begin: int
    end: int

    def decoded(self, body: memoryview) -> NDArray[Any]:
        take_memory(self.end - self.begin)
        return decode_tensor(self.place, bytes(body[self.begin : self.end]), self.kind, self.shape)


def _require_cover(file: str, stored: Mapping[str, _Stored], body: memoryview) -> None:
    """Refuse tensors that overlap and bytes of no tensor, neither of which the format allows."""
    position = 0
    for tensor in sorted(stored.values(), key=lambda tensor: (tensor.begin, tensor.end)):
        if tensor.begin != position:
            what = "overlaps another one" if tensor.begin < position else "follows unused bytes"
            raise InputError(
                f"{tensor.place} begins at byte {tensor.begin} of the data, where it {what}; "
                "tensors must lie one behind the other"
            )
        position = tensor.end
    if position != len(body):
        raise InputError(f"{file}: {len(body) - position} bytes at its end belong to no tensor")


def _stored(file: str, name: str, entry: Any, body: memoryview) -> _Stored:
    place = f"{file}: tensor {name!r}"
    if not isinstance(entry, dict):
        raise InputError(f"{place} is no object")
    shape, offsets = _counts(entry.get("shape")), _counts(entry.get("data_offsets"))
    if shape is None or len(shape) > _MOST_DIMENSIONS:
        raise InputError(f"{place} has no shape")
    if offsets is None or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise InputError(f"{place} has no data offsets")
    begin, end = offsets
    if end > len(body):
        raise InputError(
            f"{place} ends at byte {end} of the data, but the file is truncated at {len(body)}"
        )
    kind = entry.get("dtype")
    if not isinstance(kind, str):
        raise InputError(f"{place} has no dtype")
    return _Stored(place, shortened(kind), shape, begin, end)


def _counts(value: Any) -> list[int] | None:
    if isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value):
        return value
    return None
