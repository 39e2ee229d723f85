"""Relaxed reachability: the facts, and the pairs of facts, that operators may ever lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.stopping import check_stop
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.cases import values_of
from bugsieve.tasks.grounded.sas_text import Fact, SasOperator, SasTask

MAX_FACTS = 5_000
"""Of a task in which pairs of facts are looked at."""


class Numbering:
    """The facts of a task as numbers, and its operators as what they need, give and take."""

    def __init__(self, task: SasTask) -> None:
        sizes = [len(variable.values) for variable in task.variables]
        self.first = [0, *accumulate(sizes)]
        self.count = self.first[-1]
        self.initial = [self.number(fact) for fact in enumerate(task.initial)]
        self.variable = [v for v, size in enumerate(sizes) for _ in range(size)]

    def number(self, fact: Fact) -> int:
        """The number of a fact."""
        return self.first[fact[0]] + fact[1]

    def fact(self, number: int) -> Fact:
        """The fact of a number."""
        variable = self.variable[number]
        return variable, number - self.first[variable]

    def values(self, variable: int) -> range:
        """The numbers of all values of a variable."""
        return range(self.first[variable], self.first[variable + 1])


def reached_facts(task: SasTask) -> set[Fact]:
    """The facts that may ever be true if none that was true becomes false (h^max)."""
    waits_for: dict[Fact, list[int]] = {}
    missing: list[int] = []
    gives: list[list[Fact]] = []
    free: list[Fact] = []
    for operator in task.operators:
        for needs, facts in _rules(operator):
            if not needs:
                free += facts
                continue
            for fact in needs.items():
                waits_for.setdefault(fact, []).append(len(gives))
            missing.append(len(needs))
            gives.append(facts)
    found = {*enumerate(task.initial), *free}
    pending = list(found)
    while pending:
        for rule in waits_for.get(pending.pop(), ()):
            missing[rule] -= 1
            if missing[rule] == 0:
                fresh = [fact for fact in gives[rule] if fact not in found]
                found.update(fresh)
                pending += fresh
    return found


def is_never_stuck(task: SasTask) -> bool:
    """Return true if an operator is applicable in every state that can be reached.

    Told by one variable: each value it may have is all that some operator needs of those that
    change. False where that does not show it.
    """
    values: dict[int, set[int]] = {}
    for variable, value in reached_facts(task):
        values.setdefault(variable, set()).add(value)
    enough: dict[int, set[int]] = {}
    for operator in task.operators:
        needs = {v: d for v, d in operator.precondition.items() if values[v] != {d}}
        if not needs:
            # Facts that never change are all it needs.
            return True
        if len(needs) == 1:
            ((variable, value),) = needs.items()
            enough.setdefault(variable, set()).add(value)
    return any(values[variable] <= found for variable, found in enough.items())


def _rules(operator: SasOperator) -> Iterator[tuple[dict[int, int], list[Fact]]]:
    yield (
        operator.precondition,
        [(v, d) for conditions, v, d in operator.effects if not conditions],
    )
    for conditions, variable, value in operator.effects:
        if conditions:
            needs = _joined([operator.precondition, conditions])
            if needs is not None:
                yield needs, [(variable, value)]


def reaches_by_pairs(task: SasTask, goal: Fact) -> bool | None:
    """Return true if forward h² reaches the fact; None where the task has too many facts."""
    facts = Numbering(task)
    if facts.count > MAX_FACTS:
        return None
    needs: list[list[int]] = []
    adds: list[list[int]] = []
    deletes: list[list[int]] = []
    last: list[int] = []
    for operator in task.operators:
        for need, given in variants(operator):
            if goal in given:
                last.append(len(needs))
            needs.append([facts.number(fact) for fact in need.items()])
            adds.append([facts.number(fact) for fact in given])
            deletes.append([number for v, _ in given for number in facts.values(v)])
    initial = np.array(facts.initial, dtype=np.int32)
    lists = (array for kind in (needs, adds, deletes) for array in _flat(kind))
    reached = ask_core(_native.reached_by_pairs, facts.count, initial, *lists)
    return goal in enumerate(task.initial) or bool(reached[last].any())


def _flat(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    starts = np.array([0, *accumulate(map(len, lists))], dtype=np.int32)
    return starts, np.array([item for items in lists for item in items], dtype=np.int32)


def reached_pairs(task: SasTask) -> list[int]:
    """For each fact, by its number, those that may be true with it, as bits; 0 if it never is."""
    return _Pairs(task).rows


class _Pairs:
    """Forward h² with a whole number as a row of bits."""

    def __init__(self, task: SasTask) -> None:
        self.facts = Numbering(task)
        self.rows = [0] * self.facts.count
        self._changed = [0] * self.facts.count
        self._clock = 0
        for number in self.facts.initial:
            self.rows[number] = sum(1 << other for other in self.facts.initial)
        self._steps = [
            self._step(needs, given)
            for operator in task.operators
            for needs, given in variants(operator)
        ]
        self._tried = [-1] * len(self._steps)
        while self._pass():
            pass

    def _step(self, needs: dict[int, int], given: list[Fact]) -> tuple[list[int], list[int], int]:
        """The facts needed and given, and all values of what is set, as bits."""
        taken = 0
        for variable, _ in given:
            values = self.facts.values(variable)
            taken |= ((1 << len(values)) - 1) << values.start
        number = self.facts.number
        return [number(f) for f in needs.items()], [number(f) for f in given], ~taken

    def _pass(self) -> bool:
        """Try all operators whose needs have changed; whether anything new was reached."""
        before = self._clock
        for index, (needs, given, kept) in enumerate(self._steps):
            check_stop()
            tried = self._tried[index]
            if needs and all(self._changed[fact] <= tried for fact in needs) and tried >= 0:
                continue
            self._tried[index] = self._clock
            together = self._together(needs)
            if together is not None:
                self._add(given, together & kept)
        return self._clock > before

    def _together(self, needs: Sequence[int]) -> int | None:
        """The facts that may be true with everything that is needed; None if that never is."""
        if not needs:
            return sum(1 << fact for fact, row in enumerate(self.rows) if row)
        together = -1
        for fact in needs:
            together &= self.rows[fact]
        return together if all(together >> fact & 1 for fact in needs) else None

    def _add(self, given: Sequence[int], together: int) -> None:
        for fact in given:
            together |= 1 << fact
        for fact in given:
            fresh = together & ~self.rows[fact]
            if not fresh:
                continue
            self._clock += 1
            self.rows[fact] |= fresh
            self._changed[fact] = self._clock
            for other in values_of(fresh):
                if not self.rows[other] >> fact & 1:
                    self.rows[other] |= 1 << fact
                    self._changed[other] = self._clock


def variants(operator: SasOperator) -> Iterator[tuple[dict[int, int], list[Fact]]]:
    """The needs and effects of an operator, for each two conditional effects that may fire.

    Two facts of the state behind it are given by at most two effects, so pairs see all of it. An
    effect that another one overrides may be left in: what may be reached is never too little.
    """
    always = {v: d for conditions, v, d in operator.effects if not conditions}
    sometimes = [effect for effect in operator.effects if effect[0]]
    if not sometimes:
        yield operator.precondition, list(always.items())
        return
    maybe = {v for _, v, _ in sometimes}
    fixed = [fact for fact in always.items() if fact[0] not in maybe]
    # An unconditional effect on a variable that a conditional one may set, too, may be overridden.
    nothing: dict[int, int] = {}
    unsure = [(nothing, v, d) for v, d in always.items() if v in maybe] + sometimes
    chosen: Iterable[Sequence[tuple[dict[int, int], int, int]]] = [
        (),
        *((effect,) for effect in unsure),
        *combinations(unsure, 2),
    ]
    for effects in chosen:
        needs = _joined([operator.precondition, *(effect[0] for effect in effects)])
        given = {v: d for _, v, d in effects}
        if needs is not None and len(given) == len(effects):
            yield needs, [*fixed, *given.items()]


def _joined(conditions: Iterable[dict[int, int]]) -> dict[int, int] | None:
    joined: dict[int, int] = {}
    for condition in conditions:
        for variable, value in condition.items():
            if joined.setdefault(variable, value) != value:
                return None
    return joined
