"""The learner: masks, targets and the step it takes, against numbers computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from bugsieve.rooms.training.learner import QLearner, QLearningAdam, QNetwork, first_layers
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.training.replay import ReplayBuffer, TransitionBatch
from bugsieve.rooms.training.scaling import FloatArray


def floats(*rows: object) -> FloatArray:
    return np.array(rows, dtype=np.float32)


# Two inputs, three actions, no hidden layer: values are x, y and x + y + 1.
LAYERS = [(floats([1, 0], [0, 1], [1, 1]), floats(0, 0, 1))]


def batch(*, applicable: list[bool], reward: float = 0.5) -> TransitionBatch:
    return TransitionBatch(
        floats([2, 3]),
        np.array([1]),
        floats(reward),
        floats([4, 1]),
        np.array([applicable]),
    )


def test_greedy_choices_are_applicable() -> None:
    network = QNetwork(LAYERS)
    inputs = floats([2, 1], [2, 1], [1, 2], [1, 1])
    flags = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0]], dtype=np.bool_)
    assert network.greedy(inputs, flags).tolist() == [2, 0, 1, 0]


def test_hidden_layers_are_rectified() -> None:
    layers = [(floats([1], [-1]), floats(0, 0)), (floats([1, 1], [1, -1]), floats(0, 0))]
    import torch

    values = QNetwork(layers)(torch.tensor([[-3.0], [2.0]]))
    assert values.tolist() == [[3.0, -3.0], [2.0, 2.0]]


@pytest.mark.parametrize(
    ("applicable", "expected"),
    [
        ([True, True, True], 0.5 + 0.9 * 6),
        ([True, True, False], 0.5 + 0.9 * 4),
        ([False, True, False], 0.5 + 0.9 * 1),
        ([False, False, False], 0.5),  # the run is over
    ],
)
def test_targets(applicable: list[bool], expected: float) -> None:
    learner = QLearner(LAYERS, QOptions(discount=0.9))
    assert learner.targets(batch(applicable=applicable)).tolist() == pytest.approx([expected])


def test_the_learning_network_chooses_and_the_target_network_values() -> None:
    learner = QLearner(LAYERS, QOptions(discount=0.5, target_every=10**6))
    learner.network.parameters.copy_(
        QNetwork([(floats([0, 0], [0, 9], [0, 0]), floats(0, 0, 0))]).parameters
    )
    (target,) = learner.targets(batch(applicable=[True, True, True])).tolist()
    assert target == pytest.approx(0.5 + 0.5 * 1)  # y = 1 of action 1, not the highest value 6


def test_an_update_moves_the_chosen_action_only() -> None:
    """Adam's first step is the learning rate against the sign of each gradient."""
    learner = QLearner(LAYERS, QOptions(learning_rate=0.01, discount=0.9))
    loss = learner.update(batch(applicable=[False, False, False], reward=10.0))
    assert loss == pytest.approx((10 - 3) - 0.5)  # Huber beyond 1
    ((weight, bias),) = learner.network.layers()
    assert weight == pytest.approx(floats([1, 0], [0.01, 1.01], [1, 1]), abs=1e-5)
    assert bias == pytest.approx(floats(0, 0.01, 1), abs=1e-5)


def test_small_errors_are_squared() -> None:
    learner = QLearner(LAYERS, QOptions())
    loss = learner.update(batch(applicable=[False, False, False], reward=3.5))
    assert loss == pytest.approx(0.5 * 0.5**2)


def test_the_target_network_follows_in_jumps() -> None:
    learner = QLearner(LAYERS, QOptions(discount=1.0, target_every=3, learning_rate=0.1))
    over = batch(applicable=[False, False, False], reward=10.0)
    ahead = batch(applicable=[False, True, False], reward=0.0)
    seen = []
    for _ in range(3):
        learner.update(over)
        seen.append(float(learner.targets(ahead)[0]))
    assert seen[:2] == [1.0, 1.0]
    assert seen[2] > 1.5


def test_repeated_updates_learn_a_value() -> None:
    random = np.random.default_rng(0)
    learner = QLearner(first_layers([2, 16, 3], random), QOptions(learning_rate=0.01))
    over = batch(applicable=[False, False, False], reward=0.7)
    losses = [learner.update(over) for _ in range(300)]
    assert losses[-1] < 1e-4 < losses[0]


def test_first_layers_have_the_shapes_of_the_sizes() -> None:
    layers = first_layers([5, 7, 3], np.random.default_rng(0))
    assert [(w.shape, b.shape) for w, b in layers] == [((7, 5), (7,)), ((3, 7), (3,))]
    assert all(w.dtype == np.float32 and w.std() > 0 and not b.any() for w, b in layers)


def rows(first: int, count: int) -> TransitionBatch:
    numbers = np.arange(first, first + count)
    inputs = numbers[:, None].astype(np.float32)
    flags = (numbers % 2 == 0)[:, None]
    return TransitionBatch(inputs, numbers, numbers.astype(np.float32), inputs + 1, flags)


def test_the_buffer_forgets_the_oldest() -> None:
    buffer = ReplayBuffer(5, 1, 1)
    buffer.add(rows(0, 3))
    assert len(buffer) == 3
    buffer.add(rows(3, 4))
    assert len(buffer) == 5
    found = buffer.sample(500, np.random.default_rng(0))
    assert set(found.actions.tolist()) == {2, 3, 4, 5, 6}
    assert (found.inputs[:, 0] == found.actions).all()
    assert (found.rewards == found.actions).all()
    assert (found.next_inputs[:, 0] == found.actions + 1).all()
    assert (found.next_applicable[:, 0] == (found.actions % 2 == 0)).all()


def test_more_than_the_buffer_holds() -> None:
    buffer = ReplayBuffer(3, 1, 1)
    buffer.add(rows(0, 10))
    assert set(buffer.sample(200, np.random.default_rng(0)).actions.tolist()) == {7, 8, 9}


def test_steps_are_those_of_pytorch_to_the_bit() -> None:
    """Also over many steps, with gradients of all sizes and some that are 0."""
    import torch

    random = np.random.default_rng(7)
    ours, theirs = (torch.from_numpy(floats(*range(9))) for _ in range(2))
    mine, other = QLearningAdam(ours, 0.01), torch.optim.Adam([theirs], lr=0.01)
    for _ in range(100):
        gradient = (random.normal(size=9) * 10.0 ** random.integers(-9, 3, 9)).astype(np.float32)
        gradient[random.integers(9)] = 0
        ours.grad, theirs.grad = torch.from_numpy(gradient), torch.from_numpy(gradient.copy())
        mine.step()
        other.step()
        assert torch.equal(ours, theirs)
