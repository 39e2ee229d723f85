"""The subject of a picture: a state of a run, with what holds there and what changed.

Made from a task or a model alone: no policy is asked, and nothing is searched for. A room adds
scenes of its own subjects to the family `scenes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from numpy.typing import ArrayLike, NDArray

from bugsieve.base.arguments import wrong
from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable, member_for
from bugsieve.base.wording import counted
from bugsieve.pictures.shapes import shortened
from bugsieve.tasks.grounded.atoms import words_of
from bugsieve.tasks.grounded.task import StateArray, Task

Kept = TypeVar("Kept")

Atom: TypeAlias = tuple[str, ...]
"""The words of a PDDL atom: the predicate, then the objects."""

_MOST_FACTS = 6
_LONGEST_FACT = 60


class Subject(Protocol):
    """The owner of states: a task, a model, or what else a room draws."""

    @property
    def name(self) -> str:
        """Its name for users."""
        ...


@dataclass(frozen=True)
class VariableRow:
    """A variable of a state: its value as a text, and how far it is between its bounds."""

    name: str
    value: str
    share: float | None
    """From 0 to 1; None for values that have no order."""
    before: float | None
    """The share in the state before."""
    role: str


class Scene(Protocol):
    """One state of a run, for every kind of subject."""

    @property
    def states(self) -> NDArray[Any]:
        """The whole run."""
        ...

    @property
    def index(self) -> int:
        """The number of the state to be drawn."""
        ...

    @property
    def is_goal(self) -> bool:
        """Return true if the goal is reached."""
        ...

    @property
    def is_unsafe(self) -> bool | None:
        """Return true if the state is in danger; None where the subject does not say."""
        ...

    def rows(self) -> Sequence[VariableRow]:
        """All variables of the state."""
        ...

    def sentences(self) -> Iterator[str]:
        """The changes by the last step, in parts of a sentence."""
        ...


class SceneSource(Protocol):
    """Makes scenes of runs on subjects of one type."""

    subject_type: type[Any]

    def scenes(
        self, subject: Any, states: ArrayLike, beside: Sequence[ArrayLike]
    ) -> Sequence[Scene]:
        """The states of a run, with the runs that are shown beside it."""
        ...

    def first_state(self, subject: Any) -> NDArray[Any]:
        """A state in which a run may start."""
        ...

    def next_states(self, subject: Any, state: NDArray[Any]) -> NDArray[Any]:
        """All states that one step may lead to."""
        ...


class Words:
    """The words of a task's atoms, taken apart once for all states."""

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
        """Return true if every variable is about some atom, so that the atoms tell the state."""
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
    """The number of the state to be drawn."""

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
        """The atoms that hold and may change."""
        return self.words.fluent(self.state)

    @cached_property
    def true(self) -> frozenset[Atom]:
        """All that holds, static facts too."""
        return frozenset((*self.fluent, *self.words.static))

    @cached_property
    def before(self) -> frozenset[Atom] | None:
        """The atoms that held in the state before and may change; None in the first one."""
        return frozenset(self.words.fluent(self.states[self.index - 1])) if self.index else None

    @cached_property
    def added(self) -> tuple[Atom, ...]:
        """The atoms that became true by the last step."""
        before = self.before
        return () if before is None else tuple(a for a in self.fluent if a not in before)

    @cached_property
    def deleted(self) -> tuple[Atom, ...]:
        """The atoms that became false by the last step."""
        if self.before is None:
            return ()
        return tuple(sorted(self.before.difference(self.fluent)))

    @cached_property
    def goals(self) -> frozenset[Atom]:
        """The goals that are atoms, whether they hold or not."""
        return frozenset(self.words.goals)

    @property
    def is_goal(self) -> bool:
        """Return true if all goals hold."""
        return not self._open_goals

    @property
    def is_unsafe(self) -> None:
        """None: a task does not say what is dangerous."""
        return None

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

    def rows(self) -> list[VariableRow]:
        """All variables; their values have no order, so the value itself is all there is."""
        names, goals = self.task.native.variable_names, dict(self.task.goal)
        return [self._row(number, name, goals.get(number)) for number, name in enumerate(names)]

    def sentences(self) -> Iterator[str]:
        """The facts and goals that have changed, and the number of open goals."""
        if self.before is None:
            yield f"the start, with {counted(len(self.fluent), 'fact')} that may change"
        elif not self.added and not self.deleted:
            yield "no fact changes"
        if self.added:
            yield f"now {_listed(self.added)}"
        if self.deleted:
            yield f"no longer {_listed(self.deleted)}"
        for word, facts in (("reached", self.added), ("lost", self.deleted)):
            goals = [fact for fact in facts if fact in self.goals]
            if goals:
                yield f"{counted(len(goals), 'goal')} {word}: {_listed(goals)}"
        left = self._open_goals
        yield f"{counted(left, 'goal')} open" if left else "all goals hold"

    @property
    def _open_goals(self) -> int:
        return sum(self.state[variable] != value for variable, value in self.task.goal)

    def _row(self, number: int, name: str, goal: int | None) -> VariableRow:
        value, role = int(self.state[number]), ""
        if goal is not None:
            role = "goal" if goal == value else "open goal"
        if value != self.states[max(0, self.index - 1)][number]:
            role = "moved"
        return VariableRow(name, self._value_text(number, value), None, None, role)

    def _value_text(self, number: int, value: int) -> str:
        fact = self.task.variables[number].facts[value]
        return fact or self.task.native.fact_names(number)[value]


def _listed(facts: Sequence[Atom]) -> str:
    shown = [shortened(f"({' '.join(fact)})", _LONGEST_FACT) for fact in facts[:_MOST_FACTS]]
    rest = len(facts) - len(shown)
    return " ".join(shown) + (f" and {rest} more" if rest else "")


class TaskScenes:
    """Makes scenes of runs on planning tasks."""

    subject_type = Task

    def scenes(
        self, subject: Task, states: ArrayLike, beside: Sequence[ArrayLike]
    ) -> list[TaskScene]:
        """The states of a run; nothing in them has a scale that runs beside it could change."""
        batch = subject.checked_states(states)
        words = words_in(subject)
        return [TaskScene(words, batch, index) for index in range(len(batch))]

    def first_state(self, subject: Task) -> StateArray:
        """The initial state."""
        return subject.initial_state

    def next_states(self, subject: Task, state: StateArray) -> StateArray:
        """The successors of a state."""
        return subject.all_successors(state)[0]


TASK_SCENES = TaskScenes()


class KeptForRun(Generic[Kept]):
    """A result that a picture computes once for all scenes of a run, so that nothing jumps."""

    def __init__(self, make: Callable[[Any], Kept]) -> None:
        self._make = make
        self._states: NDArray[Any] | None = None
        self._kept: Kept

    def of(self, scene: Scene) -> Kept:
        """The data made for the run of this scene."""
        if self._states is not scene.states:
            self._kept, self._states = self._make(scene), scene.states
        return self._kept


SCENES: MemberTable[SceneSource] = MemberTable(FAMILIES["scenes"])


def scene_source(subject: Subject) -> SceneSource:
    """The source of scenes of runs on the subject; UsageError if it has no states to draw."""
    found = member_for(SCENES, subject)
    if found is None:
        raise wrong("subject", "a Task or a JaniModel", subject)
    return found


def scenes_of(
    subject: Subject, states: ArrayLike, *, beside: Sequence[ArrayLike] = ()
) -> Sequence[Scene]:
    """The states of a run as scenes, in their order; one state is a run of one.

    `beside` has the states of runs that are shown with it.
    """
    return scene_source(subject).scenes(subject, states, beside)
