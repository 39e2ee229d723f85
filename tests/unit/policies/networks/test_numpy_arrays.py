from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks import read_network
from tests.unit.policies.networks.files import is_same, npz, random_network, tensors, write


def archive(compression: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name.replace("_", ".") + ".npy", data)
    return stream.getvalue()


def array_file(header: str, data: bytes = b"", version: int = 1) -> bytes:
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0, len(text), 0]) + text + data


def test_names_and_filter(tmp_path: Path) -> None:
    network = random_network(2, 3, 2)
    about = {
        "activation": "relu",
        "inputs": ["x", "y"],
        "outputs": '["go", "stay"]',
        "filter": False,
    }
    found = read_network(write(tmp_path, "net.npz", npz({**tensors(network), **about})))
    assert is_same(found, network)
    assert (found.inputs, found.outputs) == (("x", "y"), ("go", "stay"))
    assert found.filter is False


def test_other_layouts_of_the_same_numbers(tmp_path: Path) -> None:
    network = random_network(3, 4, 2)
    arrays: dict[str, Any] = {
        name: np.asfortranarray(array.astype(">f8")) for name, array in tensors(network).items()
    }
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    path = write(tmp_path, "net.npz", stream.getvalue())
    assert is_same(read_network(path, activation="relu"), network)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npz({"a.weight": np.ones((2, 2), np.int64)}), "'a.weight' has elements of type int64"),
        (npz({"a.weight": np.array([["x"]])}), "'a.weight' has elements of type <U1"),
        (archive(a_weight=b"no array"), "'a.weight' is no NumPy array"),
        (
            archive(
                a_weight=array_file("{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}")
            ),
            r"the shape \(9,\) needs 36 bytes, but has 0",
        ),
        (
            archive(
                a_weight=array_file(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}"
                )
            ),
            "needs 4000000000000 bytes",
        ),
        (
            archive(a_weight=array_file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}")),
            "has elements of type object",
        ),
        (archive(a_weight=array_file("[" * 60)), "is no NumPy array"),
        (archive(a_weight=array_file("{}", version=9)), "is no NumPy array"),
        (npz({"a.weight": np.ones((1, 1)), "filter": 0.5}), "'filter' has elements of type float"),
        (npz({"a.weight": np.ones((1, 1)), "inputs": [[True]]}), "'inputs' is no JSON list"),
        (b"PK\x03\x04 and nothing else", "is truncated or damaged"),
        (b"\x93NUMPY", "is no NumPy .* begin with 'PK'"),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"net\.npz: .*" + message):
        read_network(write(tmp_path, "net.npz", data))


def test_files_that_swell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused by what the directory of the archive says, before anything is unpacked."""
    monkeypatch.setattr("bugsieve.rooms.formats.networks.archive.MAX_BYTES", 2 << 20)
    data = archive(zipfile.ZIP_DEFLATED, a_weight=bytes(3 << 20))
    assert len(data) < 1 << 20
    with pytest.raises(InputError, match="unpacks to more than 2 MiB"):
        read_network(write(tmp_path, "net.npz", data))
