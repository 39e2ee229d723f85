"""Questions of determinism checks: states are asked about again, in another process and order.

As often as it takes to find a policy out that changes one answer in a hundred, within limits.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, cycle, islice
from typing import Any

from bugsieve.base.stopping import Stopped
from bugsieve.pipeline.judging.stability import Answer, Asker
from bugsieve.policies.limits import MAX_HASH_SEED

FEWEST_RUNS = 50
SHARE = 10
"""The runs to ask about at least, or one in so many calls, whichever is more."""

_ANSWERS = 700
"""At least so many, the same ones again if need be: 0.99 ** 700 is below one in a thousand."""
_OF_FIRST_PROCESS = 64
"""At least so many come from the process that has answered before."""
_SECONDS = 5.0
"""More than one answer for each state is wanted only as far as it takes no longer."""
_BATCHES = (1, 8, 64)
"""The first batches; all later ones have the last size, so that little is lost at a deadline."""
_TRIALS = 8
"""The equal answers needed before a change is put down to the order of sets."""

OUT_OF_TIME, OUT_OF_CALLS = "--max-time", "--max-calls"


@dataclass(eq=False)
class Tally:
    """The answers so far; a limit may end the asking at any batch."""

    wanted: int = 0
    asked: set[int] = field(default_factory=set)
    changes: dict[int, Answer] = field(default_factory=dict)
    """The answers that differ, by the row of their state."""
    later: set[int] = field(default_factory=set)
    """The rows of those that came after one answer for each state."""
    cut: str = ""

    def note(self, rows: Sequence[int], changes: dict[int, Answer]) -> None:
        """Keep the first change of each row."""
        self.asked.update(rows)
        self.changes = {**changes, **self.changes}


Way = Callable[[Any], Any]
"""Asks a policy about states, in one of its processes."""


@dataclass(frozen=True, eq=False)
class Questions:
    """States with the answers that are known, and the ways to ask about them."""

    asker: Asker
    states: Any
    answers: Sequence[Answer]
    read: Callable[[Any, int], Answer]
    anew: Callable[[int | None], Way]
    """Past every cache, in a second process, under the hash seed if one is given."""
    as_before: Way | None = None
    """By the process that has given the answers, where that can be asked past caches."""

    def ask(self, order: Sequence[int], tally: Tally) -> None:
        """Ask about all rows in this order, then again as often as it is wanted."""
        tally.wanted = len(order)
        asked = order[: self.asker.left]
        tally.cut = OUT_OF_CALLS if len(asked) < len(order) else ""
        anew = self.anew(another_seed(self.asker.hash_seed))
        each = math.inf  # the least time: the first answer may take the start of a process
        for rows in _batches(iter(asked)):
            start = time.monotonic()
            tally.note(rows, self._changes(rows, anew))
            each = min(each, (time.monotonic() - start) / len(rows))
        again = islice(cycle(asked), _repeats(len(asked), each))
        with suppress(Stopped):  # all that was wanted in any case is done
            for rows in _batches(islice(again, self.asker.left)):
                found = self._changes(rows, self.as_before or anew)
                tally.later.update(found)
                tally.note(rows, found)

    def by_sets(self, order: Sequence[int], tally: Tally) -> set[int]:
        """The rows in which the hash seed alone decides which of two answers is given.

        A process under the usual seed, asked in the same order, must answer as before, and the
        one under the other seed must repeat itself.
        """
        seed = self.asker.hash_seed
        if seed is None or not tally.changes:
            return set()
        if not tally.later.isdisjoint(tally.changes) or self._changes(order, self.anew(None)):
            return set()
        said = [tally.changes.get(row, answer) for row, answer in enumerate(self.answers)]
        trials = [row for row in sorted(tally.changes) for _ in range(_TRIALS)]
        again = self._changes(trials, self.anew(another_seed(seed)), said)
        return tally.changes.keys() - again.keys()

    def _changes(
        self, rows: Sequence[int], way: Way, known: Sequence[Answer] | None = None
    ) -> dict[int, Answer]:
        recorded = self.answers if known is None else known
        return self.asker.changes(self.states, recorded, rows, self.read, way)


def another_seed(seed: int | None) -> int | None:
    """Return a hash seed that is not this one; None for a policy without."""
    return None if seed is None else (seed + 1) % (MAX_HASH_SEED + 1)


def _repeats(states: int, each: float) -> int:
    """The number of answers wanted beside one for each state, by the seconds that one takes."""
    if not states:
        return 0
    wanted = max(_ANSWERS - states, _OF_FIRST_PROCESS)
    return min(wanted, int(_SECONDS / max(each, 1e-9)))


def _batches(rows: Iterator[int]) -> Iterator[list[int]]:
    for size in chain(_BATCHES, cycle(_BATCHES[-1:])):
        batch = list(islice(rows, size))
        if not batch:
            return
        yield batch
