"""What all formats share: the same network comes out, and the same mistakes are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.formats.networks import ACTIVATIONS, read_network
from tests.unit.policies.networks.files import (
    FORMATS,
    is_same,
    npz,
    pth,
    random_network,
    tensors,
    write,
)

EVERY_FORMAT = pytest.mark.parametrize("name", FORMATS)


@EVERY_FORMAT
@pytest.mark.parametrize("sizes", [(3, 2), (4, 7, 3), (1, 1, 1), (5, 17, 33, 16, 2)])
def test_the_network_comes_back(tmp_path: Path, name: str, sizes: tuple[int, ...]) -> None:
    network = random_network(*sizes)
    path = write(tmp_path, name, FORMATS[name](network, tmp_path))
    found = read_network(path, activation="relu")
    assert is_same(found, network)
    assert (found.num_inputs, found.num_outputs) == (sizes[0], sizes[-1])
    assert found.inputs is None and found.outputs is None and found.filter is None
    assert found.normalisation is None
    assert all(array.dtype == np.float32 for array in (*found.weights, *found.biases))


@EVERY_FORMAT
def test_endings_in_capitals(tmp_path: Path, name: str) -> None:
    network = random_network(2, 2)
    data = FORMATS[name](network, tmp_path)
    assert is_same(read_network(write(tmp_path, name.upper(), data)), network)


@EVERY_FORMAT
@pytest.mark.parametrize(("value", "message"), [(np.nan, "not a number"), (-np.inf, "infinite")])
@pytest.mark.parametrize("part", ["weights", "biases"])
def test_numbers_that_are_none(
    tmp_path: Path, name: str, value: float, message: str, part: str
) -> None:
    network = random_network(2, 3, 2)
    getattr(network, part)[1].flat[-1] = value
    path = write(tmp_path, name, FORMATS[name](network, tmp_path))
    with pytest.raises(InputError, match=rf"net\.\w+: layer '.+': one of its {part} is {message}"):
        read_network(path)


@EVERY_FORMAT
def test_files_that_end_early(tmp_path: Path, name: str) -> None:
    data = FORMATS[name](random_network(3, 4, 2), tmp_path)
    last_number = 25  # a text that ends within it looks complete
    for length in range(1, len(data) - last_number, 11):
        with pytest.raises(InputError, match=r"net\.\w+: "):
            read_network(write(tmp_path, name, data[:length]))


@EVERY_FORMAT
def test_other_files_under_the_name(tmp_path: Path, name: str) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    for data in (b"", b" \n", b"once upon a time, 1, 2\n" * 9, bytes(1000), picture):
        path = write(tmp_path, name, data)
        with pytest.raises(InputError, match=r"net\.\w+: "):
            read_network(path)


@EVERY_FORMAT
def test_directories_and_missing_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"net\.\w+: there is no such file"):
        read_network(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=r"net\.\w+: is a directory"):
        read_network(tmp_path / name)


def test_other_endings(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"net\.h5: networks are read from files .*\.onnx"):
        read_network(write(tmp_path, "net.h5", b"?"))
    with pytest.raises(InputError, match="is a directory"):
        read_network(tmp_path)


@pytest.mark.parametrize("name", ["net.npz", "net.pth"])
def test_layers_that_do_not_fit(tmp_path: Path, name: str) -> None:
    pack = {"net.npz": npz, "net.pth": pth}[name]
    both = {
        "body.0.weight": np.ones((4, 3), np.float32),
        "body.0.bias": np.ones(4, np.float32),
        "head.weight": np.ones((2, 5), np.float32),
    }
    message = (
        r"layer 'head' takes 5 inputs, but layer 'body\.0' before it has 4 outputs; .*layers="
    )
    with pytest.raises(InputError, match=message):
        read_network(write(tmp_path, name, pack(both)))
    wrong_bias = {**both, "body.0.bias": np.ones(3, np.float32)}
    with pytest.raises(InputError, match=r"'body\.0' has 4 outputs, but biases of the shape \(3,"):
        read_network(write(tmp_path, name, pack(wrong_bias)))
    for shape in [(4,), (4, 3, 1), (0, 3)]:
        wrong_weight = {"body.weight": np.ones(shape, np.float32)}
        with pytest.raises(InputError, match="'body(.weight)?'"):
            read_network(write(tmp_path, name, pack(wrong_weight)))


@pytest.mark.parametrize("name", ["net.npz", "net.pth"])
def test_tensors_that_are_no_layer(tmp_path: Path, name: str) -> None:
    pack = {"net.npz": npz, "net.pth": pth}[name]
    network = tensors(random_network(2, 2))
    for extra in ("norm.running_mean", "other.bias"):
        content = pack({**network, extra: np.ones(2, np.float32)})
        with pytest.raises(InputError, match=f"tensor '{extra}' is neither"):
            read_network(write(tmp_path, name, content))
    only_bias = write(tmp_path, name, pack({**network, "a.bias": np.ones(2, np.float32)}))
    with pytest.raises(InputError, match="tensor 'a.bias' is neither"):
        read_network(only_bias, layers=["a"])


def test_layers_without_biases(tmp_path: Path) -> None:
    network = random_network(3, 4, 2)
    arrays = {k: v for k, v in tensors(network).items() if k.endswith(".weight")}
    found = read_network(write(tmp_path, "net.npz", npz(arrays)), activation="relu")
    assert all(np.array_equal(found.weights[k], network.weights[k]) for k in range(2))
    assert not any(bias.any() for bias in found.biases)


def test_layers_are_in_natural_order(tmp_path: Path) -> None:
    network = random_network(*range(1, 14))
    shuffled = dict(sorted(tensors(network).items()))
    assert list(shuffled)[2].startswith("net.10.")
    path = write(tmp_path, "net.npz", npz(shuffled))
    assert is_same(read_network(path, activation="relu"), network)


def test_layers_can_be_chosen(tmp_path: Path) -> None:
    policy, value = random_network(3, 4, 2, seed=1), random_network(3, 4, 1, seed=2)
    arrays = {
        "value.0.weight": value.weights[0],
        "value.0.bias": value.biases[0],
        "value_head.weight": value.weights[1],
        "body.0.weight": policy.weights[0],
        "body.0.bias": policy.biases[0],
        "action.weight": policy.weights[1],
        "action.bias": policy.biases[1],
    }
    for name, data in {"net.npz": npz(arrays), "net.pth": pth(arrays)}.items():
        path = write(tmp_path, name, data)
        found = read_network(path, layers=["body", "action"], activation="relu")
        assert is_same(found, policy)
        with pytest.raises(UsageError, match=r"has no layer 'actin' \(did you mean 'action'"):
            read_network(path, layers=["actin"])
    onnx = FORMATS["net.onnx"](policy, tmp_path)
    with pytest.raises(UsageError, match="only in files of named tensors"):
        read_network(write(tmp_path, "net.onnx", onnx), layers=["body"])


def test_files_that_do_not_say_their_activation(tmp_path: Path) -> None:
    network = random_network(3, 4, 2)
    for name, data in {"net.npz": npz(tensors(network)), "net.pth": pth(tensors(network))}.items():
        path = write(tmp_path, name, data)
        with pytest.raises(UsageError, match=r"net\.\w+: does not say which .* activation=NAME"):
            read_network(path)
        for activation in ACTIVATIONS:
            assert read_network(path, activation=activation).activation == activation
        with pytest.raises(UsageError, match=r"no activation 'tahn' \(did you mean 'tanh'\?\)"):
            read_network(path, activation="tahn")
    single = write(tmp_path, "net.pth", pth(tensors(random_network(3, 2))))
    assert read_network(single).activation is None


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "net.pth"])
def test_files_that_say_their_activation(tmp_path: Path, name: str) -> None:
    for activation in ("relu",) if name == "net.nnet" else ACTIVATIONS:
        network = random_network(3, 4, 4, 2, activation=activation)
        path = write(tmp_path, name, FORMATS[name](network, tmp_path))
        assert is_same(read_network(path), network)
        other = "relu" if activation == "tanh" else "tanh"
        with pytest.raises(UsageError, match=f"has {activation} between its layers, not {other}"):
            read_network(path, activation=other)


def test_numbers_too_large_for_the_network(tmp_path: Path) -> None:
    arrays = {"a.weight": np.full((2, 2), 1e300)}
    with pytest.raises(InputError, match="layer 'a': .* too large for a 32-bit float"):
        read_network(write(tmp_path, "net.npz", npz(arrays)))
