"""The match of a server's task with the one that is tested: the same, in another order.

Variables are matched by the names of their values, operators by names, conditions, effects and, if
they count, costs. Tasks that differ in more than the order are refused: a policy for another task
has no bugs on this one.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.wording import counted
from bugsieve.tasks.grounded.task import StateArray, Task

Fact = tuple[int, int]

_NONE = "none of the others"


class OtherTaskError(Exception):
    """The tasks are not the same; the sentence says where they differ."""


@dataclass(frozen=True, eq=False)
class Matching:
    """The places of our states and operators in the server's task."""

    columns: NDArray[np.int64]
    """Our variable for each one of the server."""
    values: tuple[NDArray[np.int64], ...]
    """For each variable of the server what our values are there."""
    operators: NDArray[np.int32]
    """Our operator for each one of the server."""

    def states(self, ours: StateArray) -> list[list[int]]:
        """The states as the server knows them."""
        theirs = np.empty((len(ours), len(self.columns)), dtype=np.int64)
        for at, (column, table) in enumerate(zip(self.columns, self.values, strict=True)):
            theirs[:, at] = table[ours[:, column]]
        rows: list[list[int]] = theirs.tolist()
        return rows


def match(theirs: Task, ours: Task) -> Matching:
    """The match of the server's task with ours; OtherTaskError if they differ."""
    if theirs.sha256 == ours.sha256:
        values = tuple(map(np.arange, ours.domain_sizes))
        columns = np.arange(ours.num_variables)
        return Matching(columns, values, np.arange(ours.num_operators, dtype=np.int32))
    facts = _facts(theirs, ours)
    _check_ends(theirs, ours, facts)
    columns = np.array([facts[at, 0][0] for at in range(theirs.num_variables)])
    tables = []
    for at, size in enumerate(theirs.domain_sizes):
        table = np.zeros(size, dtype=np.int64)
        for value in range(size):
            table[facts[at, value][1]] = value
        tables.append(table)
    return Matching(columns, tuple(tables), _operators(theirs, ours, facts))


def _facts(theirs: Task, ours: Task) -> dict[Fact, Fact]:
    """Our fact for each of the server's."""
    our_names = _names(ours)
    known = {frozenset(names): at for at, names in enumerate(our_names)}
    counts = theirs.num_variables, ours.num_variables
    if counts[0] != counts[1] or len(known) != counts[1]:
        raise OtherTaskError(
            f"it has {counted(counts[0], 'variable')} where there are {counts[1]}"
        )
    found: dict[Fact, Fact] = {}
    for at, names in enumerate(_names(theirs)):
        twin = known.pop(frozenset(names), None)
        if twin is None or len(set(names)) != len(names):
            raise OtherTaskError(f"no variable has the values {', '.join(names[:3])}…")
        places = {name: value for value, name in enumerate(our_names[twin])}
        found |= {(at, value): (twin, places[name]) for value, name in enumerate(names)}
    return found


def _names(task: Task) -> list[list[str]]:
    """The meanings of the values of each variable: atoms, where all but one of them do.

    Translators name the value without an atom differently.
    """
    return [
        [atom or _NONE for atom in variable.facts]
        if variable.facts.count(None) <= 1
        else task.native.fact_names(at)
        for at, variable in enumerate(task.variables)
    ]


def _check_ends(theirs: Task, ours: Task, facts: dict[Fact, Fact]) -> None:
    initial = {facts[fact] for fact in enumerate(theirs.initial_state.tolist())}
    if initial != set(enumerate(ours.initial_state.tolist())):
        raise OtherTaskError("its initial state differs")
    if {facts[fact] for fact in theirs.goal} != set(ours.goal):
        raise OtherTaskError("its goal differs")


def _operators(theirs: Task, ours: Task, facts: dict[Fact, Fact]) -> NDArray[np.int32]:
    """Our operator for each of the server's; equal ones in their order."""
    same = {fact: fact for fact in facts.values()}
    # If every operator counts as 1, policies may well have been trained with costs.
    their_costs = theirs.operator_costs.tolist() if ours.uses_costs else [1] * theirs.num_operators
    our_costs = ours.operator_costs.tolist()
    known: dict[Hashable, list[int]] = {}
    for at in reversed(range(ours.num_operators)):
        known.setdefault((our_costs[at], _signature(ours, at, same)), []).append(at)
    found = np.empty(theirs.num_operators, dtype=np.int32)
    for at, name in enumerate(theirs.operator_names):
        twins = known.get((their_costs[at], _signature(theirs, at, facts)))
        if not twins:
            raise OtherTaskError(f"its operator {name} differs or is none of the task")
        found[at] = twins.pop()
    missing = [at for twins in known.values() for at in twins]
    if missing:
        raise OtherTaskError(f"it has no operator {ours.operator_names[min(missing)]}")
    return found


def _signature(task: Task, operator: int, facts: dict[Fact, Fact]) -> Hashable:
    """The key of an operator, in our facts, but for its cost."""
    effects = [
        (*facts[variable, value], frozenset(facts[fact] for fact in conditions))
        for conditions, variable, value in task.native.effects(operator)
    ]
    # By variables alone: of two effects on one variable the later counts.
    effects.sort(key=lambda effect: effect[0])
    return (
        task.operator_names[operator],
        frozenset(facts[fact] for fact in task.native.preconditions(operator)),
        tuple(effects),
    )
