"""A toy oracle that learns: it remembers the cheapest way to the goal from every state it saw.

It knows the policy's runs of its cases, the walks that lead to them, and plans that it hears of.
When a walk with the run after it passes through an earlier case and is cheaper from there than
anything before, that case is revised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.pipeline.oracles.learning import Heard, KnownCase, LearningOracle, Learnt, Revision
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits

NAME = "suffixes"
PLACE = f"{__name__}:SuffixOracle"


class SuffixOracle(LearningOracle):
    """suffixes, remembers the cheapest plan suffix that it has seen from each state"""

    usage = "suffixes"

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self._cases: dict[bytes, KnownCase] = {}
        self._suffixes: dict[bytes, tuple[int, tuple[int, ...]]] = {}

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        if argument is not None:
            raise UsageError("it takes no argument")

    def learn(self, case: KnownCase) -> Learnt:
        self._cases[case.state.tobytes()] = case
        solved = case.run["ending"] == "solved"
        lesson = [*(case.origin.actions if case.origin else ()), *case.run["operators"]]
        better = self._remember(_start(case), lesson) if solved else set()
        revised = [self._cases[key] for key in better if self._cases[key].number != case.number]
        revisions = [
            Revision(earlier.number, verdict)
            for earlier in sorted(revised, key=lambda earlier: earlier.number)
            if (verdict := self._verdict(earlier)).is_bug
        ]
        content = ["walk", lesson] if solved else ["nothing", []]
        seen = json.dumps([_start(case).tolist(), lesson] if solved else None).encode()
        return Learnt(self._verdict(case), tuple(revisions), json.dumps(content).encode(), seen)

    def recall_task(self, parts: Iterable[bytes]) -> None:
        for seen in filter(None, map(json.loads, parts)):
            state, plan = seen
            self._remember(np.array(state, dtype=np.uint16), plan)

    def hear(self, case: KnownCase, verdict: Verdict) -> Heard:
        plan = verdict.plan or ()
        if plan:
            self._remember(case.state, plan)
        return Heard(json.dumps(["heard" if plan else "nothing", plan]).encode())

    def recall(self, lessons: Iterable[tuple[KnownCase, bytes]]) -> None:
        assert not self._cases, "the memory is made again once"
        for case, content in lessons:
            self._cases[case.state.tobytes()] = case
            what, plan = json.loads(content)
            if what != "nothing":
                self._remember(_start(case) if what == "walk" else case.state, plan)

    def _remember(self, state: StateArray, plan: Sequence[int]) -> set[bytes]:
        """Keep every suffix of the plan; the keys of cases for which it is the best so far."""
        plan = tuple(plan)
        better = set()
        for step, passed in enumerate(path_states(self.bench.task, state, plan)):
            key, rest = np.ascontiguousarray(passed).tobytes(), plan[step:]
            cost = plan_cost(self.bench.task, rest)
            if key not in self._suffixes or cost < self._suffixes[key][0]:
                self._suffixes[key] = (cost, rest)
                better |= {key} & self._cases.keys()
        return better

    def _verdict(self, case: KnownCase) -> Verdict:
        known = self._suffixes.get(case.state.tobytes())
        if known is None or np.isnan(case.value):
            return inconclusive("nothing seen from there")
        verdict = self.confirm(case.state, case.value, known[1], "a run passed by")
        assert verdict.outcome in (Outcome.BUG, Outcome.INCONCLUSIVE)
        return verdict


def _start(case: KnownCase) -> StateArray:
    """Where the walk to the case began."""
    return case.state if case.origin is None else case.origin.start
