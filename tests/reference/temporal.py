"""Naive temporal logic on finite and infinite words, straight from the definitions.

A formula is a tuple: ("atom", name), ("true",), ("!", f), ("X", f), ("U", f, g), … with the
signs of the text. A word is a list of sets of atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import product
from typing import Any, TypeAlias

Formula: TypeAlias = tuple[Any, ...]
Word: TypeAlias = Sequence[Collection[str]]

UNARY, BINARY = ("!", "X", "N", "F", "G"), ("&", "|", "->", "<->", "U", "W", "R", "M")


def to_text(formula: Formula) -> str:
    """The formula with every parenthesis there may be."""
    sign, *parts = formula
    if sign == "atom":
        return str(parts[0])
    if not parts:
        return str(sign)
    if sign in UNARY:
        return f"{sign}({to_text(parts[0])})"
    return f"({to_text(parts[0])} {sign} {to_text(parts[1])})"


def atoms_of(formula: Formula) -> set[str]:
    """The names of its atoms."""
    return {part[1] for part in _parts(formula) if part[0] == "atom"}


def holds(formula: Formula, word: Word, place: int = 0) -> bool:
    """Whether the formula is true at a place of a finite word."""
    return _holds(formula, word, place, len(word), lambda i: i + 1)


def holds_on_lasso(formula: Formula, word: Word, back: int) -> bool:
    """Whether it is true of the infinite word in which the place `back` follows the last one."""
    after = {len(word) - 1: back}
    return _holds(formula, word, 0, None, lambda i: after.get(i, i + 1))


def _holds(
    formula: Formula, word: Word, place: int, end: int | None, after: Callable[[int], int]
) -> bool:
    sign, *parts = formula

    def at(part: int, i: int) -> bool:
        return _holds(parts[part], word, i, end, after)

    if sign in ("true", "false"):
        return bool(sign == "true")
    if sign == "atom":
        return parts[0] in word[place]
    if sign == "!":
        return not at(0, place)
    if sign in ("&", "|", "->", "<->"):
        left, right = at(0, place), at(1, place)
        table = {"&": left and right, "|": left or right, "<->": left == right}
        return table.get(sign, not left or right)
    if sign in ("X", "N"):
        following = after(place)
        return sign == "N" if following == end else at(0, following)
    # From here on until the end, or once through everything that ever comes.
    path = [place]
    while (following := after(path[-1])) != end and len(path) <= 2 * len(word):
        path.append(following)
    if sign in ("F", "G"):
        return (any if sign == "F" else all)(at(0, i) for i in path)
    if sign in ("R", "M"):
        # f R g = !(!f U !g), and M is R whose left side comes.
        never = not _until(path, lambda i: not at(0, i), lambda i: not at(1, i))
        return never and (sign == "R" or any(at(0, i) for i in path))
    comes = _until(path, lambda i: at(0, i), lambda i: at(1, i))
    return comes or (sign == "W" and all(at(0, i) for i in path))


def _until(path: list[int], left: Callable[[int], bool], right: Callable[[int], bool]) -> bool:
    return any(right(i) and all(left(j) for j in path[:number]) for number, i in enumerate(path))


def words(atoms: Sequence[str], length: int) -> list[list[frozenset[str]]]:
    """All words of the length."""
    letters = [
        frozenset(name for name, is_true in zip(atoms, bits, strict=True) if is_true)
        for bits in product((False, True), repeat=len(atoms))
    ]
    return [list(word) for word in product(letters, repeat=length)]


# The table of the views, on formulas in negation normal form.


def in_view(formula: Formula, view: str) -> Formula:
    """[formula] in the view; implications are taken apart first."""
    return _viewed(_pushed(formula, True), view)


def _pushed(formula: Formula, is_positive: bool) -> Formula:
    sign, *parts = formula
    if sign in ("true", "false"):
        return ("true",) if (sign == "true") == is_positive else ("false",)
    if sign == "atom":
        return formula if is_positive else ("!", formula)
    if sign == "!":
        return _pushed(parts[0], not is_positive)
    if sign == "->":
        return _pushed(("|", ("!", parts[0]), parts[1]), is_positive)
    if sign == "<->":
        f, g = parts
        return _pushed(("|", ("&", f, g), ("&", ("!", f), ("!", g))), is_positive)
    dual = dict(zip("&|XNFGURWM", "|&NXGFRUMW", strict=True))
    return (sign if is_positive else dual[sign], *(_pushed(part, is_positive) for part in parts))


def _viewed(formula: Formula, view: str) -> Formula:
    sign, *parts = formula
    if sign in ("true", "false", "atom", "!") or view == "neutral":
        return formula
    inner = [_viewed(part, view) for part in parts]
    if view == "strong":
        table = {"N": "X", "W": "U", "R": "M"}
        return ("false",) if sign == "G" else (table.get(sign, sign), *inner)
    table = {"X": "N", "U": "W", "M": "R"}
    return ("true",) if sign == "F" else (table.get(sign, sign), *inner)


# The automaton: what is true in a state follows from its letter and what is true in the next.

Vector: TypeAlias = tuple[bool, ...] | None
"""The truth of all parts of a formula at a place; None behind the end."""


class Automaton:
    """The minimal deterministic automaton, as sets of vectors that the rest may have.

    Read backwards, vectors are a deterministic automaton; the sets of them, read forwards, are
    the minimal one (Brzozowski).
    """

    def __init__(self, formula: Formula, atoms: Sequence[str]) -> None:
        self.parts = _parts(formula)
        self.formula = formula
        self.letters = [frozenset(word[0]) for word in words(atoms, 1)]
        self.vectors: set[Vector] = {None}
        waiting: list[Vector] = [None]
        while waiting:
            later = waiting.pop()
            for letter in self.letters:
                vector = self.before(letter, later)
                if vector not in self.vectors:
                    self.vectors.add(vector)
                    waiting.append(vector)
        whole = self.parts.index(formula)
        self.start = frozenset(v for v in self.vectors if v is not None and v[whole])

    def before(self, letter: Collection[str], later: Vector) -> Vector:
        """The vector of a place with this letter, in front of a place with that vector."""
        found: list[bool] = []
        for part in self.parts:
            found.append(self._truth(part, letter, found, later))
        return tuple(found)

    def _truth(
        self, part: Formula, letter: Collection[str], found: list[bool], later: Vector
    ) -> bool:
        sign, *inner = part
        if sign == "atom":
            return inner[0] in letter
        now = [found[self.parts.index(one)] for one in inner]
        again = later[len(found)] if later is not None else sign in ("G", "W", "R")
        if sign in ("X", "N"):
            return sign == "N" if later is None else later[self.parts.index(inner[0])]
        table: dict[str, Callable[[], bool]] = {
            "true": lambda: True,
            "false": lambda: False,
            "!": lambda: not now[0],
            "&": lambda: now[0] and now[1],
            "|": lambda: now[0] or now[1],
            "->": lambda: not now[0] or now[1],
            "<->": lambda: now[0] == now[1],
            "F": lambda: now[0] or again,
            "G": lambda: now[0] and again,
            "U": lambda: now[1] or (now[0] and again),
            "W": lambda: now[1] or (now[0] and again),
            "R": lambda: now[1] and (now[0] or again),
            "M": lambda: now[1] and (now[0] or again),
        }
        return table[sign]()

    def step(self, state: frozenset[Vector], letter: Collection[str]) -> frozenset[Vector]:
        """The state after a letter; empty if nothing can be accepted any more."""
        return frozenset(v for v in self.vectors if self.before(letter, v) in state)


def _parts(formula: Formula) -> list[Formula]:
    """All parts, each once, smaller ones first."""
    found: dict[Formula, None] = {}
    waiting = [(formula, False)]
    while waiting:
        part, is_open = waiting.pop()
        if is_open or part[0] in ("atom", "true", "false"):
            found[part] = None
        else:
            waiting += [(part, True), *((inner, False) for inner in part[1:])]
    return list(found)
