"""The decision after which success is out of reach, where costs do not count.

Once it is out of reach it stays so, whence the first such decision is found by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.explanation.blame.search_budget import is_settled
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import from_json_number
from bugsieve.pipeline.objectives.objective import Alternatives, path_states
from bugsieve.tasks.search import Limits, greedy


@dataclass(frozen=True)
class _Finding:
    """The answer if success can be had from a state: a plan, a proof that not, or neither."""

    plan: tuple[int, ...] | None
    certain: bool


class LostSuccess:
    """Looks for the culprit of one run; `limits` is for each of its searches."""

    def __init__(self, bench: Bench, certificate: Mapping[str, Any], limits: Limits) -> None:
        self.bench = bench
        self.limits = limits
        self.certificate = certificate
        self.ending: str = certificate["run"]["ending"]
        self.alternatives: Alternatives = bench.objective.alternatives()
        self._set_run(tuple(certificate["run"]["operators"]))
        self.findings: dict[int, _Finding] = {}
        self._note(0, _Finding(tuple(certificate["plan"]["operators"]), certain=True))

    def _set_run(self, run: tuple[int, ...]) -> None:
        self.run = run
        start = np.array(self.certificate["state"], dtype=np.uint16)
        self.states = path_states(self.bench.task, start, run)

    def culprit(self) -> tuple[int, bool] | None:
        """The decision to blame, and true if that is proven; None where there is no single one."""
        last = len(self.run)
        if self._is_over:
            self.findings[last] = _Finding(None, certain=True)
        while self._finding(last).plan is None:
            good = max(step for step, found in self.findings.items() if found.plan is not None)
            bad = min(s for s, found in self.findings.items() if s > good and found.plan is None)
            if bad - good == 1:
                return good, self.findings[bad].certain
            self._finding((good + bad) // 2)
        return None if self.ending == "loop" else (last, True)

    def plan(self, step: int) -> tuple[int, ...]:
        """A plan from a step from which there is one."""
        plan = self.findings[step].plan
        assert plan is not None
        return plan

    @property
    def _is_over(self) -> bool:
        """Return true if nothing that comes after the run can make up for it."""
        settled = self.bench.objective.settled_ending
        return self.ending in ("solved", settled, "step limit")

    def _finding(self, step: int) -> _Finding:
        if step not in self.findings:
            self._note(step, self._search(step))
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
        if start is None:
            return _Finding(None, certain=True)
        found = greedy(self.alternatives.task, start, limits=self.limits)
        if found.plan is None:
            return _Finding(None, certain=is_settled(found))
        plan = self.alternatives.plan(found.plan)
        better = self._is_better(self.run[:step] + plan)
        return _Finding(plan if better else None, certain=better)

    def _is_better(self, plan: tuple[int, ...]) -> bool:
        """Return true if a plan from the start beats the policy's run."""
        value = self.bench.objective.plan_value(self.states[0], plan)
        policy_value = from_json_number(self.certificate["policy_value"])
        return self.bench.objective.is_bug(policy_value, value)

    def way_out(self) -> int:
        """The step at which a plan from where the loop returns to leaves the policy's way."""
        first = step = int(self.certificate["run"]["loop_start"])
        plan = self.plan(len(self.run))
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
        followed = self.plan(last)[: len(self.plan(last)) - len(rest)]
        loop = self.run[int(self.certificate["run"]["loop_start"]) :]
        self._set_run((*self.run, *followed, loop[len(followed) % len(loop)]))
        self.findings[last + len(followed)] = _Finding(rest, certain=True)
        return last + len(followed)
