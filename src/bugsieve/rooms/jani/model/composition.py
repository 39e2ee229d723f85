"""Puts the automata of a system together: which edges move at once, under which action."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from bugsieve.base.allowances import take_work
from bugsieve.base.parts import Part, existing
from bugsieve.rooms.jani.model.automata import Assignment, Automaton, Destination, Edge
from bugsieve.rooms.jani.model.expressions import Graph

SILENT = "τ"
"""The action of edges without a label, and of synchronisations without a result."""

_MAX_DESTINATIONS = 200_000


@dataclass(frozen=True)
class Element:
    """An automaton's place in the system, and the actions for which it is never in the way."""

    automaton: str
    input_enabled: tuple[str, ...]
    part: Part


@dataclass(frozen=True)
class Synchronisation:
    """Per automaton the action it takes part with, or None."""

    actions: tuple[str | None, ...]
    result: str | None
    part: Part


def read_elements(
    system: Part, automata: Collection[str], actions: Collection[str]
) -> list[Element]:
    """The automata of the system, in its order."""
    elements = []
    for part in system["elements"].items():
        name = existing(part, part["automaton"].text(), automata, "automaton")
        enabled = tuple(_action(item, actions) for item in part.items_of("input-enable"))
        elements.append(Element(name, enabled, part))
    if not elements:
        raise system["elements"].error("the system has no automaton")
    return elements


def read_synchronisations(
    system: Part, num_elements: int, actions: Collection[str]
) -> list[Synchronisation]:
    """The synchronisation vectors; a single automaton may do without."""
    parts = system.get("syncs")
    if parts is None:
        if num_elements > 1:
            return []
        return [Synchronisation((action,), action, system) for action in actions]
    return [_synchronisation(part, num_elements, actions) for part in parts.items()]


def _synchronisation(part: Part, width: int, actions: Collection[str]) -> Synchronisation:
    vector = part["synchronise"]
    names = [None if item.data is None else _action(item, actions) for item in vector.items()]
    if len(names) != width:
        raise vector.error(f"has {len(names)} entries, but the system has {width} automata")
    if all(name is None for name in names):
        raise vector.error("no automaton takes part")
    result = part.get("result")
    is_silent = result is None or result.data is None
    return Synchronisation(tuple(names), None if is_silent else _action(result, actions), part)


def _action(part: Part | None, actions: Collection[str]) -> str:
    assert part is not None
    return existing(part, part.text(), actions, "action")


class Composition:
    """The joint edges of the automata of a system."""

    def __init__(self, graph: Graph, automata: Sequence[Automaton], system: Part) -> None:
        self._graph = graph
        self._automata = automata
        self._system = system
        self._destinations = 0

    def enable_inputs(self, elements: Sequence[Element]) -> None:
        """Let automata ignore an action of their list where no edge of theirs takes part."""
        for automaton, element in zip(self._automata, elements, strict=True):
            for action in element.input_enabled:
                edges = automaton.edges.get(action, [])
                # Only where none of its own edges can take part may an automaton stand aside:
                # otherwise the action would have an outcome more.
                nobody = self._graph.conjunction(
                    [self._graph.apply("not", edge.guard) for edge in edges]
                )
                ignored = Edge(nobody, (Destination(None, ()),), element.part.path)
                automaton.edges.setdefault(action, []).append(ignored)

    def edges(self, synchronisations: Sequence[Synchronisation]) -> Iterator[tuple[str, Edge]]:
        """Actions with joint edges: one per choice of edges of the automata that take part."""
        for automaton in self._automata:
            for edge in automaton.edges.get(None, []):
                yield SILENT, self._join([edge])
        for synchronisation in synchronisations:
            action = SILENT if synchronisation.result is None else synchronisation.result
            choices = [
                [edge for edge in automaton.edges.get(name, []) if edge.guard != self._graph.false]
                for automaton, name in zip(self._automata, synchronisation.actions, strict=True)
                if name is not None
            ]
            self._refuse_more(prod(sum(len(edge.destinations) for edge in own) for own in choices))
            # Each automaton contributes one edge; where several are enabled, every choice is an
            # outcome of the joint action. Guards that contradict each other by constants alone are
            # not kept.
            for edges in itertools.product(*choices):
                joint = self._join(edges)
                if joint.guard != self._graph.false:
                    yield action, joint

    def _join(self, edges: Sequence[Edge]) -> Edge:
        combinations = itertools.product(*(edge.destinations for edge in edges))
        destinations = []
        for combination in combinations:
            self._destinations += 1
            self._refuse_more(0)
            destinations.append(_merge(self._graph, combination))
        guard = self._graph.conjunction([edge.guard for edge in edges])
        return Edge(guard, tuple(destinations), " and ".join(edge.place for edge in edges))

    def _refuse_more(self, count: int) -> None:
        """Refuse so many destinations before any of them is made."""
        if self._destinations + count > _MAX_DESTINATIONS:
            raise self._system.unsupported(
                f"the automata together have more than {_MAX_DESTINATIONS} destinations"
            )


def _merge(graph: Graph, parts: Sequence[Destination]) -> Destination:
    """The effect of reaching one destination of each automaton at once."""
    if len(parts) == 1:
        return parts[0]
    take_work(1 + sum(len(part.assignments) for part in parts) // 8)
    probability: int | None = None
    merged: dict[tuple[int, int], Assignment] = {}
    conflict: int | None = None
    for part in parts:
        if part.probability is not None:
            probability = (
                part.probability
                if probability is None
                else graph.apply("real_multiply", probability, part.probability)
            )
        for assignment in part.assignments:
            key = assignment.index, assignment.variable
            # Two automata write one variable at once: no error yet, as the edge may never be
            # taken. The core raises a fault in the state where it is.
            if key in merged:
                conflict = assignment.variable
            merged[key] = assignment
    # Assignments of a lower index happen first, whichever automaton they come from.
    assignments = tuple(sorted(merged.values(), key=lambda a: a.index))
    return Destination(probability, assignments, conflict)
