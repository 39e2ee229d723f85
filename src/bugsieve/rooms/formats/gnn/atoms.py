"""The atoms of a task as a graph network reads them: of states, of the goal, of types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bugsieve.base.errors import PolicyError
from bugsieve.base.names import suggest
from bugsieve.rooms.formats.gnn.network import GOAL, GraphNetwork
from bugsieve.tasks.grounded.atoms import words_of
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.summary import PddlSummary, Term

Words = tuple[str, ...]
"""A predicate, or its goal version, and the objects behind it."""


@dataclass(frozen=True)
class NetworkAtoms:
    """The core's view of the atoms of a task; nullary ones are left out."""

    objects: int
    relations: list[int]
    """The relation of each atom."""
    arguments: list[list[int]]
    """The objects of each atom."""
    always: list[int]
    """Atoms that all states have: static ones, those of types, and the goal."""
    of_values: list[list[int]]
    """By variable and value, the atom that it means, -1 for none."""


def network_atoms(network: GraphNetwork, task: Task) -> NetworkAtoms:
    """The atoms; PolicyError where the network is for another domain."""
    pddl = task.pddl
    assert pddl is not None, "a policy of this family is bound to tasks with PDDL only"
    check_domain(network, pddl)
    numbers = _Numbers(network, pddl)
    static = [tuple(words_of(atom)) for atom in task.static_facts]
    always = dict.fromkeys((*static, *_type_atoms(network, pddl), *_goal_atoms(network, pddl)))
    listed = [numbers.of(words) for words in always if numbers.knows(words)]
    of_values = [[-1] * len(variable.facts) for variable in task.variables]
    seen: set[str | None] = {None}
    for values, variable in zip(of_values, task.variables, strict=True):
        for value, atom in enumerate(variable.facts):
            # An atom may be a value of several variables, and counts once.
            if atom in seen or not numbers.knows(words := tuple(words_of(str(atom)))):
                continue
            seen.add(atom)
            values[value] = numbers.of(words)
    return NetworkAtoms(len(pddl.objects), numbers.relations, numbers.arguments, listed, of_values)


class _Numbers:
    """Numbers atoms in the order in which they are asked for."""

    def __init__(self, network: GraphNetwork, pddl: PddlSummary) -> None:
        self._relations = {relation.name: n for n, relation in enumerate(network.relations)}
        self._objects = {name: number for number, name in enumerate(pddl.objects)}
        self._atoms: dict[Words, int] = {}
        self.relations: list[int] = []
        self.arguments: list[list[int]] = []

    def knows(self, words: Words) -> bool:
        """Return true for an atom of a predicate with arguments, not made by the translator."""
        return words[0] in self._relations

    def of(self, words: Words) -> int:
        if words not in self._atoms:
            self._atoms[words] = len(self._atoms)
            self.relations.append(self._relations[words[0]])
            self.arguments.append([self._objects[name] for name in words[1:]])
        return self._atoms[words]


def check_domain(network: GraphNetwork, pddl: PddlSummary) -> None:
    """PolicyError where the predicates or types of the domain are not those of the network."""
    for name, signature in pddl.predicates.items():
        arity = network.predicates.get(name)
        if arity is None:
            near = suggest(name, network.predicates)
            raise _other(network, pddl, f"it does not know the predicate {name!r}{near}")
        if arity != len(signature):
            raise _other(
                network,
                pddl,
                f"its predicate {name!r} has {arity} arguments, not {len(signature)}",
            )
    for name, arity in network.predicates.items():
        if name not in pddl.predicates and (name not in pddl.types or arity != 1):
            known = {*pddl.predicates, *pddl.types}
            raise _other(network, pddl, f"it knows the predicate {name!r}{suggest(name, known)}")
    for name in _telling_types(pddl):
        if network.predicates.get(name) != 1:
            raise _other(network, pddl, f"it does not know the type {name!r}")
    if not pddl.objects:
        raise PolicyError(f"{network.file}: needs objects, but {pddl.problem} has none")


def _other(network: GraphNetwork, pddl: PddlSummary, difference: str) -> PolicyError:
    return PolicyError(
        f"{network.file}: is no network for the domain {pddl.domain!r}: {difference}; "
        "give the network that was trained on it"
    )


def _telling_types(pddl: PddlSummary) -> Iterator[str]:
    """Types that some objects have and others have not: the rest says nothing of a state."""
    types = [set(_ancestors(pddl.types, own)) for own in pddl.objects.values()]
    for name in pddl.types:
        if 0 < sum(name in own for own in types) < len(types):
            yield name


def _ancestors(types: Mapping[str, Iterable[str]], name: str) -> list[str]:
    """The type and its supertypes, without the root."""
    found = [name]
    for known in found:  # grows meanwhile
        found += [above for above in types.get(known, ()) if above not in found]
    return [known for known in found if known != ROOT_TYPE]


def _type_atoms(network: GraphNetwork, pddl: PddlSummary) -> Iterator[Words]:
    for name, own in pddl.objects.items():
        for kind in _ancestors(pddl.types, own):
            if network.predicates.get(kind) == 1:
                yield (kind, name)


def _goal_atoms(network: GraphNetwork, pddl: PddlSummary) -> Iterator[Words]:
    """The atoms of the goal as it is written: the translator drops those that hold anyway."""
    pending: list[Term] = [pddl.goal]
    while pending:
        term = pending.pop()
        if term[0] == "and":
            pending += term[:0:-1]
        elif term[0] in pddl.predicates:
            yield (f"{term[0]}{GOAL}", *map(str, term[1:]))
        else:
            raise PolicyError(
                f"{network.file}: graph networks read goals that are conjunctions of atoms, but "
                f"that of {pddl.problem} has {str(term[0])!r} in it"
            )
