"""Which decision of the policy is to blame for a bug.

Along the policy's run, cost so far plus best cost-to-go never falls; the decision to blame is the
first after which the sum exceeds the cost of the best plan, found by bisection. Where only success
counts, it is the first after which success is out of reach. The command `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives.objective import Alternatives, path_states, plan_cost
from bugsieve.bugs.cost.certificate import from_json_number
from bugsieve.search import Limits, SearchResult, astar, greedy
from bugsieve.tasks.fdr.task import StateArray

EXACT = "exact"
BOUND = "bound"
NO_SINGLE_DECISION = "none: zero-cost loop"

DEFAULT_LIMITS = Limits(expansions=5_000, bytes=1 << 30)

_PROOFS = ("unsolvable", "bound")


@dataclass(frozen=True, eq=False)
class Blame:
    """A decision, what the policy did there and what it should have done.

    For a loop that costs nothing no single decision is to blame: `index` is then the first one
    that leaves a way out of the loop aside.
    """

    index: int
    """The number of steps the policy took before the decision."""
    state: StateArray
    action: int | None
    """What the policy chose; None if it chose nothing, or nothing that exists."""
    better: int
    """The first action of `plan`."""
    sure: str
    """EXACT, BOUND (the searches hit their limits) or NO_SINGLE_DECISION."""
    sentence: str
    run: tuple[int, ...]
    """The policy's actions from the bug's state; the decision is number `index` of them."""
    plan: tuple[int, ...]
    """A better plan from the state of the decision."""
    plan_cost: int
    """What the run up to the decision and the plan from there cost together."""

    @property
    def is_one_decision(self) -> bool:
        """Whether a single decision is to blame."""
        return self.sure != NO_SINGLE_DECISION

    @property
    def better_run(self) -> tuple[int, ...]:
        """The policy's actions up to the decision, then the better plan."""
        return self.run[: self.index] + self.plan


def blame(
    bench: Bench, certificate: Mapping[str, Any], *, limits: Limits = DEFAULT_LIMITS
) -> Blame:
    """The decision to blame for the bug of a certificate, which must hold.

    `limits` is for each of its searches, of which there are about as many as the run's length has
    binary digits.
    """
    return _Inquiry(bench, certificate, limits).blame()


@dataclass(frozen=True)
class _Finding:
    """Whether the goal can be reached well enough from a state: a plan, a proof, or neither."""

    plan: tuple[int, ...] | None
    certain: bool


class _Inquiry:
    def __init__(self, bench: Bench, certificate: Mapping[str, Any], limits: Limits) -> None:
        self.bench = bench
        self.limits = limits
        self.certificate = certificate
        self.ending: str = certificate["run"]["ending"]
        self.counts_cost = bench.objective.costs_count
        self.alternatives: Alternatives = bench.objective.alternatives()
        self._set_run(tuple(certificate["run"]["operators"]))
        self.best = self._best_plan()
        self.findings: dict[int, _Finding] = {}

    def _set_run(self, run: tuple[int, ...]) -> None:
        self.run = run
        start = np.array(self.certificate["state"], dtype=np.uint16)
        self.states = path_states(self.bench.task, start, run)
        steps = self.bench.task.operator_costs[list(run)].astype(np.int64)
        self.cost_so_far: list[int] = [0, *np.cumsum(steps).tolist()]

    def blame(self) -> Blame:
        """Asks again as long as a search happens to find a cheaper plan than the best known."""
        while True:
            # It ends: each repetition has a cheaper best plan than the one before, and costs are
            # whole.
            best = self.best
            self._forget_dear_plans()
            result = self._answer()
            if self.best is best:
                return result

    def _answer(self) -> Blame:
        """Bisection: from a state all is well, or not found to be, if so from all before it."""
        last = len(self.run)
        # The whole run is known to be worse than the best plan, so at its end that is out of
        # reach.
        if self._is_over:
            self.findings[last] = _Finding(None, certain=True)
        while self._finding(last).plan is None:
            # The cost so far plus the best cost to go never falls along the run (a step costs at
            # least what it brings the goal nearer), so there is one place where it first exceeds
            # the best. Searches that gave up may put "bad" too early; then the answer is not
            # certain.
            good = max(step for step, found in self.findings.items() if found.plan is not None)
            bad = min(s for s, found in self.findings.items() if s > good and found.plan is None)
            if bad - good == 1:
                certain = self.best.certain and self.findings[bad].certain
                return self._result(good, EXACT if certain else BOUND)
            self._finding((good + bad) // 2)
        if self.ending == "loop":
            return self._result(self._way_out(), NO_SINGLE_DECISION)
        return self._result(last, EXACT if self.best.certain else BOUND)

    def _best_plan(self) -> _Finding:
        """The certificate's plan, or a better one; certain if none can be better."""
        known = tuple(self.certificate["plan"]["operators"])
        if not self.counts_cost:
            return _Finding(known, certain=True)
        found = astar(
            self.bench.task, self.states[0], limits=self.limits, cost_bound=self._cost(known)
        )
        if found.plan is not None:
            return _Finding(found.plan, certain=True)
        return _Finding(known, certain=found.status in _PROOFS)

    def _cost(self, plan: tuple[int, ...] | None) -> int:
        return plan_cost(self.bench.task, plan or ())

    def _allowance(self, step: int) -> int:
        """What a plan from a state of the run may cost to be as good as the best known."""
        return self._cost(self.best.plan) - self.cost_so_far[step]

    def _forget_dear_plans(self) -> None:
        # Against a cheaper best plan a plan that was good enough may not be; a state without any
        # as cheap as before has none that is cheaper.
        self.findings = {
            step: found
            for step, found in self.findings.items()
            if not self.counts_cost or self._cost(found.plan) <= self._allowance(step)
        }
        self._note(0, self.best)

    @property
    def _is_over(self) -> bool:
        """Whether nothing that comes after the run can make up for it."""
        settled = self.bench.objective.settled_ending
        return self.ending in ("solved", settled, "step limit")

    def _plan(self, step: int) -> tuple[int, ...]:
        plan = self.findings[step].plan
        assert plan is not None
        return plan

    def _finding(self, step: int) -> _Finding:
        if step not in self.findings:
            found = self._search(step)
            self._note(step, found)
            self._learn(step, found.plan)
        return self.findings[step]

    def _note(self, step: int, found: _Finding) -> None:
        """Remember what was found, for all states that the plan shares with the policy's run."""
        self.findings[step] = found
        plan = found.plan
        # A plan that only goes on where the run is over does not put the run right.
        last = len(self.run) - self._is_over
        while plan and step < last and plan[0] == self.run[step]:
            step, plan = step + 1, plan[1:]
            self.findings[step] = _Finding(plan, found.certain)

    def _search(self, step: int) -> _Finding:
        start = self.alternatives.resume(self.states[: step + 1], self.run[:step])
        allowance = self._allowance(step)
        if start is None or (self.counts_cost and allowance < 0):
            return _Finding(None, certain=True)
        task, bound = self.alternatives.task, allowance + 1 if self.counts_cost else None
        if self.counts_cost and self.best.certain:  # otherwise a proof would prove little
            found = astar(task, start, limits=self.limits, cost_bound=bound)
            if _is_settled(found):
                return _Finding(found.plan, certain=True)
        found = greedy(task, start, limits=self.limits, cost_bound=bound)
        if found.plan is None:
            return _Finding(None, certain=_is_settled(found))
        plan = self.alternatives.plan(found.plan)
        better = self._is_better(self.run[:step] + plan)
        return _Finding(plan if better else None, certain=better)

    def _is_better(self, plan: tuple[int, ...]) -> bool:
        """Whether a plan from the start beats the policy's run."""
        value = self.bench.objective.plan_value(self.states[0], plan)
        policy_value = from_json_number(self.certificate["policy_value"])
        return self.bench.objective.is_bug(policy_value, value)

    def _learn(self, step: int, plan: tuple[int, ...] | None) -> None:
        """A plan from a state of the run may complete a better one from the start."""
        if plan is None or not self.counts_cost:
            return
        if self.ending == "loop" and step == len(self.run):
            step = int(self.certificate["run"]["loop_start"])  # the same state, but sooner
        if self._cost(plan) < self._allowance(step):
            self.best = _Finding(self.run[:step] + plan, certain=False)

    def _way_out(self) -> int:
        """Where a plan from the state that the loop comes back to leaves the policy's way."""
        first = step = int(self.certificate["run"]["loop_start"])
        plan = self._plan(len(self.run))
        # The plan leads to a goal and the loop never meets one, so it leaves the loop somewhere,
        # perhaps after following it round.
        while plan[0] == self.run[step]:
            plan = plan[1:]
            step = step + 1 if step + 1 < len(self.run) else first
        if not self._is_better(self.run[:step] + plan):
            return self._once_round(plan)
        self.findings[step] = _Finding(plan, certain=True)
        return step

    def _once_round(self, rest: tuple[int, ...]) -> int:
        """The same where the loop must be gone round first, for the sake of what is behind."""
        last = len(self.run)
        followed = self._plan(last)[: len(self._plan(last)) - len(rest)]
        loop = self.run[int(self.certificate["run"]["loop_start"]) :]
        self._set_run((*self.run, *followed, loop[len(followed) % len(loop)]))
        self.findings[last + len(followed)] = _Finding(rest, certain=True)
        return last + len(followed)

    def _result(self, index: int, sure: str) -> Blame:
        task, plan = self.bench.task, self._plan(index)
        action = self.run[index] if index < len(self.run) else self._chosen()
        return Blame(
            index=index,
            state=self.states[index],
            action=action,
            better=plan[0],
            sure=sure,
            sentence=self._sentence(index, sure),
            run=self.run,
            plan=plan,
            plan_cost=self.cost_so_far[index] + plan_cost(task, plan),
        )

    def _chosen(self) -> int | None:
        chosen = self.certificate["run"]["chosen"]
        is_operator = chosen is not None and 0 <= chosen < self.bench.task.num_operators
        return int(chosen) if is_operator else None

    def _sentence(self, index: int, sure: str) -> str:
        doubt = (
            "" if sure != BOUND and self.best.certain else ", as far as the searches could tell"
        )
        if sure == NO_SINGLE_DECISION:
            return (
                "no single decision is to blame: each leaves the goal as near as it was, but "
                f"together they go in a circle{doubt}"
            )
        loss = self.bench.objective.possible
        if index == len(self.run):
            return f"{loss} to the last, where the policy gave no usable action{doubt}"
        return f"{loss} before this decision, but not after it{doubt}"


def _is_settled(found: SearchResult) -> bool:
    return found.plan is not None or found.status in _PROOFS
