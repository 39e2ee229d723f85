"""NumPy's `.npz`: named arrays `*.weight` and `*.bias`, with `activation`, `inputs`, …."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.archive import unpack
from bugsieve.rooms.formats.networks.network import Network, shortened
from bugsieve.rooms.formats.networks.tensors import check_size, network_of

_BYTES_OF_TEXT = 64
_LAST_CHARACTER = 0x10FFFF
_DESCRIPTION = ("activation", "inputs", "outputs", "filter")


def read_npz(file: str, data: bytes, prefixes: Sequence[str] | None = None) -> Network:
    """The network in the bytes of an `.npz` file."""
    arrays = {
        name.removesuffix(".npy"): _array(f"{file}: array {name.removesuffix('.npy')!r}", member)
        for name, member in unpack(file, data, "NumPy (.npz)").items()
    }
    metadata = {
        name: _plain(f"{file}: array {name!r}", arrays.pop(name))
        for name in _DESCRIPTION
        if name in arrays
    }
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            kind = shortened(array.dtype)
            raise InputError(
                f"{file}: array {name!r} has elements of type {kind}; floats can be read"
            )
    return network_of(file, arrays, prefixes, metadata)


def _array(place: str, data: bytes) -> NDArray[Any]:
    """Written afresh because NumPy's reader believes any shape before it looks for the data."""
    stream = io.BytesIO(data)
    shape, is_transposed, dtype = _header(place, stream)
    take_memory(len(data))
    body = data[stream.tell() :]
    if dtype.hasobject or dtype.kind not in "fUb" or dtype.itemsize == 0:
        raise InputError(f"{place} has elements of type {shortened(dtype)}; floats can be read")
    # The size is compared before anything is allocated: a header may claim any shape.
    check_size(place, body, shape, dtype.itemsize)
    if dtype.kind == "U":
        _check_text(place, np.frombuffer(body, dtype=np.dtype("u4").newbyteorder(dtype.byteorder)))
    flat = np.frombuffer(body, dtype=dtype)
    return flat.reshape(shape, order="F" if is_transposed else "C")


def _header(place: str, stream: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, is_transposed, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, is_transposed, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"version {version}")
        if any(n < 0 for n in shape) or len(shape) > 8:
            raise ValueError(f"shape {shape}")
    except Exception as error:  # the header is a Python expression, which can be wrong in any way
        raise InputError(f"{place} is no NumPy array ({shortened(error)})") from None
    return shape, is_transposed, dtype


def _plain(place: str, array: NDArray[Any]) -> object:
    """Names and flags as `describe` takes them."""
    if array.dtype.kind == "f":
        raise InputError(
            f"{place} has elements of type {shortened(array.dtype)}; texts or a flag can be read"
        )
    take_memory(_BYTES_OF_TEXT * array.size + array.nbytes)
    return array.tolist()


def _check_text(place: str, characters: NDArray[np.uint32]) -> None:
    """Python has no way to hold numbers beyond Unicode, and what NumPy then raises varies."""
    if (characters > _LAST_CHARACTER).any():
        raise InputError(f"{place} holds no text")
