"""Writes tasks with case conditions as ordinary finite-domain tasks.

A SAS condition gives each variable one value, a case allows several. Few combinations are spelled
out as several operators or effects. Otherwise, and in the goal, the excluded values are moved into
binary variables of their own, so that "not p" becomes one fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from bugsieve.tasks.grounded.cases import Case, is_single, values_of
from bugsieve.tasks.grounded.sas_text import (
    NO_ATOM,
    NOT_DERIVED,
    Fact,
    SasOperator,
    SasTask,
    SasVariable,
)

MAX_SPELLED_OUT = 8
TRUE, FALSE = 0, 1
_ATOM = "Atom "


class SeveralGoalsError(Exception):
    """The goal does not come out as one condition with one value per variable."""


@dataclass(frozen=True)
class CaseEffect:
    """Sets `variable` to `value` under the condition."""

    condition: Case
    variable: int
    value: int


@dataclass(frozen=True)
class CaseOperator:
    """An operator whose conditions are cases."""

    name: str
    precondition: Case
    effects: list[CaseEffect]
    cost: int


@dataclass(frozen=True)
class CaseTask:
    """A task whose conditions are cases; `dropped` variables are mentioned nowhere in them."""

    metric: int
    variables: list[SasVariable]
    dropped: frozenset[int]
    mutexes: list[list[Fact]]
    initial: list[int]
    goal: Case
    operators: list[CaseOperator]


def encode(task: CaseTask) -> SasTask:
    """The same task with one value per variable in every condition."""
    return _Encoding(task).task()


class _Encoding:
    """Maps each old variable to a trunk with the values it keeps, and a branch per moved value."""

    def __init__(self, task: CaseTask) -> None:
        self.source = task
        self.sizes = [len(variable.values) for variable in task.variables]
        self.moved = self._values_to_move()
        self.variables: list[SasVariable] = []
        self.trunk: dict[int, int] = {}
        self.trunk_value: dict[Fact, int] = {}
        self.branch: dict[Fact, int] = {}
        for index, variable in enumerate(task.variables):
            if index not in task.dropped:
                self._add(index, variable)

    def task(self) -> SasTask:
        source = self.source
        initial = [0] * len(self.variables)
        for variable in self._kept():
            for target, value in self._assignment(variable, source.initial[variable]):
                initial[target] = value
        # SAS has one goal, so there must be one condition only: `_crowded_cases` names the goal in
        # any case, so that the atoms it excludes have variables of their own. "None of these" is
        # not an atom and cannot be moved: then several conditions come out.
        goal, *others = islice(self._conditions(source.goal), 2)
        if others:
            raise SeveralGoalsError
        return SasTask(
            metric=source.metric,
            variables=self.variables,
            mutexes=self._mutexes(),
            initial=initial,
            goal=sorted(goal.items()),
            operators=[new for old in source.operators for new in self._operators(old)],
        )

    def _kept(self) -> Iterator[int]:
        return (v for v in range(len(self.sizes)) if v not in self.source.dropped)

    def _values_to_move(self) -> dict[int, set[int]]:
        moved: dict[int, set[int]] = {}
        for case in self._crowded_cases():
            for variable, mask in case.items():
                outside = ((1 << self.sizes[variable]) - 1) & ~mask
                # A value that is not an atom ("none of those") cannot be moved: it has no truth
                # value of its own, but follows from those of the atoms.
                if not is_single(mask) and self._are_atoms(variable, outside):
                    moved.setdefault(variable, set()).update(values_of(outside))
        return moved

    def _crowded_cases(self) -> Iterator[Case]:
        # The goal cannot be spelled out as several, so it always counts as crowded. An operator
        # can: it takes one copy for each combination of allowed values, and few copies leave the
        # variables as the translator chose them.
        yield self.source.goal
        for operator in self.source.operators:
            conditions = [
                operator.precondition,
                *(e.condition for e in operator.effects),
            ]
            for case in conditions:
                if prod(mask.bit_count() for mask in case.values()) > MAX_SPELLED_OUT:
                    yield case

    def _are_atoms(self, variable: int, mask: int) -> bool:
        names = self.source.variables[variable].values
        return all(names[value].startswith(_ATOM) for value in values_of(mask))

    def _add(self, index: int, variable: SasVariable) -> None:
        moved = self.moved.get(index, set())
        kept = [value for value in range(len(variable.values)) if value not in moved]
        names = [variable.values[value] for value in kept]
        # While a moved value holds, the trunk must have some other value. If none of the kept
        # values means "none of these" already, it gets one; it stands last, as in the translator's
        # variables.
        if moved and all(name.startswith(_ATOM) for name in names):
            names.append(NO_ATOM)
        for position, value in enumerate(kept):
            self.trunk_value[index, value] = position
        # A trunk with a single value says nothing: the branches tell all.
        if len(names) > 1:
            self.trunk[index] = self._new_variable(names)
        for value in sorted(moved):
            atom = variable.values[value]
            self.branch[index, value] = self._new_variable([atom, f"Negated{atom}"])
            self.trunk_value[index, value] = len(names) - 1

    def _new_variable(self, names: list[str]) -> int:
        self.variables.append(SasVariable(f"var{len(self.variables)}", NOT_DERIVED, names))
        return len(self.variables) - 1

    def _assignment(self, variable: int, value: int) -> Iterator[Fact]:
        """The facts that say `variable` has `value`."""
        if variable in self.trunk:
            yield self.trunk[variable], self.trunk_value[variable, value]
        for moved in sorted(self.moved.get(variable, ())):
            yield self.branch[variable, moved], TRUE if moved == value else FALSE

    def _fact(self, variable: int, value: int) -> list[Fact]:
        """The fewest facts that are true exactly if `variable` has `value`."""
        if (variable, value) in self.branch:
            return [(self.branch[variable, value], TRUE)]
        if self.source.variables[variable].values[value].startswith(_ATOM):
            return [(self.trunk[variable], self.trunk_value[variable, value])]
        # Where values were moved, the trunk has "none of those" for each of them, too: only
        # together with the negated branches does it mean what it meant before.
        return list(self._assignment(variable, value))

    def _conditions(self, case: Case) -> Iterator[dict[int, int]]:
        """Conditions with one value per variable, one of which holds exactly if the case does."""
        common: list[Fact] = []
        spelled: list[list[list[Fact]]] = []
        for variable, mask in sorted(case.items()):
            outside = set(values_of(((1 << self.sizes[variable]) - 1) & ~mask))
            # Where all excluded values are branches, one condition says that they are false; it
            # replaces a product over all allowed values.
            if not is_single(mask) and outside <= self.moved.get(variable, set()):
                common += [(self.branch[variable, value], FALSE) for value in outside]
            else:
                spelled.append([self._fact(variable, value) for value in values_of(mask)])
        for choice in product(*spelled):
            yield dict(sorted(common + [fact for facts in choice for fact in facts]))

    def _operators(self, operator: CaseOperator) -> Iterator[SasOperator]:
        effects = [
            (condition, fact)
            for effect in operator.effects
            for condition in self._conditions(effect.condition)
            for fact in self._changes(operator.precondition, effect)
        ]
        for precondition in self._conditions(operator.precondition):
            yield SasOperator(
                operator.name,
                precondition,
                list(_reduced(precondition, effects)),
                operator.cost,
            )

    def _changes(self, precondition: Case, effect: CaseEffect) -> Iterator[Fact]:
        """The assignments an effect needs, given what is known about the variable before."""
        # If the old value is known, the branches it has in common with the new one need no effect.
        # Else all are set, and those that are right already are set to what they are.
        before = effect.condition.get(effect.variable, precondition.get(effect.variable, 0))
        unchanged: set[Fact] = set()
        if before and is_single(before):
            unchanged = set(self._assignment(effect.variable, before.bit_length() - 1))
        return (f for f in self._assignment(effect.variable, effect.value) if f not in unchanged)

    def _mutexes(self) -> list[list[Fact]]:
        # A value that takes several facts to say leaves its group: they do not exclude each other.
        groups = [
            [facts[0] for fact in group if len(facts := self._fact(*fact)) == 1]
            for group in self.source.mutexes
        ]
        for variable, moved in self.moved.items():
            atoms = [v for v in range(self.sizes[variable]) if self._are_atoms(variable, 1 << v)]
            if moved and len(atoms) > 1:
                groups.append([fact for value in atoms for fact in self._fact(variable, value)])
        return groups


def _reduced(
    precondition: dict[int, int], effects: list[tuple[dict[int, int], Fact]]
) -> Iterator[tuple[dict[int, int], int, int]]:
    """The effects without conditions that the precondition grants or forbids."""
    for condition, (variable, value) in effects:
        granted = all(precondition.get(v, value_) == value_ for v, value_ in condition.items())
        if granted:
            rest = {v: value_ for v, value_ in condition.items() if v not in precondition}
            yield rest, variable, value
