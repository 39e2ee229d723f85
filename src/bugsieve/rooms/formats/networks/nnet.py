"""`.nnet`: a network as lines of numbers, with bounds and scales of its inputs before them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.network import (
    MAX_LAYERS,
    Layer,
    Network,
    NetworkDescription,
    Normalisation,
    assemble,
)

Numbers = NDArray[np.float64]


def read_nnet(file: str, data: bytes) -> Network:
    """The network in the bytes of an `.nnet` file; scales of outputs go into the last layer.

    The format has no other activation than ReLU.
    """
    lines = _Lines(file, data)
    count, inputs, outputs, _ = lines.counts("number of layers, inputs, outputs, largest", 4)
    if count > MAX_LAYERS:
        lines.fail(f"{count} layers are more than the limit of {MAX_LAYERS}")
    sizes = lines.counts("layer sizes", count + 1)
    if (sizes[0], sizes[-1]) != (inputs, outputs):
        lines.fail(
            f"the layer sizes begin with {sizes[0]} and end with {sizes[-1]}, but the network "
            f"has {inputs} inputs and {outputs} outputs"
        )
    lines.skip("flag")
    normalisation, output_scale = _scales(lines, inputs)
    layers = []
    for number, (width, height) in enumerate(pairwise(sizes)):
        rows = [lines.numbers(f"weights of layer {number}", width) for _ in range(height)]
        biases = [lines.numbers(f"bias of layer {number}", 1)[0] for _ in range(height)]
        layers.append(Layer(f"layer {number}", np.array(rows), np.array(biases)))
    lines.end()
    layers[-1] = _scaled(layers[-1], *output_scale)
    about = NetworkDescription(activation="relu", normalisation=normalisation)
    return assemble(file, layers, about)


def _scales(lines: _Lines, inputs: int) -> tuple[Normalisation | None, tuple[float, float]]:
    """The scaling of the inputs, None for nothing, and mean and range of the outputs."""
    lower = lines.numbers("minimum of the inputs", inputs)
    upper = lines.numbers("maximum of the inputs", inputs)
    if not (lower <= upper).all():
        lines.fail("a maximum is below its minimum")
    means = lines.numbers("mean", inputs, inputs + 1)
    ranges = lines.numbers("range", inputs, inputs + 1)
    if not (np.isfinite(means).all() and np.isfinite(ranges).all() and (ranges != 0).all()):
        lines.fail("means and ranges must be finite, and no range 0")
    output_mean = float(means[inputs]) if len(means) > inputs else 0.0
    output_range = float(ranges[inputs]) if len(ranges) > inputs else 1.0
    # Equal bounds were left open: an input with one value tells nothing.
    is_open = lower == upper
    scales = np.stack(
        [
            np.where(is_open, -np.inf, lower),
            np.where(is_open, np.inf, upper),
            means[:inputs],
            ranges[:inputs],
        ],
        axis=1,
    )
    is_identity = (scales == [-np.inf, np.inf, 0, 1]).all()
    return (None if is_identity else Normalisation(scales)), (output_mean, output_range)


def _scaled(layer: Layer, mean: float, scale: float) -> Layer:
    assert layer.bias is not None
    with np.errstate(over="ignore", invalid="ignore"):
        return Layer(layer.name, layer.weight * scale, layer.bias * scale + mean)


class _Lines:
    """The lines of numbers, one after the other, with the place of what is wrong."""

    def __init__(self, file: str, data: bytes) -> None:
        self._file = file
        self._number = 0
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{file}: is no .nnet file, which is UTF-8 text") from None
        self._left = self._content(text)

    def _content(self, text: str) -> Iterator[str]:
        for number, line in enumerate(text.splitlines(), start=1):
            content = line.partition("//")[0].strip().rstrip(",")
            if content:
                self._number = number
                yield content

    def fail(self, reason: str) -> None:
        raise InputError(f"{self._file}: line {self._number}: {reason}")

    def _next(self, what: str) -> str:
        for line in self._left:
            return line
        raise InputError(f"{self._file}: is truncated, the {what} is missing")

    def skip(self, what: str) -> None:
        self._next(what)

    def end(self) -> None:
        for _ in self._left:
            self.fail("there is more than the layers that the header promises")

    def numbers(self, what: str, *counts: int) -> Numbers:
        """A line with one of these numbers of numbers."""
        parts = self._next(what).split(",")
        if len(parts) not in counts:
            self.fail(f"{what}: there are {len(parts)} numbers instead of {counts[0]}")
        return np.array([self._real(what, part.strip()) for part in parts])

    def _real(self, what: str, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            place = f"{self._file}: line {self._number}"
            raise InputError(f"{place}: {what}: {text[:40]!r} is no number") from None

    def counts(self, what: str, count: int) -> list[int]:
        """A line of positive whole numbers."""
        numbers = self.numbers(what, count)
        if not ((numbers >= 1) & (numbers < 2**31) & (numbers == np.floor(numbers))).all():
            self.fail(f"{what}: there must be positive whole numbers")
        return [int(number) for number in numbers]
