"""Protocol buffers as fields by number; enough to read the messages of ONNX files."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from bugsieve.base.allowances import take_memory, take_work
from bugsieve.rooms.formats.networks.network import MAX_NAME

Value = int | bytes
Fields = dict[int, list[Value]]

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


_MOST_VALUES = 1 << 21  # of one message or one packed field; numbers in bytes are not counted


_BYTES_OF_MESSAGE, _BYTES_OF_VALUE = 300, 48


class WireError(ValueError):
    """The bytes are not a message."""


def fields(data: bytes) -> Fields:
    """The values of all fields of a message; nested messages and strings are bytes."""
    found: Fields = {}
    for count, (number, value) in enumerate(_walk(data)):
        if count >= _MOST_VALUES:
            raise WireError("a message has too many fields")
        found.setdefault(number, []).append(value)
    count = sum(map(len, found.values()))
    take_work(2 + count)
    take_memory(_BYTES_OF_MESSAGE + _BYTES_OF_VALUE * count)
    return found


def messages(found: Fields, number: int) -> list[bytes]:
    """The values of a field of messages, strings or bytes."""
    values = found.get(number, [])
    if not all(isinstance(value, bytes) for value in values):
        raise WireError(f"field {number} has the wrong type")
    return [value for value in values if isinstance(value, bytes)]


def text(found: Fields, number: int) -> str:
    """The last value of a field of strings, "" if there is none."""
    values = messages(found, number)
    return values[-1].decode("utf-8", errors="replace") if values else ""


def name(found: Fields, number: int) -> str:
    """A text that is short enough for a sentence."""
    return ["", *names_in(found, number)][-1]


def names_in(found: Fields, number: int) -> list[str]:
    """All values of a repeated field of names."""
    values = [value.decode("utf-8", errors="replace") for value in messages(found, number)]
    if any(len(value) > MAX_NAME for value in values):
        raise WireError(f"a name has more than {MAX_NAME} characters")
    return values


def integers(found: Fields, number: int) -> list[int]:
    """All values of a repeated field of integers, packed or not."""
    numbers: list[int] = []
    for value in found.get(number, []):
        if isinstance(value, int):
            numbers.append(_signed(value))
            continue
        position = 0
        while position < len(value):
            if len(numbers) >= _MOST_VALUES:
                raise WireError("a field has too many numbers")
            item, position = _varint(value, position)
            numbers.append(_signed(item))
    take_work(1 + len(numbers))
    take_memory(_BYTES_OF_VALUE * len(numbers))
    return numbers


def integer(found: Fields, number: int, default: int = 0) -> int:
    """The last value of a field of integers."""
    return ([default, *integers(found, number)])[-1]


def fixed(found: Fields, number: int, size: int) -> bytes:
    """The bytes of a repeated field of floats (size 4) or doubles (8), packed or not."""
    parts = []
    # Packed values come as one block of bytes, single ones as a number.
    for value in found.get(number, []):
        parts.append(value if isinstance(value, bytes) else value.to_bytes(8, "little")[:size])
    return b"".join(parts)


def real(found: Fields, number: int, default: float) -> float:
    """The last value of a field of floats."""
    data = fixed(found, number, 4)
    return float(struct.unpack("<f", data[-4:])[0]) if len(data) >= 4 else default


def _walk(data: bytes) -> Iterator[tuple[int, Value]]:
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise WireError("a field has the number 0")
        if wire == _VARINT:
            value, position = _varint(data, position)
            yield number, value
            continue
        if wire == _LENGTH:
            size, position = _varint(data, position)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise WireError(f"a field has the unknown wire type {wire}")
        if size > len(data) - position:
            raise WireError("it ends in the middle of a field")
        part = data[position : position + size]
        yield number, part if wire == _LENGTH else int.from_bytes(part, "little")
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    # Seven bits a byte: 64 bits take ten bytes, of which the last has bits to spare.
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise WireError("it ends in the middle of a number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, position
    raise WireError("a number has more than 10 bytes")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
