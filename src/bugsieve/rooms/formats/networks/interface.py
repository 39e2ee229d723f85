"""`jani2nnet`: which variables and actions the inputs and outputs of a network stand for."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.network import Network, check_length
from bugsieve.tasks.json_text import load_json


@dataclass(frozen=True)
class Interface:
    """An interface file; `file` is relative to it."""

    path: str
    file: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    hidden: tuple[int, ...] | None
    filter: bool | None

    def applied_to(self, network: Network, file: str) -> Network:
        """The network with these names; InputError where it has other sizes."""
        sizes = tuple(int(weight.shape[0]) for weight in network.weights[:-1])
        if self.hidden is not None and self.hidden != sizes:
            raise InputError(
                f"{self.path}: 'elements' says hidden layers of {list(self.hidden)}, "
                f"but {file} has {list(sizes)}"
            )
        self._check_count("input", len(self.inputs), network.num_inputs, file)
        self._check_count("output", len(self.outputs), network.num_outputs, file)
        return replace(network, inputs=self.inputs, outputs=self.outputs, filter=self.filter)

    def _check_count(self, key: str, named: int, count: int, file: str) -> None:
        if named != count:
            raise InputError(
                f"{self.path}: '{key}' names {named} {key}s, but the network in {file} has {count}"
            )


def read_interface(path: str | os.PathLike[str]) -> Interface:
    """The interface in a file; InputError says what is wrong with it."""
    name = os.fspath(path)
    document = load_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{name}: must be an object")
    file, wanted = document.get("file"), document.get("filter")
    if not isinstance(file, str) or not file or "\0" in file:
        raise InputError(f"{name}: 'file' must name the network")
    if wanted is not None and not isinstance(wanted, bool):
        raise InputError(f"{name}: 'filter' must be true or false")
    check_length(name, [file])
    return Interface(
        path=name,
        file=file,
        inputs=_names(name, "input", document.get("input")),
        outputs=_names(name, "output", document.get("output")),
        hidden=_sizes(name, document.get("elements")),
        filter=wanted,
    )


def _names(path: str, key: str, items: Any) -> tuple[str, ...]:
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: '{key}' must be a list of names")
    names: dict[str, None] = {}
    for number, item in enumerate(items):
        name = _name(item)
        if name is None:
            raise InputError(f"{path}: {key}[{number}] has no name")
        if name in names:
            check_length(path, [name])
            raise InputError(f"{path}: {key}[{number}] names {name!r} a second time")
        names[name] = None
    check_length(path, names)
    return tuple(names)


def _name(item: Any) -> str | None:
    """Local variables have the name of their automaton before theirs, as models show them."""
    if isinstance(item, str):
        return item
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        return None
    automaton = item.get("automaton")
    return f"{automaton}.{item['name']}" if isinstance(automaton, str) else str(item["name"])


def _sizes(path: str, items: Any) -> tuple[int, ...] | None:
    if items is None:
        return None
    if not isinstance(items, list) or not all(type(item) is int for item in items):
        raise InputError(f"{path}: 'elements' must be a list of the sizes of hidden layers")
    return tuple(items)
