"""Turns scores into weights; shared by the biases whose scores may be negative or infinite."""

from __future__ import annotations

import numpy as np

from bugsieve.pipeline.biases.bias import Offsets, Weights

NEVER = np.iinfo(np.int64).min
"""The score minus infinity: such a successor is never chosen."""
ENDLESS = np.iinfo(np.int64).max
"""The score infinity: if a walk can reach such successors, it chooses among them alone."""


def weights_of(scores: Weights, offsets: Offsets) -> Weights:
    """Weights, not negative, in the order of the scores.

    Where a walk has negative scores, all its scores are raised by the lowest; where all weights
    would then be 0, each finite score counts 1.
    """
    weights = np.zeros(len(scores), dtype=np.int64)
    counts = np.diff(offsets)
    if not len(scores):
        return weights
    # `reduceat` has no empty segments: walks without successors are left out.
    starts = offsets[:-1][counts > 0]
    counts = counts[counts > 0]
    finite = (scores != NEVER) & (scores != ENDLESS)
    lowest = np.minimum.reduceat(np.where(finite, np.minimum(scores, 0), 0), starts)
    weights[finite] = scores[finite] - np.repeat(lowest, counts)[finite]
    flat = np.repeat(np.maximum.reduceat(weights, starts) == 0, counts)
    weights[flat & finite] = 1
    endless = scores == ENDLESS
    some_endless = np.repeat(np.logical_or.reduceat(endless, starts), counts)
    return np.where(some_endless, endless.astype(np.int64), weights)
