"""The messages of the service `phrm.policy.Policy`, read and written without generated code.

As protocol buffers (proto2), with the numbers of the fields:

    GetFDRTaskFD              {}                         -> {1: string task}
    GetFDRStateOperator       {1: {1: repeated int32}}   -> {1: int32 operator}
    GetFDRStateOperatorsProb  {1: {1: repeated int32}}   -> {1: repeated {1: int32 operator,
                                                                          2: float prob}}

A task is SAS text, a state has one value per variable of it, and operators are numbered from 0 in
the order of the text; -1 stands for none.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from bugsieve.rooms.formats.networks.protobuf import Fields, WireError, fields, integers, messages

SERVICE = "phrm.policy.Policy"
TASK = "GetFDRTaskFD"
OPERATOR = "GetFDRStateOperator"
DISTRIBUTION = "GetFDRStateOperatorsProb"
METHODS = (TASK, OPERATOR, DISTRIBUTION)

Distribution = list[tuple[int, float]]
"""Operators with their probabilities."""

# The key of a field is its number and its wire type: 0 for varints, 2 for bytes, 5 for floats.
_BYTES_1, _VARINT_1, _FLOAT_2 = b"\x0a", b"\x08", b"\x15"


def task_reply(text: bytes) -> bytes:
    """The answer to GetFDRTaskFD."""
    return _nested(text)


def read_task(reply: bytes) -> bytes:
    """The SAS text; WireError if there is none."""
    found = messages(fields(reply), 1)
    if not found:
        raise WireError("it has no task")
    return found[-1]


def state_request(values: Iterable[int]) -> bytes:
    """The question about a state."""
    return _nested(b"".join(_VARINT_1 + _varint(value) for value in values))


def read_state(request: bytes) -> list[int]:
    """The values of a state; WireError if there is none."""
    found = messages(fields(request), 1)
    if not found:
        raise WireError("it has no state")
    return integers(fields(found[-1]), 1)


def operator_reply(operator: int) -> bytes:
    """The answer to GetFDRStateOperator."""
    return _VARINT_1 + _varint(operator)


def read_operator(reply: bytes) -> int:
    """The operator; WireError if there is none."""
    return _operator(fields(reply))


def distribution_reply(distribution: Distribution) -> bytes:
    """The answer to GetFDRStateOperatorsProb."""
    return b"".join(
        _nested(operator_reply(operator) + _FLOAT_2 + struct.pack("<f", probability))
        for operator, probability in distribution
    )


def read_distribution(reply: bytes) -> Distribution:
    """Operators with their probabilities, in the order of the message."""
    return [_probability(fields(entry)) for entry in messages(fields(reply), 1)]


def _probability(entry: Fields) -> tuple[int, float]:
    probabilities = entry.get(2, [])
    if not probabilities or not isinstance(probabilities[-1], int):
        raise WireError("an operator has no probability")
    data = (probabilities[-1] & 0xFFFFFFFF).to_bytes(4, "little")
    return _operator(entry), float(struct.unpack("<f", data)[0])


def _operator(found: Fields) -> int:
    numbers: Sequence[int] = integers(found, 1)
    if not numbers:
        raise WireError("it has no operator")
    return numbers[-1]


def _nested(data: bytes) -> bytes:
    return _BYTES_1 + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """Seven bits a byte, low ones first; negative numbers as 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
