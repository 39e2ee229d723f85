"""Networks in 64-bit floats and plain Python, and the decisions they lead to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ACTIVATIONS: dict[str, Callable[[NDArray[np.float64]], NDArray[Any]]] = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky-relu": lambda x: np.where(x < 0, 0.01 * x, x),
    "elu": lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-np.clip(x, -500, 500))),
    "tanh": np.tanh,
}


def scores(
    weights: Sequence[NDArray[Any]],
    biases: Sequence[NDArray[Any]],
    rows: NDArray[Any],
    activation: str = "relu",
) -> NDArray[np.float64]:
    """The outputs of the last layer for each row of inputs."""
    values = np.asarray(rows, dtype=np.float64)
    for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        if number > 0:
            values = ACTIVATIONS[activation](values)
        values = values @ weight.astype(np.float64).T + bias.astype(np.float64)
    return values


def decision(
    row: Sequence[float], actions: Sequence[int], allowed: Sequence[int], epsilon: float
) -> int:
    """The lowest allowed action whose score is within epsilon of the best, -1 if there is none."""
    by_action = {
        action: -math.inf if math.isnan(score) else score
        for action, score in zip(actions, row, strict=True)
        if action in allowed
    }
    best = max(by_action.values(), default=0.0)
    return min((a for a, score in by_action.items() if score >= best - epsilon), default=-1)


def margins(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much the best score of each row beats the second best."""
    ordered = np.sort(found, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
