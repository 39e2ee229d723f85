"""What all biases have in common: they weigh the successors a walk may go to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.benches.bench import Bench
from bugsieve.tasks.fdr.task import StateArray

Offsets = NDArray[np.int64]
"""The successors of walk i are those from offsets[i] to offsets[i + 1] of the flat batch."""
Weights = NDArray[np.int64]


@dataclass(frozen=True)
class BiasResult:
    """A weight for each successor: a walk goes there with probability weight / sum of its own."""

    weights: Weights
    """Not negative; a walk whose weights are all 0 ends."""
    insert: NDArray[np.bool_] | None = None
    """Which successors are offered to the pool although no walk goes there; None for no one."""


class Bias(ABC):
    """Weighs successors; bound to one bench.

    What it says about a walk depends on the successors of that walk alone, never on the rest of
    the batch.
    """

    def __init__(self, bench: Bench, spec: str) -> None:
        self.bench = bench
        self.spec = spec

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """None, or why this bias cannot be used on this bench."""
        return None

    @abstractmethod
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Weights of the successors of all walks of a step."""
