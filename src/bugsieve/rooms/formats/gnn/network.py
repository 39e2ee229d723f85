"""Relational graph networks, and the checkpoints of PyTorch Lightning that hold them.

The structure is that of Ståhlberg, Bonet and Geffner (KR 2022): one vector per object, a module
per predicate that sends messages along the atoms of a state, an update, a read-out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.allowances import allowance
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.network import (
    MAX_BYTES,
    Layer,
    Network,
    assemble,
    check_length,
)
from bugsieve.rooms.formats.networks.pickles import Call
from bugsieve.rooms.formats.networks.pytorch import PytorchFile, open_pytorch
from bugsieve.tasks.sources import read_input

GOAL = "_goal"
"""Ends the name of the module for atoms of the goal."""
MAX_MODULES, MAX_ARITY, MAX_WIDTH, MAX_ITERATIONS = 500, 16, 4096, 1000
MAX_NUMBERS = 1 << 24
"""In all tensors together: published networks have fewer than a million."""

_ADVICE = "a graph network is a checkpoint of PyTorch Lightning"
_MODEL, _DUMMY = "model.", "dummy"


@dataclass(frozen=True, eq=False)
class Relation:
    """A predicate, or its goal version, and the module that computes its messages."""

    name: str
    arity: int
    module: Network


@dataclass(frozen=True, eq=False)
class GraphNetwork:
    """A network as its file has it. All parts have ReLU between their layers."""

    file: str
    predicates: Mapping[str, int]
    """Name to arity, without goal versions, which are not predicates of a domain."""
    relations: tuple[Relation, ...]
    """One for each predicate with arguments, then one for each goal version of these."""
    width: int
    """Numbers in the vector of an object."""
    iterations: int
    update: Network
    value: tuple[Network, ...]
    """For each object and then for the sum over all; or one for their maximum and sum."""
    solvable: tuple[Network, ...] = ()
    """The same for whether a state is solvable at all; empty where the file has none."""

    @property
    def parts(self) -> tuple[Network, ...]:
        """All its networks, in a fixed order."""
        modules = (relation.module for relation in self.relations)
        return (*modules, self.update, *self.value, *self.solvable)

    def core(self) -> _native.RelationalNetwork:
        """The network as the core evaluates it."""
        return _native.RelationalNetwork(
            width=self.width,
            iterations=self.iterations,
            arities=[relation.arity for relation in self.relations],
            modules=[_core(relation.module) for relation in self.relations],
            update=_core(self.update),
            value=[_core(part) for part in self.value],
            solvable=[_core(part) for part in self.solvable],
        )


def _core(network: Network) -> _native.Network:
    return _native.Network(list(network.weights), list(network.biases), "relu")


def read_graph_network(path: str | os.PathLike[str]) -> GraphNetwork:
    """The network in a checkpoint; InputError says what is wrong with it."""
    with allowance(os.fspath(path)):
        return _read_graph_network(path)


def _read_graph_network(path: str | os.PathLike[str]) -> GraphNetwork:
    file = os.fspath(path)
    data = read_input(path, kind="network", max_bytes=MAX_BYTES)
    opened = open_pytorch(file, data, advice=_ADVICE)
    shape = _Shape.read(file, opened.content)
    tensors = _Tensors(opened)
    modules = [
        Relation(name, arity, tensors.mlp(f"relation_network.relation_modules.{number}", size))
        for number, (name, arity) in enumerate(shape.modules)
        if (size := (arity * shape.width, arity * shape.width))[0]
    ]
    network = GraphNetwork(
        file,
        dict(shape.modules[: len(shape.modules) // 2]),
        tuple(modules),
        shape.width,
        shape.iterations,
        tensors.mlp("relation_network.update", (2 * shape.width, shape.width)),
        tensors.read_out("readout", shape.width),
        tensors.read_out("solvable_readout", shape.width, is_optional=True),
    )
    tensors.require_all_used()
    return network


@dataclass(frozen=True)
class _Shape:
    """The shape that the hyper-parameters give."""

    modules: list[tuple[str, int]]
    """Name and arity, in the order of modules."""
    width: int
    iterations: int

    @staticmethod
    def read(file: str, content: Any) -> _Shape:
        given = _dictionary(_dictionary(content).get("hyper_parameters"))
        predicates = given.get("predicates")
        if not isinstance(predicates, list) or not 0 < len(predicates) <= MAX_MODULES:
            raise InputError(
                f"{file}: has no list 'predicates' of at most {MAX_MODULES} names among its "
                f"hyper-parameters; {_ADVICE}"
            )
        modules = [_module(file, number, item) for number, item in enumerate(predicates)]
        _check_modules(file, modules)
        return _Shape(
            modules,
            _count(file, "hidden_size", given.get("hidden_size"), MAX_WIDTH),
            _count(file, "iterations", given.get("iterations"), MAX_ITERATIONS),
        )


def _dictionary(value: Any) -> Mapping[str, Any]:
    items = value.items if isinstance(value, Call) else value
    return items if isinstance(items, dict) else {}


# Values of another kind are not shown: a pickle can make a few bytes endless text.


def _module(file: str, number: int, item: Any) -> tuple[str, int]:
    if isinstance(item, tuple | list) and len(item) == 2:
        name, arity = item
        if isinstance(name, str) and type(arity) is int and 0 <= arity <= MAX_ARITY:
            check_length(file, [name])
            return name.lower(), arity
    raise InputError(
        f"{file}: entry {number} of its 'predicates' is no name with an arity of at most "
        f"{MAX_ARITY}"
    )


def _check_modules(file: str, modules: list[tuple[str, int]]) -> None:
    half = len(modules) // 2
    goals = [(name + GOAL, arity) for name, arity in modules[:half]]
    if modules[half:] != goals or len(dict(modules)) < len(modules):
        raise InputError(
            f"{file}: its 'predicates' are not different ones and then, in the same order, their "
            f"versions with '{GOAL}'"
        )


def _count(file: str, name: str, value: Any, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise InputError(
            f"{file}: the hyper-parameter '{name}' is no whole number from 1 to {most}; {_ADVICE}"
        )
    return value


class _Tensors:
    """The tensors of a file by their names within the model; each must be part of the network."""

    def __init__(self, opened: PytorchFile) -> None:
        self._opened = opened
        self._file = opened.file
        self._state = self._named()
        self._used: set[str] = set()
        self._numbers = 0

    def _named(self) -> dict[str, tuple[str, Any]]:
        """Each tensor with its whole name: some files have a model around a part of them."""
        state = self._opened.state()
        if state is None:
            raise InputError(f"{self._file}: holds no state dictionary of PyTorch; {_ADVICE}")
        found: dict[str, tuple[str, Any]] = {}
        for name, value in state.items():
            short = name.removeprefix(_MODEL)
            if short.rpartition(".")[2] == _DUMMY:  # empty, it marks the device
                continue
            if short in found:
                raise InputError(
                    f"{self._file}: has tensor {short!r} twice, with '{_MODEL}' and without"
                )
            found[short] = (name, value)
        return found

    def mlp(self, prefix: str, size: tuple[int, int | None]) -> Network:
        """Two layers with ReLU between them, of so many inputs and outputs."""
        return self._network([f"{prefix}.0", f"{prefix}.2"], size)

    def read_out(
        self, prefix: str, width: int, *, is_optional: bool = False
    ) -> tuple[Network, ...]:
        """The parts of a read-out, of either kind; none if it may be missing and is."""
        if f"{prefix}.linear.weight" in self._state:
            return (self._network([f"{prefix}.linear"], (2 * width, 1)),)
        if is_optional and not any(name.startswith(f"{prefix}.") for name in self._state):
            return ()
        before = self.mlp(f"{prefix}.pre", (width, None))
        return before, self.mlp(f"{prefix}.post", (before.num_outputs, 1))

    def require_all_used(self) -> None:
        """InputError for a tensor that belongs to no part: it would change the values."""
        for name in sorted(self._state.keys() - self._used):
            raise InputError(
                f"{self._file}: tensor {name!r} belongs to no part of a graph network that is "
                "read: the modules of its predicates, an update, a read-out"
            )

    def _network(self, layers: list[str], size: tuple[int, int | None]) -> Network:
        network = assemble(self._file, [self._layer(name) for name in layers])
        inputs, outputs = size
        if network.num_inputs != inputs or outputs not in (None, network.num_outputs):
            raise InputError(
                f"{self._file}: layer {layers[0]!r} and what follows maps {network.num_inputs} "
                f"numbers to {network.num_outputs}, but {inputs} to {outputs or 'some'} fit the "
                "hyper-parameters"
            )
        return network

    def _layer(self, name: str) -> Layer:
        weight, bias = (self._tensor(f"{name}.{kind}") for kind in ("weight", "bias"))
        return Layer(name, weight, bias)

    def _tensor(self, name: str) -> NDArray[Any]:
        if name not in self._state:
            raise InputError(f"{self._file}: has no tensor {name!r}; {_ADVICE}")
        self._used.add(name)
        tensor = self._opened.tensor(*self._state[name])
        self._numbers += tensor.size
        if self._numbers > MAX_NUMBERS:
            raise InputError(
                f"{self._file}: has more than {MAX_NUMBERS} numbers in its tensors, up to {name!r}"
            )
        return tensor
