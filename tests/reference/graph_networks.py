"""A relational graph network as its paper has it, atom by atom and in 64-bit floats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Atom = tuple[str, ...]
"""A predicate, or its goal version, and objects."""
Tensors = Mapping[str, NDArray[Any]]

UNSOLVABLE = 100_000


class NaiveNetwork:
    """The function that tensors by their names in a checkpoint compute."""

    def __init__(
        self, tensors: Tensors, predicates: Sequence[tuple[str, int]], width: int, iterations: int
    ) -> None:
        self._tensors = {name: np.asarray(array, np.float64) for name, array in tensors.items()}
        self._numbers = {name: number for number, (name, _) in enumerate(predicates)}
        self._width, self._iterations = width, iterations

    def values(self, objects: Sequence[str], states: Sequence[Iterable[Atom]]) -> list[float]:
        """The values of states whose smooth maxima are built on one maximum."""
        atoms = [[atom for atom in state if len(atom) > 1] for state in states]
        vectors = [{name: np.zeros(self._width) for name in objects} for _ in states]
        for _ in range(self._iterations):
            told = [self._messages(*pair) for pair in zip(atoms, vectors, strict=True)]
            greatest = max((m.max() for each in told for _, m in each), default=0.0)
            vectors = [
                self._updated(old, each, greatest) for old, each in zip(vectors, told, strict=True)
            ]
        return [self._value(np.array(list(each.values()))) for each in vectors]

    def _messages(
        self, atoms: Sequence[Atom], vectors: Mapping[str, NDArray[Any]]
    ) -> list[tuple[str, NDArray[Any]]]:
        told = []
        for predicate, *names in atoms:
            place = f"relation_network.relation_modules.{self._numbers[predicate]}"
            output = self._mlp(place, np.concatenate([vectors[name] for name in names]))
            told += list(zip(names, np.split(output, len(names)), strict=True))
        return told

    def _updated(
        self,
        old: Mapping[str, NDArray[Any]],
        told: Sequence[tuple[str, NDArray[Any]]],
        greatest: float,
    ) -> dict[str, NDArray[Any]]:
        new = {}
        for name, vector in old.items():
            own = [np.exp(8 * (message - greatest)) for to, message in told if to == name]
            total = np.log(1e-16 + np.sum(own, axis=0)) / 8 + greatest
            together = np.concatenate([np.broadcast_to(total, vector.shape), vector])
            new[name] = self._mlp("relation_network.update", together)
        return new

    def _value(self, vectors: NDArray[Any]) -> float:
        value = abs(self._read("readout", vectors))
        has_second = any(name.startswith("solvable_readout") for name in self._tensors)
        if has_second and 1 / (1 + np.exp(-self._read("solvable_readout", vectors))) <= 0.5:
            value += UNSOLVABLE
        return value

    def _read(self, place: str, vectors: NDArray[Any]) -> float:
        if f"{place}.linear.weight" in self._tensors:
            both = np.concatenate([vectors.max(axis=0), vectors.sum(axis=0)])
            return float(self._linear(f"{place}.linear", both)[0])
        total = sum(self._mlp(f"{place}.pre", vector) for vector in vectors)
        return float(self._mlp(f"{place}.post", np.asarray(total))[0])

    def _mlp(self, place: str, vector: NDArray[Any]) -> NDArray[Any]:
        return self._linear(f"{place}.2", np.maximum(self._linear(f"{place}.0", vector), 0))

    def _linear(self, place: str, vector: NDArray[Any]) -> NDArray[Any]:
        weight, bias = (self._tensors[f"{place}.{part}"] for part in ("weight", "bias"))
        return np.asarray(weight @ vector + bias)
