"""What a picture is asked about: a state of a run, with what holds there and what changed.

Made from a task or a model alone: nobody asks a policy, and nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.arguments import wrong
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.model.types import Value
from bugsieve.tasks.grounded.atoms import words_of
from bugsieve.tasks.grounded.task import StateArray, Task

Kept = TypeVar("Kept")

Subject: TypeAlias = Task | JaniModel
"""What states belong to."""
Atom: TypeAlias = tuple[str, ...]
"""The words of a PDDL atom: the predicate, then the objects."""


class Words:
    """What the atoms of a task say, taken apart once for all states."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._facts = [
            [None if fact is None else tuple(words_of(fact)) for fact in variable.facts]
            for variable in task.variables
        ]
        self.static: tuple[Atom, ...] = tuple(tuple(words_of(a)) for a in task.static_facts)
        self._static: dict[str, list[Atom]] = {}
        for atom in self.static:
            self._static.setdefault(atom[0], []).append(atom[1:])
        goals = (self._facts[variable][value] for variable, value in task.goal)
        self.goals = tuple(dict.fromkeys(goal for goal in goals if goal is not None))
        """The goals that are atoms, each once."""

    @property
    def is_whole(self) -> bool:
        """Whether every variable is about some atom, so that nothing of a state is untold."""
        return all(any(fact is not None for fact in facts) for facts in self._facts)

    @cached_property
    def possible(self) -> tuple[Atom, ...]:
        """The atoms that some values stand for, in the order of the variables."""
        known = (fact for facts in self._facts for fact in facts if fact is not None)
        return tuple(dict.fromkeys(known))

    @cached_property
    def objects(self) -> Mapping[str, str]:
        """Every object with its type; those of a task from SAS have none."""
        if self.task.objects:
            return self.task.objects
        return {name: "" for atom in (*self.possible, *self.static) for name in atom[1:]}

    @cached_property
    def arities(self) -> frozenset[tuple[str, int]]:
        """Each predicate that is ever true, with the number of its arguments."""
        return frozenset((atom[0], len(atom) - 1) for atom in (*self.possible, *self.static))

    def static_of(self, predicate: str) -> list[Atom]:
        """The arguments of the static facts of a predicate."""
        return self._static.get(predicate, [])

    def fluent(self, state: StateArray) -> tuple[Atom, ...]:
        """The atoms that hold in a state and may change, in the order of the variables."""
        found = (facts[value] for facts, value in zip(self._facts, state.tolist(), strict=True))
        return tuple(dict.fromkeys(fact for fact in found if fact is not None))


@lru_cache(maxsize=2)
def words_in(task: Task) -> Words:
    """The words of a task, kept for those who ask next: every picture looks at them."""
    return Words(task)


@dataclass(frozen=True, eq=False)
class TaskScene:
    """One state of a run on a task."""

    words: Words
    states: StateArray
    """The whole run."""
    index: int
    """Which of its states is to be drawn."""

    @property
    def task(self) -> Task:
        """The task itself."""
        return self.words.task

    @cached_property
    def state(self) -> StateArray:
        """The state to be drawn."""
        row: StateArray = self.states[self.index]
        return row

    @cached_property
    def fluent(self) -> tuple[Atom, ...]:
        """What holds and may change."""
        return self.words.fluent(self.state)

    @cached_property
    def true(self) -> frozenset[Atom]:
        """All that holds, static facts too."""
        return frozenset((*self.fluent, *self.words.static))

    @cached_property
    def before(self) -> frozenset[Atom] | None:
        """What held in the state before and may change; None in the first one."""
        return frozenset(self.words.fluent(self.states[self.index - 1])) if self.index else None

    @cached_property
    def added(self) -> tuple[Atom, ...]:
        """What became true by the last step."""
        before = self.before
        return () if before is None else tuple(a for a in self.fluent if a not in before)

    @cached_property
    def deleted(self) -> tuple[Atom, ...]:
        """What became false by the last step."""
        if self.before is None:
            return ()
        return tuple(sorted(self.before.difference(self.fluent)))

    @cached_property
    def goals(self) -> frozenset[Atom]:
        """The goals that are atoms, whether they hold or not."""
        return frozenset(self.words.goals)

    def of(self, *predicates: str) -> list[Atom]:
        """The arguments of the facts of these predicates that hold, the fluent ones first."""
        fluent = [atom[1:] for atom in self.fluent if atom[0] in predicates]
        return fluent + [atom for name in predicates for atom in self.words.static_of(name)]

    def wanted(self, *predicates: str) -> list[Atom]:
        """The arguments of the goals of these predicates that do not hold yet."""
        return [g[1:] for g in self.words.goals if g[0] in predicates and g not in self.true]

    def role(self, *atoms: Atom) -> str:
        """`moved` if one of these facts is new, else what those among them that are goals are."""
        if any(atom in self.added for atom in atoms):
            return "moved"
        aims = [atom for atom in atoms if atom in self.goals]
        if not aims:
            return ""
        return "goal" if all(atom in self.true for atom in aims) else "open goal"


@dataclass(frozen=True, eq=False)
class ModelScene:
    """One state of a run on a JANI model."""

    model: JaniModel
    states: NDArray[np.float64]
    """The whole run."""
    index: int
    """Which of its states is to be drawn."""
    is_unsafe: bool
    is_goal: bool
    beside: Sequence[NDArray[np.float64]] = ()
    """Runs that are shown with this one: what is drawn to scale has the same scale in all."""

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """The values of the state by name."""
        return self.model.values(self.states[self.index])

    @cached_property
    def before(self) -> Mapping[str, Value] | None:
        """Those of the state before; None in the first one."""
        return self.model.values(self.states[self.index - 1]) if self.index else None

    def course(self, name: str) -> NDArray[np.float64]:
        """The values of a variable over the whole run."""
        return self.courses(name)[0]

    def courses(self, name: str) -> list[NDArray[np.float64]]:
        """The same, and then over each run that is shown with this one."""
        column = [variable.name for variable in self.model.variables].index(name)
        return [states[:, column] for states in (self.states, *self.beside)]

    def changed(self, *names: str) -> bool:
        """Whether the last step has changed one of these variables."""
        if self.before is None:
            return False
        return any(self.values[name] != self.before[name] for name in names)


Scene: TypeAlias = TaskScene | ModelScene


class KeptForRun(Generic[Kept]):
    """What a picture works out once for all scenes of a run, so that nothing jumps in between."""

    def __init__(self, make: Callable[[Any], Kept]) -> None:
        self._make = make
        self._states: NDArray[Any] | None = None
        self._kept: Kept

    def of(self, scene: Scene) -> Kept:
        """What was made for the run of this scene."""
        if self._states is not scene.states:
            self._kept, self._states = self._make(scene), scene.states
        return self._kept


def scenes_of(
    subject: Subject, states: ArrayLike, *, beside: Sequence[ArrayLike] = ()
) -> Sequence[Scene]:
    """The states of a run as scenes, in their order; one state is a run of one.

    `beside` has the states of runs that are shown with it.
    """
    if isinstance(subject, Task):
        batch = subject.checked_states(states)
        words = words_in(subject)
        return [TaskScene(words, batch, index) for index in range(len(batch))]
    if not isinstance(subject, JaniModel):
        raise wrong("subject", "a Task or a JaniModel", subject)
    rows, *others = (np.atleast_2d(np.asarray(s, dtype=np.float64)) for s in (states, *beside))
    flags = zip(subject.is_unsafe(rows).tolist(), subject.is_goal(rows).tolist(), strict=True)
    return [ModelScene(subject, rows, index, *both, others) for index, both in enumerate(flags)]
