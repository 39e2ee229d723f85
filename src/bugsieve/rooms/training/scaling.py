"""Inputs of similar size while training, and the same function of raw values afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.model.model import JaniModel, Valuations

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Scaling:
    """Variable i enters the network as (value - centers[i]) / widths[i]."""

    centers: NDArray[np.float64]
    widths: NDArray[np.float64]

    @classmethod
    def none(cls, variables: int) -> Scaling:
        """The scaling that changes nothing."""
        return cls(np.zeros(variables), np.ones(variables))

    @classmethod
    def of(cls, model: JaniModel, seen: Valuations) -> Scaling:
        """Bounded integers and Booleans by their bounds, all else by the states seen.

        The bounds of reals say little: models leave room where no run ever comes.
        """
        centers, widths = seen.mean(axis=0), 2 * seen.std(axis=0)
        for k, variable in enumerate(model.variables):
            kind = variable.type
            if kind.is_bounded and kind.kind != "real":
                centers[k] = (kind.lower + kind.upper) / 2
                widths[k] = (kind.upper - kind.lower) / 2
        return cls(centers, np.where(widths > 0, widths, 1.0))

    def apply(self, states: Valuations) -> FloatArray:
        """The inputs of the network in training."""
        return ((states - self.centers) / self.widths).astype(np.float32)

    def fold(self, weight: FloatArray, bias: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weight and bias of a first layer that takes raw values, from those of one trained."""
        # W ((x - c) / w) + b = (W / w) x + (b - (W / w) c), in double precision, as the two terms
        # of the bias may be large and nearly cancel.
        raw = weight.astype(np.float64) / self.widths
        return raw.astype(np.float32), (bias - raw @ self.centers).astype(np.float32)
