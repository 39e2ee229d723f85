"""Variables of a task and their values in the words of its PDDL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bugsieve.tasks.grounded import atoms
from bugsieve.tasks.grounded.sas_text import NO_ATOM
from bugsieve.tasks.grounded.task import Task

_NEGATED = "Negated"
_VARYING = "?"
_MOST_FACTS = 4
"""Of a state, in a sentence."""


class FactWords:
    """Says what the variables of one task mean."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def variable(self, variable: int) -> str:
        """`(at truck ?)`: its atoms, with a question mark where they differ."""
        known = self._atoms(variable)
        return "/".join(_patterns(known)) if known else self._task.variables[variable].name

    def value(self, variable: int, value: int) -> str:
        """The atom, what a negated one denies, or `none of (at truck ?)`."""
        atom = self._task.variables[variable].facts[value]
        if atom is not None:
            return atom
        name = self._task.native.fact_names(variable)[value]
        denied = atoms.from_sas_name(name.removeprefix(_NEGATED))
        if denied is not None:
            return f"(not {denied})"
        known = self._atoms(variable)
        if name != NO_ATOM or not known:
            return f"{self._task.variables[variable].name} = {name}"
        return f"(not {known[0]})" if len(known) == 1 else f"none of {self.variable(variable)}"

    def short_value(self, variable: int, value: int) -> str:
        """The words that tell the value from the variable's others: `node2`, `in truck`, `no`."""
        atom, known = self._task.variables[variable].facts[value], self._atoms(variable)
        if len(known) == 1:
            return "no" if atom is None else "yes"
        if atom is None:
            return self.value(variable, value) if not known else "none of those"
        groups = _by_predicate(known)
        predicate, *arguments = atoms.words_of(atom)
        common = _common_arguments(groups[predicate, len(arguments)])
        varying = [one for one, mark in zip(arguments, common, strict=True) if mark == _VARYING]
        return " ".join(varying if len(groups) == 1 else [predicate, *varying])

    def _atoms(self, variable: int) -> list[str]:
        return [atom for atom in self._task.variables[variable].facts if atom is not None]


def listed(facts: Sequence[str]) -> str:
    """`a, b and c`; the first ones if there are many."""
    shown = list(facts[:_MOST_FACTS])
    if len(facts) > _MOST_FACTS:
        shown[-1] = f"{len(facts) - _MOST_FACTS + 1} facts more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def _patterns(known: Iterable[str]) -> list[str]:
    """One per predicate and number of arguments, in the order of the atoms."""
    return [
        "(" + " ".join([predicate, *_common_arguments(rows)]) + ")"
        for (predicate, _), rows in _by_predicate(known).items()
    ]


def _by_predicate(known: Iterable[str]) -> dict[tuple[str, int], list[list[str]]]:
    """The arguments of the atoms by predicate and their number."""
    groups: dict[tuple[str, int], list[list[str]]] = {}
    for atom in known:
        predicate, *arguments = atoms.words_of(atom)
        groups.setdefault((predicate, len(arguments)), []).append(arguments)
    return groups


def _common_arguments(rows: Iterable[Sequence[str]]) -> list[str]:
    columns = zip(*rows, strict=True)
    return [column[0] if len(set(column)) == 1 else _VARYING for column in columns]
