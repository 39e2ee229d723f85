from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.formats.networks import (
    ACTIVATIONS,
    Network,
    Normalisation,
    read_network,
    write_safetensors,
)
from tests.unit.policies.networks.files import is_same, random_network, tensors, write


def packed(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def one(dtype: str, shape: list[int], data: bytes, **more: Any) -> bytes:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)], **more}
    return packed({"a.weight": entry}, data)


def test_names_and_filter_are_kept(tmp_path: Path) -> None:
    network = random_network(2, 3, 2, inputs=("x", "ü"), outputs=("go", "stay"), filter=False)
    path = tmp_path / "net.safetensors"
    write_safetensors(path, network, {"made by": "a test"})
    found = read_network(path)
    assert is_same(found, network)
    assert found.inputs == ("x", "ü")
    assert found.outputs == ("go", "stay")
    assert found.filter is False
    assert [p.name for p in tmp_path.iterdir()] == ["net.safetensors"]
    (length,) = struct.unpack("<Q", path.read_bytes()[:8])
    header = json.loads(path.read_bytes()[8 : 8 + length])
    assert header["__metadata__"]["made by"] == "a test"
    assert (8 + length) % 8 == 0


def test_the_package_reads_what_we_write_and_we_what_it_writes(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    network = random_network(4, 5, 3)
    path = tmp_path / "net.safetensors"
    write_safetensors(path, network)
    loaded = package.load_file(path)
    assert np.array_equal(loaded["layers.1.weight"], network.weights[1])
    about = {"activation": "relu", "inputs": '["a", "b", "c", "d"]', "filter": "yes"}
    package.save_file(tensors(network), path, about)
    found = read_network(path)
    assert is_same(found, network)
    assert (found.inputs, found.outputs, found.filter) == (("a", "b", "c", "d"), None, True)


@pytest.mark.parametrize(
    ("dtype", "data"),
    [
        ("F64", np.array([[1.5, -2.0]], "<f8").tobytes()),
        ("F32", np.array([[1.5, -2.0]], "<f4").tobytes()),
        ("F16", np.array([[1.5, -2.0]], "<f2").tobytes()),
        ("BF16", bytes([0xC0, 0x3F, 0x00, 0xC0])),
    ],
)
def test_element_types(tmp_path: Path, dtype: str, data: bytes) -> None:
    found = read_network(write(tmp_path, "net.safetensors", one(dtype, [1, 2], data)))
    assert found.weights[0].tolist() == [[1.5, -2.0]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1234", "is truncated, a safetensors file has at least 8 bytes"),
        (struct.pack("<Q", 5) + b"abcde", "is no safetensors file"),
        (struct.pack("<Q", 50) + b"{}", "its header ends at byte 58, the file at byte 10"),
        (struct.pack("<Q", 1 << 62) + b"{}", "has a header of .* too long"),
        (packed(b'{"a": '), "the header is no JSON object"),
        (packed(b'{"a":' * 100_000), "the header is no JSON object"),
        (packed({}), "has no tensor"),
        (packed({"__metadata__": 3}), "'__metadata__' is no object"),
        (packed({"a.weight": 3}), "tensor 'a.weight' is no object"),
        (one("F32", [-1], b"1234"), "'a.weight' has no shape"),
        (one("F32", [1, 1], b"1234", data_offsets=[4, 0]), "has no data offsets"),
        (one("F32", [1, 1], b"1234", data_offsets=[0, 8]), "ends at byte 8 .* truncated at 4"),
        (one("F32", [1, 2], b"1234"), r"the shape \(1, 2\) needs 8 bytes, but has 4"),
        (one("F32", [1 << 40, 1 << 40], b"1234"), "needs 4835703278458516698824704 bytes"),
        (one("I64", [1, 1], b"12345678"), "elements of type I64; F64, F32, F16, BF16 can"),
        (one("F32", [1], b"1234"), "layer 'a': weights have the shape"),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"net\.safetensors: .*" + message):
        read_network(write(tmp_path, "net.safetensors", data))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"inputs": "x, y"}, "metadata 'inputs' is no JSON list of names"),
        ({"inputs": "null"}, "metadata 'inputs' is no JSON list of names"),
        ({"outputs": "[1, 2]"}, "metadata 'outputs' is no JSON list of names"),
        ({"filter": "maybe"}, "metadata 'filter' is neither"),
        ({"inputs": '["x"]'}, "names 1 inputs, but layer 'layers.0' has 2"),
        ({"outputs": '["a", "b", "c"]'}, "names 3 outputs, but layer 'layers.1' has 2"),
        ({"inputs": '["x", "x"]'}, "names 'x' twice among its inputs"),
    ],
)
def test_metadata_that_is_wrong(tmp_path: Path, metadata: dict[str, str], message: str) -> None:
    path = tmp_path / "net.safetensors"
    write_safetensors(path, random_network(2, 3, 2), metadata)
    with pytest.raises(InputError, match=message):
        read_network(path)


def test_the_activation_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    for activation in ACTIVATIONS:
        write_safetensors(path, random_network(2, 3, 2, activation=activation))
        assert read_network(path).activation == activation
    with pytest.raises(UsageError, match="must say which activation"):
        write_safetensors(path, random_network(2, 3, 2, activation=None))


@pytest.mark.parametrize("value", ["swish", "", "x" * 10_000])
def test_activations_we_do_not_know(tmp_path: Path, value: str) -> None:
    path = tmp_path / "net.safetensors"
    write_safetensors(path, random_network(2, 2, activation=None), {"activation": value})
    with pytest.raises(
        InputError, match="metadata 'activation' is .*; networks are read with relu"
    ):
        read_network(path)


def test_normalised_inputs_are_not_lost_silently(tmp_path: Path) -> None:
    plain = random_network(2, 2)
    scaled = Network(plain.weights, plain.biases, normalisation=Normalisation(np.ones((2, 4))))
    with pytest.raises(UsageError, match="normalised inputs"):
        write_safetensors(tmp_path / "net.safetensors", scaled)
    assert not list(tmp_path.iterdir())
