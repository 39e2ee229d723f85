"""`bmo:N`: upper bounds on plan costs of all states that were met, kept by dominance (papers/002).

Bounds come from the policy's own runs and from a lookahead of N expansions. Where one state
dominates another, a bound on one is a bound on the other; a state whose bound falls below the
policy's cost is a bug. The chain of reasons behind a bound is replayed into a plan, its proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from bugsieve import _native
from bugsieve.base.errors import InputError, UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive, passed
from bugsieve.pipeline.oracles.learning import Heard, KnownCase, LearningOracle, Learnt, Revision
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.rooms.dominance.oracles.dominating import (
    DominatingOracle,
    number_in,
    proven,
    variants_of,
)
from bugsieve.tasks.search import Limits

DEFAULT_LOOKAHEAD = 100
AS_PUBLISHED = "as-published"
_MOST_EXPANSIONS = 10**9

Way = Sequence[int]


class BoundMaintenance(DominatingOracle, LearningOracle):
    """Keeps bounds on the costs of plans across states, N expansions of lookahead from each.

    With `as-published`, what a lookahead finds is told to earlier states only when they are met
    again, as in the paper.
    """

    usage = "bmo[:N[:as-published][:transitions=T]] (default 100, factors of 10000)"
    examples = ("bmo:0", "bmo:10", "bmo:100:as-published", "bmo:5:transitions=0")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self._lookahead, self._pushes_again, self.options = _parsed(spec.partition(":")[2])
        self._cases: list[KnownCase] = []
        self._cut = ""

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a number of expansions, and perhaps `as-published`."""
        _parsed(argument or "")

    @property
    def note(self) -> str | None:
        """That a limit made the dominance function weaker."""
        return (
            f"oracle {self.spec}: it can compare fewer states, {self._cut}" if self._cut else None
        )

    @cached_property
    def _bounds(self) -> _native.Bounds:
        memory = -1 if self.limits.bytes is None else self.limits.bytes
        self._cut = self.function.cut
        return _native.Bounds(self.function.native, self._lookahead, memory)

    def learn(self, case: KnownCase) -> Learnt:
        """Judge the next case and earlier ones by what its run, and a lookahead, say."""
        self._remember(case)
        at = len(self._cases) - 1
        expanded, nothing_better = 0, False
        if self._lookahead and self._policy_cost(case) != 0 and not self._is_decided(at):
            bound = self.bench.objective.cost_bound(case.value)
            expanded, nothing_better = self._bounds.look_ahead(-1 if bound is None else bound)
        ways = self._bounds.take_ways()
        if ways and self._pushes_again:
            self._bounds.spread()
        verdicts = self._verdicts()
        own = verdicts.pop(at, None) or self._open(at)
        if nothing_better:
            own = passed("no plan is cheaper than the policy's, shown by the lookahead")
        revisions = tuple(Revision(self._cases[i].number, v) for i, v in verdicts.items())
        lesson = _packed(ways, spreads=self._pushes_again)
        return Learnt(replace(own, expanded=expanded), revisions, lesson)

    def hear(self, case: KnownCase, verdict: Verdict) -> Heard:
        """Take a plan of another oracle as a bound, and tell the other states of it."""
        if verdict.plan is None or not self._bounds.follow(list(verdict.plan)):
            return Heard()
        ways = self._bounds.take_ways()
        self._bounds.spread()
        revisions = [Revision(self._cases[i].number, v) for i, v in self._verdicts().items()]
        # Of the case itself the other oracle has spoken, unless there is more to say.
        more = [r for r in revisions if r.case != case.number or r.verdict.gap > verdict.gap]
        return Heard(_packed(ways, spreads=True), tuple(more))

    def recall(self, lessons: Iterable[tuple[KnownCase, bytes]]) -> None:
        """Meet the runs again, and follow the ways that lookaheads have found."""
        for case, content in lessons:
            try:
                self._recall_lesson(case, content)
            except (ValueError, OverflowError) as error:
                raise InputError(
                    f"the lesson of oracle {self.spec} on state {case.number} is no such: {error}"
                ) from None
        self._bounds.take_events()

    def _recall_lesson(self, case: KnownCase, content: bytes) -> None:
        """Recall a lesson; ValueError if the lesson or the case's run is not of this task."""
        if not self._cases or self._cases[-1].number != case.number:
            self._remember(case)
        ways, spreads = _unpacked(content)
        for way in ways:
            self._bounds.follow(way)
        if ways and spreads:
            self._bounds.spread()
        self._bounds.take_ways()

    def _remember(self, case: KnownCase) -> None:
        run = np.asarray(case.run["operators"], dtype=np.int32)
        self._bounds.learn(case.state, run, self._policy_cost(case))
        self._cases.append(case)

    def _policy_cost(self, case: KnownCase) -> int:
        """The least that the policy may need; -1 if it fails, 0 if that can be no bug."""
        objective = self.bench.objective
        value = self._value(case)
        if not objective.is_bug(value, objective.best):
            return 0
        return int(value) if objective.costs_count and math.isfinite(value) else -1

    def _value(self, case: KnownCase) -> float:
        """The policy's; of a run that was cut, one that it cannot beat any more."""
        return self.bench.objective.at_best(case.value, case.run["ending"], case.run["cost"])

    def _is_decided(self, at: int) -> bool:
        bound, cost = self._bounds.bound(at), self._policy_cost(self._cases[at])
        return bound >= 0 and (cost < 0 or bound < cost)

    def _verdicts(self) -> dict[int, Verdict]:
        """The new verdicts on cases since they were last asked for, by place."""
        return {at: self._better(at, bound) for at, bound in self._bounds.take_events()}

    def _better(self, at: int, bound: int) -> Verdict:
        """The verdict on a case of which a plan must cost less than the policy needs."""
        case = self._cases[at]
        reason = f"a plan of cost {bound} follows from plans of other states"
        return proven(self, case.state, self._value(case), bound, self._bounds.plan(at), reason)

    def _open(self, at: int) -> Verdict:
        case = self._cases[at]
        if math.isnan(case.value):
            return inconclusive(f"the value of the policy's run is unknown ({case.run['ending']})")
        if self._policy_cost(case) == 0:
            return passed("no run can be better than the policy's")
        bound = self._bounds.bound(at)
        return inconclusive(
            "no bound on the cost of plans is known"
            if bound < 0
            else f"no better bound than {bound} is known"
        )


def _packed(ways: Iterable[Way], *, spreads: bool) -> bytes:
    """A flag to tell others, then each way with its length; empty if there are no ways."""
    words = [word for way in ways for word in (len(way), *way)]
    return np.array([int(spreads), *words], dtype="<i4").tobytes() if words else b""


def _unpacked(content: bytes) -> tuple[list[list[int]], bool]:
    """The ways and the flag in packed bytes; ValueError for other bytes."""
    words = np.frombuffer(content, dtype="<i4").tolist()
    ways, place = [], 1
    while place < len(words):
        length = words[place]
        if not 0 <= length < len(words) - place:
            raise ValueError("its parts do not add up")
        ways.append(words[place + 1 : place + 1 + length])
        place += 1 + length
    return ways, bool(words and words[0])


def _parsed(argument: str) -> tuple[int, bool, DominanceOptions]:
    """The expansions of the lookahead, whether others are told what it finds, and the factors."""
    number, _, variants = argument.partition(":")
    as_published, options = variants_of(variants, allowed=AS_PUBLISHED)
    if not number:
        return DEFAULT_LOOKAHEAD, not as_published, options
    expansions = number_in(number, _MOST_EXPANSIONS)
    if expansions is None:
        raise UsageError(
            f"N is a number of expansions from 0 to {_MOST_EXPANSIONS}, got {number[:40]!r}"
        )
    return expansions, not as_published, options
