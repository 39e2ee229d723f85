"""The steps of runs without their objects, and what is so of the objects in single steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.bugs.cause import ACHIEVES, DESTROYS, NEITHER, LiftedStep
from bugsieve.tasks.grounded.task import StateArray, Task

_NO_TYPE = "object"


def schema_of(task: Task, operator: int) -> str:
    """The action schema of an operator: the first word of its name."""
    return _words(task.operator_names[operator])[0]


class _Goals:
    """The goal facts of a task by the objects they are about."""

    def __init__(self, task: Task) -> None:
        self.places = np.array(task.goal, dtype=np.int64).reshape(-1, 2)
        """Variables and values."""
        self.words = [_goal_words(fact) for fact in task.goal_facts]
        """The predicate and the objects of each."""
        self.about: dict[str, list[int]] = {}
        """The facts whose first object something is."""
        for number, (_, *objects) in enumerate(self.words):
            for thing in objects[:1]:
                self.about.setdefault(thing, []).append(number)
        self._types = task.objects
        self._properties = _properties(task)
        self.kinds = {self.kind_of(thing) for thing in self.about} - {_NO_TYPE}
        """The kinds of these objects; things of other kinds never have a goal."""

    def kind_of(self, thing: str) -> str:
        """The type of an object, or where the domain has none what is true of it for good."""
        kind = self._types.get(thing, _NO_TYPE)
        properties = self._properties.get(thing, []) if kind == _NO_TYPE else []
        return properties[0] if len(properties) == 1 else kind


def _properties(task: Task) -> dict[str, list[str]]:
    """The predicates of the static facts that are about one object alone, by object."""
    found: dict[str, list[str]] = {}
    for words in sorted(map(_words, task.static_facts)):
        if len(words) == 2:
            found.setdefault(words[1], []).append(words[0])
    return found


_goals_of = lru_cache(maxsize=8)(_Goals)


class LiftedRun:
    """A run with the truth of each goal fact in each of its states."""

    def __init__(self, task: Task, states: StateArray, operators: Sequence[int]) -> None:
        self.task = task
        self.states = states
        self.operators = operators
        self._goals = _goals_of(task)
        places = self._goals.places
        self._held: NDArray[np.bool_] = states[:, places[:, 0]] == places[:, 1]

    def step(self, index: int) -> LiftedStep:
        """One of its steps."""
        before, after = self._held[index], self._held[index + 1]
        schema = schema_of(self.task, self.operators[index])
        if (before & ~after).any():
            return LiftedStep(schema, DESTROYS)
        return LiftedStep(schema, ACHIEVES if (after & ~before).any() else NEITHER)

    def open_goals(self) -> tuple[str, ...]:
        """The predicates of the goal facts that are false at its end, sorted."""
        facts = np.flatnonzero(~self._held[-1]).tolist()
        return tuple(sorted({self._goals.words[fact][0] for fact in facts}))

    def traits(self, index: int) -> tuple[str, ...]:
        """The effects of a step on objects and their goals, the most telling first."""
        return tuple(dict.fromkeys(self._traits(index)))

    def _traits(self, index: int) -> Iterator[str]:
        before, after = self._held[index], self._held[index + 1]
        name = self.task.operator_names[self.operators[index]]
        schema, *objects = _words(name)
        undone = np.flatnonzero(before & ~after).tolist()
        for fact in undone:
            words = self._goals.words[fact]
            yield f"'{schema}' undoes the goal '{words[0]}'{self._of(words, objects)}"
        subjects = {thing: self._goals.about.get(thing, []) for thing in objects}
        left_open = {t: g for t, g in subjects.items() if g and not after[g].all()}
        for thing, goals in left_open.items():
            fact = next(goal for goal in goals if not after[goal])
            yield f"'{schema}' with {self._a(thing)} {_is_open(self._goals.words[fact][0])}"
        for thing, goals in subjects.items():
            if goals and thing not in left_open and not undone:
                yield f"'{schema}' with {self._a(thing)} whose goals are reached"
        for thing, goals in subjects.items():
            if not goals and self._kind(thing) in self._goals.kinds:
                yield f"'{schema}' with {self._a(thing)} that has no goal"

    def _of(self, words: Sequence[str], objects: Sequence[str]) -> str:
        """The owner of the goal, if it is one of the step's objects."""
        return f" of {self._a(words[1])}" if words[1:2] and words[1] in objects else ""

    def _kind(self, thing: str) -> str:
        return self._goals.kind_of(thing)

    def _a(self, thing: str) -> str:
        kind = self._kind(thing)
        return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _goal_words(fact: str) -> list[str]:
    """The predicate and the objects of a goal fact; of a compound one, those of its first atom.

    That stands alone as `(not …)`, which others follow in `(and …)`.
    """
    return _words(fact.replace("(and", "").replace("(not", "").split(")")[0])


def _words(text: str) -> list[str]:
    """The words of an atom or an action; an empty one where SAS files give no name."""
    return text.replace("(", " ").replace(")", " ").split() or [""]


def _is_open(predicate: str) -> str:
    return "that is not at its goal" if predicate == "at" else f"whose goal '{predicate}' is open"
