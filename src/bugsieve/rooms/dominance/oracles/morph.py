"""`morph:MAXSIZE`: compare a state with others that were made from it (papers/002, Section 3).

A morph s differs from the state t in one variable, or in one factor. If D(s, t) is finite, every
plan for s yields one for t that is dearer by at most -D(s, t); so where the policy does better
from s than that allows, t is a bug. Morphs need not be reachable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UsageError
from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.policies.run_table import NOT_WITHIN
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.dominance.oracles.dominating import (
    DominatingOracle,
    number_in,
    proven,
    variants_of,
)
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits

DEFAULT_SIZE = 10
ALL = "all"
FACTORS = "factors"
_LARGEST = 1_000_000
_NO_LIMIT = np.iinfo(np.int64).max // 2
_MORPHS_AT_A_TIME = 1 << 16


class MorphOracle(DominatingOracle):
    """Compares the policy's run with runs from at most MAXSIZE changed states, or from all."""

    usage = "morph[:MAXSIZE|all[:factors][:transitions=T]] (default 10, factors of 10000)"
    examples = ("morph", "morph:3", "morph:all:factors")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self._size, self._by_factors, self.options = _parsed(spec.partition(":")[2])

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a number or `all`, and perhaps `factors`."""
        _parsed(argument or "")

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order; the policy runs from all morphs side by side."""
        verdicts = {
            row: verdict
            for row in range(len(suspects))
            if (verdict := self.settled(suspects, row)) is not None
        }
        for portion in self._portions(suspects, verdicts):
            verdicts.update(self._judged(portion))
        return [verdicts[row] for row in range(len(suspects))]

    def _portions(
        self, suspects: Suspects, settled: dict[int, Verdict]
    ) -> Iterator[list[_Comparison]]:
        """The open suspects with their morphs, not too many at a time."""
        portion: list[_Comparison] = []
        for row in range(len(suspects)):
            if row not in settled:
                check_stop()
                portion.append(self._comparison(suspects, row))
            if sum(len(item.worths) for item in portion) > _MORPHS_AT_A_TIME:
                yield portion
                portion = []
        yield portion

    def _comparison(self, suspects: Suspects, row: int) -> _Comparison:
        state, value = suspects.states[row], float(suspects.values[row])
        morphs = self._factor_morphs(state) if self._by_factors else self._variable_morphs(state)
        compared = self.function.between(morphs, state)[:, 0]
        finite = np.flatnonzero(np.isfinite(compared))
        if self._size is not None and len(finite) > self._size:
            # By the state alone, so that it does not matter what was judged before it.
            stream = Stream(self.bench.seed, "morph", state.tobytes().hex())
            finite = np.array(sorted(stream.sample(finite.tolist(), self._size)), dtype=np.int64)
        worths = compared[finite].astype(np.int64)
        limits = np.full(len(finite), _NO_LIMIT, dtype=np.int64)
        bound = self.bench.objective.cost_bound(value)
        if bound is not None:
            limits = bound + worths
        useful = limits > 0
        return _Comparison(
            row, state, value, morphs[finite][useful], worths[useful], limits[useful]
        )

    def _variable_morphs(self, state: StateArray) -> StateArray:
        """All states that differ in exactly one variable (Algorithm 2)."""
        sizes = self.bench.task.domain_sizes
        variables = np.repeat(np.arange(len(sizes)), sizes)
        values = np.concatenate([np.arange(size) for size in sizes])
        changed = values != state[variables]
        morphs = np.repeat(state[None], int(changed.sum()), axis=0)
        morphs[np.arange(len(morphs)), variables[changed]] = values[changed]
        return morphs

    def _factor_morphs(self, state: StateArray) -> StateArray:
        """All states that differ in one factor only."""
        parts = [state[None][:0]]
        for factor, block in enumerate(self.function.blocks):
            values = self.function.states(factor)
            morphs = np.repeat(state[None], len(values), axis=0)
            morphs[:, list(block)] = values
            parts.append(morphs[(morphs != state).any(axis=1)])
        return np.concatenate(parts)

    def _judged(self, portion: Sequence[_Comparison]) -> Iterator[tuple[int, Verdict]]:
        if not portion:
            return
        costs = self.bench.costs_within(
            np.concatenate([item.morphs for item in portion]),
            np.concatenate([item.limits for item in portion]),
            is_hopeless=self._are_dead_ends,
        )
        first = 0
        for item in portion:
            own = costs[first : first + len(item.worths)]
            first += len(item.worths)
            yield item.row, self._verdict(item, own)

    def _verdict(self, item: _Comparison, costs: NDArray[np.int64]) -> Verdict:
        """A bug by the morph that proves the largest gap, which is the cheapest bound."""
        solved = np.flatnonzero(costs != NOT_WITHIN)
        if not len(solved):
            return inconclusive(f"nothing follows from {len(costs)} morphs")
        bounds = np.maximum(0, costs[solved] - item.worths[solved])
        best = int(solved[np.argmin(bounds)])
        bound = int(bounds.min())
        morph = item.morphs[best]
        run = self.bench.runs(morph).plan(0)
        plan = self.function.replay(morph, run, item.state)
        where = self._words(item, best)
        reason = f"a plan of cost {bound} follows from the policy's run from {where}"
        return proven(self, item.state, item.value, bound, plan, reason)

    def _words(self, item: _Comparison, morph: int) -> str:
        changed = np.flatnonzero(item.morphs[morph] != item.state)
        variables = self.bench.task.variables
        facts = [variables[v].facts[int(item.morphs[morph][v])] for v in changed.tolist()]
        return f"the state with {', '.join(fact or 'none of these' for fact in facts)}"

    def _are_dead_ends(self, states: StateArray) -> NDArray[np.bool_]:
        dead: NDArray[np.bool_] = self.bench.task.heuristic("hmax").evaluate(states) == DEAD_END
        return dead


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A suspect with the morphs to run the policy from."""

    row: int
    state: StateArray
    value: float
    morphs: StateArray
    worths: NDArray[np.int64]
    """D(s, t) of each morph s."""
    limits: NDArray[np.int64]
    """The value that the run from s must stay below to prove anything."""


def _parsed(argument: str) -> tuple[int | None, bool, DominanceOptions]:
    """The largest number of morphs, None for all, whether they change whole factors, and those."""
    size, _, variants = argument.partition(":")
    by_factors, options = variants_of(variants, allowed=FACTORS)
    if size == ALL:
        return None, by_factors, options
    if not size:
        return DEFAULT_SIZE, by_factors, options
    most = number_in(size, _LARGEST)
    if not most:
        raise UsageError(f"MAXSIZE is a number from 1 to {_LARGEST} or {ALL!r}, got {size[:40]!r}")
    return most, by_factors, options
