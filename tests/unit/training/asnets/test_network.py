"""The network in PyTorch equals the native one and the twin, and all of it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bugsieve.rooms.formats.asnets.goals import goal_atoms
from bugsieve.rooms.formats.asnets.policy import AsnetPolicy
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.asnets.data import TrainingData
from bugsieve.rooms.training.asnets.encoding import Encoder, LabelledBatch
from bugsieve.rooms.training.asnets.learner import Dropout, loss_of
from bugsieve.rooms.training.asnets.network import TorchAsnet, flattened, unflattened
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.policies.asnets.tasks import (
    DOMAINS,
    hall,
    made,
    noisy_weights,
    twin_logits,
    walked,
)
from tests.unit.training.asnets.lessons import any_labels, batch_of, blocks, gripper, grounded

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def by_state(batch: LabelledBatch, scores: Any) -> list[NDArray[np.float32]]:
    """The scores of each state in the order of its grounding."""
    states = batch.inputs.layout.action_states
    column = scores.detach().numpy()
    return [column[states == state] for state in range(len(batch.labels))]


def distinct(task: Task, count: int) -> StateArray:
    """States of a random walk that are no goals, each once, in which something is applicable."""
    states = np.unique(walked(task, count), axis=0)
    return states[grounded(task).applicable(states).any(axis=1)]


def compare(task: Task, weights: Weights, states: StateArray, found: list[Any]) -> None:
    policy = AsnetPolicy(grounded(task), weights, "asnets:random")
    goal = set(goal_atoms(task))
    assert len(found) == len(states)
    for scores, native in zip(found, policy.logits(states), strict=True):
        assert np.abs(scores - native).max() <= 1e-4
    for state, scores in list(zip(states, found, strict=True))[::7]:
        expected = twin_logits(policy, state, goal)
        assert np.abs(scores - expected).max() <= 1e-5 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("domain", [*DOMAINS, "hall"])
@pytest.mark.parametrize(("hidden", "layers"), [(16, 2), (5, 1), (3, 3)])
def test_scores_equal_the_native_network_and_the_twin(
    domain: str, hidden: int, layers: int
) -> None:
    task = hall() if domain == "hall" else made(domain)
    weights = noisy_weights(grounded(task), seed=5, hidden=hidden, layers=layers)
    states = distinct(task, 25)
    batch = batch_of([(task, states)])
    network = TorchAsnet(grounded(task).signature, weights)
    compare(task, weights, states, by_state(batch, network.scores(batch.inputs)))


def test_states_of_several_tasks_do_not_disturb_each_other() -> None:
    tasks = [gripper(1), gripper(4), gripper(2)]
    weights = noisy_weights(grounded(tasks[0]), seed=1)
    parts = [(task, distinct(task, 12)) for task in tasks]
    batch = batch_of(parts)
    network = TorchAsnet(grounded(tasks[0]).signature, weights)
    found = by_state(batch, network.scores(batch.inputs))
    for task, states in parts:
        compare(task, weights, states, found[: len(states)])
        found = found[len(states) :]


def test_any_order_of_examples_is_laid_out() -> None:
    tasks = [blocks(3), blocks(4)]
    weights = noisy_weights(grounded(tasks[0]))
    network = TorchAsnet(grounded(tasks[0]).signature, weights)
    data = TrainingData()
    data.add([any_labels(task, distinct(task, 9), k) for k, task in enumerate(tasks)])
    encoder = Encoder([grounded(task) for task in tasks], data)
    whole = encoder.batch(np.arange(len(data)))
    expected = by_state(whole, network.scores(whole.inputs))
    numbers = np.array([len(data) - 1, 0, 3, len(data) - 1, 1])
    drawn = encoder.batch(numbers)
    for number, scores in zip(numbers, by_state(drawn, network.scores(drawn.inputs)), strict=True):
        np.testing.assert_allclose(scores, expected[number], rtol=1e-5, atol=1e-5)


def gradient(network: TorchAsnet, batch: LabelledBatch, kind: str) -> NDArray[Any]:
    found = network.parameters.grad
    assert found is not None
    found.zero_()
    loss_of(kind, network.scores(batch.inputs), batch).backward()  # type: ignore[no-untyped-call]
    return np.array(found.numpy())


@pytest.mark.parametrize("domain", DOMAINS)
def test_gradients_reach_every_module(domain: str) -> None:
    task = made(domain)
    weights = noisy_weights(grounded(task), seed=2)
    signature = grounded(task).signature
    batch = batch_of([(task, distinct(task, 60))])
    found = gradient(TorchAsnet(signature, weights), batch, "bce")
    used = {
        schema.name
        for number, schema in enumerate(signature.schemas)
        if len(grounded(task).related[number])
    }
    facts = dict(zip(signature.predicates, np.diff(grounded(task).fact_starts), strict=True))
    for place, module in unflattened(found, weights, signature).modules():
        if place.name in used or facts.get(place.name, 0):
            assert np.abs(module.weight).max() > 0, place
            assert np.abs(module.bias).max() > 0, place


@pytest.mark.parametrize("kind", ["bce", "ce"])
def test_gradients_equal_differences(kind: str) -> None:
    task = hall()
    weights = noisy_weights(grounded(task), seed=2, hidden=3)
    batch = batch_of([(task, distinct(task, 20))])
    network = TorchAsnet(grounded(task).signature, weights, double=True)
    exact = gradient(network, batch, kind)
    rng = np.random.default_rng(0)
    for place in rng.choice(len(exact), 40, replace=False):
        ends = []
        for step in (1e-6, -1e-6):
            with torch.no_grad():
                network.parameters[place] += step
                ends.append(float(loss_of(kind, network.scores(batch.inputs), batch)))
                network.parameters[place] -= step
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(exact[place], rel=1e-4, abs=1e-7)
    single = gradient(TorchAsnet(grounded(task).signature, weights), batch, kind)
    np.testing.assert_allclose(single, exact, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("kind", ["bce", "ce"])
def test_the_loss_equals_its_definition(kind: str) -> None:
    task = made("transport")
    weights = noisy_weights(grounded(task))
    states = distinct(task, 15)
    batch = batch_of([(task, states)])
    network = TorchAsnet(grounded(task).signature, weights, double=True)
    found = float(loss_of(kind, network.scores(batch.inputs), batch).detach())
    logits = AsnetPolicy(grounded(task), weights, "asnets:x").logits(states).astype(np.float64)
    total = 0.0
    for row, flags in enumerate(grounded(task).applicable(states)):
        shares = np.where(flags, np.exp(logits[row]), 0)
        shares /= shares.sum()
        places = np.flatnonzero(batch.inputs.layout.action_states == row)
        wanted = places == batch.labels[row]
        assert wanted.sum() == 1
        total -= np.log(shares[wanted]).sum()
        if kind == "bce":
            total -= np.log(1 - shares[flags & ~wanted]).sum()
    assert found == pytest.approx(total / len(states), rel=1e-5)


def test_certainty_and_huge_scores_leave_the_loss_finite() -> None:
    task = gripper(2)
    batch = batch_of([(task, distinct(task, 6))])
    for size in (0.0, 1e4):
        scores = torch.linspace(-size, size, len(batch.inputs.applicable), requires_grad=True)
        loss = loss_of("bce", scores, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        assert torch.isfinite(loss)
        assert torch.isfinite(scores.grad).all()


def test_a_label_that_the_network_does_not_know_teaches_nothing() -> None:
    task = gripper(2)
    batch = batch_of([(task, distinct(task, 6))])
    scores = torch.randn(len(batch.inputs.applicable), generator=torch.Generator().manual_seed(0))
    scores.requires_grad_()
    unknown = LabelledBatch(
        batch.inputs, np.where(np.arange(len(batch.labels)) == 1, -1, batch.labels)
    )
    loss_of("bce", scores, unknown).backward()  # type: ignore[no-untyped-call]
    untouched = batch.inputs.layout.action_states == 1
    assert (scores.grad.numpy()[untouched] == 0).all()
    assert (scores.grad.numpy()[~untouched] != 0).any()


def test_dropout_leaves_out_a_share_and_keeps_the_mean() -> None:
    drop = Dropout(0.1, np.random.default_rng(0))
    found = drop(torch.ones(400, 100)).numpy()
    assert (found == 0).mean() == pytest.approx(0.1, abs=0.01)
    assert found.mean() == pytest.approx(1.0, abs=0.01)


def test_dropout_spares_action_layer_0_and_the_scores() -> None:
    task = gripper(2)
    weights = noisy_weights(grounded(task), layers=3)
    batch = batch_of([(task, distinct(task, 6))])
    shapes: list[int] = []

    def count(vectors: Any) -> Any:
        shapes.append(len(vectors))
        return vectors

    TorchAsnet(grounded(task).signature, weights).scores(batch.inputs, count)
    layout = batch.inputs.layout
    facts, actions = int(layout.fact_counts.sum()), int(layout.action_counts.sum())
    assert shapes == [facts, actions, facts, actions, facts]


def test_maxima_share_gradients_among_equals() -> None:
    from bugsieve.rooms.training.asnets.pooling import segment_maxima

    rows = torch.tensor([[2.0], [2.0], [1.0], [-1.0]], requires_grad=True)
    lengths, segments = torch.tensor([3, 1]), torch.tensor([0, 0, 0, 1])
    found = segment_maxima(rows, lengths, segments)
    assert found.tolist() == [[2.0], [-1.0]]
    (found * torch.tensor([[-4.0], [3.0]])).sum().backward()
    assert rows.grad.tolist() == [[-2.0], [-2.0], [0.0], [3.0]]


def test_weights_survive_being_one_vector() -> None:
    grounding = grounded(made("satellite"))
    weights = noisy_weights(grounding)
    again = unflattened(flattened(weights), weights, grounding.signature)
    assert again.digest() == weights.digest()
