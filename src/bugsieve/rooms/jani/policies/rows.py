"""Rows of states as keys of dictionaries."""

from __future__ import annotations

import numpy as np

from bugsieve.rooms.jani.model.model import Valuations


def row_keys(states: Valuations) -> list[bytes]:
    """One key per state; equal states have equal keys, and -0.0 equals 0.0."""
    rows = np.asarray(states, dtype=np.float64) + 0.0
    return [row.tobytes() for row in rows]
