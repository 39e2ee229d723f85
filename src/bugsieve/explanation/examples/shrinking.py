"""Leaves objects out of the problem that begins in the state of a bug, as long as it shows it.

Greedy: one object after the other in the order of their names, again from the first when some
could be left out, until none can be. For each problem the policy is made anew, run and judged, and
must show the same cause. If the culprit is a later decision now, the problem begins there instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bugsieve.base.current_activity import doing, progressing
from bugsieve.base.errors import (
    BudgetError,
    InputError,
    PolicyError,
    UnsupportedError,
    UsageError,
)
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.explanation.blame.blame import Blame, blame
from bugsieve.explanation.causes.cost import LIMITS, cause_of
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.bug import Bug, FoundBy, make_bug
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.bugs.certificate import KnownRun
from bugsieve.pipeline.bugs.checking import check_certificate
from bugsieve.pipeline.bugs.later_start import objection
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.bugs.way_from_start import DEFAULT_LIMITS as DEFAULT_WAY_LIMITS
from bugsieve.pipeline.oracles.perfect import PerfectOracle
from bugsieve.tasks.grounded.fewer_objects import FewerObjects
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.grounded.translator import WarmTranslator
from bugsieve.tasks.search import Limits, improve_plan

Remake = Callable[[Task], AbstractContextManager[Bench]]
"""The same policy and objective on another task."""

_JUDGING = Limits(expansions=1_000, bytes=1 << 30)
DEFAULT_CANDIDATES = 200
_REFUSALS = (InputError, UsageError, PolicyError, BudgetError)
"""Errors of a malformed problem, or of one that does not fit the policy or the objective."""
_MOVES = 3
"""The number of times that the start of one problem follows the culprit."""
_DECIDED = ("operators", "ending", "loop_start", "chosen")
"""Parts of a run that must be equal when the policy is asked again, but for words of a crash."""


@dataclass(frozen=True)
class ShrinkingBudget:
    """Limits on what is spent on one example; what was found by then counts."""

    candidates: int = DEFAULT_CANDIDATES
    """Problems to try."""
    calls: int | None = None
    """Questions to the policy after which no other problem is tried."""
    way: Limits = DEFAULT_WAY_LIMITS
    """For each of the searches for the shortest way to it."""


_NO_SUCH_BUG = "made anew for the problem that begins there, the policy has no such bug"


class Smaller(NamedTuple):
    """A problem without some objects, and the bug in its initial state."""

    dropped: frozenset[str]
    fewer: FewerObjects
    """Objects that can be left out besides."""
    steps: int
    """The steps of the policy after the state that all began with."""
    task: Task
    bug: Bug


class Shrinking:
    """The search for the fewest objects that show a bug; `tried` and `calls` say what it took."""

    def __init__(
        self, bench: Bench, bug: Bug, cause: Cause, remake: Remake, budget: ShrinkingBudget
    ) -> None:
        found = blamed(bench, bug.certificate)
        self.tried = 0
        self.calls = 0
        self.is_cut = False
        """True if the budget left some untried."""
        self.refusal: str | None = None
        """The reason why not even the problem with all objects will do."""
        self._bench = bench
        self._original = bug
        self._cause = cause
        self._remake = remake
        self._budget = budget
        self._has_culprit = found is not None and found.index == 0
        self._starts = later_starts(bench, bug.certificate)
        self._refused: set[tuple[frozenset[str], frozenset[str]]] = set()
        self._left = 0
        self._translator = WarmTranslator()

    def smallest(self) -> Smaller | None:
        """The smallest problem that was found; None if there is none that shows the bug."""
        with progressing(self._progress), self._translator:
            best = self._with_all()
            before = None
            # An object that was needed may not be when others are gone, so all are tried again.
            while best is not None and best is not before and not self.is_cut:
                before, best = best, self._once_over(best)
            return best

    def _with_all(self) -> Smaller | None:
        """The problem that begins with the bug, or with its culprit, and has all objects."""
        for steps, state in self._starts:
            try:
                fewer = FewerObjects(self._bench.task, state)
                self._left = len(fewer.objects)
                best = self._shown(fewer, frozenset(), steps)
            except _REFUSALS as error:
                best, self.refusal = None, str(error)
            else:
                self.refusal = _NO_SUCH_BUG
            if best is not None:
                self.refusal = None
                return best
        return None

    def _once_over(self, best: Smaller) -> Smaller:
        """Try to leave out each object once."""
        for name in best.fewer.objects:
            dropped = best.fewer.closed({*best.dropped, name})
            case = (best.fewer.facts, dropped or frozenset())
            if name in best.dropped or dropped is None or case in self._refused:
                continue
            new = ", ".join(sorted(dropped - best.dropped))
            with doing(f"trying the bug without {new}"):
                found = self._tried(best, dropped)
            if self.is_cut:
                break
            if found is None:
                self._refused.add(case)
            else:
                best, self._left = found, len(best.fewer.objects) - len(dropped)
        return best

    def _tried(self, best: Smaller, dropped: frozenset[str]) -> Smaller | None:
        try:
            return self._shown(best.fewer, dropped, best.steps)
        except _REFUSALS:
            return None

    def _shown(self, fewer: FewerObjects, dropped: frozenset[str], steps: int) -> Smaller | None:
        """The problem without these objects, if the policy shows the same cause in it."""
        for _ in range(_MOVES if self._has_culprit else 1):
            check_stop()
            self.is_cut = self._is_spent
            if self.is_cut:
                return None
            self.tried += 1
            task = fewer.task(dropped, self._name, self._translator)
            with self._remake(task) as bench:
                bug = self._same_bug(bench)
                found = blamed(bench, bug.certificate) if bug and self._has_culprit else None
            if bug is None or found is None or found.index == 0:
                return None if bug is None else Smaller(dropped, fewer, steps, task, bug)
            fewer, steps = fewer.at(task.facts(found.state)), steps + found.index
        return None

    @property
    def _is_spent(self) -> bool:
        calls = self._budget.calls
        return self.tried >= self._budget.candidates or (calls is not None and self.calls >= calls)

    @property
    def _name(self) -> str:
        return f"{self._bench.task.name}-smallest"

    def _same_bug(self, bench: Bench) -> Bug | None:
        """The bug in the initial state, if it shows the cause and the policy stands by it."""
        try:
            bug = self._bug(bench)
        finally:
            self.calls += bench.decisions_taken
        if bug is None or cause_of(bench, bug.certificate) != self._cause:
            return None
        # There is no bug without a certificate that holds.
        check_certificate(bench.task.to_sas(), bug.certificate)
        again = bench.afresh()
        run, known = KnownRun.of(again, bench.task.initial_state).part, bug.certificate["run"]
        self.calls += again.decisions_taken
        return bug if all(run[key] == known[key] for key in _DECIDED) else None

    def _bug(self, bench: Bench) -> Bug | None:
        """The bug of the policy in the initial state, if there is one."""
        state = bench.task.initial_state
        suspects = bench.suspects(state)
        verdict = self._verdict(bench, suspects)
        if not verdict.is_bug:
            return None
        known = KnownRun.of(bench, state)
        verdict = replace(verdict, reason=f"as bug {self._original.id}: {verdict.reason}")
        return make_bug(
            bench,
            state,
            verdict,
            oracle=PerfectOracle.usage,
            found_by=FoundBy(0, None, ()),
            run=known,
        )

    def _verdict(self, bench: Bench, suspects: Suspects) -> Verdict:
        """The verdict by what is left of the known plan, else by search."""
        state, value = suspects.states[0], float(suspects.values[0])
        with closing(PerfectOracle(bench, PerfectOracle.usage, limits=_JUDGING)) as oracle:
            known = self._original.certificate["plan"]["actions"]
            plan = followed(bench.task, state, known)
            if plan is not None and oracle.settled(suspects, 0) is None:
                if bench.objective.costs_count:
                    plan = improve_plan(bench.task, state, plan, limits=_JUDGING).plan or plan
                verdict = oracle.confirm(state, value, plan, "what is left of its plan suffices")
                if verdict.is_bug:
                    return verdict
            return oracle.judge(suspects)[0]

    def _progress(self) -> str:
        return f"{counted(self.tried, 'problem')} tried, {counted(self._left, 'object')} left"


def blamed(bench: Bench, certificate: Mapping[str, Any]) -> Blame | None:
    """The decision to blame, as causes know it; None where the start of a run is not to move."""
    return _found(bench, certificate) if objection(certificate) is None else None


def _found(bench: Bench, certificate: Mapping[str, Any]) -> Blame | None:
    try:
        return blame(bench, certificate, limits=LIMITS, thorough=False)
    except UnsupportedError:  # the task within the condition is too large to search in
        return None


def later_starts(bench: Bench, certificate: Mapping[str, Any]) -> list[tuple[int, StateArray]]:
    """The states where a problem may begin, each after so many steps: the best place first.

    If the rest of a run need not be the policy's run from there, the policy has to be asked if it
    shows the bug from the culprit on. The last one is the state of the bug.
    """
    start = np.array(certificate["state"], dtype=np.uint16)
    found = None if objection(certificate) is None else _found(bench, certificate)
    later = [] if found is None or not found.index else [(found.index, found.state)]
    return [*later, (0, start)]


def followed(task: Task, state: StateArray, names: Sequence[str]) -> tuple[int, ...] | None:
    """The operators of these names, those left out that are not applicable, up to the goal."""
    plan: list[int] = []
    known = set(task.operator_names)
    for name in names:
        ids = task.operator_ids(name) if name in known else ()
        operator = next((o for o in ids if task.is_applicable(state, [o])[0]), None)
        if operator is not None:
            plan.append(operator)
            state = task.successors(state, [operator])[0]
            if task.is_goal(state)[0]:
                return tuple(plan)
    return None
