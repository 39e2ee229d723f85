"""Learning from the teacher's examples: the loss, dropout, and Adam."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.asnets.encoding import LabelledBatch
from bugsieve.rooms.training.asnets.model import Model, Moments
from bugsieve.rooms.training.asnets.network import TorchAsnet, flattened, unflattened
from bugsieve.rooms.training.asnets.options import AsnetOptions

if TYPE_CHECKING:
    import torch

_LIKELIEST = 1 - 1e-6
"""Probabilities above it count as this one where the logarithm of the rest is needed."""


def loss_of(kind: str, scores: torch.Tensor, batch: LabelledBatch) -> torch.Tensor:
    """The mean over states of the cross-entropy between the policy and the teacher's action.

    The policy is the softmax over applicable actions. "ce" is the logarithm of what it gives to
    the teacher's action; "bce" adds those of what it does not give to each other one.
    """
    import torch

    layout = batch.inputs.layout
    states = layout.action_states
    is_known = batch.labels >= 0
    rows = np.flatnonzero(batch.inputs.applicable & is_known[states])
    owners = torch.from_numpy(states[rows])
    chosen = torch.from_numpy(np.searchsorted(rows, batch.labels[is_known]))
    logits = scores[torch.from_numpy(rows)]
    greatest = logits.new_full((len(batch.labels),), -torch.inf)
    greatest = greatest.scatter_reduce(0, owners, logits.detach(), "amax")
    shifted = logits - greatest[owners]
    sums = torch.zeros_like(greatest).index_add(0, owners, shifted.exp())
    logarithms = shifted - sums[owners].log()
    total = logarithms[chosen].sum()
    if kind == "bce":
        rest = torch.log1p(-logarithms.exp().clamp(max=_LIKELIEST))
        total = total + rest.sum() - rest[chosen].sum()
    return -total / len(batch.labels)


class Dropout:
    """Sets numbers to 0, a share of them on average, and scales the others up."""

    def __init__(self, share: float, rng: np.random.Generator) -> None:
        self._limit = round(share * (1 << 16))
        self._scale = 1 / (1 - share)
        self._rng = rng

    def __call__(self, vectors: torch.Tensor) -> torch.Tensor:
        """The vectors with some numbers left out."""
        import torch

        # Two random bytes for each number: NumPy draws them faster than floats.
        draws = self._rng.integers(0, 1 << 16, tuple(vectors.shape), dtype=np.uint16)
        kept = torch.from_numpy(
            (draws >= self._limit).astype(np.float32) * np.float32(self._scale)
        )
        return vectors * kept.to(vectors.dtype)


class AsnetAdam:
    """Kingma and Ba (2015) with weight decay as a part of the gradient, on one vector.

    Our own few lines, so that its moments are plain arrays that can be stored and restored.
    """

    def __init__(
        self, parameters: torch.Tensor, moments: Moments | None, options: AsnetOptions
    ) -> None:
        import torch

        self._parameters = parameters
        self._rate, self._decay = options.learning_rate, options.weight_decay
        self._first, self._second = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self._steps = 0
        if moments is not None:
            self._first.copy_(torch.from_numpy(flattened(moments.first)))
            self._second.copy_(torch.from_numpy(flattened(moments.second)))
            self._steps = moments.steps

    def step(self) -> None:
        """Move along the gradient of the parameters."""
        import torch

        beta1, beta2, epsilon = 0.9, 0.999, 1e-8
        self._steps += 1
        with torch.no_grad():
            assert self._parameters.grad is not None
            gradient = self._parameters.grad.add(self._parameters, alpha=self._decay)
            self._first.mul_(beta1).add_(gradient, alpha=1 - beta1)
            self._second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            scale = (self._second / (1 - beta2**self._steps)).sqrt_().add_(epsilon)
            rate = self._rate / (1 - beta1**self._steps)
            self._parameters.addcdiv_(self._first, scale, value=-rate)

    def moments(self, like: Weights, signature: Signature) -> Moments:
        """A copy of what it remembers."""
        first, second = (
            unflattened(tensor.numpy(), like, signature) for tensor in (self._first, self._second)
        )
        return Moments(self._steps, first, second)


class ImitationLearner:
    """Takes the steps of an epoch, from a model to a new one."""

    def __init__(
        self, signature: Signature, model: Model, options: AsnetOptions, rng: np.random.Generator
    ) -> None:
        self._signature, self._model, self._options = signature, model, options
        self._network = TorchAsnet(signature, model.weights)
        self._adam = AsnetAdam(self._network.parameters, model.moments, options)
        self._drop = Dropout(options.dropout, rng) if options.dropout else None

    def step(self, batch: LabelledBatch) -> float:
        """Take one step; the loss before it."""
        assert self._network.parameters.grad is not None
        self._network.parameters.grad.zero_()
        scores = self._network.scores(batch.inputs, self._drop)
        loss = loss_of(self._options.loss, scores, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam.step()
        return float(loss.detach())

    def model(self) -> Model:
        """A copy of what was learnt so far."""
        like = self._model.weights
        numbers = self._network.parameters.detach().numpy()
        weights = unflattened(numbers, like, self._signature)
        return Model(weights, self._adam.moments(like, self._signature))
