"""An ASNet in PyTorch on mini-batches of states of several tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.weights import Module, Place, Weights, make_weights
from bugsieve.rooms.training.asnets.pooling import segment_maxima
from bugsieve.rooms.training.asnets.structure import BatchLayout

if TYPE_CHECKING:
    import torch

Drop = Callable[["torch.Tensor"], "torch.Tensor"]
"""The function that applies dropout to vectors."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """A mini-batch: how its facts and actions are connected, and what is true."""

    layout: BatchLayout
    truth: NDArray[np.bool_]
    """Of each fact."""
    applicable: NDArray[np.bool_]
    """Of each action."""


class TorchAsnet:
    """The network of `policies/asnets/weights.py` with weights that can learn.

    Vectors are rows: those of facts and of actions in the order of the layout. Related vectors are
    gathered before they are multiplied: on tasks small enough to train on, the number of
    operations costs more than what is in them.
    """

    def __init__(self, signature: Signature, weights: Weights, *, double: bool = False) -> None:
        import torch

        self._schemas = [schema.name for schema in signature.schemas]
        self._slots = {name: len(slots) for name, slots in signature.slots.items()}
        self._hidden, self._layers = weights.hidden, weights.layers
        self._kind = torch.float64 if double else torch.float32
        # One vector holds all weights, so that the optimiser has one thing to change.
        self.parameters = torch.from_numpy(flattened(weights)).to(self._kind)
        self.parameters.grad = torch.zeros_like(self.parameters)
        self._modules: dict[Place, list[torch.Tensor]] = {}
        begin = 0
        for place, module in weights.modules():
            self._modules[place] = []
            for array in module:
                part = slice(begin, begin + array.size)
                tensor = self.parameters[part].view(array.shape).requires_grad_()
                tensor.grad = self.parameters.grad[part].view(array.shape)
                self._modules[place].append(tensor)
                begin += array.size

    def scores(self, inputs: Inputs, drop: Drop | None = None) -> torch.Tensor:
        """The score of each action, in the order of the layout; dropout spares action layer 0."""
        import torch

        graph = _Graph(inputs.layout)
        actions = self._first_actions(inputs)
        facts: torch.Tensor | None = None
        for layer in range(self._layers):
            facts = self._facts(layer, graph, actions, facts)
            facts = facts if drop is None else drop(facts)
            is_last = layer + 1 == self._layers
            sums = self._actions(layer + 1, graph, actions, facts)
            actions = sums if is_last else torch.nn.functional.elu(sums)
            actions = actions if is_last or drop is None else drop(actions)
        return actions.squeeze(1)

    def _first_actions(self, inputs: Inputs) -> torch.Tensor:
        import torch

        layout = inputs.layout
        truth = np.append(inputs.truth, False)  # a missing fact is false
        flags = np.split(inputs.applicable, np.cumsum(layout.action_counts.sum(axis=1))[:-1])
        found = []
        for name, related, goals, own in zip(
            self._schemas, layout.related, layout.goals, flags, strict=True
        ):
            columns = np.concatenate([truth[related], goals, own[:, np.newaxis]], axis=1)
            weight, bias = self._modules[Place("action", 0, name)]
            rows = torch.from_numpy(columns.astype(np.float32)).to(self._kind)
            found.append(torch.addmm(bias, rows, weight.t()))
        return torch.nn.functional.elu(torch.cat(found))

    def _facts(
        self, layer: int, graph: _Graph, actions: torch.Tensor, before: torch.Tensor | None
    ) -> torch.Tensor:
        """Rows for all facts; those of predicates that no schema has are 0."""
        import torch

        offered = torch.cat([actions, actions.new_full((1, self._hidden), -1.0)])
        behind = offered.index_select(0, graph.behind)
        pooled = segment_maxima(behind, graph.lengths, graph.segments)
        found, begin, first = [], 0, 0
        for (name, slots), count in zip(self._slots.items(), graph.fact_sizes, strict=True):
            end, last = begin + slots * count, first + count
            if slots:
                parts = [pooled[begin:end].view(count, slots * self._hidden)]
                parts += [] if before is None else [before[first:last]]
                weight, bias = self._modules[Place("predicate", layer, name)]
                found.append(torch.addmm(bias, torch.cat(parts, dim=1), weight.t()))
            else:
                found.append(actions.new_zeros((count, self._hidden)))
            begin, first = end, last
        return torch.nn.functional.elu(torch.cat(found))

    def _actions(
        self, layer: int, graph: _Graph, actions: torch.Tensor, facts: torch.Tensor
    ) -> torch.Tensor:
        import torch

        known = torch.cat([facts, facts.new_full((1, self._hidden), -1.0)])
        found, first = [], 0
        for name, related, count in zip(
            self._schemas, graph.related, graph.action_sizes, strict=True
        ):
            vectors = known.index_select(0, related.view(-1)).view(
                count, related.shape[1] * self._hidden
            )
            columns = torch.cat([vectors, actions[first : first + count]], dim=1)
            weight, bias = self._modules[Place("action", layer, name)]
            found.append(torch.addmm(bias, columns, weight.t()))
            first += count
        return torch.cat(found)


class _Graph:
    """The numbers of a layout as PyTorch takes them."""

    def __init__(self, layout: BatchLayout) -> None:
        import torch

        self.fact_sizes: list[int] = layout.fact_counts.sum(axis=1).tolist()
        self.action_sizes: list[int] = layout.action_counts.sum(axis=1).tolist()
        self.related = [torch.from_numpy(table) for table in layout.related]
        self.behind = torch.from_numpy(layout.behind)
        self.lengths = torch.from_numpy(layout.lengths)
        numbers = np.repeat(np.arange(len(layout.lengths)), layout.lengths)
        self.segments = torch.from_numpy(numbers)


def flattened(weights: Weights) -> NDArray[np.float32]:
    """All numbers in one vector: module by module, the weight before the bias."""
    arrays: list[NDArray[Any]] = [array.ravel() for _, it in weights.modules() for array in it]
    return np.concatenate(arrays).astype(np.float32)


def unflattened(numbers: NDArray[np.float32], like: Weights, signature: Signature) -> Weights:
    """Weights of the same shapes from such a vector."""
    begins: dict[Place, int] = {}
    begin = 0
    for place, one in like.modules():
        begins[place] = begin
        begin += one.weight.size + one.bias.size

    def module(place: Place, outputs: int, inputs: int) -> Module:
        middle = begins[place] + outputs * inputs
        weight = numbers[begins[place] : middle].reshape(outputs, inputs)
        return Module(weight.copy(), numbers[middle : middle + outputs].copy())

    return make_weights(signature, module, hidden=like.hidden, layers=like.layers)
