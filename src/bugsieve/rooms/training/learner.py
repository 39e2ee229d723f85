"""The learning network and its target: double deep Q-learning with masked actions.

Van Hasselt, Guez and Silver (2016): the learning network chooses the next action, the target
network says what it is worth.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bugsieve.rooms.training.environments import ActionArray, Flags
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.training.replay import TransitionBatch
from bugsieve.rooms.training.scaling import FloatArray

if TYPE_CHECKING:
    import torch

Layer = tuple[FloatArray, FloatArray]
"""Weight of shape (outputs, inputs) and bias."""

_LONGEST_GRADIENT = 10.0


def first_layers(sizes: list[int], random: np.random.Generator) -> list[Layer]:
    """Random layers of a ReLU network (He, uniform); the biases are 0."""
    layers = []
    for inputs, outputs in pairwise(sizes):
        bound = np.sqrt(6 / inputs)
        weight = random.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        layers.append((weight, np.zeros(outputs, dtype=np.float32)))
    weight, bias = layers[-1]
    layers[-1] = (weight * np.float32(0.1), bias)  # first guesses near 0
    return layers


class QNetwork:
    """A feed-forward ReLU network in PyTorch with one output per action."""

    def __init__(self, layers: list[Layer]) -> None:
        import torch

        arrays = [array for layer in layers for array in layer]
        # One vector holds all of it, so that the optimiser has one thing to change.
        self.parameters = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
        self.parameters.grad = torch.zeros_like(self.parameters)
        self._tensors: list[torch.Tensor] = []
        begin = 0
        for array in arrays:
            part = slice(begin, begin + array.size)
            tensor = self.parameters[part].view(array.shape).requires_grad_()
            tensor.grad = self.parameters.grad[part].view(array.shape)
            self._tensors.append(tensor)
            begin += array.size

    def __call__(self, inputs: torch.Tensor) -> torch.Tensor:
        """The values of all actions, one row per row of inputs."""
        import torch

        values = torch.addmm(self._tensors[1], inputs, self._tensors[0].t())
        for weight, bias in zip(self._tensors[2::2], self._tensors[3::2], strict=True):
            values = torch.addmm(bias, values.relu(), weight.t())
        return values

    def greedy(self, inputs: FloatArray, applicable: Flags) -> ActionArray:
        """The applicable action of the highest value, the first of several."""
        import torch

        with torch.no_grad():
            values = self(torch.from_numpy(inputs)).numpy()
        best = np.where(applicable, values, -np.inf).argmax(axis=1)
        return np.asarray(best, dtype=np.int32)

    def layers(self) -> list[Layer]:
        """A copy of the weights and biases."""
        arrays = [tensor.detach().numpy().copy() for tensor in self._tensors]
        return list(zip(arrays[::2], arrays[1::2], strict=True))


class QLearningAdam:
    """The steps of `torch.optim.Adam`, which would load PyTorch's compiler, in seconds."""

    def __init__(self, parameters: torch.Tensor, rate: float) -> None:
        import torch

        self._parameters = parameters
        self._rate = rate
        self._first = torch.zeros_like(parameters)
        self._second = torch.zeros_like(parameters)
        self._steps = torch.tensor(0.0)

    def step(self) -> None:
        """Move along the gradient of the parameters."""
        import torch
        from torch.optim.adam import adam

        assert self._parameters.grad is not None
        with torch.no_grad():
            adam(
                [self._parameters],
                [self._parameters.grad],
                [self._first],
                [self._second],
                max_exp_avg_sqs=[],
                state_steps=[self._steps],
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self._rate,
                weight_decay=0.0,
                eps=1e-8,
                maximize=False,
            )


class QLearner:
    """Changes a network so that its values become those of the best actions."""

    def __init__(self, layers: list[Layer], options: QOptions) -> None:
        self._options = options
        self.network = QNetwork(layers)
        self._target = QNetwork(layers)
        self._optimiser = QLearningAdam(self.network.parameters, options.learning_rate)
        self._updates = 0

    def targets(self, batch: TransitionBatch) -> torch.Tensor:
        """The targets: the reward and, unless the run is over, the value of what follows."""
        import torch

        next_inputs = torch.from_numpy(batch.next_inputs)
        applicable = torch.from_numpy(batch.next_applicable)
        with torch.no_grad():
            # Double Q-learning: were the same network to choose and to judge, its errors would be
            # chosen along with its values, and targets would be too high on average.
            preferred = self.network(next_inputs).masked_fill(~applicable, -torch.inf)
            best = preferred.argmax(dim=1, keepdim=True)
            worth = self._target(next_inputs).gather(1, best).squeeze(1)
            # If a run is over, `worth` is that of some action that does not exist; it is
            # multiplied by 0. A run that was cut by the limit goes on.
            goes_on = applicable.any(dim=1)
            return torch.from_numpy(batch.rewards) + self._options.discount * worth * goes_on

    def update(self, batch: TransitionBatch) -> float:
        """Take one step towards the targets; the Huber loss before it."""
        import torch

        targets = self.targets(batch)
        values = self.network(torch.from_numpy(batch.inputs))
        chosen = values.gather(1, torch.from_numpy(batch.actions)[:, None]).squeeze(1)
        loss = torch.nn.functional.smooth_l1_loss(chosen, targets)
        assert self.network.parameters.grad is not None
        self.network.parameters.grad.zero_()  # the gradients stay parts of one vector
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([self.network.parameters], _LONGEST_GRADIENT)
        self._optimiser.step()
        self._updates += 1
        if self._updates % self._options.target_every == 0:
            self._target.parameters.copy_(self.network.parameters)
        return float(loss.detach())
