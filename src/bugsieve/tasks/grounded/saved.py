"""A task in a form that can be stored and sent to other processes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import Task, titled
from bugsieve.tasks.pddl.summary import PddlTexts


@dataclass(frozen=True)
class SavedTask:
    """The grounded task, what its PDDL adds to it, and the PDDL itself where there was any.

    A campaign goes on with the stored grounding: another version of the translator might number
    the operators differently.
    """

    name: str
    sas: str = field(repr=False)
    objects: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Objects and their types."""
    static_facts: tuple[str, ...] = field(default=(), repr=False)
    domain: bytes | None = field(default=None, repr=False)
    problem: bytes | None = field(default=None, repr=False)
    unit_cost: bool = False
    """True if costs of the files were left out."""

    @classmethod
    def of(cls, task: Task) -> SavedTask:
        """The task as it is now."""
        domain, problem = task.pddl_texts or (None, None)
        return cls(
            task.name,
            task.to_sas(),
            tuple(task.objects.items()),
            tuple(sorted(task.static_facts)),
            domain,
            problem,
            task.unit_cost,
        )

    @property
    def title(self) -> str:
        """The name, and that costs do not count where that is so."""
        return titled(self.name, unit_cost=self.unit_cost)

    @property
    def sha256(self) -> str:
        """Content hash of the grounded task."""
        return hashlib.sha256(self.sas.encode()).hexdigest()

    @property
    def initial_values(self) -> tuple[int, ...]:
        """The initial state, read from the text: a task may take long to load."""
        _, _, rest = self.sas.partition("begin_state\n")
        return tuple(map(int, rest.partition("end_state")[0].split()))

    def load(self) -> Task:
        """The task, ready for use."""
        domain, problem = self.domain, self.problem
        return Task(
            native_task(self.sas.encode(), self.name),
            name=self.name,
            objects=dict(self.objects),
            initial_atoms=frozenset(self.static_facts),
            pddl_texts=None if domain is None or problem is None else PddlTexts(domain, problem),
            unit_cost=self.unit_cost,
        )
