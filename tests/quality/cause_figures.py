"""How well causes fit planted faults: groups per fault, purity, and faults with a group of theirs.

Only bugs of one policy share groups here, as on the first screen of a campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """Counts over policies; they add up."""

    faults: int = 0
    """Planted ones that are to blame for some bug."""
    faults_shown: int = 0
    """Those that are the majority of some group."""
    groups: int = 0
    pure_groups: int = 0
    """Whose bugs all have one fault."""
    bugs: int = 0
    fitting_bugs: int = 0
    """Those that have the fault that most bugs of their groups have."""

    @classmethod
    def of(cls, bugs: Iterable[tuple[Hashable, Hashable]]) -> Figures:
        """The figures of one policy, from the fault and the cause of each of its bugs."""
        groups: dict[Hashable, Counter[Hashable]] = {}
        for fault, cause in bugs:
            groups.setdefault(cause, Counter())[fault] += 1
        majorities = [group.most_common(1)[0] for group in groups.values()]
        return cls(
            len({fault for group in groups.values() for fault in group}),
            len({fault for fault, _ in majorities}),
            len(groups),
            sum(len(group) == 1 for group in groups.values()),
            sum(group.total() for group in groups.values()),
            sum(count for _, count in majorities),
        )

    def __add__(self, other: Figures) -> Figures:
        mine, theirs = vars(self).values(), vars(other).values()
        return Figures(*(a + b for a, b in zip(mine, theirs, strict=True)))

    @property
    def groups_per_fault(self) -> float:
        return self.groups / self.faults

    @property
    def purity_of_bugs(self) -> float:
        return self.fitting_bugs / self.bugs

    @property
    def purity_of_groups(self) -> float:
        return self.pure_groups / self.groups

    @property
    def shown(self) -> float:
        return self.faults_shown / self.faults

    def __str__(self) -> str:
        return (
            f"{self.faults} faults, {self.bugs} bugs, {self.groups} groups: "
            f"{self.groups_per_fault:.2f} groups per fault, purity {self.purity_of_bugs:.1%} of "
            f"bugs and {self.purity_of_groups:.1%} of groups, {self.shown:.1%} of faults shown"
        )
