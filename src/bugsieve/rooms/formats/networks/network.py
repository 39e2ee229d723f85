"""The content of a network file once it is read, and the checks that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError

FloatArray = NDArray[np.float32]

MAX_BYTES = 512 << 20
"""Of a network file, and of what it unpacks to."""
MAX_LAYERS = 1000
MAX_NAME = 200
"""Characters of a name, so that sentences that hold it can be read."""
ACTIVATIONS = ("relu", "leaky-relu", "elu", "sigmoid", "tanh")
"""The functions between layers, as specs and metadata name them; leaky-relu has the slope 0.01."""


def check_length(file: str, names: Iterable[str]) -> None:
    """Refuse names that no sentence could hold."""
    for name in names:
        if len(name) > MAX_NAME:
            raise InputError(f"{file}: has a name of {len(name)} characters: {shortened(name)!r}")
        if any("\ud800" <= character <= "\udfff" for character in name):  # half of a pair
            raise InputError(f"{file}: has a name that is no text: {name!r}")


def shortened(text: object) -> str:
    """The beginning of what others may make as long as they like."""
    whole = str(text)
    return whole if len(whole) <= MAX_NAME else whole[:MAX_NAME] + "…"


@dataclass(frozen=True, eq=False)
class Normalisation:
    """The scaling of inputs before the first layer: one row per input.

    Columns are lower, upper, mean and range: input x becomes (x - mean) / range, with x moved
    into the bounds before.
    """

    scales: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """Layers with an activation between them; `weights[k]` has one row per output of layer k.

    The activation, names of inputs and outputs and the wish for applicability filtering are there
    only where the file has them.
    """

    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    activation: str | None = None
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    filter: bool | None = None
    normalisation: Normalisation | None = None
    layers: tuple[str, ...] = ()
    """The names of the layers in the file."""

    @property
    def num_inputs(self) -> int:
        """Values the first layer takes."""
        return int(self.weights[0].shape[1])

    @property
    def num_outputs(self) -> int:
        """Values the last layer gives."""
        return int(self.weights[-1].shape[0])

    @property
    def needs_activation(self) -> bool:
        """Return true for several layers with nothing between them: it cannot be evaluated."""
        return self.activation is None and len(self.weights) > 1

    def layer(self, number: int) -> str:
        """The name of a layer in errors."""
        return repr(self.layers[number]) if self.layers else str(range(len(self.weights))[number])


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer as a format has it; without a bias, it is 0."""

    name: str
    weight: NDArray[Any]
    bias: NDArray[Any] | None = None


@dataclass(frozen=True)
class NetworkDescription:
    """The content of a file about a network besides its layers."""

    activation: str | None = None
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    filter: bool | None = None
    normalisation: Normalisation | None = None


def assemble(
    file: str, layers: Sequence[Layer], about: NetworkDescription | None = None, *, hint: str = ""
) -> Network:
    """The network of these layers; InputError if they do not form one.

    `hint` ends the sentence on layers that do not fit each other.
    """
    about = about or NetworkDescription()
    if not layers:
        raise InputError(f"{file}: holds no layer")
    if len(layers) > MAX_LAYERS:
        raise InputError(f"{file}: has {len(layers)} layers, the limit is {MAX_LAYERS}")
    _check_chain(file, layers, hint)
    first, last = layers[0], layers[-1]
    _check_names(file, "inputs", about.inputs, first.name, first.weight.shape[1])
    _check_names(file, "outputs", about.outputs, last.name, last.weight.shape[0])
    return Network(
        weights=tuple(_numbers(file, layer, "weights", layer.weight) for layer in layers),
        biases=tuple(_numbers(file, layer, "biases", _bias(layer)) for layer in layers),
        activation=about.activation,
        inputs=about.inputs,
        outputs=about.outputs,
        filter=about.filter,
        normalisation=about.normalisation,
        layers=tuple(layer.name for layer in layers),
    )


def _bias(layer: Layer) -> NDArray[Any]:
    return np.zeros(layer.weight.shape[0]) if layer.bias is None else layer.bias


def _check_chain(file: str, layers: Sequence[Layer], hint: str) -> None:
    before: Layer | None = None
    for layer in layers:
        shape = layer.weight.shape
        if layer.weight.ndim != 2 or 0 in shape:
            raise InputError(
                f"{file}: layer {layer.name!r}: weights have the shape {tuple(shape)}, "
                "but a fully connected layer has (outputs, inputs)"
            )
        if layer.bias is not None and layer.bias.shape != (shape[0],):
            raise InputError(
                f"{file}: layer {layer.name!r} has {shape[0]} outputs, "
                f"but biases of the shape {tuple(layer.bias.shape)}"
            )
        if before is not None and before.weight.shape[0] != shape[1]:
            raise InputError(
                f"{file}: layer {layer.name!r} takes {shape[1]} inputs, but layer "
                f"{before.name!r} before it has {before.weight.shape[0]} outputs{hint}"
            )
        before = layer


def _check_names(
    file: str, what: str, names: tuple[str, ...] | None, layer: str, count: int
) -> None:
    if names is None:
        return
    check_length(file, names)
    if len(names) != count:
        raise InputError(f"{file}: names {len(names)} {what}, but layer {layer!r} has {count}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{file}: names {name!r} twice among its {what}")
        seen.add(name)


def _numbers(file: str, layer: Layer, what: str, values: NDArray[Any]) -> FloatArray:
    place = f"{file}: layer {layer.name!r}: one of its {what}"
    take_memory(5 * values.size)  # as 32-bit floats, and a truth value for each
    # NaN is looked for before the conversion, infinity after it: a double that is finite may be
    # infinite as a float, and the sentence should say which it was.
    if np.isnan(values).any():
        raise InputError(f"{place} is not a number")
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = np.ascontiguousarray(values, dtype=np.float32)
    if np.isfinite(numbers).all():
        return numbers
    if np.isinf(values).any():
        raise InputError(f"{place} is infinite")
    raise InputError(f"{place} is too large for a 32-bit float")
