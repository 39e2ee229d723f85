"""The problem a generator draws, and its PDDL text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One instance: objects by type, and atoms in PDDL form such as `(at truck1 node2)`."""

    objects: Mapping[str, Sequence[str]]
    init: Sequence[str]
    goal: Sequence[str]
    has_costs: bool = False

    def text(self, *, name: str, domain: str) -> str:
        """The PDDL problem file; facts stand in the order in which they were given."""
        init = ["(= (total-cost) 0)", *self.init] if self.has_costs else self.init
        typed = [f"{' '.join(names)} - {kind}" for kind, names in self.objects.items() if names]
        parts = [
            f"(define (problem {name})",
            f"  (:domain {domain})",
            _section("objects", typed),
            _section("init", init),
            _section("goal (and", self.goal) + ")",
        ]
        if self.has_costs:
            parts.append("  (:metric minimize (total-cost))")
        return "\n".join(parts) + ")\n"


def numbered(stem: str, count: int) -> list[str]:
    """`["car1", "car2", …]`: object names count from 1."""
    return [f"{stem}{number}" for number in range(1, count + 1)]


def _section(heading: str, lines: Sequence[str]) -> str:
    return "\n    ".join([f"  (:{heading}", *lines]) + ")"
