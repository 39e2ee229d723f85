"""Case distinctions over finite-domain variables: the algebra behind `derived`.

A case maps variables to bit masks of the values they may take; a list of cases is a disjunction.
Mutex groups hold in every reachable state; they shrink cases and rule out impossible ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from bugsieve.tasks.grounded.sas_text import Fact

Case: TypeAlias = dict[int, int]


class TooManyCasesError(Exception):
    """A condition needs more cases than the limit allows."""


def values_of(mask: int) -> Iterator[int]:
    """The values in a mask, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def is_single(mask: int) -> bool:
    """Return true if the mask allows exactly one value."""
    return mask & (mask - 1) == 0


class Cases:
    """Operations on cases of one task; no result is longer than `limit`."""

    def __init__(
        self, sizes: Sequence[int], mutexes: Iterable[Sequence[Fact]], limit: int
    ) -> None:
        self.full = [(1 << size) - 1 for size in sizes]
        self.limit = limit
        self._groups: list[dict[int, int]] = []
        self._groups_of: dict[Fact, list[int]] = {}
        for group in mutexes:
            self._add_group(group)

    def _add_group(self, group: Sequence[Fact]) -> None:
        masks: dict[int, int] = {}
        for variable, value in group:
            masks[variable] = masks.get(variable, 0) | 1 << value
            self._groups_of.setdefault((variable, value), []).append(len(self._groups))
        self._groups.append(masks)

    def meet(self, first: Case, second: Case) -> Case | None:
        """The conjunction of two cases, or None if it is impossible."""
        both = dict(first)
        for variable, mask in second.items():
            both[variable] = both.get(variable, self.full[variable]) & mask
        return self.tightened(both)

    def tightened(self, case: Case) -> Case | None:
        """The same case without values and conditions that mutexes decide; None if impossible."""
        excluded: dict[int, int] = {}
        # A mutex group says something only when one of its facts is certain, that is, when a
        # variable has a single value left. An empty mask passes as single, too, and is found
        # below.
        pending = [variable for variable, mask in case.items() if is_single(mask)]
        while pending:
            variable = pending.pop()
            if not case[variable]:
                return None
            for other, mask in self._exclusions(variable, case[variable].bit_length() - 1):
                # A variable that the case does not mention stays unmentioned: what is excluded
                # here is excluded in every reachable state of the case, so it need not be told.
                excluded[other] = excluded.get(other, 0) | mask
                before = case.get(other)
                if before is None or not before & mask:
                    continue
                case[other] = before & ~mask
                # Values are only ever taken away, so a variable waits at most twice: when one
                # value is left, and when none is.
                if is_single(case[other]):
                    pending.append(other)
        return self._without_implied(case, excluded)

    def _exclusions(self, variable: int, value: int) -> Iterator[Fact]:
        for group in self._groups_of.get((variable, value), ()):
            for other, mask in self._groups[group].items():
                if other != variable:
                    yield other, mask

    def _without_implied(self, case: Case, excluded: dict[int, int]) -> Case | None:
        kept = {}
        for variable, mask in case.items():
            if not mask:
                return None
            # Nothing but single values excludes others, and all of these are kept: so no condition
            # is left out on the word of one that is left out as well. (Two single values may
            # exclude each other's alternatives; dropping both would lose them.)
            implied = mask | excluded.get(variable, 0) == self.full[variable]
            if not implied or (is_single(mask) and self.full[variable] != mask):
                kept[variable] = mask
        return kept

    def product(self, first: list[Case], second: list[Case]) -> list[Case]:
        """The conjunction of two disjunctions."""
        result: list[Case] = []
        for case in first:
            # Absorption: where the case implies one of the alternatives, the whole conjunction is
            # the case. Without it, products of many definitions would grow by cases that are
            # special cases of others.
            if any(self._implies(case, other) for other in second):
                result.append(case)
                continue
            for other in second:
                both = self.meet(case, other)
                if both is not None:
                    result.append(both)
            # Before joining, on the way: a product that is too large need not be built to its end.
            self._check(result)
        return self.union(result)

    def union(self, cases: Iterable[Case]) -> list[Case]:
        """The disjunction, with cases that differ in one variable joined."""
        distinct = {frozenset(case.items()): case for case in cases}
        # A join can make two cases alike but for another variable, hence rounds until nothing
        # joins. This need not find the fewest cases, but depends on nothing but their set and
        # order.
        joined = True
        while joined and len(distinct) > 1:
            joined = False
            for variable in sorted({name for case in distinct.values() for name in case}):
                joined = self._join(distinct, variable) or joined
        result = list(distinct.values())
        self._check(result)
        return result

    def _join(self, distinct: dict[frozenset[Fact], Case], variable: int) -> bool:
        """Join cases that are equal but for `variable`; says whether there were any."""
        classes: dict[frozenset[Fact], list[Case]] = {}
        for case in distinct.values():
            if variable in case:
                rest = frozenset(item for item in case.items() if item[0] != variable)
                classes.setdefault(rest, []).append(case)
        changed = False
        for rest, members in classes.items():
            if len(members) == 1:
                continue
            changed = True
            mask = 0
            for case in members:
                mask |= case[variable]
                del distinct[frozenset(case.items())]
            new = dict(rest)
            # All values together are not a condition.
            if mask != self.full[variable]:
                new[variable] = mask
            distinct[frozenset(new.items())] = new
        return changed

    def _implies(self, case: Case, other: Case) -> bool:
        return all(
            case.get(variable, self.full[variable]) & ~mask == 0
            for variable, mask in other.items()
        )

    def _check(self, cases: list[Case]) -> None:
        if len(cases) > self.limit:
            raise TooManyCasesError
