"""Random damage to network files: what comes out is a network or one sentence of ours."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.errors import BugsieveError
from bugsieve.rooms.formats.networks import Network, read_network
from tests.unit.policies.networks.files import (
    FORMATS,
    message,
    nnet,
    onnx_model,
    onnx_node,
    pickled_state,
    pth,
    tensors,
    write,
)
from tests.unit.policies.networks.files import random_network as network_of

ROUNDS = 150
INTERESTING = (0, 1, 0x7F, 0x80, 0xFF)


def attempt(path: Path) -> bool:
    """Whether there is a network in the file; if so, it must work."""
    try:
        network = read_network(path, activation="relu")
    except BugsieveError as error:
        raised = error
    else:
        return works(network)
    assert raised.exit_code == 4
    assert "\n" not in str(raised)
    assert len(str(raised)) < 1000
    return False


def works(network: Network) -> bool:
    core = _native.Network(list(network.weights), list(network.biases), "relu")
    rows = np.ones((2, network.num_inputs), np.float32)
    assert core.outputs(rows).shape == (2, network.num_outputs)
    return True


def change_bytes(data: bytearray, rng: Random) -> None:
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.choice([rng.randrange(256), *INTERESTING])


def cut(data: bytearray, rng: Random) -> None:
    begin = rng.randrange(len(data))
    del data[begin : begin + rng.randint(1, 40)]


def repeat(data: bytearray, rng: Random) -> None:
    begin = rng.randrange(len(data))
    data[begin:begin] = data[begin : begin + rng.randint(1, 40)] * rng.choice([1, 2, 50])


def overwrite_number(data: bytearray, rng: Random) -> None:
    """A field of four or eight bytes becomes 0, huge or negative."""
    size = rng.choice([4, 8])
    begin = rng.randrange(max(1, len(data) - size))
    data[begin : begin + size] = rng.choice([b"\0", b"\xff", b"\x7f"]) * size


DAMAGES: list[Callable[[bytearray, Random], None]] = [
    change_bytes,
    cut,
    repeat,
    overwrite_number,
]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(
    tmp_path: Path, name: str, damage: Callable[[bytearray, Random], None]
) -> None:
    whole = FORMATS[name](network_of(3, 4, 2), tmp_path)
    rng = Random(f"{name} {damage.__name__}")
    refused = 0
    for _ in range(ROUNDS):
        data = bytearray(whole)
        damage(data, rng)
        refused += not attempt(write(tmp_path, name, bytes(data)))
    assert refused > 5


def test_damaged_pickles(tmp_path: Path) -> None:
    """The checksums of an archive would catch the damage before the pickle is looked at."""
    arrays = tensors(network_of(3, 4, 2))
    whole = b"\x80\x02" + pickled_state(arrays) + b"."
    rng = Random(5)
    refused = 0
    for number in range(2 * ROUNDS):
        data = bytearray(whole)
        DAMAGES[number % len(DAMAGES)](data, rng)
        path = write(tmp_path, "net.pth", pth(arrays, pickle=bytes(data)))
        refused += not attempt(path)
    assert refused > ROUNDS


@pytest.mark.parametrize(
    "pickle",
    [
        b"(" * 100_000 + b"t" * 100_000 + b".",  # tuples of tuples
        b"}" + b"N\x85" * 100_000 + b"N s.",
        b")q\x00" + b"h\x00h\x00\x86q\x00" * 60 + b"h\x00R.",  # tuples that share their parts
        b"]q\x00h\x00a.",  # a list in itself
        b"Nr\xff\xff\xff\x7f.",  # a place of the memory far behind the others
        b"X\xff\xff\xff\x7fshort.",
        b"\x8a\xff" + b"\xff" * 255 + b".",  # a number of 255 bytes
    ],
)
def test_pickles_that_are_traps(tmp_path: Path, pickle: bytes) -> None:
    assert not attempt(write(tmp_path, "net.pth", pth({}, pickle=pickle)))


def test_calls_of_calls(tmp_path: Path) -> None:
    """A function that is itself what such a pickle makes: it must not be written out."""
    shared = b")q\x00" + b"h\x00h\x00\x86q\x00" * 60
    evil = b"}X\x08\x00\x00\x00a.weight" + shared + b"h\x00h\x00Rs."
    assert not attempt(write(tmp_path, "net.pth", pth({}, pickle=evil)))
    inside = b"}X\x08\x00\x00\x00a.weightctorch._utils\n_rebuild_tensor_v2\n(" + shared
    inside += b"h\x00h\x00h\x00h\x00tRs."
    assert not attempt(write(tmp_path, "net.pth", pth({}, pickle=inside)))


def test_damaged_interfaces(tmp_path: Path) -> None:
    write(tmp_path, "net.nnet", nnet(network_of(2, 3, 2)))
    document = {"file": "net.nnet", "input": ["x", "y"], "elements": [3], "output": ["a", "b"]}
    whole = json.dumps(document).encode()
    rng = Random(6)
    refused = 0
    for number in range(2 * ROUNDS):
        data = bytearray(whole)
        DAMAGES[number % len(DAMAGES)](data, rng)
        refused += not attempt(write(tmp_path, "net.jani2nnet", bytes(data)))
    assert refused > ROUNDS


def test_noise(tmp_path: Path) -> None:
    rng = Random(7)
    for name in (*FORMATS, "net.jani2nnet", "net.pt"):
        for size in (1, 2, 9, 100, 5000):
            assert not attempt(write(tmp_path, name, rng.randbytes(size)))


def safetensors_file(shape: object, dtype: object = "F32", data: bytes = b"") -> bytes:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}
    header = json.dumps({"a.weight": entry}).encode()
    return struct.pack("<Q", len(header)) + header + data


def npz_file(name: str, dtype: str, shape: str, data: bytes = b"") -> bytes:
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".encode().ljust(
        117
    )
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n" + data
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.weight.npy", npy(np.ones((1, 1))))
        archive.writestr(f"{name}.npy", array)
    return stream.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


EMPTY_SHAPES = ["(0,)", "(0, 3)", "(0, 4611686018427387904, 4611686018427387904)",
                "(99999999999999999999999, 0)", "(-1, 0)", "(True, 0)"]  # fmt: skip
TEXTS = [b"\xff\xff\xff\xff", b"\x00\xd8\x00\x00", b"\x00\x00\x11\x00", b"\x00\x00\x00\x00"]


@pytest.mark.parametrize("shape", EMPTY_SHAPES)
@pytest.mark.parametrize("name", ["b.weight", "inputs", "filter", "activation"])
@pytest.mark.parametrize("dtype", ["<f4", "<U1", "|b1", "|V0", "<U0"])
def test_arrays_of_no_elements(tmp_path: Path, name: str, dtype: str, shape: str) -> None:
    assert not attempt(write(tmp_path, "net.npz", npz_file(name, dtype, shape)))


@pytest.mark.parametrize("data", TEXTS)
@pytest.mark.parametrize("name", ["b.weight", "inputs", "outputs", "filter", "activation"])
@pytest.mark.parametrize("dtype", ["<U1", ">U1"])
@pytest.mark.parametrize("shape", ["()", "(1,)", "(1, 1)"])
def test_texts_that_are_none(
    tmp_path: Path, name: str, dtype: str, shape: str, data: bytes
) -> None:
    path = write(tmp_path, "net.npz", npz_file(name, dtype, shape, data))
    if attempt(path):  # the one text that a name may be
        network = read_network(path)
        names = (network.inputs or ()) + (network.outputs or ())
        assert all(name.encode() is not None for name in names)


@pytest.mark.parametrize(
    "shape",
    [[0], [0, 1 << 62], [1 << 62, 1 << 62, 0], [0] * 8, [], [1.5], [True, 0], None, "11", {}],
)
@pytest.mark.parametrize("dtype", ["F32", "F64", "BF16", "I64", "U1", None, ["F32"], "F" * 5000])
def test_tensors_of_no_elements(tmp_path: Path, dtype: object, shape: object) -> None:
    assert not attempt(write(tmp_path, "net.safetensors", safetensors_file(shape, dtype)))


@pytest.mark.parametrize("dims", [(0,), (0, 1 << 62), (1 << 62, 0, 1 << 62), (0, 0)])
@pytest.mark.parametrize("kind", [1, 7, 10, 11, 16])
def test_onnx_tensors_of_no_elements(tmp_path: Path, kind: int, dims: tuple[int, ...]) -> None:
    tensor = message(*[(1, n) for n in dims], (2, kind), (8, "w"))
    for operator in ("Gemm", "MatMul"):
        data = onnx_model([onnx_node(operator, ["x", "w"], "y")], [tensor], output="y")
        assert not attempt(write(tmp_path, "net.onnx", data))
