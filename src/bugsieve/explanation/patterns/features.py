"""Features of a decision: the facts of its state, also by the objects of its action.

A feature is a number; the same number means the same of every decision of one schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bugsieve.tasks.grounded.task import StateArray, Task

FACT, LIFTED, BINDING = range(3)
"""The kinds, in the order in which they are tried: a fact; one about the action's objects; which
object a parameter is."""


class Feature(NamedTuple):
    """A fact of a decision; features are compared in this order."""

    kind: int
    text: str


class Decision(NamedTuple):
    """An action in a state."""

    state: bytes
    operator: int


class FeatureVocabulary:
    """The features of decisions of one action schema on one task."""

    def __init__(self, task: Task, parameters: Sequence[str]) -> None:
        self._parameters = parameters
        self._names = task.operator_names
        self._facts = [variable.facts for variable in task.variables]
        self._words: dict[str, list[str]] = {}
        self._bindings: dict[int, tuple[dict[str, str], list[Feature]]] = {}

    def of_state(self, state: StateArray) -> list[str]:
        """The facts that hold in a state."""
        found = (facts[value] for facts, value in zip(self._facts, state.tolist(), strict=True))
        return [fact for fact in found if fact is not None]

    def of_decision(self, facts: Sequence[str], operator: int) -> set[Feature]:
        """All features of an action in a state with these facts."""
        names, bindings = self._binding(operator)
        features = {Feature(FACT, fact) for fact in facts} | set(bindings)
        for fact in facts:
            words = self._split(fact)
            if not names.keys().isdisjoint(words):
                lifted = " ".join(names.get(word, word) for word in words)
                features.add(Feature(LIFTED, _joined(lifted)))
        return features

    def _binding(self, operator: int) -> tuple[dict[str, str], list[Feature]]:
        """The parameter that each object of an operator is, and that as features."""
        if operator not in self._bindings:
            objects = words_of(self._names[operator])[1:]
            parameters = [self._parameter(place) for place in range(len(objects))]
            pairs = list(zip(objects, parameters, strict=True))
            features = [Feature(BINDING, f"{name} = {thing}") for thing, name in pairs]
            self._bindings[operator] = dict(reversed(pairs)), features
        return self._bindings[operator]

    def _parameter(self, place: int) -> str:
        return self._parameters[place] if place < len(self._parameters) else f"?{place + 1}"

    def _split(self, fact: str) -> list[str]:
        if fact not in self._words:
            self._words[fact] = fact.replace("(", "( ").replace(")", " )").split()
        return self._words[fact]


def _joined(words: str) -> str:
    return words.replace("( ", "(").replace(" )", ")")


def words_of(name: str) -> list[str]:
    """The schema of an operator and its objects; an empty word where a file gives no name."""
    return name.replace("(", " ").replace(")", " ").split() or [""]
