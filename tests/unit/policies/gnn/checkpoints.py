"""Checkpoints of small graph networks with random numbers, and the same networks as twins."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.tasks.grounded.task import StateArray, Task
from tests.reference.graph_networks import Atom, NaiveNetwork
from tests.unit.policies.networks.files import pickled_state, pth, write

Tensors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Checkpoint:
    """Tensors and hyper-parameters, to be written and compared with."""

    tensors: Tensors
    predicates: Sequence[tuple[str, int]]
    width: int
    iterations: int
    more: Mapping[str, Any] = field(default_factory=dict)
    """Hyper-parameters that replace those."""

    def data(self) -> bytes:
        """The file, with an optimiser's state in it as Lightning writes it."""
        given = {
            "predicates": list(self.predicates),
            "hidden_size": self.width,
            "iterations": self.iterations,
            **self.more,
        }
        return checkpoint_file(self.tensors, {"hyper_parameters": given})

    def write(self, folder: Path, name: str = "net.ckpt") -> Path:
        return write(folder, name, self.data())

    def twin(self) -> NaiveNetwork:
        named = {name.removeprefix("model."): array for name, array in self.tensors.items()}
        return NaiveNetwork(named, self.predicates, self.width, self.iterations)


def checkpoint_file(tensors: Tensors, content: Mapping[str, Any]) -> bytes:
    others = {"epoch": 7, "optimizer_states": [{"state": {0: {"step": 3}}}], **content}
    items = b"".join(_plain(key) + _plain(value) for key, value in others.items())
    wrapped = b"\x80\x02}(" + items + _plain("state_dict") + pickled_state(tensors) + b"u."
    return pth(tensors, pickle=wrapped)


def _plain(value: Any) -> bytes:
    return pickle.dumps(value, 2)[2:-1]


def random_checkpoint(
    predicates: Mapping[str, int],
    *,
    width: int = 6,
    iterations: int = 3,
    read_out: str = "mlp",
    solvable: str | None = None,
    seed: int = 0,
) -> Checkpoint:
    """For these predicates and their goal versions; read-outs are `mlp` or `linear`."""
    rng = np.random.default_rng(seed)
    modules = [
        *predicates.items(),
        *((f"{name}_goal", arity) for name, arity in predicates.items()),
    ]
    relations = (
        _mlp(rng, f"model.relation_network.relation_modules.{number}", [arity * width] * 3)
        for number, (_, arity) in enumerate(modules)
        if arity
    )
    tensors: Tensors = dict(chain.from_iterable(part.items() for part in relations))
    tensors |= _mlp(rng, "model.relation_network.update", [2 * width, 2 * width, width])
    tensors |= _read_out(rng, "readout", width, read_out)
    if solvable is not None:
        tensors |= _read_out(rng, "solvable_readout", width, solvable)
    tensors["model.dummy"] = np.zeros(0, np.float32)
    return Checkpoint(tensors, modules, width, iterations)


def _read_out(rng: np.random.Generator, place: str, width: int, kind: str) -> Tensors:
    if kind == "linear":
        return _layer(rng, f"{place}.linear", 2 * width, 1)
    before = _mlp(rng, f"{place}.pre", [width] * 3)
    return before | _mlp(rng, f"{place}.post", [width, width, 1])


def _mlp(rng: np.random.Generator, place: str, sizes: Sequence[int]) -> Tensors:
    first, middle, last = sizes
    return _layer(rng, f"{place}.0", first, middle) | _layer(rng, f"{place}.2", middle, last)


def _layer(rng: np.random.Generator, place: str, inputs: int, outputs: int) -> Tensors:
    return {
        f"{place}.weight": (rng.normal(size=(outputs, inputs)) / inputs**0.5).astype(np.float32),
        f"{place}.bias": rng.normal(size=outputs).astype(np.float32),
    }


def predicates_of(task: Task) -> dict[str, int]:
    """What a network for the task's domain knows: its predicates and its types."""
    assert task.pddl is not None
    types = {name: 1 for name in task.pddl.types if name != "object"}
    return types | {name: len(types) for name, types in task.pddl.predicates.items()}


def naive_atoms(task: Task, goal: Sequence[str], state: StateArray) -> Iterator[Atom]:
    """All atoms that a network sees in a state; the goal as the problem has it."""
    assert task.pddl is not None
    for name, kind in task.pddl.objects.items():
        pending = [kind]
        while pending:
            above = pending.pop()
            pending += task.pddl.types[above]
            if above != "object":
                yield (above, name)
    for fact in task.facts(state):
        yield tuple(fact[1:-1].split())
    for fact in goal:
        predicate, *names = fact[1:-1].split()
        yield (f"{predicate}_goal", *names)
