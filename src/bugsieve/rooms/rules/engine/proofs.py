"""Proofs that a task has no trace for a formula, in the form that the checker of rules reads.

They speak of the task itself; the checker knows no automata and no products. The checker alone
says which of them it accepts: `proofs` gives the shortest first, and the caller takes the first
one that is accepted. The last, a rerun, needs nothing but time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.engine.parts import plain_task_of
from bugsieve.rooms.rules.engine.product import Product, ProductTooLargeError, compile_product
from bugsieve.rooms.rules.engine.relaxations import (
    MAX_FACTS,
    Numbering,
    reached_facts,
    reached_pairs,
)
from bugsieve.rooms.rules.ltl.automaton import TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.tasks.grounded.cases import values_of
from bugsieve.tasks.grounded.sas_text import Fact, SasTask
from bugsieve.tasks.grounded.task import Task

MAX_PAIRS = 1_000_000
MAX_STATES = 1_000_000
_FEW_STATES = 100_000
"""So many states are listed without leaving out dead ends, which are slow to recompute."""

Proof: TypeAlias = dict[str, Any]


def proofs(
    task: Task,
    formula: Formula,
    atoms: Mapping[str, Condition],
    *,
    with_goal: bool = False,
    state: ArrayLike | None = None,
    max_states: int = MAX_STATES,
) -> Iterator[Proof]:
    """Proofs that no trace of the task from the state satisfies the formula, shortest first.

    There must be none: this only looks for ways to say so.
    """
    values = (task.initial_state if state is None else task.checked_state(state)).tolist()
    prover = _Prover(task, values)
    try:
        # Not folded: to the checker only what no word satisfies is hopeless.
        automaton = automaton_of(formula)
        product = compile_product(task, automaton, atoms, with_goal=with_goal, state=values)
        yield from prover.by_facts(product)
        yield from prover.by_pairs(product)
        whole = compile_product(
            task, automaton, atoms, with_goal=with_goal, state=values, is_cut=False
        )
        yield from prover.by_states(whole, max_states)
    except (ProductTooLargeError, TooManyStatesError):
        pass
    yield {"by": "rerun"}


def plain_proof(task: Task) -> Proof:
    """The facts that the relaxed task reaches, for every formula.

    To try before all others: it costs nothing but its check, and the checker, who knows the letter
    that was read last, accepts it of many rules.
    """
    facts = reached_facts(plain_task_of(task).sas)
    return {"by": "facts", "facts": sorted(map(list, facts))}


class _Prover:
    """Translates findings about products into facts of the task."""

    def __init__(self, task: Task, values: Sequence[int]) -> None:
        plain = plain_task_of(task)
        sas = plain.sas
        self._sas = SasTask(
            sas.metric, sas.variables, sas.mutexes, list(values), sas.goal, sas.operators
        )
        self._static = {v for v, changing in enumerate(plain.changing) if not changing}

    def by_facts(self, product: Product) -> Iterator[Proof]:
        """A set of facts that no operator leaves, and in which no trace may end."""
        if product.is_dead:
            yield {"by": "facts", "facts": sorted(map(list, reached_facts(self._sas)))}
            return
        if (product.done, 1) in product.reached:
            return
        inside = {
            (product.variables[v], d) for v, d in product.reached if v < len(product.variables)
        }
        yield {"by": "facts", "facts": sorted(map(list, inside | self._outside(product)))}

    def _outside(self, product: Product) -> set[Fact]:
        """All facts of variables that the product lacks; of what never changes the one."""
        inside = set(product.variables)
        return {
            (variable, value)
            for variable, described in enumerate(self._sas.variables)
            if variable not in inside
            for value in range(len(described.values))
            if variable not in self._static or value == self._sas.initial[variable]
        }

    def by_pairs(self, product: Product) -> Iterator[Proof]:
        """Pairs of facts that no operator leaves, with the formula and without."""
        facts = Numbering(self._sas)
        if max(facts.count, Numbering(product.sas).count) > MAX_FACTS:
            return
        seen = reached_pairs(product.sas)
        if not seen[Numbering(product.sas).number((product.done, 1))]:
            yield from self._listed(facts, self._rows(product, facts, seen))
            yield from self._listed(facts, reached_pairs(self._sas))

    def _rows(self, product: Product, facts: Numbering, seen: Sequence[int]) -> list[int]:
        """The rows of the product as rows of the task."""
        inner = Numbering(product.sas)
        outside = [facts.number(fact) for fact in sorted(self._outside(product))]
        bits = sum(1 << number for number in outside)
        place = [
            facts.number((product.variables[v], d)) if v < len(product.variables) else -1
            for v, d in map(inner.fact, range(inner.count))
        ]
        rows = [0] * facts.count
        for number, row in enumerate(seen):
            if row and place[number] >= 0:
                rows[place[number]] = bits | sum(
                    1 << place[other] for other in values_of(row) if place[other] >= 0
                )
        alone = sum(1 << number for number, row in enumerate(rows) if row)
        for number in outside:
            others = bits & ~sum(1 << n for n in facts.values(facts.variable[number]))
            rows[number] = alone | others | 1 << number
        return rows

    def _listed(self, facts: Numbering, rows: Sequence[int]) -> Iterator[Proof]:
        if sum(row.bit_count() for row in rows) > 2 * MAX_PAIRS:
            return
        pairs = []
        for number, row in enumerate(rows):
            check_stop()
            for other in values_of(row >> number):
                pairs.append([*facts.fact(number), *facts.fact(number + other)])
        yield {"by": "pairs", "pairs": pairs}

    def by_states(self, product: Product, max_states: int) -> Iterator[Proof]:
        """The states that can be met; without those from which nothing leads on, if need be."""
        few = min(max_states, _FEW_STATES)
        states = _explored(product, few, prune=False)
        if states is None and max_states > few:
            states = _explored(product, max_states, prune=True)
        if states is not None:
            count = len(product.variables)
            rows = np.unique(states[:, :count], axis=0)
            yield {"by": "states", "states": rows.tolist()}


def _explored(product: Product, most: int, *, prune: bool) -> NDArray[np.uint16] | None:
    """The expanded states of the product, layer by layer; None if there are too many."""
    task = product.task
    registry = _native.StateRegistry(task.native)
    layer = product.initial_state[np.newaxis, :]
    registry.insert(layer)
    expanded = []
    count = 0
    while len(layer):
        check_stop()
        if prune:
            layer = layer[task.heuristic("hmax").evaluate(layer) != _native.DEAD_END]
        count += len(layer)
        if count > most:
            return None
        expanded.append(layer)
        successors, _, _ = task.all_successors(layer)
        known = len(registry)
        numbers = registry.insert(successors)
        fresh = np.unique(numbers[numbers >= known])
        layer = registry.states(fresh)
    return np.concatenate(expanded)
