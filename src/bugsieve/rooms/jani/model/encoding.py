"""Hands a model over to the core: expressions, variables and edges as flat tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.rooms.jani.model.automata import Assignment, Destination, Edge
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.linear import variables_in
from bugsieve.rooms.jani.model.variables import VariableTable


@dataclass(frozen=True)
class Conditions:
    """Nodes of the conditions on states."""

    goal: int
    unsafe: int
    start: int
    distance: int | None = None
    """Node of the distance to danger; None where the unsafety condition has none."""
    no_distance: str = ""
    """The reason why there is none, as a sentence."""


def build_system(
    graph: Graph,
    variables: VariableTable,
    edges: Sequence[tuple[int, Edge]],
    num_actions: int,
    conditions: Conditions,
) -> _native.JaniSystem:
    """The model in the core; `edges` are sorted by action."""
    is_useful = _assigned_for_someone(graph, variables, edges)
    assignments: list[tuple[int, int, int]] = []
    destinations: list[tuple[int, int, int, int]] = []
    rows: list[tuple[int, int, int, int]] = []
    for action, edge in edges:
        first = len(destinations)
        for destination in edge.destinations:
            begin = len(assignments)
            kept = (a for a in destination.assignments if is_useful(a))
            assignments.extend((a.index, a.variable, a.value) for a in kept)
            destinations.append((*_flags(destination), begin, len(assignments)))
        rows.append((action, edge.guard, first, len(destinations)))
    return _native.JaniSystem(
        nodes=graph.table(),
        constants=graph.words,
        variables=variables.table(),
        assignments=_table(assignments, 3),
        destinations=_table(destinations, 4),
        edges=_table(rows, 4),
        num_actions=num_actions,
        goal=conditions.goal,
        unsafe=conditions.unsafe,
        start=conditions.start,
        distance=-1 if conditions.distance is None else conditions.distance,
    )


def _flags(destination: Destination) -> tuple[int, int]:
    probability, conflict = destination.probability, destination.conflict
    return -1 if probability is None else probability, -1 if conflict is None else conflict


def _table(rows: Sequence[tuple[int, ...]], columns: int) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(len(rows), columns)


def _assigned_for_someone(
    graph: Graph, variables: VariableTable, edges: Sequence[tuple[int, Edge]]
) -> Callable[[Assignment], bool]:
    """A test for assignments that matter: rewards, constants that are never read, do not."""
    values = {a.value for _, edge in edges for d in edge.destinations for a in d.assignments}
    read = variables_in(graph, *values)

    def is_useful(assignment: Assignment) -> bool:
        index = assignment.variable
        if not variables.is_transient(index) or index in read:
            return True
        # A value that is never read may go, unless computing or storing it can fail: a fault of
        # the model must not be hidden.
        value = graph.value(assignment.value)
        return value is None or not variables.name(index)[1].holds(value)

    return is_useful
