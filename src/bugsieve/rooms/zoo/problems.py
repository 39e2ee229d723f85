"""The problem a generator draws, and its PDDL text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bugsieve.tasks.pddl.problem_text import problem_text


@dataclass(frozen=True)
class PddlProblem:
    """One instance: objects by type, and atoms in PDDL form such as `(at truck1 node2)`."""

    objects: Mapping[str, Sequence[str]]
    init: Sequence[str]
    goal: Sequence[str]
    has_costs: bool = False

    def text(self, *, name: str, domain: str) -> str:
        """The PDDL problem file; facts stand in the order in which they were given."""
        init = ["(= (total-cost) 0)", *self.init] if self.has_costs else self.init
        metric = ("(:metric minimize (total-cost))",) if self.has_costs else ()
        return problem_text(
            name, domain, objects=self.objects, init=init, goal=self.goal, further=metric
        )


def numbered(stem: str, count: int) -> list[str]:
    """`["car1", "car2", …]`: object names count from 1."""
    return [f"{stem}{number}" for number in range(1, count + 1)]
