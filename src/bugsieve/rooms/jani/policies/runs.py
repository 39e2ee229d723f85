"""Runs of a policy on a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.model.model import WordArray


@dataclass(frozen=True, eq=False)
class UnsafeRun:
    """A run of the policy from a start state into danger.

    `states` has one packed state per row, the last one unsafe and no other unsafe or a goal;
    `actions` has the policy's choice in every state but the last.
    """

    states: WordArray
    actions: NDArray[np.int32]

    def __len__(self) -> int:
        """Number of steps."""
        return len(self.actions)
