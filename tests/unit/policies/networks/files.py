"""Networks to write, and writers of the formats that we only read."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.formats.networks import Network, write_safetensors

Arrays = Mapping[str, NDArray[Any]]


def random_network(*sizes: int, seed: int = 0, **about: Any) -> Network:
    """A network whose layers have these sizes, inputs first; with ReLU, unless told otherwise."""
    rng = np.random.default_rng(seed)
    pairs = list(pairwise(sizes))
    return Network(
        weights=tuple(rng.normal(size=(o, i)).astype(np.float32) for i, o in pairs),
        biases=tuple(rng.normal(size=o).astype(np.float32) for _, o in pairs),
        **{"activation": "relu", **about},
    )


def is_same(first: Network, second: Network) -> bool:
    """Whether both have the same layers, bit by bit, and the same activation."""
    return (
        len(first.weights) == len(second.weights)
        and all(map(np.array_equal, first.weights, second.weights))
        and all(map(np.array_equal, first.biases, second.biases))
        and (len(first.weights) == 1 or first.activation == second.activation)
    )


def tensors(network: Network) -> dict[str, NDArray[np.float32]]:
    """The layers as a state dictionary of PyTorch has them: every other module is a ReLU."""
    found = {}
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        found[f"net.{2 * number}.weight"] = weight
        found[f"net.{2 * number}.bias"] = bias
    return found


def npz(arrays: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    content: dict[str, Any] = {name: np.asarray(array) for name, array in arrays.items()}
    np.savez(stream, **content)
    return stream.getvalue()


def nnet(
    network: Network,
    *,
    means: Sequence[float] = (),
    ranges: Sequence[float] = (),
    bound: float = 0,
) -> bytes:
    """With means and ranges of the inputs and, behind them, of the outputs."""
    inputs, outputs = network.num_inputs, network.num_outputs
    sizes = [inputs, *(weight.shape[0] for weight in network.weights)]
    head = [len(network.weights), inputs, outputs, max(sizes)]
    lines: list[Sequence[float]] = [head, sizes, [0], [-bound] * inputs, [bound] * inputs]
    lines += [list(means) or [0] * (inputs + 1), list(ranges) or [1] * (inputs + 1)]
    for weight, bias in zip(network.weights, network.biases, strict=True):
        lines += [list(map(float, row)) for row in weight]
        lines += [[float(value)] for value in bias]
    text = "".join(",".join(map(repr, line)) + ",\n" for line in lines)
    return f"// written for a test\n{text}".encode()


# Protocol buffers, by the numbers of their fields in onnx.proto.


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    digits = bytearray()
    while value >= 0x80:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])


def message(*fields: tuple[int, int | float | str | bytes]) -> bytes:
    parts = []
    for number, value in fields:
        if isinstance(value, float):
            parts.append(varint(number << 3 | 5) + struct.pack("<f", value))
        elif isinstance(value, int):
            parts.append(varint(number << 3) + varint(value))
        else:
            data = value.encode() if isinstance(value, str) else value
            parts.append(varint(number << 3 | 2) + varint(len(data)) + data)
    return b"".join(parts)


def onnx_tensor(name: str, array: NDArray[Any], kind: int = 1) -> bytes:
    dims = [(1, n) for n in array.shape]
    return message(*dims, (2, kind), (8, name), (9, array.tobytes()))


def onnx_node(
    operator: str, inputs: Sequence[str], output: str, **attributes: int | float | bytes
) -> bytes:
    described = [
        (5, message((1, name), ({int: 3, float: 2}.get(type(value), 5), value)))
        for name, value in attributes.items()
    ]
    names = [(1, name) for name in inputs]
    return message(*names, (2, output), (3, f"/{output}"), (4, operator), *described)


def onnx_model(
    nodes: Sequence[bytes],
    initializers: Sequence[bytes],
    *,
    output: str,
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    graph = message(
        *[(1, node) for node in nodes],
        *[(5, tensor) for tensor in initializers],
        (11, message((1, "x"))),
        (12, message((1, output))),
    )
    entries = [(14, message((1, key), (2, value))) for key, value in (metadata or {}).items()]
    return message((1, 8), (7, graph), *entries)


ONNX_OPERATORS = {
    "relu": "Relu",
    "leaky-relu": "LeakyRelu",
    "elu": "Elu",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
}


def onnx(network: Network) -> bytes:
    """The network as PyTorch exports it: Gemm with transposed weights, activations between."""
    nodes, initializers, value = [], [], "x"
    for k, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        if k > 0:
            nodes.append(onnx_node(ONNX_OPERATORS[str(network.activation)], [value], f"act{k}"))
            value = f"act{k}"
        nodes.append(onnx_node("Gemm", [value, f"w{k}", f"b{k}"], f"gemm{k}", transB=1))
        initializers += [onnx_tensor(f"w{k}", weight), onnx_tensor(f"b{k}", bias)]
        value = f"gemm{k}"
    return onnx_model(nodes, initializers, output=value)


# PyTorch's zip files, with a pickle put together from its operations.


def _text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def _ints(values: Sequence[int]) -> bytes:
    return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"


def _pickled_tensor(key: str, array: NDArray[Any], storage: str) -> bytes:
    strides = [step // array.itemsize for step in array.strides]
    reference = b"(" + _text("storage") + f"ctorch\n{storage}\n".encode() + _text(key)
    reference += _text("cpu") + b"J" + struct.pack("<i", array.size) + b"tQ"
    arguments = reference + b"K\x00" + _ints(array.shape) + _ints(strides) + b"\x89"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + arguments + b"ccollections\nOrderedDict\n)RtR"


def pickled_state(arrays: Arrays, storage: str = "FloatStorage") -> bytes:
    """The state dictionary that a pickle would make."""
    items = b"".join(
        _text(name) + _pickled_tensor(str(number), array, storage)
        for number, (name, array) in enumerate(arrays.items())
    )
    return b"ccollections\nOrderedDict\n)R(" + items + b"u"


def pth(arrays: Arrays, *, pickle: bytes | None = None, storage: str = "FloatStorage") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        content = pickle or b"\x80\x02" + pickled_state(arrays, storage) + b"."
        archive.writestr("net/data.pkl", content)
        archive.writestr("net/byteorder", "little")
        for number, array in enumerate(arrays.values()):
            archive.writestr(f"net/data/{number}", array.tobytes())
    return stream.getvalue()


def baselines(network: Network) -> bytes:
    """As Stable-Baselines3 saves the policy of DQN."""
    classes = {"relu": "ReLU", "leaky-relu": "LeakyReLU", "elu": "ELU"}
    activation = network.activation or "relu"
    name = classes.get(activation, activation.capitalize())
    told = {"activation_fn": f"<class 'torch.nn.modules.activation.{name}'>"}
    arrays = {f"q_net.q_{name}": array for name, array in tensors(network).items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("data", json.dumps({"policy_kwargs": told}))
        archive.writestr("policy.pth", pth(arrays))
    return stream.getvalue()


def safetensors(network: Network, folder: Path) -> bytes:
    path = folder / "written.safetensors"
    write_safetensors(path, network)
    return path.read_bytes()


FORMATS: dict[str, Callable[[Network, Path], bytes]] = {
    "net.safetensors": safetensors,
    "net.npz": lambda network, _: npz({**tensors(network), "activation": network.activation}),
    "net.nnet": lambda network, _: nnet(network),
    "net.onnx": lambda network, _: onnx(network),
    "net.pth": lambda network, _: pth(tensors(network)),
    "net.zip": lambda network, _: baselines(network),
}
"""A file name for each format, and what writes it."""


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path
