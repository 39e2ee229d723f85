"""A network in training: its weights, and what the optimiser remembers."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.asnets.files import sizes_of, tensors_of, weights_in
from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.formats.networks.network import shortened
from bugsieve.rooms.formats.networks.safetensors import read_tensors, tensor_bytes

FORMAT = "bugsieve asnet model 1"
_FIRST, _SECOND = "first.", "second."


@dataclass(frozen=True, eq=False)
class Moments:
    """The memory of Adam: means of gradients and of their squares, in the shapes of weights."""

    steps: int
    """Steps taken so far."""
    first: Weights
    second: Weights


@dataclass(frozen=True, eq=False)
class Model:
    """Weights with the moments that go with them; none before the first step."""

    weights: Weights
    moments: Moments | None = None

    def to_bytes(self) -> bytes:
        """A safetensors file."""
        tensors = tensors_of(self.weights)
        metadata = {"format": FORMAT, **sizes_of(self.weights)}
        if self.moments is not None:
            tensors |= tensors_of(self.moments.first, _FIRST)
            tensors |= tensors_of(self.moments.second, _SECOND)
            metadata["steps"] = str(self.moments.steps)
        metadata["digest"] = self.digest()
        return tensor_bytes(tensors, metadata)

    def digest(self) -> str:
        """The SHA-256 of all numbers, by which damage to them is noticed."""
        parts = [self.weights]
        if self.moments is not None:
            parts += [self.moments.first, self.moments.second]
        return hashlib.sha256("".join(part.digest() for part in parts).encode()).hexdigest()

    @classmethod
    def from_bytes(cls, data: bytes, signature: Signature, *, name: str) -> Model:
        """The model in such a file, the same to the bit; `name` begins what errors say."""
        tensors, metadata = read_tensors(name, data)
        if metadata.get("format") != FORMAT:
            raise InputError(
                f"{name}: is no model in training, its metadata 'format' is "
                f"{shortened(metadata.get('format'))!r} and not {FORMAT!r}"
            )
        model = cls._of(name, tensors, metadata, signature)
        if metadata.get("digest", model.digest()) != model.digest():
            raise InputError(f"{name}: its numbers are not those that were stored")
        return model

    @classmethod
    def _of(
        cls,
        name: str,
        tensors: dict[str, NDArray[Any]],
        metadata: dict[str, Any],
        signature: Signature,
    ) -> Model:
        if "steps" not in metadata:
            return cls(weights_in(name, tensors, metadata, signature)[""])
        steps = metadata["steps"]
        if not isinstance(steps, str) or not re.fullmatch("[1-9][0-9]{0,17}", steps):
            raise InputError(
                f"{name}: metadata 'steps' is {shortened(steps)!r}, and must be a number from 1"
            )
        parts = weights_in(name, tensors, metadata, signature, ("", _FIRST, _SECOND))
        if any((array < 0).any() for _, it in parts[_SECOND].modules() for array in it):
            raise InputError(f"{name}: has a second moment below 0, the file is damaged")
        return cls(parts[""], Moments(int(steps), parts[_FIRST], parts[_SECOND]))
