"""Tests of a measurement: states at the ends of walks of their own, each drawn by its number.

There is no pool, filter or bias, and a state that comes again counts again. So tests are
independent of each other, and all are drawn from one distribution.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bugsieve._native import Draws
from bugsieve.base.errors import UsageError
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import postponed
from bugsieve.base.wording import counted
from bugsieve.pipeline.bench import Bench, Origin
from bugsieve.pipeline.biases import make_bias
from bugsieve.pipeline.measuring.looks import look_from
from bugsieve.pipeline.pool.draws import LENGTH, draws_of
from bugsieve.pipeline.pool.novelty import Loosened
from bugsieve.pipeline.pool.options import DEFAULT_WALK_LENGTH, FuzzOptions
from bugsieve.pipeline.pool.pool import Pool, PoolEntry
from bugsieve.pipeline.pool.walk_counts import WalkCounts
from bugsieve.pipeline.pool.walks import Rows, Walker
from bugsieve.tasks.grounded.task import StateArray, Task

ALL_MADE = "all tests made"

_PART = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})")


@dataclass(frozen=True)
class SampleShare:
    """The tests of a measurement that draw one of its problems."""

    problem: int
    """Its number, from 0."""
    problems: int

    def __str__(self) -> str:
        """The part in words, as in "2/5", from 1."""
        return f"{self.problem + 1}/{self.problems}"

    @classmethod
    def parse(cls, text: str) -> SampleShare:
        """The inverse of `str`; UsageError if the text is not a part."""
        found = _PART.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise UsageError(f"sample must be K/N, as in 1/1 or 2/5, got {text[:40]!r}")
        return cls(int(found[1]) - 1, int(found[2]))

    def of(self, seed: int, numbers: Rows) -> Rows:
        """The tests of this part among those of these numbers; each draws its problem."""
        own: Rows = numbers[drawn_problems(seed, numbers, self.problems) == self.problem]
        return own


ALL_TESTS = SampleShare(0, 1)


def drawn_problems(seed: int, numbers: Rows, problems: int) -> Rows:
    """The problems that the tests of these numbers draw, counted from 0."""
    keys = Stream(seed, "problems of tests")
    draws = Draws(keys.word(), keys.word(), numbers)
    return draws.below(np.arange(len(numbers)), 0, np.full(len(numbers), problems))


def sampling(*, walk_length: int = DEFAULT_WALK_LENGTH, seed: int = 0) -> FuzzOptions:
    """The options of walks whose ends are tests of a measurement."""
    return FuzzOptions(
        walk_length=walk_length, novelty=0, bias="uniform", seed=seed, prune_dead_ends=False
    )


def require_sample(options: FuzzOptions) -> None:
    """UsageError unless walks are those of a measurement."""
    if options != sampling(walk_length=options.walk_length, seed=options.seed):
        raise UsageError(
            "a test of a measurement is the end of a uniform walk: its walk_length and seed can "
            "be chosen, and nothing else of fuzz"
        )


def distribution(options: FuzzOptions, problems: int = 1) -> str:
    """The distribution of tests, in one sentence."""
    which = "" if problems == 1 else f" of one of {problems} problems, drawn each time"
    length = counted(options.walk_length, "step")
    return (
        f"a test is the end of a walk from the initial state{which}: 1 to {length}, all lengths "
        "equally likely, and at each step all applicable actions; a walk ends early where no "
        "action is applicable, and a state that comes again counts again"
    )


class Sample(Pool):
    """Tests in the order of their numbers; unlike in a pool, a state may be there again."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._places = array("q")
        """By test, where its state is among the different ones."""

    def add(
        self,
        state: StateArray,
        *,
        parent: int | None = None,
        actions: Iterable[int] = (),
        walk: int | None = None,
    ) -> PoolEntry:
        """The entry of the next test."""
        self._places.append(int(self._registry.insert(state.reshape(1, -1))[0]))
        return self._append(parent, actions, walk)

    def states(self, numbers: Iterable[int] | None = None) -> StateArray:
        """The states of some tests, or of all."""
        wanted = range(len(self)) if numbers is None else numbers
        return super().states(self._places[number] for number in wanted)

    def origin(self, number: int) -> Origin:
        """The walk that led to the state."""
        actions = self.entry(number).actions
        return Origin(self.task.initial_state, actions, actions)


class SampleFuzzer:
    """Draws the tests of a measurement, round by round; stands in for a fuzzer."""

    def __init__(
        self,
        bench: Bench,
        options: FuzzOptions,
        part: SampleShare,
        most: int,
        *,
        pool: Sample,
        walks_done: int = 0,
    ) -> None:
        self.bench = bench
        self.pool = pool
        self.walks_done = walks_done
        """Tests below this number are drawn, those of other problems left out."""
        self.steps_done = 0
        self.loosened = Loosened()
        self.counts = WalkCounts()
        """Every end of a walk is a test: nothing is filtered."""
        self._options = options
        self._part = part
        self._most = most
        self._walker = Walker(
            bench.task,
            make_bias(options.used_bias, bench),
            prune_dead_ends=options.prune_dead_ends,
        )

    def round(self) -> list[PoolEntry]:
        """Draw the next tests, none beyond the next look; the new ones of this part, in order."""
        look = min(look_from(self.walks_done + 1), self._most)
        stop = min(self.walks_done + self._options.round_walks, look)
        numbers = self._part.of(self._options.seed, np.arange(self.walks_done, stop))
        states, paths = self._ends(numbers)
        with postponed():  # a round counts as a whole or not at all
            self.walks_done = stop
            self.steps_done += sum(map(len, paths))
            return [
                self.pool.add(state, actions=path, walk=walk)
                for state, path, walk in zip(states, paths, numbers.tolist(), strict=True)
            ]

    @property
    def finished(self) -> str | None:
        """A reason if there are no more tests to draw."""
        return ALL_MADE if self.walks_done >= self._most else None

    def _ends(self, numbers: Rows) -> tuple[StateArray, list[tuple[int, ...]]]:
        """The last states of the walks of these numbers, and the actions that lead there."""
        rows, draws = np.arange(len(numbers)), draws_of(self._options.seed, numbers)
        lengths = 1 + draws.below(rows, LENGTH, np.full(len(rows), self._options.walk_length))
        starts = np.repeat(self.bench.task.initial_state.reshape(1, -1), len(rows), axis=0)
        walked = self._walker.walk(starts, lengths, draws)
        ends = starts.copy()
        paths: list[tuple[int, ...]] = [()] * len(rows)
        for offer, row in enumerate(walked.offers.rows.tolist()):  # those who moved offer an end
            ends[row] = walked.offers.states[offer]
            paths[row] = walked.path(offer)
        return ends, paths
