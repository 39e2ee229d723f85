"""What atoms of rules files mean, evaluated where they stand: nothing is grounded or put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.reference.pddl import PddlState, PddlTask
from tests.reference.pddl_parser import Expression, as_list, as_word, parse_typed, read_expression

Binding = Mapping[str, str]


@dataclass(frozen=True)
class Moment:
    """A state, and the action that led into it as "(stow cam)", if one did."""

    state: PddlState
    action: str | None


@dataclass(frozen=True)
class Atoms:
    """Atoms by name, as their parameters and their condition."""

    task: PddlTask
    conditions: Mapping[str, tuple[Sequence[str], str]]

    def holds(self, name: str, objects: Sequence[str], moment: Moment) -> bool:
        """Whether the atom holds for the objects."""
        parameters, condition = self.conditions[name]
        binding = dict(zip(parameters, objects, strict=True))
        return self.condition_holds(read_expression(condition), binding, moment)

    def condition_holds(self, item: Expression, binding: Binding, moment: Moment) -> bool:
        """Whether a condition holds, its variables bound."""
        first, *rest = as_list(item)
        if first in ("and", "or"):
            truths = [self.condition_holds(part, binding, moment) for part in rest]
            return all(truths) if first == "and" else any(truths)
        if first == "not":
            return not self.condition_holds(rest[0], binding, moment)
        if first == "imply":
            premise, conclusion = (self.condition_holds(part, binding, moment) for part in rest)
            return conclusion or not premise
        if first in ("forall", "exists"):
            cases = self.task.bindings(parse_typed(as_list(rest[0])))
            truths = [self.condition_holds(rest[1], {**binding, **more}, moment) for more in cases]
            return all(truths) if first == "forall" else any(truths)
        terms = [binding.get(word, word) for word in map(as_word, rest)]
        return self._leaf_holds(as_word(first), terms, moment)

    def _leaf_holds(self, name: str, terms: Sequence[str], moment: Moment) -> bool:
        if name == "=":
            return terms[0] == terms[1]
        if name == "did":
            return moment.action is not None and _matches(terms, moment.action)
        if name in self.conditions:
            return self.holds(name, terms, moment)
        return f"({' '.join([name, *terms])})" in moment.state


def _matches(wanted: Sequence[str], action: str) -> bool:
    words = action[1:-1].split()
    pairs = zip(wanted, words, strict=True) if len(wanted) == len(words) else [("", "*")]
    return all(want in ("*", word) for want, word in pairs)


def ground_holds(condition: Any, state: Sequence[int], operator: int | None) -> bool:
    """Whether a condition over the facts and operators of a grounded task holds."""
    if isinstance(condition, bool):
        return condition
    word, *parts = condition
    if word == "fact":
        return bool(state[parts[0]] == parts[1])
    if word == "did":
        return operator in parts[0]
    truths = [ground_holds(part, state, operator) for part in parts]
    if word == "not":
        (truth,) = truths
        return not truth
    return {"and": all, "or": any}[word](truths)
