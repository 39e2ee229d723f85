"""Temporal logic word for word: truth by definition, on words, prefixes, lassos and segments.

Words are tuples of letters, letters are sets of the names of true atoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import groupby, product
from random import Random
from typing import Literal, TypeAlias

import numpy as np

from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, Operator, atom, distinct_parts

Letter: TypeAlias = frozenset[str]
Word: TypeAlias = tuple[Letter, ...]
Strength: TypeAlias = Literal["strong", "neutral", "weak"]
Truth: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.bool_]]"

UNARY: tuple[Operator, ...] = ("not", "next", "weak-next", "finally", "globally")
BINARY: tuple[Operator, ...] = (
    "and",
    "or",
    "implies",
    "iff",
    "until",
    "weak-until",
    "release",
    "strong-release",
)
NEXT: tuple[Operator, ...] = ("next", "weak-next")
DUAL: dict[Strength, Strength] = {"strong": "weak", "neutral": "neutral", "weak": "strong"}


def random_formula(
    random: Random, depth: int, names: Sequence[str] = "pq", without: Sequence[Operator] = ()
) -> Formula:
    """A formula at most so deep; one leaf in eight is a constant."""
    if depth == 0 or random.random() < 0.1:
        leaves = [*map(atom, names)] * 4 + [TRUE, FALSE]
        return random.choice(leaves)
    operators = [operator for operator in UNARY + BINARY if operator not in without]
    operator = random.choice(operators)
    many = 3 if operator in ("and", "or") and random.random() < 0.2 else 2
    parts = 1 if operator in UNARY else many
    inner = [random_formula(random, depth - 1, names, without) for _ in range(parts)]
    return Formula(operator, tuple(inner))


def letters(names: Sequence[str]) -> list[Letter]:
    """All letters; the first atom is the most significant digit of their numbers."""
    values = product((False, True), repeat=len(names))
    return [
        frozenset(name for name, true in zip(names, row, strict=True) if true) for row in values
    ]


def words(names: Sequence[str], longest: int) -> list[Word]:
    """All words of one letter up to so many."""
    return [
        word for length in range(1, longest + 1) for word in product(letters(names), repeat=length)
    ]


def holds(formula: Formula, word: Word) -> bool:
    """LTLf as the books define it."""
    parts = formula.parts
    rests = [word[start:] for start in range(len(word))]
    match formula.operator:
        case "true" | "false":
            return formula.operator == "true"
        case "atom":
            return formula.name in word[0]
        case "not":
            return not holds(parts[0], word)
        case "and":
            return all(holds(part, word) for part in parts)
        case "or":
            return any(holds(part, word) for part in parts)
        case "implies":
            return not holds(parts[0], word) or holds(parts[1], word)
        case "iff":
            return holds(parts[0], word) == holds(parts[1], word)
        case "next":
            return len(word) > 1 and holds(parts[0], word[1:])
        case "weak-next":
            return len(word) == 1 or holds(parts[0], word[1:])
        case "finally":
            return any(holds(parts[0], rest) for rest in rests)
        case "globally":
            return all(holds(parts[0], rest) for rest in rests)
        case "until":
            return _until(rests, parts[0], parts[1])
        case "weak-until":
            return _until(rests, parts[0], parts[1]) or all(
                holds(parts[0], rest) for rest in rests
            )
        case "release":
            return all(
                holds(parts[1], rest) or any(holds(parts[0], earlier) for earlier in rests[:index])
                for index, rest in enumerate(rests)
            )
        case "strong-release":
            return _until(rests, parts[1], Formula("and", parts))


def _until(rests: list[Word], stay: Formula, done: Formula) -> bool:
    return any(
        holds(done, rest) and all(holds(stay, earlier) for earlier in rests[:index])
        for index, rest in enumerate(rests)
    )


def core(formula: Formula) -> Formula:
    """The same formula in terms of "not", "and", X and U, by the usual abbreviations."""

    def no(part: Formula) -> Formula:
        return Formula("not", (part,))

    def both(*items: Formula) -> Formula:
        return Formula("and", items)

    def until(left: Formula, right: Formula) -> Formula:
        return Formula("until", (left, right))

    parts = tuple(core(part) for part in formula.parts)
    match formula.operator:
        case "or":
            return no(both(*map(no, parts)))
        case "implies":
            return no(both(parts[0], no(parts[1])))
        case "iff":
            alike = both(parts[0], parts[1]), both(no(parts[0]), no(parts[1]))
            return no(both(*map(no, alike)))
        case "weak-next":
            return no(Formula("next", (no(parts[0]),)))
        case "finally":
            return until(TRUE, parts[0])
        case "globally":
            return no(until(TRUE, no(parts[0])))
        case "weak-until":
            return no(until(no(parts[1]), both(no(parts[0]), no(parts[1]))))
        case "release":
            return no(until(no(parts[0]), no(parts[1])))
        case "strong-release":
            return until(parts[1], both(*parts))
        case _:
            return Formula(formula.operator, parts, formula.name)


def truncated(formula: Formula, word: Word, strength: Strength) -> bool:
    """Truth on truncated paths (Eisner et al., CAV 2003) of a formula in core operators.

    Nothing holds strongly on the empty rest of a word, everything holds weakly there.
    """
    if not word:
        return strength == "weak"
    parts = formula.parts
    match formula.operator:
        case "true" | "false":
            return formula.operator == "true"
        case "atom":
            return formula.name in word[0]
        case "not":
            return not truncated(parts[0], word, DUAL[strength])
        case "and":
            return all(truncated(part, word, strength) for part in parts)
        case "next":
            if strength == "neutral" and len(word) == 1:
                return False
            return truncated(parts[0], word[1:], strength)
        case _:
            ends = len(word) + (strength != "neutral")
            return any(
                truncated(parts[1], word[end:], strength)
                and all(truncated(parts[0], word[start:], strength) for start in range(end))
                for end in range(ends)
            )


def holds_for_ever(formula: Formula, stem: Word, loop: Word) -> bool:
    """Truth of a formula in core operators on the infinite word stem, loop, loop, …"""
    word = stem + loop
    known: dict[tuple[int, int], bool] = {}

    def at(item: Formula, position: int) -> bool:
        if position >= len(word):
            position = len(stem) + (position - len(stem)) % len(loop)
        key = (id(item), position)
        if key not in known:
            known[key] = evaluate(item, position)
        return known[key]

    def evaluate(item: Formula, here: int) -> bool:
        match item.operator:
            case "true" | "false":
                return item.operator == "true"
            case "atom":
                return item.name in word[here]
            case "not":
                return not at(item.parts[0], here)
            case "and":
                return all(at(part, here) for part in item.parts)
            case "next":
                return at(item.parts[0], here + 1)
            case _:  # what happens at all happens before every position was seen
                return any(
                    at(item.parts[1], end)
                    and all(at(item.parts[0], start) for start in range(here, end))
                    for end in range(here, here + len(word) + 1)
                )

    return at(formula, 0)


class AllWords:
    """Truth on all words of one letter up to `longest` at once.

    Word number n of a length has the digits of n as its letters, the first one most significant.
    So the rest of a word after its first letter is n modulo the number of shorter words.
    """

    def __init__(self, names: Sequence[str], longest: int) -> None:
        self.letters = letters(names)
        self.longest = longest

    def truth(self, formula: Formula) -> list[Truth]:
        """One array per length."""
        table: dict[int, list[Truth]] = {}
        for item in distinct_parts(formula):
            rows: list[Truth] = []
            for length in range(1, self.longest + 1):
                parts = [table[id(part)][length - 1] for part in item.parts]
                after = rows[-1] if length > 1 else None
                shorter = [table[id(part)][length - 2] for part in item.parts]
                rows.append(self._row(item, length, parts, shorter, after))
            table[id(item)] = rows
        return table[id(formula)]

    def _row(
        self,
        item: Formula,
        length: int,
        parts: list[Truth],
        shorter: list[Truth],
        after: Truth | None,
    ) -> Truth:
        count = len(self.letters)

        def later(rows: Truth | None, *, at_end: bool) -> Truth:
            if length == 1 or rows is None:
                return np.full(count, at_end)
            return np.tile(rows, count)

        match item.operator:
            case "true" | "false":
                return np.full(count**length, item.operator == "true")
            case "atom":
                first = np.array([item.name in letter for letter in self.letters])
                return np.repeat(first, count ** (length - 1))
            case "not":
                return ~parts[0]
            case "and":
                return reduce(np.logical_and, parts)
            case "or":
                return reduce(np.logical_or, parts)
            case "implies":
                return ~parts[0] | parts[1]
            case "iff":
                return ~(parts[0] ^ parts[1])
            case "next":
                return later(shorter[0], at_end=False)
            case "weak-next":
                return later(shorter[0], at_end=True)
            case "finally":
                return parts[0] | later(after, at_end=False)
            case "globally":
                return parts[0] & later(after, at_end=True)
            case "until":
                return parts[1] | (parts[0] & later(after, at_end=False))
            case "weak-until":
                return parts[1] | (parts[0] & later(after, at_end=True))
            case "release":
                return parts[1] & (parts[0] | later(after, at_end=True))
            case "strong-release":
                return parts[1] & (parts[0] | later(after, at_end=False))

    def accepted(self, table: Sequence[Sequence[int]], accepting: frozenset[int]) -> list[Truth]:
        """The same of an automaton: `table[state][letter]`, which starts in state 0."""
        steps = np.array(table)
        final = np.array([state in accepting for state in range(len(table))])
        states = np.zeros(1, dtype=int)
        rows: list[Truth] = []
        for _ in range(self.longest):
            states = steps[states].ravel()
            rows.append(final[states])
        return rows


def segments(scope: str, word: Word, q: str = "q", r: str = "r") -> list[Word]:
    """The parts of a word that a scope speaks of."""
    length = len(word)
    first = {name: next((i for i in range(length) if name in word[i]), None) for name in (q, r)}
    match scope:
        case "global":
            return [word]
        case "before":
            return [] if first[r] is None else [word[: first[r]]]
        case "after":
            return [] if first[q] is None else [word[first[q] :]]
    found = []
    for start in range(length):
        if q in word[start] and r not in word[start]:
            end = next((i for i in range(start, length) if r in word[i]), None)
            if end is not None or scope == "after-until":
                found.append(word[start:end])
    return found


def pattern_holds(pattern: str, segment: Word, k: int) -> bool:
    """What a pattern over p and s says of a segment, which may be empty."""
    p = ["p" in letter for letter in segment]
    s = ["s" in letter for letter in segment]
    match pattern:
        case "absence":
            return not any(p)
        case "existence":
            return any(p)
        case "universality":
            return all(p)
        case "response":
            return all(any(s[index:]) for index, true in enumerate(p) if true)
        case "precedence":
            return all(any(s[: index + 1]) for index, true in enumerate(p) if true)
        case "bounded-existence":
            return sum(true for true, _ in groupby(p)) <= k
        case _:
            return not any(left and right for left, right in zip(p, s, strict=True))
