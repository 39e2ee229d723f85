"""Networks in the core against the plain twin."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bugsieve import _native
from tests.reference import networks as reference
from tests.unit.policies.networks.files import random_network

SHAPES = [(1, 1), (3, 2), (14, 64, 64, 5), (5, 17, 1, 33, 16, 2), (40, 15, 3), (2, 300, 2)]


def core(*sizes: int, seed: int = 0, activation: str = "relu") -> _native.Network:
    network = random_network(*sizes, seed=seed)
    return _native.Network(list(network.weights), list(network.biases), activation)


def inputs(
    rows: int, width: int, seed: int = 1
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)


@pytest.mark.parametrize("activation", reference.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SHAPES)
def test_scores_of_the_twin(sizes: tuple[int, ...], activation: str) -> None:
    network = random_network(*sizes)
    rows = inputs(150, sizes[0])
    found = core(*sizes, activation=activation).outputs(rows)
    expected = reference.scores(network.weights, network.biases, rows, activation)
    assert found.shape == (150, sizes[-1])
    assert found.dtype == np.float32
    # The sums of a layer are wrong by at most this share of what is summed. No activation makes
    # that larger, and at most 1 is added to what is summed.
    magnitude = reference.scores(
        [abs(weight) for weight in network.weights],
        [abs(bias) + 1 for bias in network.biases],
        abs(rows),
    )
    assert (abs(found - expected) <= 1e-6 * sum(sizes) * magnitude).all()


@pytest.mark.parametrize("activation", reference.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SHAPES)
def test_a_row_does_not_depend_on_its_batch(sizes: tuple[int, ...], activation: str) -> None:
    network = core(*sizes, activation=activation)
    rows = inputs(131, sizes[0])
    whole = network.outputs(rows)
    for size in (1, 2, 3, 5, 64, 65):
        parts = [network.outputs(rows[begin : begin + size]) for begin in range(0, 131, size)]
        assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert network.outputs(rows[::-1].copy())[::-1].tobytes() == whole.tobytes()


@pytest.mark.parametrize("activation", reference.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SHAPES)
def test_the_processor_makes_no_difference(sizes: tuple[int, ...], activation: str) -> None:
    network = core(*sizes, activation=activation)
    rows = inputs(70, sizes[0])
    assert network.outputs(rows, baseline=True).tobytes() == network.outputs(rows).tobytes()


def test_products_are_rounded_before_they_are_added() -> None:
    """A fused multiplication and addition would give another last bit somewhere."""
    network = random_network(30, 20)
    rows = inputs(50, 30)
    sums = np.tile(network.biases[0], (50, 1))
    for k in range(30):
        sums = sums + rows[:, k : k + 1] * network.weights[0][:, k]
    assert sums.dtype == np.float32
    assert core(30, 20).outputs(rows).tobytes() == sums.tobytes()


@pytest.mark.parametrize("activation", reference.ACTIVATIONS)
def test_activations_to_the_last_bit(activation: str) -> None:
    """A layer that passes its input on, so that the scores are what the activation makes of it."""
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, scale, 3000) for scale in (1e-6, 1e-3, 1, 10, 100)])
    special = [0.0, -0.0, np.inf, -np.inf, 1e-45, -1e-45, 3e38, -3e38, 2.0**-10, -(2.0**-10)]
    rows = np.concatenate([values, special]).astype(np.float32)[:, None]
    one, zero = np.ones((1, 1), np.float32), np.zeros(1, np.float32)
    found = _native.Network([one, one], [zero, zero], activation).outputs(rows)
    expected = reference.ACTIVATIONS[activation](rows.astype(np.float64)).astype(np.float32)
    with np.errstate(invalid="ignore"):  # infinity is equal to itself, but has no distance
        is_near = abs(found - expected) <= np.spacing(abs(expected))
    assert ((found == expected) | is_near).all()
    assert (np.diff(found[np.argsort(rows[:, 0])][:, 0]) >= 0).all()


def test_activations_we_do_not_have() -> None:
    with pytest.raises(ValueError, match="there is no activation 'Tanh'"):
        core(2, 3, 2, activation="Tanh")


@pytest.mark.parametrize("activation", reference.ACTIVATIONS)
def test_what_is_not_a_number_stays_so(activation: str) -> None:
    network = core(2, 3, 2, activation=activation)
    rows = np.array([[np.nan, 0], [0, 0]], dtype=np.float32)
    found = network.outputs(rows)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_layers_with_many_outputs() -> None:
    """So wide that the rows of a block do not fit into the buffers at once."""
    network = random_network(2, 300_000, 2)
    rows = inputs(3, 2)
    found = core(2, 300_000, 2).outputs(rows)
    expected = reference.scores(network.weights, network.biases, rows)
    assert np.allclose(found, expected, rtol=1e-2, atol=1)


def test_empty_batches() -> None:
    assert core(3, 4, 2).outputs(np.zeros((0, 3), np.float32)).shape == (0, 2)


def test_networks_that_do_not_fit() -> None:
    w, b = np.ones((2, 3), np.float32), np.ones(2, np.float32)
    for weights, biases, message in [
        ([], [], "a network needs a layer"),
        ([w], [], "as many biases as weights"),
        ([w], [np.ones(3, np.float32)], "layer 0 has 2 outputs, but 3 biases"),
        ([w, w], [b, b], "layer 1 takes 3 inputs, but the one before it has 2"),
        ([np.ones((2, 0), np.float32)], [b], "layer 0 is empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            _native.Network(weights, biases, "relu")
    with pytest.raises(ValueError, match="rows have 4 columns, but the network has 3 inputs"):
        _native.Network([w], [b], "relu").outputs(np.ones((1, 4), np.float32))


def test_interruption() -> None:
    """Minutes of work, of which Ctrl-C leaves the rest undone."""
    network = core(1, 3000, 3000, 1)
    rows = inputs(1_000_000, 1)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        network.outputs(rows)
    timer.join()


def test_threads_share_a_network() -> None:
    network = core(14, 64, 64, 5)
    rows = inputs(4000, 14)
    expected = network.outputs(rows).tobytes()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: network.outputs(rows).tobytes(), range(4)))
    assert answers == [expected] * 4
