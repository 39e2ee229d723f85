"""The rest of a formula after a letter, as decision diagrams; `automaton` explores it.

A state is a Boolean function of *promises*. A promise says that there is a next letter, and that
something holds from there on; the promise that nothing more holds is `goes_on`. Since functions
have one diagram each, states that differ only in how they are written are one state: F a & F b is
F b & F a, and (F a & F b) | F a is F a. Atoms stand above promises in the diagrams. So the diagram
of a formula, read from the top, first asks for the letter, and every promise diagram it ends in is
the state after that letter: letters are never listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from bugsieve.rooms.rules.ltl.diagrams import (
    ALWAYS,
    MAX_VARIABLES,
    NEVER,
    Diagrams,
    TooManyStatesError,
)
from bugsieve.rooms.rules.ltl.formula import Formula, distinct_parts


class Rest(NamedTuple):
    """A state: whether the word may end here, and what must hold if it goes on."""

    accepts: bool
    promises: int


class Progression:
    """The diagrams of one formula; `start` is the one for the first letter."""

    def __init__(self, formula: Formula, order: Sequence[str], max_nodes: int) -> None:
        self.diagrams = Diagrams(max_nodes)
        self.atoms = tuple(order)
        self._level = {name: level for level, name in enumerate(self.atoms)}
        self._promised: list[int] = []
        """The claim of each promise about the next letter, by level."""
        self._promises: dict[tuple[int, int], int] = {}
        self._shifts: dict[int, int] = {}
        self._after: dict[int, int] = {NEVER: NEVER, ALWAYS: ALWAYS}
        self.goes_on = self._new_promise(ALWAYS)
        self.start = self._read(formula)

    def rest(self, leaf: int) -> Rest:
        """The state that a promise diagram means."""
        accepts = self._at_end(leaf) == ALWAYS
        level = self.diagrams.level
        if level[leaf] == level[self.goes_on]:
            leaf = self.diagrams.high[leaf]
        return Rest(accepts, leaf)

    def after(self, promises: int) -> int:
        """The diagram of the next letter where these promises must be kept."""
        found = self._after.get(promises)
        if found is None:
            diagrams = self.diagrams
            promised = self._promised[diagrams.level[promises] - len(self.atoms)]
            found = self._after[promises] = diagrams.choice(
                promised, self.after(diagrams.high[promises]), self.after(diagrams.low[promises])
            )
        return found

    def is_leaf(self, node: int) -> bool:
        """Return true if a diagram asks for no more atoms."""
        return self.diagrams.level[node] >= len(self.atoms)

    def _read(self, formula: Formula) -> int:
        parts = distinct_parts(formula)
        promised = _promised_parts(parts)
        now: dict[int, int] = {}
        later: dict[int, int] = {}
        for item in parts:
            key = id(item)
            values = [now[id(part)] for part in item.parts]
            if item.operator in ("next", "weak-next"):
                now[key] = self._next(item, later[id(item.parts[0])])
            elif item.operator in _BOOLEAN:
                now[key] = self._boolean(item, values)
            else:
                now[key], later[key] = self._temporal(item, values)
            if key in promised and key not in later:
                later[key] = self._later(item, now[key], later)
        return now[id(formula)]

    def _later(self, item: Formula, now: int, later: dict[int, int]) -> int:
        """The formula at the next letter, spread over its parts: X(a & b) is X a & X b."""
        if item.operator in _JOINS:
            parts = [later[id(part)] for part in item.parts]
            return self._strong(self._boolean(item, parts))
        return self._strong(self._shifted(now))

    def _strong(self, function: int) -> int:
        """The function where the word goes on; each promise says so already, if one is needed."""
        if self._at_end(function) == NEVER:
            return function
        return self.diagrams.both(self.goes_on, function)

    def _at_end(self, function: int) -> int:
        """The function at the end of a word, where no promise is kept."""
        while function > ALWAYS:
            function = self.diagrams.low[function]
        return function

    def _shifted(self, function: int) -> int:
        """The function with each variable replaced by the promise of it."""
        if function <= ALWAYS:
            return function
        if function not in self._shifts:
            diagrams = self.diagrams
            variable = diagrams.variable(diagrams.level[function])
            high, low = diagrams.high[function], diagrams.low[function]
            self._shifts[function] = diagrams.choice(
                self._promise(variable, variable), self._shifted(high), self._shifted(low)
            )
        return self._shifts[function]

    def _next(self, item: Formula, later: int) -> int:
        if item.operator == "next":
            return later
        return self.diagrams.either(later, self.diagrams.complement(self.goes_on))

    def _boolean(self, item: Formula, parts: Sequence[int]) -> int:
        diagrams = self.diagrams
        match item.operator:
            case "true":
                return ALWAYS
            case "false":
                return NEVER
            case "atom":
                return diagrams.variable(self._level[item.name])
            case "not":
                return diagrams.complement(parts[0])
            case "and":
                return _joined(parts, diagrams.both)
            case "or":
                return _joined(parts, diagrams.either)
            case "implies":
                return diagrams.choice(parts[0], parts[1], ALWAYS)
            case _:
                return diagrams.choice(parts[0], parts[1], diagrams.complement(parts[1]))

    def _temporal(self, item: Formula, parts: Sequence[int]) -> tuple[int, int]:
        """Now and at the next letter; G, W and R are the negations of their duals."""
        first, second = parts[0], parts[-1]
        negated = self.diagrams.complement
        match item.operator:
            case "finally":
                return self._until(ALWAYS, first)
            case "until":
                return self._until(first, second)
            case "strong-release":
                return self._until(second, self.diagrams.both(first, second))
            case "globally":
                return self._not_until(ALWAYS, negated(first))
            case "weak-until":
                return self._not_until(
                    negated(second), negated(self.diagrams.either(first, second))
                )
            case _:
                return self._not_until(negated(first), negated(second))

    def _until(self, stay: int, done: int) -> tuple[int, int]:
        if done in (NEVER, ALWAYS):
            return done, self.goes_on if done == ALWAYS else NEVER
        diagrams = self.diagrams
        stay = diagrams.either(stay, done)  # (f | g) U g is f U g: one promise for both
        promise = self._promise(stay, done)
        now = diagrams.either(done, diagrams.both(stay, promise))
        self._promised[diagrams.level[promise] - len(self.atoms)] = now
        return now, promise

    def _not_until(self, stay: int, done: int) -> tuple[int, int]:
        now, later = self._until(stay, done)
        negated = self.diagrams.complement
        return negated(now), self._strong(negated(later))

    def _promise(self, stay: int, done: int) -> int:
        """The promise of `stay` until `done`; what is done at once stays as long as it is done."""
        if done in (NEVER, ALWAYS):
            return self.goes_on if done == ALWAYS else NEVER
        key = (stay, done)
        if key not in self._promises:
            self._promises[key] = self._new_promise(done)
        return self._promises[key]

    def _new_promise(self, promised: int) -> int:
        level = len(self.atoms) + len(self._promised)
        if level >= MAX_VARIABLES:
            raise TooManyStatesError(
                f"the formula has more than {MAX_VARIABLES} different atoms and temporal parts, "
                "too many for an automaton",
                level,
            )
        self._promised.append(promised)
        return self.diagrams.variable(level)


_JOINS = ("not", "and", "or", "implies", "iff", "true", "false")
_BOOLEAN = (*_JOINS, "atom")


def _joined(parts: Sequence[int], join: Callable[[int, int], int]) -> int:
    """Join the parts from the last one to the first: atoms that stand first are asked first."""
    return reduce(join, reversed(parts))


def _promised_parts(parts: Sequence[Formula]) -> set[int]:
    """The parts whose truth at the next letter matters: those below X and N, without temporals."""
    promised: set[int] = set()
    for item in reversed(parts):
        if item.operator in ("next", "weak-next") or (
            id(item) in promised and item.operator in _JOINS
        ):
            promised |= {id(part) for part in item.parts}
    return promised
