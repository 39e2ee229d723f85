"""Our Adam takes the steps of PyTorch's, also after it was stored."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.rooms.training.asnets.learner import AsnetAdam
from bugsieve.rooms.training.asnets.network import flattened
from bugsieve.rooms.training.asnets.options import AsnetOptions
from tests.unit.policies.asnets.tasks import noisy_weights
from tests.unit.training.asnets.lessons import gripper, grounded

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_steps_equal_those_of_pytorch() -> None:
    grounding = grounded(gripper(1))
    weights = noisy_weights(grounding)
    options = AsnetOptions(learning_rate=0.01, weight_decay=0.1)
    ours = torch.from_numpy(flattened(weights))
    theirs = ours.clone()
    adam = AsnetAdam(ours, None, options)
    peer = torch.optim.Adam([theirs], lr=0.01, weight_decay=0.1)
    rng = np.random.default_rng(0)
    for step in range(12):
        gradient = torch.from_numpy(rng.normal(0, 1, len(ours)).astype(np.float32))
        ours.grad, theirs.grad = gradient.clone(), gradient.clone()
        if step == 6:
            adam = AsnetAdam(ours, adam.moments(weights, grounding.signature), options)
        adam.step()
        peer.step()
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)
