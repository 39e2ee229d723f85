"""The weights of an ASNet: which modules a domain needs, of which shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.sizes import DEFAULT_HIDDEN, DEFAULT_LAYERS


class Module(NamedTuple):
    """One linear map: `weight` has a row per output."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


class Place(NamedTuple):
    """The place of a module; `kind` is "action" or "predicate"."""

    kind: str
    layer: int
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} of layer {self.layer}"


@dataclass(frozen=True, eq=False)
class Weights:
    """Modules by layer and name: layers 0 to L of actions, 0 to L - 1 of predicates.

    Predicates that no schema has need none. Inputs of a module, in this order: for actions of
    layer 0 the truth of the related facts, whether they are goals, whether the action is
    applicable; later their vectors and the action's own; for predicates the maximum of each slot,
    from layer 1 on followed by the fact's own vector.
    """

    hidden: int
    actions: tuple[Mapping[str, Module], ...]
    predicates: tuple[Mapping[str, Module], ...]

    @property
    def layers(self) -> int:
        """The number of layers of predicates, L."""
        return len(self.predicates)

    def modules(self) -> Iterator[tuple[Place, Module]]:
        """All of them: by layer, actions first."""
        for layer, modules in enumerate(self.actions):
            yield from ((Place("action", layer, name), it) for name, it in modules.items())
            if layer < self.layers:
                facts = self.predicates[layer]
                yield from ((Place("predicate", layer, name), it) for name, it in facts.items())

    def digest(self) -> str:
        """The SHA-256 of all numbers and where they stand."""
        found = hashlib.sha256()
        for place, module in self.modules():
            found.update(f"{place} {module.weight.shape}".encode())
            for array in module:
                found.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
        return found.hexdigest()


def module_shapes(
    signature: Signature, *, hidden: int = DEFAULT_HIDDEN, layers: int = DEFAULT_LAYERS
) -> dict[Place, tuple[int, int]]:
    """(outputs, inputs) of every module that a network of the domain has, by layer."""
    shapes: dict[Place, tuple[int, int]] = {}
    for layer in range(layers + 1):
        for schema in signature.schemas:
            related = len(schema.related)
            inputs = 2 * related + 1 if layer == 0 else (related + 1) * hidden
            outputs = hidden if layer < layers else 1
            shapes[Place("action", layer, schema.name)] = (outputs, inputs)
        for name, slots in signature.slots.items() if layer < layers else ():
            if slots:
                vectors = len(slots) + (1 if layer else 0)
                shapes[Place("predicate", layer, name)] = (hidden, vectors * hidden)
    return shapes


def make_weights(
    signature: Signature,
    module: Callable[[Place, int, int], Module],
    *,
    hidden: int = DEFAULT_HIDDEN,
    layers: int = DEFAULT_LAYERS,
) -> Weights:
    """Weights whose modules are `module(place, outputs, inputs)`."""
    made = {
        place: module(place, *shape)
        for place, shape in module_shapes(signature, hidden=hidden, layers=layers).items()
    }

    def of(kind: str, layer: int) -> dict[str, Module]:
        return {p.name: it for p, it in made.items() if (p.kind, p.layer) == (kind, layer)}

    return Weights(
        hidden,
        tuple(of("action", layer) for layer in range(layers + 1)),
        tuple(of("predicate", layer) for layer in range(layers)),
    )


def random_weights(
    signature: Signature,
    rng: np.random.Generator,
    *,
    hidden: int = DEFAULT_HIDDEN,
    layers: int = DEFAULT_LAYERS,
) -> Weights:
    """Weights of an untrained network: Xavier's normal distribution, biases 0."""

    def module(place: Place, outputs: int, inputs: int) -> Module:
        spread = np.sqrt(2 / (inputs + outputs))
        weight = rng.normal(0, spread, (outputs, inputs)).astype(np.float32)
        return Module(weight, np.zeros(outputs, dtype=np.float32))

    return make_weights(signature, module, hidden=hidden, layers=layers)


def checked_module(
    file: str, place: Place, weight: Any, bias: Any, *, shape: tuple[int, int]
) -> Module:
    """The module in arrays of a file; InputError unless they have the shape and are finite."""
    if weight.shape != shape or bias.shape != shape[:1]:
        raise InputError(
            f"{file}: {place} has weights of the shape {tuple(weight.shape)} and biases of the "
            f"shape {tuple(bias.shape)}, but the domain needs {shape} and {shape[:1]}: the file "
            "is for another domain or damaged"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        module = Module(*(np.ascontiguousarray(part, dtype=np.float32) for part in (weight, bias)))
    if not all(np.isfinite(part).all() for part in module):
        raise InputError(f"{file}: {place} has a weight that is no finite 32-bit float")
    return module
