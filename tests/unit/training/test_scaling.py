"""Scaling of inputs, and the network of raw values that computes the same."""

from __future__ import annotations

import numpy as np

from bugsieve.rooms.training.scaling import Scaling
from tests.unit.training.path import path


def test_integers_by_bounds_and_reals_by_what_was_seen() -> None:
    model = path()
    seen = np.array([[0, 0.2], [1, 0.4], [0, 0.2], [1, 0.4]])
    scaling = Scaling.of(model, seen)
    assert scaling.centers.tolist() == [2.5, np.mean([0.2, 0.4])]
    assert np.allclose(scaling.widths, [3.5, 0.2])
    assert np.allclose(scaling.apply(np.array([[-1, 0.3], [6, 0.5]])), [[-1, 0], [1, 1]])


def test_what_never_changes_is_not_divided_by_zero() -> None:
    scaling = Scaling.of(path(), np.array([[1, 0.5], [2, 0.5]]))
    assert scaling.widths[1] == 1


def test_folding_gives_the_same_function() -> None:
    random = np.random.default_rng(3)
    scaling = Scaling(random.normal(0, 50, 6), random.uniform(0.01, 200, 6))
    weight = random.normal(size=(8, 6)).astype(np.float32)
    bias = random.normal(size=8).astype(np.float32)
    raw_weight, raw_bias = scaling.fold(weight, bias)
    assert raw_weight.dtype == raw_bias.dtype == np.float32
    states = scaling.centers + scaling.widths * random.uniform(-1, 1, (100, 6))
    trained = scaling.apply(states).astype(np.float64) @ weight.T + bias
    folded = states @ raw_weight.T.astype(np.float64) + raw_bias
    # Weights of raw values are rounded to 32 bits, and centers may be many widths from 0.
    magnitude = np.abs(states) @ np.abs(raw_weight).T + np.abs(raw_bias)
    assert (np.abs(trained - folded) <= 1e-6 * magnitude + 1e-5).all()


def test_folding_is_exact_where_numbers_are() -> None:
    scaling = Scaling(np.array([4.0, -8.0]), np.array([2.0, 0.5]))
    weight = np.array([[3.0, -1.0], [0.5, 2.0]], dtype=np.float32)
    raw_weight, raw_bias = scaling.fold(weight, np.array([1.0, 0.0], dtype=np.float32))
    assert raw_weight.tolist() == [[1.5, -2.0], [0.25, 4.0]]
    assert raw_bias.tolist() == [1 - 1.5 * 4 - 2 * 8, -0.25 * 4 + 4 * 8]


def test_no_scaling() -> None:
    states = np.array([[1.0, -7.5]])
    assert Scaling.none(2).apply(states).tolist() == states.tolist()
