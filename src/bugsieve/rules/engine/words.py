"""Infinite words, in whatever task: whether some satisfy a formula, and with which beginnings.

All letters are tried one by one, so that formulas of many atoms are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, product
from typing import NamedTuple, TypeAlias

from bugsieve.rules.engine.components import components
from bugsieve.rules.engine.tableau import Obligations, Tableau
from bugsieve.rules.ltl.automaton import Automaton, tabulated
from bugsieve.rules.ltl.formula import Formula, atoms_of

_MOST_ATOMS = 6
_MOST_PLACES = 500

Letter: TypeAlias = frozenset[str]
_BEFORE = -1
"""The place of an automaton that is not asked for."""


class _Edge(NamedTuple):
    target: int
    put_off: Obligations


def has_word(formula: Formula, *, avoiding: Automaton | None = None) -> bool | None:
    """Whether some infinite word satisfies the formula; None if that is too large to say.

    With `avoiding`, one of which the automaton accepts no beginning.
    """
    atoms = dict.fromkeys((*atoms_of(formula), *(avoiding.atoms if avoiding else ())))
    graph = _graph(Tableau(formula), tuple(atoms), avoiding)
    return None if graph is None else any(graph.accepting)


def bad_prefixes_of(formula: Formula) -> Automaton | None:
    """The automaton of the beginnings of no infinite word with the formula; None if too large.

    All that an infinite word with such a beginning may be promised is kept, as far as promises
    can be met; where none is left, the beginning is bad.
    """
    names = atoms_of(formula)
    tableau = Tableau(formula)
    graph = _graph(tableau, names, None)
    if graph is None:
        return None
    hopeful = {obligations for obligations, _ in compress(graph.places, graph.live)}
    start = frozenset({tableau.start} & hopeful)
    numbers, table = {start: 0}, []
    for ways in (pending := [start]):
        if len(pending) > _MOST_PLACES:
            return None
        row = {}
        for read in _letters(names):
            later = (choice.later for way in ways for choice in tableau.choices(way, read))
            after = frozenset(hopeful.intersection(later))
            if after not in numbers:
                numbers[after] = len(numbers)
                pending.append(after)
            row[read] = numbers[after]
        table.append(row)
    bad = [number for ways, number in numbers.items() if not ways]
    return tabulated(names, table, bad)


class _Graph:
    """What must hold from here on, with the state of an automaton; edges read some letter."""

    def __init__(
        self,
        tableau: Tableau,
        places: Sequence[tuple[Obligations, int]],
        edges: Sequence[Sequence[_Edge]],
    ) -> None:
        self.places = places
        self._edges = edges
        component = components([[edge.target for edge in row] for row in edges])
        inside: dict[int, list[Obligations]] = {}
        for number, row in enumerate(edges):
            for target, put_off in row:
                if component[target] == component[number]:
                    inside.setdefault(component[number], []).append(put_off)
        fair = {c for c, late in inside.items() if not tableau.eventual.intersection(*late)}
        self.accepting = [number in fair for number in component]
        """Of each place, whether words can go round it for ever and put nothing off."""

    @property
    def live(self) -> list[bool]:
        """Of each place, whether some infinite word can begin there."""
        before: list[list[int]] = [[] for _ in self.places]
        for number, row in enumerate(self._edges):
            for edge in row:
                before[edge.target].append(number)
        found = list(self.accepting)
        pending = [number for number, is_live in enumerate(found) if is_live]
        while pending:
            new = [number for number in before[pending.pop()] if not found[number]]
            for number in new:
                found[number] = True
            pending += new
        return found


def _graph(tableau: Tableau, names: Sequence[str], avoiding: Automaton | None) -> _Graph | None:
    if len(names) > _MOST_ATOMS:
        return None
    letters = _letters(names)
    start = (tableau.start, _BEFORE if avoiding is None else avoiding.initial)
    numbers, edges = {start: 0}, []
    for obligations, state in (pending := [start]):
        if len(pending) > _MOST_PLACES:
            return None
        row: dict[_Edge, None] = {}
        for read in letters:
            after = _BEFORE if avoiding is None else avoiding.step(state, read)
            if avoiding is not None and after in avoiding.accepting:
                continue
            for later, put_off in tableau.choices(obligations, read):
                target = later, after
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending.append(target)
                row[_Edge(numbers[target], put_off)] = None
        edges.append(list(row))
    return _Graph(tableau, pending, edges)


def _letters(names: Sequence[str]) -> list[Letter]:
    return [frozenset(compress(names, truth)) for truth in product((0, 1), repeat=len(names))]
