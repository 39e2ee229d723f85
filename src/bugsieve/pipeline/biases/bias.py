"""The common part of all biases: they weigh the successors a walk may go to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.tasks.grounded.task import StateArray

Offsets = NDArray[np.int64]
"""The successors of walk i are those from offsets[i] to offsets[i + 1] of the flat batch."""
Weights = NDArray[np.int64]


@dataclass(frozen=True)
class BiasResult:
    """A weight for each successor: a walk goes there with probability weight / sum of its own."""

    weights: Weights
    """Not negative; a walk whose weights are all 0 ends."""
    insert: NDArray[np.bool_] | None = None
    """True for successors offered to the pool although no walk goes there; None for no one."""


class Bias(ABC):
    """Weighs successors; bound to one bench.

    What it says about a walk depends on the successors of that walk alone, never on the rest of
    the batch.
    """

    usage: ClassVar[str]
    """The form of its specs."""

    def __init__(self, bench: Bench, spec: str = "") -> None:
        self.bench = bench
        self.spec = spec or self.usage

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """None, or why this bias cannot be used on this bench."""
        return None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError where no bench could make `name:argument` right."""
        if argument is not None:
            raise UsageError(f"the bias {cls.usage!r} takes no argument, but got {argument!r}")

    @classmethod
    def from_spec(cls, bench: Bench, argument: str | None) -> Bias:
        """The bias of the spec `name:argument`, which has been checked."""
        return cls(bench)

    @abstractmethod
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        """Weights of the successors of all walks of a step."""
