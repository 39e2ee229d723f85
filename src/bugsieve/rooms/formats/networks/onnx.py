"""ONNX: chains of fully connected layers with activations between, as exporters write them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory, take_work
from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.formats.networks import protobuf
from bugsieve.rooms.formats.networks.network import MAX_LAYERS, Layer, Network, assemble
from bugsieve.rooms.formats.networks.onnx_tensors import DataFiles, read_tensor
from bugsieve.rooms.formats.networks.protobuf import (
    Fields,
    fields,
    integer,
    messages,
    name,
    names_in,
    real,
    text,
)
from bugsieve.rooms.formats.networks.tensors import describe

# Numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_METADATA = 7, 14
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 1, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_OPERATOR, _NODE_ATTRIBUTE = 1, 2, 3, 4, 5
_ATTRIBUTE_NAME, _ATTRIBUTE_REAL, _ATTRIBUTE_INTEGER, _ATTRIBUTE_TENSOR = 1, 2, 3, 5
_TENSOR_NAME = 8

_ACTIVATIONS = {
    "Relu": "relu",
    "LeakyRelu": "leaky-relu",
    "Elu": "elu",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
}
_ALPHAS = {"LeakyRelu": 0.01, "Elu": 1.0}  # the default of ONNX, used here too


@dataclass(frozen=True)
class _Node:
    operator: str
    name: str
    inputs: tuple[str, ...]
    output: str
    attributes: Mapping[str, Fields]

    def integer(self, name: str, default: int) -> int:
        found = self.attributes.get(name)
        return default if found is None else integer(found, _ATTRIBUTE_INTEGER)

    def real(self, name: str, default: float) -> float:
        found = self.attributes.get(name)
        return default if found is None else real(found, _ATTRIBUTE_REAL, 0.0)


@dataclass
class _Step:
    """An affine layer under construction."""

    name: str
    weight: NDArray[Any]
    bias: NDArray[Any] | None = None
    activation: str | None = None  # the operator


@dataclass
class _Chain:
    """The value that the nodes pass on, and the layers it has been through."""

    file: str
    value: str
    constants: dict[str, NDArray[Any]]
    steps: list[_Step] = field(default_factory=list)
    is_finished: bool = False  # by an operator after which only the order of scores is left


def read_onnx(file: str, data: bytes) -> Network:
    """The network in the bytes of an ONNX file; UnsupportedError names other operators."""
    try:
        model = fields(data)
        graphs = messages(model, _MODEL_GRAPH)
        if not graphs:
            raise InputError(f"{file}: is no ONNX file, it has no graph")
        # Of a field that may occur once, the last occurrence counts (the rule of protocol
        # buffers).
        graph = fields(graphs[-1])
        about = describe(file, _metadata(model))
        with np.errstate(all="ignore"):  # wrong numbers are found later
            chain = _follow(file, graph)
    except protobuf.WireError as error:
        raise InputError(f"{file}: is no ONNX file, or truncated: {error}") from None
    layers = [Layer(step.name, step.weight, step.bias) for step in chain.steps]
    return assemble(file, layers, replace(about, activation=_between(chain)))


def _metadata(model: Fields) -> dict[str, object]:
    found = [fields(entry) for entry in messages(model, _MODEL_METADATA)]
    metadata: dict[str, object] = {text(entry, 1): text(entry, 2) for entry in found}
    metadata.pop("activation", None)  # the nodes give it, not the metadata
    return metadata


def _between(chain: _Chain) -> str | None:
    """The activation between all layers; None for a single layer."""
    found = {step.activation for step in chain.steps[:-1] if step.activation is not None}
    if len(found) > 1:
        names = " and ".join(sorted(found))
        raise UnsupportedError(f"{chain.file}: has {names} between layers; one kind can be read")
    return _ACTIVATIONS[found.pop()] if found else None


def _follow(file: str, graph: Fields) -> _Chain:
    beside = DataFiles(Path(os.path.dirname(file) or "."))
    constants = {}
    for data in messages(graph, _GRAPH_INITIALIZER):
        tensor = fields(data)
        constants[name(tensor, _TENSOR_NAME)] = read_tensor(file, beside, tensor)
    names = [name(fields(value), 1) for value in messages(graph, _GRAPH_INPUT)]
    # Older files list the stored tensors among the inputs, too.
    inputs = [given for given in names if given not in constants]
    outputs = [name(fields(value), 1) for value in messages(graph, _GRAPH_OUTPUT)]
    if len(inputs) != 1 or len(outputs) != 1:
        raise UnsupportedError(
            f"{file}: has {len(inputs)} inputs and {len(outputs)} outputs; "
            "a policy network has one of each"
        )
    chain = _Chain(file, inputs[0], constants)
    for data in messages(graph, _GRAPH_NODE):
        _take(chain, _node(fields(data)), beside)
    if chain.value != outputs[0]:
        raise UnsupportedError(
            f"{file}: the output {outputs[0]!r} is not the end of one chain of layers"
        )
    if chain.steps and chain.steps[-1].activation is not None:
        raise UnsupportedError(
            f"{file}: layer {chain.steps[-1].name!r} is the last one and has a "
            f"{chain.steps[-1].activation} behind it; scores must be plain sums"
        )
    return chain


def _node(found: Fields) -> _Node:
    attributes = [fields(data) for data in messages(found, _NODE_ATTRIBUTE)]
    outputs = names_in(found, _NODE_OUTPUT)
    return _Node(
        operator=name(found, _NODE_OPERATOR),
        name=name(found, _NODE_NAME) or (outputs[0] if outputs else ""),
        inputs=tuple(names_in(found, _NODE_INPUT)),
        output=outputs[0] if outputs else "",
        attributes={name(attribute, _ATTRIBUTE_NAME): attribute for attribute in attributes},
    )


def _take(chain: _Chain, node: _Node, beside: DataFiles) -> None:
    if node.operator not in _OPERATORS and node.operator != "Constant":
        known = ", ".join(sorted({*_OPERATORS, "Constant"}))
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} uses the operator {node.operator!r}; "
            f"networks are read that use {known}"
        )
    if node.operator == "Constant":
        if "value" in node.attributes:
            for data in messages(node.attributes["value"], _ATTRIBUTE_TENSOR):
                chain.constants[node.output] = read_tensor(chain.file, beside, fields(data))
        return
    if _is_constant(chain, node):
        return
    if chain.value not in node.inputs[:2] or chain.is_finished:
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} ({node.operator}) does not continue the chain of "
            "layers; branches cannot be read"
        )
    _OPERATORS[node.operator](chain, node)
    chain.value = node.output


def _is_constant(chain: _Chain, node: _Node) -> bool:
    """Return true if the node only passes on or transposes a constant, which it then is."""
    source = chain.constants.get(node.inputs[0]) if node.inputs else None
    if source is None or node.operator not in ("Identity", "Transpose"):
        return False
    chain.constants[node.output] = source.T if node.operator == "Transpose" else source
    return True


def _constant(chain: _Chain, node: _Node, position: int) -> NDArray[Any]:
    name = node.inputs[position] if position < len(node.inputs) else ""
    found = chain.constants.get(name)
    if found is None:
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} ({node.operator}) takes {name!r}, "
            "which is no stored tensor"
        )
    if found.dtype.kind != "f":
        raise InputError(
            f"{chain.file}: node {node.name!r}: tensor {name!r} has elements of type {found.dtype}"
        )
    return found


def _matrix(chain: _Chain, node: _Node) -> NDArray[Any]:
    weight = _constant(chain, node, 1)
    if weight.ndim != 2:
        raise InputError(
            f"{chain.file}: layer {node.name!r}: weights have the shape {weight.shape}"
        )
    return weight


def _begin(chain: _Chain, node: _Node, weight: NDArray[Any], bias: NDArray[Any] | None) -> None:
    if chain.steps and chain.steps[-1].activation is None:
        raise UnsupportedError(
            f"{chain.file}: there is no Relu between the layers {chain.steps[-1].name!r} and "
            f"{node.name!r}, nor another activation"
        )
    chain.steps.append(_Step(node.name, weight, bias))
    if len(chain.steps) > MAX_LAYERS:
        raise InputError(f"{chain.file}: has more than {MAX_LAYERS} layers, the limit")


def _gemm(chain: _Chain, node: _Node) -> None:
    if node.inputs[0] != chain.value or node.integer("transA", 0):
        raise UnsupportedError(f"{chain.file}: layer {node.name!r} multiplies from the wrong side")
    stored = _matrix(chain, node)
    # Layers hold a row of weights per output, ONNX a column unless transB says otherwise.
    _charge(stored.size)
    weight = (stored if node.integer("transB", 0) else stored.T) * node.real("alpha", 1.0)
    bias = None
    if len(node.inputs) > 2 and node.inputs[2]:
        bias = _row(chain, node, 2, weight.shape[0]) * node.real("beta", 1.0)
        _charge(bias.size)
    _begin(chain, node, weight, bias)


def _charge(count: int) -> None:
    """Take what numbers need that are computed; several nodes may take the same tensor."""
    take_memory(8 * count)
    take_work(count // 1000)


def _matmul(chain: _Chain, node: _Node) -> None:
    if node.inputs[0] != chain.value:
        raise UnsupportedError(f"{chain.file}: layer {node.name!r} multiplies from the wrong side")
    _begin(chain, node, _matrix(chain, node).T, None)


def _add(chain: _Chain, node: _Node) -> None:
    step = chain.steps[-1] if chain.steps else None
    if step is None or step.activation is not None or len(node.inputs) != 2:
        raise UnsupportedError(f"{chain.file}: node {node.name!r} (Add) follows no multiplication")
    position = 1 if node.inputs[0] == chain.value else 0
    row = _row(chain, node, position, step.weight.shape[0])
    _charge(row.size)
    step.bias = row if step.bias is None else step.bias + row


def _row(chain: _Chain, node: _Node, position: int, width: int) -> NDArray[Any]:
    """A bias, which may be stored as (n,), (1, n) or a single number."""
    stored = _constant(chain, node, position)
    if stored.size not in (1, width) or stored.ndim > 2:
        raise InputError(
            f"{chain.file}: layer {node.name!r} has {width} outputs, "
            f"but biases of the shape {stored.shape}"
        )
    return np.broadcast_to(stored.reshape(-1), (width,)).astype(np.float64)


def _activate(chain: _Chain, node: _Node) -> None:
    if not chain.steps:
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} is a {node.operator} before any layer"
        )
    before, alpha = chain.steps[-1].activation, _ALPHAS.get(node.operator, 0.0)
    if before is not None and not before == node.operator == "Relu":
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} ({node.operator}) follows a {before}"
        )
    if not math.isclose(node.real("alpha", alpha), alpha, rel_tol=1e-6):
        raise UnsupportedError(
            f"{chain.file}: node {node.name!r} is a {node.operator} whose alpha is not {alpha}"
        )
    chain.steps[-1].activation = node.operator


def _pass(chain: _Chain, node: _Node) -> None:
    """The operator changes no numbers of a row."""


def _flatten(chain: _Chain, node: _Node) -> None:
    if node.integer("axis", 1) != 1:
        raise UnsupportedError(f"{chain.file}: node {node.name!r} flattens along another axis")


def _transpose(chain: _Chain, node: _Node) -> None:
    raise UnsupportedError(f"{chain.file}: node {node.name!r} transposes what the layers compute")


def _finish(chain: _Chain, node: _Node) -> None:
    chain.is_finished = True


_OPERATORS: dict[str, Callable[[_Chain, _Node], None]] = {
    "Gemm": _gemm,
    "MatMul": _matmul,
    "Add": _add,
    **dict.fromkeys(_ACTIVATIONS, _activate),
    "Flatten": _flatten,
    "Identity": _pass,
    "Reshape": _pass,
    "Dropout": _pass,
    "Transpose": _transpose,
    "Softmax": _finish,  # keeps the order of the scores, as does the next
    "LogSoftmax": _finish,
}
