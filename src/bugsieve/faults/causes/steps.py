"""The steps of runs without their objects, and what is so of the objects in single steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bugsieve.faults.causes.cause import ACHIEVES, DESTROYS, NEITHER, LiftedStep
from bugsieve.tasks.fdr.task import StateArray, Task

_ENDS_IN_S = ("s", "x", "z", "ch", "sh")


def schema_of(task: Task, operator: int) -> str:
    """The action schema of an operator: the first word of its name."""
    return task.operator_names[operator].strip("()").split()[0]


class LiftedRun:
    """A run with the truth of each goal fact in each of its states."""

    def __init__(self, task: Task, states: StateArray, operators: Sequence[int]) -> None:
        self.task = task
        self.states = states
        self.operators = operators
        places = np.array(task.goal, dtype=np.int64).reshape(-1, 2)
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
        facts = (self.task.goal_facts[place] for place in np.flatnonzero(~self._held[-1]))
        return tuple(sorted({_goal_words(fact)[0] for fact in facts}))

    def traits(self, index: int) -> tuple[str, ...]:
        """What a step does to objects and their goals, the most telling first."""
        return tuple(dict.fromkeys(self._traits(index)))

    def _traits(self, index: int) -> Iterator[str]:
        before, after = self._held[index], self._held[index + 1]
        name = self.task.operator_names[self.operators[index]]
        schema, *objects = name.strip("()").split()
        does = third_person(schema)
        undone = np.flatnonzero(before & ~after).tolist()
        for words in map(self._goal, undone):
            yield f"{does} and undoes the goal {words[0]}{self._of(words, objects)}"
        subjects = {thing: self._goals_about(thing) for thing in objects}
        left_open = {t: g for t, g in subjects.items() if g and not after[g].all()}
        for thing, goals in left_open.items():
            place = next(goal for goal in goals if not after[goal])
            yield f"{does} {self._a(thing)} {_is_open(self._goal(place)[0])}"
        for thing, goals in subjects.items():
            if goals and thing not in left_open and not undone:
                yield f"{does} {self._a(thing)} whose goals are reached"
        for thing, goals in subjects.items():
            if not goals and self._kind(thing) in self._kinds_with_goals:
                yield f"{does} {self._a(thing)} that has no goal"

    def _goal(self, place: int) -> list[str]:
        return _goal_words(self.task.goal_facts[place])

    def _goals_about(self, thing: str) -> list[int]:
        """The goal facts whose first object this is."""
        return [
            place
            for place in range(len(self.task.goal_facts))
            if self._goal(place)[1:2] == [thing]
        ]

    def _of(self, words: Sequence[str], objects: Sequence[str]) -> str:
        """Whose goal it is, if of one of the step's objects."""
        return f" of {self._a(words[1])}" if words[1:2] and words[1] in objects else ""

    @cached_property
    def _kinds_with_goals(self) -> frozenset[str]:
        """The types of objects that goals are about: that others have none goes without saying."""
        subjects = (self._goal(place)[1:2] for place in range(len(self.task.goal_facts)))
        return frozenset(self._kind(thing) for words in subjects for thing in words)

    def _kind(self, thing: str) -> str:
        return self.task.objects.get(thing, "object")

    def _a(self, thing: str) -> str:
        kind = self._kind(thing)
        return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _goal_words(fact: str) -> list[str]:
    """The predicate and the objects of a goal fact; of a compound one, those of its first atom."""
    words = fact.replace("(", " ").replace(")", " ").split()
    return [word for word in words if word not in ("not", "and")]


def _is_open(predicate: str) -> str:
    return "that is not at its goal" if predicate == "at" else f"whose goal {predicate} is open"


def third_person(schema: str) -> str:
    """`drops` for drop, `picks-up` for pick-up."""
    for place, letter in enumerate(schema):
        if not letter.isalpha():
            return _inflected(schema[:place]) + schema[place:] if place else schema
    return _inflected(schema)


def _inflected(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_ENDS_IN_S) else f"{verb}s"
