"""Runs against flight rules by the definitions, and exhaustive search for runs within rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bugsieve.rooms.rules.ltl.automaton import automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula
from tests.reference.rules import Atoms, Letter, letter_of, satisfies
from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal, successors


def word_of(atoms: Atoms, states: Sequence[State], operators: Sequence[int]) -> list[Letter]:
    """The letters of a run."""
    return [letter_of(atoms, s, o) for s, o in zip(states, (None, *operators), strict=True)]


def is_broken(
    requirement: Formula, word: Sequence[Letter], ending: str, loop_start: int | None
) -> bool:
    """Whether a run that ended so violates what is required."""
    if holds_strongly(~requirement, word):
        return True
    if ending == "solved":
        return len(word) > 1 and not satisfies(word, requirement)
    if ending == "loop":
        assert loop_start is not None
        return not holds_for_ever(requirement, word, loop_start + 1)
    return False


def holds_strongly(formula: Formula, word: Sequence[Letter]) -> bool:
    """Whether the formula holds of every word that begins so."""
    return _Truncated(word).of(formula, 0, True)


class _Truncated:
    """Truncated words: what lies behind the end is false, or true where the sign is another.

    The one sign asks whether a formula holds whatever comes, the other whether it may still hold.
    """

    def __init__(self, word: Sequence[Letter]) -> None:
        self.word = word
        self.known: dict[tuple[Formula, int, bool], bool] = {}

    def of(self, formula: Formula, at: int, sign: bool) -> bool:
        if at >= len(self.word):
            return not sign
        key = formula, at, sign
        if key not in self.known:
            self.known[key] = self.meaning(formula, at, sign)
        return self.known[key]

    def until(self, left: Formula, right: Formula, at: int, sign: bool) -> bool:
        return any(
            self.of(right, j, sign) and all(self.of(left, i, sign) for i in range(at, j))
            for j in range(at, len(self.word) + 1)
        )

    def meaning(self, formula: Formula, at: int, sign: bool) -> bool:
        parts = formula.parts
        one, two = (parts * 2)[:2] if parts else (formula, formula)
        match formula.operator:
            case "true" | "false":
                return formula.operator == "true"
            case "atom":
                return formula.name in self.word[at]
            case "not":
                return not self.of(one, at, not sign)
            case "and":
                return all(self.of(part, at, sign) for part in parts)
            case "or":
                return any(self.of(part, at, sign) for part in parts)
            case "implies":
                return self.of(~one | two, at, sign)
            case "iff":
                return self.of((one & two) | (~one & ~two), at, sign)
            case "next" | "weak-next":
                return self.of(one, at + 1, sign)
            case "finally":
                return any(self.of(one, j, sign) for j in range(at, len(self.word) + 1))
            case "globally":
                return all(self.of(one, j, sign) for j in range(at, len(self.word) + 1))
            case "until":
                return self.until(one, two, at, sign)
            case "strong-release":
                return self.until(two, one & two, at, sign)
            case "release":
                return not self.until(~one, ~two, at, not sign)
            case _:
                return not self.until(~two, ~one & ~two, at, not sign)


def holds_for_ever(formula: Formula, word: Sequence[Letter], back: int) -> bool:
    """Whether the infinite word satisfies it whose letter `back` follows the last one."""
    length = len(word)

    def onwards(at: int) -> list[int]:
        """All letters that come, each at least once, in their order."""
        return [*range(at, length), *range(back, length)]

    known: dict[tuple[int, int], bool] = {}

    def of(part: Formula, at: int) -> bool:
        key = id(part), at
        if key not in known:
            known[key] = meaning(part, at)
        return known[key]

    def until(left: Formula, right: Formula, at: int, *, weak: bool) -> bool:
        for place in onwards(at):
            if of(right, place):
                return True
            if not of(left, place):
                return False
        return weak

    def meaning(part: Formula, at: int) -> bool:
        parts = part.parts
        match part.operator:
            case "true" | "false":
                return part.operator == "true"
            case "atom":
                return part.name in word[at]
            case "not":
                return not of(parts[0], at)
            case "and":
                return all(of(item, at) for item in parts)
            case "or":
                return any(of(item, at) for item in parts)
            case "implies":
                return not of(parts[0], at) or of(parts[1], at)
            case "iff":
                return of(parts[0], at) == of(parts[1], at)
            case "next" | "weak-next":
                return of(parts[0], at + 1 if at + 1 < length else back)
            case "finally":
                return any(of(parts[0], place) for place in onwards(at))
            case "globally":
                return all(of(parts[0], place) for place in onwards(at))
            case "until" | "weak-until":
                return until(parts[0], parts[1], at, weak=part.operator == "weak-until")
            case _:
                for place in onwards(at):
                    if not of(parts[1], place):
                        return False
                    if of(parts[0], place):
                        return True
                return part.operator == "release"

    return of(formula, 0)


def can_keep(
    task: SasTask, requirements: Sequence[Formula], atoms: Sequence[Atoms], start: State
) -> bool:
    """Whether some run from the state reaches the goal and satisfies all requirements."""
    automata = [automaton_of(requirement) for requirement in requirements]

    @cache
    def letters(state: State, operator: int | None) -> list[Letter]:
        return [letter_of(names, state, operator) for names in atoms]

    def step(rests: Sequence[int], state: State, operator: int | None) -> tuple[int, ...]:
        read = zip(automata, rests, letters(state, operator), strict=True)
        return tuple(automaton.step(rest, letter) for automaton, rest, letter in read)

    after_all = cache(lambda state: successors(task, state))

    first = (start, step([automaton.initial for automaton in automata], start, None))
    found, waiting = {first}, [first]
    for state, rests in waiting:
        ends = (rest in a.accepting for a, rest in zip(automata, rests, strict=True))
        if is_goal(task, state) and all(ends):
            return True
        for operator, after in after_all(state):
            place = (after, step(rests, after, operator))
            if place not in found:
                found.add(place)
                waiting.append(place)
    return False
