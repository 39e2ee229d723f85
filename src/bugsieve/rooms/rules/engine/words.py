"""Infinite words, in any task: decide if some satisfy a formula, and with which beginnings.

All letters are tried one by one, so that formulas of many atoms are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, product
from typing import NamedTuple, TypeAlias

from bugsieve.rooms.rules.engine.liveness import accepting_places, live_places
from bugsieve.rooms.rules.engine.tableau import Obligations, Tableau
from bugsieve.rooms.rules.ltl.automaton import Automaton, tabulated
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of

_MOST_ATOMS = 6
_MOST_PLACES = 500

Letter: TypeAlias = frozenset[str]
_BEFORE = -1
"""The place of an automaton that is not asked for."""


class _Edge(NamedTuple):
    target: int
    put_off: Obligations


def has_word(formula: Formula, *, avoiding: Automaton | None = None) -> bool | None:
    """Decide if some infinite word satisfies the formula; None if that is too large to say.

    With `avoiding`, only words of which that automaton accepts no beginning count.
    """
    atoms = dict.fromkeys((*atoms_of(formula), *(avoiding.atoms if avoiding else ())))
    tableau = Tableau(formula)
    graph = _graph(tableau, [tableau.start], _letters(tuple(atoms)), avoiding)
    return None if graph is None else any(accepting_places(graph.edges, tableau.eventual))


def may_go_on(
    tableau: Tableau,
    starts: Iterable[Obligations],
    names: Sequence[str],
    fixed: Mapping[str, bool],
) -> bool | None:
    """Decide if some infinite word meets one of the obligations, where some atoms never change.

    None if that is too large to say.
    """
    free = _letters([name for name in names if name not in fixed])
    always = frozenset(name for name, truth in fixed.items() if truth)
    letters = None if free is None else [letter | always for letter in free]
    graph = _graph(tableau, list(starts), letters, None)
    return None if graph is None else any(accepting_places(graph.edges, tableau.eventual))


def bad_prefixes_of(formula: Formula) -> Automaton | None:
    """The automaton of the beginnings of no infinite word with the formula; None if too large.

    All that an infinite word with such a beginning may be promised is kept, as far as promises
    can be met; where none is left, the beginning is bad.
    """
    names = atoms_of(formula)
    tableau = Tableau(formula)
    letters = _letters(names)
    graph = _graph(tableau, [tableau.start], letters, None)
    if graph is None or letters is None:
        return None
    live = live_places(graph.edges, tableau.eventual)
    hopeful = {obligations for obligations, _ in compress(graph.places, live)}
    start = frozenset({tableau.start} & hopeful)
    numbers, table = {start: 0}, []
    for ways in (pending := [start]):
        if len(pending) > _MOST_PLACES:
            return None
        row = {}
        for read in letters:
            later = (choice.later for way in ways for choice in tableau.choices(way, read))
            after = frozenset(hopeful.intersection(later))
            if after not in numbers:
                numbers[after] = len(numbers)
                pending.append(after)
            row[read] = numbers[after]
        table.append(row)
    bad = [number for ways, number in numbers.items() if not ways]
    return tabulated(names, table, bad)


class _Graph(NamedTuple):
    """A graph of obligations with states of an automaton; edges read some letter."""

    places: list[tuple[Obligations, int]]
    edges: list[list[_Edge]]


def _graph(
    tableau: Tableau,
    starts: Sequence[Obligations],
    letters: Sequence[Letter] | None,
    avoiding: Automaton | None,
) -> _Graph | None:
    """All that can be met from the starts; None if that is too much, or there are no letters."""
    if letters is None:
        return None
    first = _BEFORE if avoiding is None else avoiding.initial
    pending = [(start, first) for start in starts]
    numbers, edges = {place: number for number, place in enumerate(pending)}, []
    for obligations, state in pending:
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
    return _Graph(pending, edges)


def _letters(names: Sequence[str]) -> list[Letter] | None:
    """All letters of these atoms; None where there are too many."""
    if len(names) > _MOST_ATOMS:
        return None
    return [frozenset(compress(names, truth)) for truth in product((0, 1), repeat=len(names))]
