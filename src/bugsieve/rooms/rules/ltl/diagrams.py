"""Reduced ordered decision diagrams: one number per Boolean function of numbered variables.

Functions are equal if and only if their numbers are. Recursion goes as deep as there are
variables, whose number `MAX_VARIABLES` bounds.
"""

from __future__ import annotations

from typing import NoReturn

from bugsieve.base.errors import BudgetError

MAX_VARIABLES = 500
# Most formulas take one to three choices for a node; many more would fill the memory.
CHOICES_PER_NODE = 5
NEVER, ALWAYS = 0, 1
_LEAF_LEVEL = 1 << 60


class TooManyStatesError(BudgetError):
    """An automaton would be larger than allowed; `size` says how large it had become."""

    def __init__(self, sentence: str, size: int) -> None:
        super().__init__(sentence)
        self.size = size


class Diagrams:
    """The table of nodes: a variable, what remains where it is false, and where it is true."""

    def __init__(self, max_nodes: int) -> None:
        self.level = [_LEAF_LEVEL, _LEAF_LEVEL]
        self.low = [NEVER, ALWAYS]
        self.high = [NEVER, ALWAYS]
        self._max_nodes = max_nodes
        self._nodes: dict[tuple[int, int, int], int] = {}
        self._choices: dict[tuple[int, int, int], int] = {}

    def node(self, level: int, low: int, high: int) -> int:
        """The function that is `low` or `high` by the variable, which is above both of them."""
        if low == high:
            return low
        key = (level, low, high)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = len(self.level)
            if found > self._max_nodes:
                self._give_up(f"{self._max_nodes} nodes")
            self.level.append(level)
            self.low.append(low)
            self.high.append(high)
        return found

    def variable(self, level: int) -> int:
        """The function that is true where the variable is."""
        return self.node(level, NEVER, ALWAYS)

    def choice(self, test: int, then: int, other: int) -> int:
        """The diagram of: if `test` then `then`, else `other`."""
        if test == ALWAYS or then == other:
            return then
        if test == NEVER:
            return other
        if then == ALWAYS and other == NEVER:
            return test
        key = (test, then, other)
        found = self._choices.get(key)
        if found is None:
            if len(self._choices) > CHOICES_PER_NODE * self._max_nodes:
                self._give_up(f"{CHOICES_PER_NODE * self._max_nodes} steps")
            found = self._choices[key] = self._split(test, then, other)
        return found

    def _give_up(self, what: str) -> NoReturn:
        raise TooManyStatesError(f"the automaton's guards take more than {what}", len(self.level))

    def _split(self, test: int, then: int, other: int) -> int:
        level, low, high = self.level, self.low, self.high
        top = min(level[test], level[then], level[other])
        lows, highs = [], []
        for function in (test, then, other):
            asks = level[function] == top
            lows.append(low[function] if asks else function)
            highs.append(high[function] if asks else function)
        return self.node(top, self.choice(*lows), self.choice(*highs))

    def both(self, left: int, right: int) -> int:
        """And; the smaller number first, so that either order is looked up once."""
        if left > right:
            left, right = right, left
        return self.choice(left, right, NEVER)

    def either(self, left: int, right: int) -> int:
        """Or."""
        if left > right:
            left, right = right, left
        return self.choice(left, ALWAYS, right)

    def complement(self, function: int) -> int:
        """Not."""
        return self.choice(function, NEVER, ALWAYS)
