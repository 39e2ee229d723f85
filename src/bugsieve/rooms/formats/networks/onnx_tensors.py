"""Tensors of ONNX files, stored inside them or in a file beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.network import MAX_BYTES, shortened
from bugsieve.rooms.formats.networks.protobuf import (
    Fields,
    fields,
    fixed,
    integer,
    integers,
    messages,
    text,
)
from bugsieve.rooms.formats.networks.protobuf import name as short_name
from bugsieve.rooms.formats.networks.tensors import decode_tensor
from bugsieve.tasks.sources import read_input

_DIMENSIONS, _TYPE, _FLOATS, _INTS, _NAME, _RAW, _DOUBLES = 1, 2, 4, 5, 8, 9, 10
_EXTERNAL, _LOCATION = 13, 14
_FLOAT, _INT32, _INT64, _HALF, _DOUBLE, _BFLOAT = 1, 6, 7, 10, 11, 16
_KINDS = {_FLOAT: "F32", _HALF: "F16", _DOUBLE: "F64", _BFLOAT: "BF16"}


class DataFiles:
    """The files beside a network, each of which is read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, bytes] = {}

    def __getitem__(self, name: str) -> bytes:
        """The bytes of a file; InputError unless it is a regular one."""
        if name not in self._known:
            path = self._folder / name
            data = read_input(path, kind="ONNX data", max_bytes=MAX_BYTES, is_typed=False)
            self._known[name] = data
        return self._known[name]


def read_tensor(file: str, beside: DataFiles, tensor: Fields) -> NDArray[Any]:
    """The numbers of a TensorProto; those of integers, which no layer needs, are left out."""
    place = f"{file}: tensor {short_name(tensor, _NAME)!r}"
    shape = integers(tensor, _DIMENSIONS)
    if any(n < 0 for n in shape) or len(shape) > 8:
        raise InputError(f"{place} has the shape {tuple(shape[:9])}")
    kind = integer(tensor, _TYPE)
    if kind in (_INT32, _INT64):
        return np.zeros(0, dtype=np.int64)
    if kind not in _KINDS:
        raise InputError(f"{place} has elements of type number {kind}; floats can be read")
    data = _data(place, beside, tensor, kind)
    take_memory(len(data))
    return decode_tensor(place, data, _KINDS[kind], shape)


def _data(place: str, beside: DataFiles, tensor: Fields, kind: int) -> bytes:
    if integer(tensor, _LOCATION) == 1:
        return _external(place, beside, tensor)
    raw = messages(tensor, _RAW)
    if raw:
        return raw[-1]
    if kind == _FLOAT:
        return fixed(tensor, _FLOATS, 4)
    if kind == _DOUBLE:
        return fixed(tensor, _DOUBLES, 8)
    halves = [number & 0xFFFF for number in integers(tensor, _INTS)]  # one in each integer
    return np.array(halves, dtype="<u2").tobytes()


def _external(place: str, beside: DataFiles, tensor: Fields) -> bytes:
    """Exporters put large tensors into a file in the same folder; no other one is opened."""
    found = (fields(entry) for entry in messages(tensor, _EXTERNAL))
    entries = {text(entry, 1): text(entry, 2) for entry in found}
    name = shortened(entries.get("location", ""))
    if not name or Path(name).name != name or name in (".", ".."):
        raise InputError(f"{place} is stored in {name!r}, which is no file of the same folder")
    data = beside[name]
    offset = _number(place, entries.get("offset", "0"))
    length = _number(place, entries.get("length", str(max(0, len(data) - offset))))
    if offset + length > len(data):
        raise InputError(
            f"{place} ends at byte {offset + length} of {name}, which has {len(data)} bytes"
        )
    return data[offset : offset + length]


def _number(place: str, digits: str) -> int:
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise InputError(f"{place} has no whole number for its place in the data file")
    return int(digits)
