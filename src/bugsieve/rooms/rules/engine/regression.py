"""The conditions before an operator such that atoms have given truths after it.

Operators that look alike to the atoms share one `Step`, so that most of a large task is never
looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from bugsieve.rooms.rules.engine.conditions import Condition, simplified, variables_of
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.tasks.grounded.cases import Case, Cases
from bugsieve.tasks.grounded.sas_text import Fact, SasOperator


class Look(NamedTuple):
    """All of an operator that atoms can see."""

    needs: tuple[Fact, ...]
    effects: tuple[tuple[tuple[Fact, ...], int, int], ...]
    dids: tuple[Fact, ...]
    """The values of did-variables after it."""


class Way(NamedTuple):
    """A step of the automaton to a state, in any of these cases before the operator."""

    target: int
    cases: list[Case]


def look_of(operator: SasOperator, relevant: frozenset[int], dids: tuple[Fact, ...]) -> Look:
    """The part of an operator that atoms over the relevant variables can see."""
    if relevant.isdisjoint(operator.precondition) and not any(
        variable in relevant for _, variable, _ in operator.effects
    ):
        return Look((), (), dids)
    effects = tuple(
        (tuple(sorted(conditions.items())), variable, value)
        for conditions, variable, value in operator.effects
        if variable in relevant
    )
    seen = relevant
    if any(conditions for conditions, _, _ in effects):
        seen = relevant.union(v for conditions, _, _ in effects for v, _ in conditions)
    needs = tuple(sorted(fact for fact in operator.precondition.items() if fact[0] in seen))
    return Look(needs, effects, dids)


class AtomCases:
    """The atoms of an automaton as conditions, and the cases in which each is true or false."""

    def __init__(self, conditions: Mapping[str, Condition], cases: Cases) -> None:
        self.conditions = conditions
        self.cases = cases
        self._found: dict[tuple[str, bool], list[Case]] = {}
        self.variables = {name: variables_of(item) for name, item in conditions.items()}
        self._asking: dict[int, list[str]] = {}
        for name, variables in self.variables.items():
            for variable in variables:
                self._asking.setdefault(variable, []).append(name)

    def where_known(self, values: Mapping[int, int]) -> dict[str, Condition]:
        """The conditions where some variables have known values."""
        found = dict(self.conditions)
        # Large tasks have thousands of operators that know nothing of most atoms.
        for name in {name for v in values for name in self._asking.get(v, ())}:
            found[name] = simplified(found[name], values)
        return found

    def where(self, name: str, truth: bool) -> list[Case]:
        """Cases, one of which holds exactly where the atom has this truth."""
        key = name, truth
        if key not in self._found:
            self._found[key] = self._cases(self.conditions[name], truth)
        return self._found[key]

    def _cases(self, condition: Condition, truth: bool) -> list[Case]:
        if isinstance(condition, bool):
            return [{}] if condition == truth else []
        kind = condition[0]
        if kind == "fact":
            _, variable, value = condition
            bit = 1 << value
            mask = bit if truth else self.cases.full[variable] & ~bit
            return self.cases.union([{variable: mask}] if mask else [])
        if kind == "not":
            return self._cases(condition[1], not truth)
        parts = [self._cases(part, truth) for part in condition[1:]]
        # De Morgan: a conjunction is false where one part is.
        if (kind == "or") == truth:
            return self.cases.union(case for part in parts for case in part)
        return reduce(self.cases.product, sorted(parts, key=len))


class Step:
    """Operators of one look, between states of the automaton."""

    def __init__(self, look: Look, atoms: AtomCases, *, settled: bool) -> None:
        self._look = look
        self._atoms = atoms
        self._settled = settled
        self._needs = dict(look.needs)
        self._effects: dict[int, list[tuple[tuple[Fact, ...], int]]] = {}
        for conditions, variable, value in look.effects:
            self._effects.setdefault(variable, []).append((conditions, value))
        self._before = atoms.where_known(self._needs)
        self._after = atoms.where_known(self._known_after())
        self._regressed: dict[tuple[str, bool], list[Case]] = {}

    def _known_after(self) -> dict[int, int]:
        known = dict(self._needs)
        for variable, effects in self._effects.items():
            conditions, value = effects[-1]
            known.pop(variable, None)
            if not conditions:
                known[variable] = value
        known.update(self._look.dids)
        return known

    @cached_property
    def untouched(self) -> frozenset[str]:
        """Atoms that are after the operator what they were before it."""
        return frozenset(
            name
            for name, after in self._after.items()
            if after == self._before[name]
            and (isinstance(after, bool) or self._reads_nothing_set(name, after))
        )

    def _reads_nothing_set(self, name: str, condition: Condition) -> bool:
        if self._atoms.variables[name].isdisjoint(self._effects):
            return True
        return variables_of(condition).isdisjoint(self._effects)

    @property
    def changes_nothing(self) -> bool:
        """Return true if all atoms stay as they are."""
        return len(self.untouched) == len(self._atoms.conditions)

    def ways(self, automaton: Automaton, state: int) -> list[Way]:
        """The targets of the operator from a state of the automaton, each with its condition."""
        starts = self._starts(automaton, state) if self._settled else [{}]
        open_cubes = [
            (edge.target, [cube for cube in edge.cubes if self._may_give(cube, starts)])
            for edge in automaton.edges[state]
        ]
        open_cubes = [(target, cubes) for target, cubes in open_cubes if cubes]
        # Guards partition all letters: where only one of them can hold, nothing need be asked.
        if len(open_cubes) == 1:
            return [Way(open_cubes[0][0], [{}])]
        found = (Way(target, self._cases(cubes)) for target, cubes in open_cubes)
        return [way for way in found if way.cases]

    def _starts(self, automaton: Automaton, state: int) -> list[Mapping[str, bool]]:
        """The letters that an automaton closed under stuttering can have read last, here.

        It stays where it is when it reads the same letter again, so the letter is one of a loop.
        """
        return [
            cube
            for edge in automaton.edges[state]
            if edge.target == state
            for cube in edge.cubes
            if all(self._before[name] is not (not truth) for name, truth in cube.items())
        ]

    def _may_give(self, cube: Mapping[str, bool], starts: Iterable[Mapping[str, bool]]) -> bool:
        for name, truth in cube.items():
            if self._after[name] is (not truth):
                return False
        kept = [item for item in cube.items() if item[0] in self.untouched]
        return any(all(start.get(n, truth) == truth for n, truth in kept) for start in starts)

    def _cases(self, cubes: Sequence[Mapping[str, bool]]) -> list[Case]:
        cases = self._atoms.cases
        found: list[Case] = []
        for cube in cubes:
            asked = [item for item in cube.items() if not isinstance(self._after[item[0]], bool)]
            parts = [self._before_truth(name, truth) for name, truth in asked]
            whole: list[Case] = [{}]
            for part in sorted(parts, key=len):
                whole = cases.product(whole, part)
            found += whole
        return cases.union(found)

    def _before_truth(self, name: str, truth: bool) -> list[Case]:
        key = name, truth
        if key not in self._regressed:
            after = self._atoms.where(name, truth)
            found = [case for item in after for case in self._before_case(item)]
            self._regressed[key] = self._atoms.cases.union(found)
        return self._regressed[key]

    def _before_case(self, after: Case) -> list[Case]:
        """The cases before the operator in which `after` holds behind it."""
        known = dict(self._look.dids)
        alike: Case = {}
        found: list[Case] = [{}]
        for variable, mask in after.items():
            if variable in known:
                if not mask >> known[variable] & 1:
                    return []
            elif variable in self._effects:
                alternatives = self._before_values(variable, mask)
                found = self._atoms.cases.product(found, alternatives)
            else:
                alike[variable] = mask
        rest = self._beside_needs(alike)
        return [] if rest is None else self._atoms.cases.product(found, [rest])

    def _before_values(self, variable: int, mask: int) -> list[Case]:
        """When the variable has one of the values in the mask afterwards; the last effect wins."""
        cases = self._atoms.cases
        found: list[Case] = []
        silent: list[Case] = [{}]  # no later effect fires
        for conditions, value in reversed(self._effects[variable]):
            if mask >> value & 1:
                fires = self._beside_needs({v: 1 << d for v, d in conditions})
                found += cases.product(silent, [] if fires is None else [fires])
            silent = cases.product(silent, self._silent(conditions))
            if not silent:
                return cases.union(found)
        kept = self._beside_needs({variable: mask})
        return cases.union([*found, *cases.product(silent, [] if kept is None else [kept])])

    def _silent(self, conditions: tuple[Fact, ...]) -> list[Case]:
        full = self._atoms.cases.full
        others = ({v: full[v] & ~(1 << d)} for v, d in conditions if full[v] != 1 << d)
        found = (self._beside_needs(case) for case in others)
        return self._atoms.cases.union(case for case in found if case is not None)

    def _beside_needs(self, case: Case) -> Case | None:
        """The needs of the case beside the operator's precondition; None if they contradict."""
        rest: Case = {}
        for variable, mask in case.items():
            needed = self._needs.get(variable)
            if needed is None:
                if mask != self._atoms.cases.full[variable]:
                    rest[variable] = mask
            elif not mask >> needed & 1:
                return None
        return rest
