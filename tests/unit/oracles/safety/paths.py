"""Long paths as transition systems."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bugsieve import _native
from tests.unit.oracles.safety.graphs import Kind, graph_from_arrays

End = Literal["unsafe", "goal", "cycle", "nothing"]


def path_system(length: int, end: End) -> _native.ExplicitSystem:
    """State i leads to i + 1 by action 0; the last one is what `end` says."""
    kinds = np.zeros(length, dtype=np.uint8)
    kinds[-1] = {"unsafe": Kind.UNSAFE, "goal": Kind.GOAL}.get(end, Kind.ORDINARY)
    steps = length if end == "cycle" else length - 1
    offsets = np.minimum(np.arange(length + 1), steps).astype(np.uint32)
    return graph_from_arrays(
        kinds,
        offsets,
        np.zeros(steps, dtype=np.int32),
        np.arange(steps + 1, dtype=np.uint32),
        (np.arange(1, steps + 1) % length).astype(np.uint32),
    )
