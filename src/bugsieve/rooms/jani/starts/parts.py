"""Ways to draw values for some variables, uniformly over what is allowed.

A draw has a number: it depends on the seed, the walk and the attempt alone, so that batches of
any size give the same values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.seeds import Stream
from bugsieve.rooms.jani.model.linear import LinearForm
from bugsieve.rooms.jani.starts.condition import Range, Ranges

Rows = NDArray[np.int64]
Values = NDArray[np.float64]

_UNIT_BITS = 53
_LARGEST_WORD = 2**62
_LARGEST_TABLE = 1 << 16


class Source:
    """The random numbers of one part, for a batch of walks."""

    def __init__(self, stream: Stream, numbers: NDArray[np.int64]) -> None:
        self._name = stream
        self._numbers = numbers
        words = stream.substream("keys")
        self._draws = _native.Draws(words.word(), words.word(), numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def below(self, rows: Rows, draw: int, bounds: Rows | int) -> Rows:
        """Draw number `draw` of each row: a number below its bound."""
        return self._draws.below(rows, draw, np.full(len(rows), bounds, dtype=np.int64))

    def unit(self, rows: Rows, draw: int) -> Values:
        """Numbers from 0 up to, but without, 1."""
        return self.below(rows, draw, 1 << _UNIT_BITS).astype(np.float64) * 2.0**-_UNIT_BITS

    def of_row(self, row: int, attempt: int, count: int) -> Source:
        """The random numbers of attempts of one row, from this one on, as a batch."""
        return Source(self.stream(row, attempt).substream("late"), np.arange(count))

    def stream(self, row: int, attempt: int) -> Stream:
        """A stream for draws without a largest bound."""
        return self._name.substream(int(self._numbers[row]), attempt)


class StartPart(ABC):
    """Draws the values of `variables` together."""

    variables: tuple[int, ...]

    @abstractmethod
    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """Values of the variables for these rows of the batch; other attempts give other ones."""


class BoxPart(StartPart):
    """Independent variables, each uniform between its bounds."""

    def __init__(self, ranges: Ranges) -> None:
        self.variables = tuple(ranges)
        self._ranges = list(ranges.values())

    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """See StartPart."""
        first = attempt * len(self.variables)
        columns = [
            _uniform(values, source, rows, first + k) for k, values in enumerate(self._ranges)
        ]
        return np.stack(columns, axis=1) if columns else np.empty((len(rows), 0))


def _uniform(values: Range, source: Source, rows: Rows, draw: int) -> Values:
    if values.is_real:
        share = source.unit(rows, draw)
        # A weighted mean, since upper - lower can overflow; its rounding may step over a bound.
        drawn = (1 - share) * values.lower + share * values.upper
        return np.clip(drawn, values.lower, values.upper)
    return (int(values.lower) + source.below(rows, draw, values.size)).astype(np.float64)


class ListedPart(StartPart):
    """One of the rows of a table, each equally likely."""

    def __init__(self, variables: Sequence[int], table: NDArray[Any]) -> None:
        self.variables = tuple(variables)
        self.table = np.asarray(table, dtype=np.float64)

    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """See StartPart."""
        chosen: Values = self.table[source.below(rows, attempt, len(self.table))]
        return chosen


class DistinctPart(StartPart):
    """Integers with the same bounds and all different: the start of a random permutation."""

    def __init__(self, variables: Sequence[int], values: Range) -> None:
        self.variables = tuple(variables)
        self._values = values

    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """See StartPart."""
        count, size = len(self.variables), self._values.size
        order = np.tile(np.arange(size) + int(self._values.lower), (len(rows), 1))
        lines = np.arange(len(rows))
        # The first steps of a Fisher-Yates shuffle: every order of `count` values is equally
        # likely.
        for k in range(count):
            other = k + source.below(rows, attempt * count + k, size - k)
            order[lines, k], order[lines, other] = order[lines, other], order[lines, k]
        return order[:, :count].astype(np.float64)


class SumPart(StartPart):
    """Integers whose weighted sum is given: the solutions are counted, then drawn value by value.

    `ways[k][s]` is the number of ways in which the variables from k on can sum to s.
    """

    def __init__(self, form: LinearForm, ranges: Ranges, most_cells: int) -> None:
        self.variables = tuple(form.weights)
        self._terms = [_multiples(int(w), ranges[v]) for v, w in form.weights.items()]
        self._lowest = [int(ranges[v].lower) for v in self.variables]
        self._total = -int(form.constant)
        self._ways = _count_ways(self._terms, most_cells)
        self._tables = _tables(self._ways) if 0 < self.count < _LARGEST_WORD else None

    @property
    def count(self) -> int:
        """Number of solutions."""
        return self._ways[0].get(self._total, 0)

    def draw(self, source: Source, rows: Rows, attempt: int) -> Values:
        """See StartPart."""
        # Solutions are numbered, so a uniform number is a uniform solution. Counts beyond a
        # machine word need Python's integers, one row at a time.
        if self._tables is not None:
            return self._solutions(source.below(rows, attempt, self.count))
        ranks = [source.stream(int(row), attempt).integer(0, self.count - 1) for row in rows]
        drawn = [self._solution(rank) for rank in ranks]
        return np.array(drawn, dtype=np.float64).reshape(len(rows), len(self.variables))

    def _solutions(self, ranks: Rows) -> Values:
        """The solutions with these ranks in their lexicographic order, all at once."""
        assert self._tables is not None
        left = np.full(len(ranks), self._total)
        values = np.zeros((len(ranks), len(self._terms)), dtype=np.int64)
        for k, terms in enumerate(self._terms):
            table, lowest = self._tables[k]
            is_open = np.ones(len(ranks), dtype=np.bool_)
            rest = left.copy()
            for position, term in enumerate(terms):
                # The number of solutions with this value: the ways in which the variables behind
                # make up the rest. Sums beyond the table are clipped to its ends, which hold 0.
                here = table[np.clip(left - term - lowest, 0, len(table) - 1)]
                is_chosen = is_open & (ranks < here)
                values[is_chosen, k] = self._lowest[k] + position
                rest[is_chosen] = left[is_chosen] - term
                is_open &= ~is_chosen
                ranks = np.where(is_open, ranks - here, ranks)
            left = rest
        return values.astype(np.float64)

    def _solution(self, rank: int) -> list[int]:
        values, left = [], self._total
        for k, terms in enumerate(self._terms):
            ways = self._ways[k + 1]
            for position, term in enumerate(terms):
                # Each value owns as many consecutive ranks as there are solutions with it.
                here = ways.get(left - term, 0)
                if rank < here:
                    values.append(self._lowest[k] + position)
                    left -= term
                    break
                rank -= here
        return values


def _tables(ways: Sequence[dict[int, int]]) -> list[tuple[Rows, int]] | None:
    """For the variables after each: the ways to sums from a lowest one on, and a 0 at each end.

    None where sums lie far apart, or have more ways than a word can hold.
    """
    tables = []
    for counts in ways[1:]:
        lowest, highest = min(counts) - 1, max(counts) + 1
        if highest - lowest > _LARGEST_TABLE or max(counts.values()) > _LARGEST_WORD:
            return None
        table = np.zeros(highest - lowest + 1, dtype=np.int64)
        table[np.array(list(counts)) - lowest] = list(counts.values())
        tables.append((table, lowest))
    return tables


def _multiples(weight: int, values: Range) -> range:
    first, last = weight * int(values.lower), weight * int(values.upper)
    return range(first, last + (1 if weight > 0 else -1), weight)


class TooManyStartsError(Exception):
    """There is too much to count or to list."""


def _count_ways(terms: Sequence[Sequence[int]], most_cells: int) -> list[dict[int, int]]:
    ways: list[dict[int, int]] = [{0: 1}]
    work = 0
    # From the last variable on, so that a draw can go from the first one on and always know how
    # many ways the rest has.
    for values in reversed(terms):
        work += len(ways[-1]) * len(values)
        if work > most_cells:
            raise TooManyStartsError
        sums: dict[int, int] = {}
        for value in values:
            for rest, number in ways[-1].items():
                sums[rest + value] = sums.get(rest + value, 0) + number
        ways.append(sums)
    return ways[::-1]
