"""The truth of formulas on infinite words that end in loops, for many words at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.rules.ltl.formula import Formula, fold

Bools = NDArray[np.bool_]
Ids = NDArray[np.int64]


class Lassos:
    """Words, one behind the other; behind the last letter of a word comes its letter `back`."""

    def __init__(self, offsets: Ids, backs: Ids) -> None:
        lengths = np.diff(offsets)
        self._starts = offsets[:-1]
        self._word = np.repeat(np.arange(len(lengths)), lengths)
        self._ends = offsets[1:][self._word]
        self._backs = self._starts + backs
        following = np.arange(len(self._word)) + 1
        self._after = np.where(following < self._ends, following, self._backs[self._word])

    def holds(self, formula: Formula, column: Callable[[str], Bools]) -> Bools:
        """The words that satisfy the formula; `column` has an atom's truth in all letters."""

        def values(item: Formula, parts: Sequence[Bools]) -> Bools:
            match item.operator:
                case "true" | "false":
                    return np.full(len(self._word), item.operator == "true")
                case "atom":
                    return column(item.name)
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
                case "next" | "weak-next":
                    return parts[0][self._after]
                case _:
                    return self._temporal(item, parts)

        return fold(formula, values)[self._starts]

    def _temporal(self, formula: Formula, parts: Sequence[Bools]) -> Bools:
        """All as `now | (stay & after)`."""
        first, second = parts[0], parts[-1]
        match formula.operator:
            case "finally":
                return self._backward(first, np.ones_like(first), at_end=False)
            case "globally":
                return self._backward(np.zeros_like(first), first, at_end=True)
            case "until" | "weak-until":
                return self._backward(second, first, at_end=formula.operator == "weak-until")
            case _:
                both = first & second
                return self._backward(both, second, at_end=formula.operator == "release")

    def _backward(self, now: Bools, stay: Bools, *, at_end: bool) -> Bools:
        # Going round twice changes nothing that going round once has not.
        once = self._pass(now, stay, np.full(len(self._starts), at_end))
        return self._pass(now, stay, once[self._backs])

    def _pass(self, now: Bools, stay: Bools, after: Bools) -> Bools:
        """The next letter of a word at which `now` holds or `stay` does not decides; else `after`.

        That letter is the least number from the right, unless it belongs to the next word.
        """
        length = len(now)
        places = np.where(now | ~stay, np.arange(length), length)
        deciding = np.minimum.accumulate(places[::-1])[::-1]
        found: Bools = np.append(now, False)[deciding]
        return np.where(deciding < self._ends, found, after[self._word])
