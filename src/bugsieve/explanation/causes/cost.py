"""The causes of bugs of cost testing: pure functions of certificates.

By how the policy's run ends:

| ending | what the key holds |
|---|---|
| loop | the culprit's step where that is exact, else the steps of the cycle, as a set |
| costly (solved, or cut when it was dearer than a plan), condition met | the culprit's step |
| dead end (a loop, or no action, where no plan exists) | the culprit's step |
| no action | the predicates of the open goals |
| illegal action | the schema; nothing where no such action exists |
| policy crash | the exception, or how the process ended, and where it was raised |
| rule violated | the rules without their objects; the literals that came true, and the step |
| anything else | the ending alone |

Steps are without objects (`steps`). The culprit is exact where the task is small enough to explore
(`exact_costs`), and else where few expansions prove it; the cycle behind it is a trait. A run of
the objective `probability` shows the likeliest way into failure, and counts as any run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bugsieve import _native
from bugsieve.base.errors import UnsupportedError
from bugsieve.explanation.blame.blame import EXACT, blame
from bugsieve.explanation.blame.exact_costs import costs_for, exact_costs_of, exact_culprit
from bugsieve.explanation.causes.steps import LiftedRun, schema_of
from bugsieve.explanation.causes.words import loop_trait
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.cause import COSTLY, DEAD_END, Cause, LiftedStep
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.search import Limits, greedy

LIMITS = Limits(expansions=100, bytes=1 << 28)
"""Of the searches for the culprit: the same everywhere, for the cause depends on it."""

NO_ANSWER = "no usable answer"
_RAISED = re.compile(
    r"[A-Z_]\w*(?=[:,]|$)|ended with exit code \d+|killed by (?:signal )?\w+|closed its output"
)


def cause_of(bench: Bench, certificate: Mapping[str, Any]) -> Cause:
    """The cause of the bug of a certificate, which must hold."""
    run = certificate["run"]
    start = np.array(certificate["state"], dtype=np.uint16)
    operators = tuple(run["operators"])
    lifted = LiftedRun(bench.task, path_states(bench.task, start, operators), operators)
    return _Inquiry(bench, certificate, lifted).cause()


class _Culprit(NamedTuple):
    """A step to blame."""

    place: int
    is_exact: bool


class _Inquiry:
    def __init__(self, bench: Bench, certificate: Mapping[str, Any], lifted: LiftedRun) -> None:
        self.bench = bench
        self.certificate = certificate
        self.run: Mapping[str, Any] = certificate["run"]
        self.lifted = lifted

    def cause(self) -> Cause:
        ending: str = self.run["ending"]
        parts = self.bench.objective.cause_parts(self.run, self.lifted.states)
        if parts is not None:
            return Cause(self.bench.objective.settled_ending, self._last_steps(), parts)
        if ending in (Ending.SOLVED.label, Ending.STEP_LIMIT.label):
            return self._by_culprit(COSTLY)
        if ending == self.bench.objective.settled_ending:
            return self._by_culprit(ending)
        if ending in (Ending.LOOP.label, Ending.NO_ACTION.label) and self._is_lost():
            return self._by_culprit(DEAD_END)
        if ending == Ending.LOOP.label:
            return self._loop()
        if ending == Ending.NO_ACTION.label:
            return Cause(ending, details=self.lifted.open_goals())
        if ending == Ending.ILLEGAL_ACTION.label:
            return Cause(ending, details=self._chosen())
        if ending == Ending.POLICY_CRASH.label:
            raised = _raised(str(self.run["detail"])), str(self.run.get("raised_at", ""))
            return Cause(ending, details=raised)
        return Cause(ending)

    def _is_lost(self) -> bool:
        """Return true if it is plain that no plan leads from the run's end to the goal."""
        task, end = self.bench.task, self.lifted.states[-1:]
        costs = self.bench.known_costs or exact_costs_of(task)
        if costs is not None and not np.isnan(to_go := costs.to_go(end)[0]):
            return bool(to_go == inf)
        if task.heuristic("hmax").evaluate(end)[0] == _native.DEAD_END:
            return True
        return greedy(task, end[0], limits=LIMITS).status == "unsolvable"

    @cached_property
    def _culprit(self) -> _Culprit | None:
        """The step to blame; None where there is no single one, or searches cannot be made."""
        with suppress(UnsupportedError):  # the task within the condition is too large to search in
            costs = costs_for(self.bench)
            if costs is not None:
                index = exact_culprit(self.bench, self.run, self.lifted.states, costs)
                if index is not None:
                    return self._step_of(index, is_exact=True)
            found = blame(self.bench, self.certificate, limits=LIMITS, thorough=False)
            if found.is_one_decision:
                return self._step_of(found.index, is_exact=found.sure == EXACT)
        return None

    def _step_of(self, index: int, *, is_exact: bool) -> _Culprit | None:
        return _Culprit(index, is_exact) if index < len(self.lifted.operators) else None

    def _by_culprit(self, ending: str) -> Cause:
        """The cause by the step to blame; without one where that is not found."""
        if self._culprit is None:
            return Cause(ending)
        index = self._culprit.place
        step, traits = self.lifted.step(index), self.lifted.traits(index)
        return Cause(ending, (step,), traits=(*traits, *self._round()))

    def _loop(self) -> Cause:
        if self._culprit is not None and self._culprit.is_exact:
            return self._by_culprit(Ending.LOOP.label)
        return Cause(Ending.LOOP.label, self._steps(self._cycle), traits=self._traits(self._cycle))

    @property
    def _cycle(self) -> range:
        return range(int(self.run["loop_start"] or 0), len(self.lifted.operators))

    def _round(self) -> tuple[str, ...]:
        """The schemas of the cycle that the run ends in."""
        if self.run["ending"] != Ending.LOOP.label:
            return ()
        operators = self.lifted.operators
        return (loop_trait(schema_of(self.bench.task, operators[n]) for n in self._cycle),)

    def _steps(self, indices: Sequence[int]) -> tuple[LiftedStep, ...]:
        return tuple(sorted({self.lifted.step(index) for index in indices}))

    def _traits(self, cycle: Sequence[int]) -> tuple[str, ...]:
        """The traits that all steps of some kind in the cycle share."""
        shared: dict[LiftedStep, dict[str, None]] = {}
        for index in cycle:
            step, traits = self.lifted.step(index), dict.fromkeys(self.lifted.traits(index))
            known = shared.setdefault(step, traits)
            shared[step] = {trait: None for trait in known if trait in traits}
        # Steps that undo a goal say most, those that achieve one least.
        order = sorted(shared, key=lambda step: (step.flag != "destroys", step.flag, step.schema))
        return tuple(trait for step in order for trait in shared[step])

    def _chosen(self) -> tuple[str, ...]:
        chosen = self.run["chosen"]
        is_operator = chosen is not None and 0 <= chosen < self.bench.task.num_operators
        return (schema_of(self.bench.task, chosen),) if is_operator else ()

    def _last_steps(self) -> tuple[LiftedStep, ...]:
        """Return the steps of the cycle that the run ends in, or its last step."""
        if self.run["ending"] == Ending.LOOP.label:
            return self._steps(self._cycle)
        return self._steps(range(len(self.lifted.operators))[-1:])


def _raised(detail: str) -> str:
    """The exception, or how the process ended; what is said beside it may name objects."""
    said = _RAISED.match(detail)
    return said[0] if said else NO_ANSWER
