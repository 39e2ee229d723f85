"""`lookahead:DEPTH`: a few steps of search, then the policy itself (Section 4.4, papers/000).

A state is a bug if the way to some state within the depth, followed by the policy's run from
there, is better than the policy's run from the state. Runs of all suspects are asked for in
common batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bugsieve.basis.errors import UsageError
from bugsieve.basis.stopping import check_stop
from bugsieve.benches.bench import Bench, Suspects
from bugsieve.bugs.cost.verdict import Verdict, inconclusive, passed
from bugsieve.oracles.oracle import DEFAULT_LIMITS, Oracle
from bugsieve.policies.run_table import RunTable
from bugsieve.search import Limits, Lookahead, lookahead
from bugsieve.tasks.fdr.task import StateArray

DEFAULT_DEPTH = 2
_MAX_DEPTH = 1_000_000
_FIRST_WAVE = 16
_CELLS_AT_A_TIME = 1 << 24
"""Values of leaf states held at a time: 32 MiB."""

_PROOFS = {"unsolvable": "the goal cannot be reached", "bound": "no plan is cheaper"}


class LookaheadOracle(Oracle):
    """A few steps of search, then the policy from every state they lead to."""

    usage = "lookahead[:DEPTH] (default 2)"
    examples = ("lookahead:1", "lookahead", "lookahead:3")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self.depth = _depth(spec.partition(":")[2] or str(DEFAULT_DEPTH))
        self._least_cost = min(bench.task.operator_costs.tolist(), default=0)

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a depth."""
        if argument is not None:
            _depth(argument)

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        verdicts = [self.settled(suspects, row) for row in range(len(suspects))]
        for portion in self._portions(suspects, verdicts):
            self._judge_portion(portion, verdicts)
        return [verdict for verdict in verdicts if verdict is not None]

    def _portions(
        self, suspects: Suspects, verdicts: list[Verdict | None]
    ) -> Iterator[list[_Trial]]:
        """The open suspects with their leaves, as many at a time as memory allows."""
        portion: list[_Trial] = []
        cells = 0
        for row, verdict in enumerate(verdicts):
            if verdict is None:
                trial = self._trial(suspects, row)
                portion.append(trial)
                cells += trial.ahead.states.size
            if cells > _CELLS_AT_A_TIME:
                yield portion
                portion, cells = [], 0
        yield portion

    def _trial(self, suspects: Suspects, row: int) -> _Trial:
        check_stop()
        state, value = suspects.states[row], float(suspects.values[row])
        bound = self.bench.objective.cost_bound(value)
        ahead = lookahead(self.bench.task, state, self.depth, limits=self.limits, cost_bound=bound)
        # Leaves count as expansions too. They are numbered as they were met, so a larger limit
        # takes in all that a smaller one does.
        order = np.argsort(ahead.costs[: self.limits.expansions], kind="stable")
        return _Trial(row, state, value, bound, ahead, order)

    def _judge_portion(self, portion: list[_Trial], verdicts: list[Verdict | None]) -> None:
        """Judge those with a cost to beat in one batch, the others in growing waves.

        Where cost counts, every leaf can be the best one. A failure is beaten by any run that
        reaches the goal, and most often one of the first leaves has one.
        """
        bounded = [trial for trial in portion if trial.bound is not None]
        self._try(bounded, [trial.order for trial in bounded], self._step_limit(bounded))
        waiting = [trial for trial in portion if trial.bound is None]
        first, size = 0, _FIRST_WAVE
        while waiting:
            waves = [trial.order[first : first + size] for trial in waiting]
            self._try(waiting, waves, self.bench.step_limit)
            first, size = first + size, 2 * size
            waiting = [t for t in waiting if t.verdict is None and first < len(t.order)]
        for trial in portion:
            verdict = trial.verdict or self._without_bug(trial.ahead)
            verdicts[trial.row] = replace(verdict, expanded=trial.ahead.result.expanded)

    def _step_limit(self, trials: Sequence[_Trial]) -> int:
        """After so many steps no run can be cheaper than the bound any more."""
        if not self._least_cost:
            return self.bench.step_limit
        # One limit for all trials, that of the dearest, so that their runs share a batch. A run
        # that is too long for another trial costs too much there and loses in `_better`.
        dearest = max((trial.bound or 0 for trial in trials), default=0)
        return min(self.bench.step_limit, max(1, (dearest - 1) // self._least_cost))

    def _try(
        self, trials: Sequence[_Trial], leaves: Sequence[NDArray[np.int64]], step_limit: int
    ) -> None:
        """Run the policy from these leaves of each trial and note the best bug there."""
        if not trials:
            return
        starts = [trial.ahead.states[rows] for trial, rows in zip(trials, leaves, strict=True)]
        runs = self.bench.runs(np.concatenate(starts), step_limit=step_limit)
        values, solved = self.bench.values(runs), runs.solved
        first = 0
        for trial, rows in zip(trials, leaves, strict=True):
            part = slice(first, first + len(rows))
            first += len(rows)
            totals = trial.ahead.costs[rows] + runs.costs[part]
            wins = solved[part] & self._better(trial, values[part], totals)
            candidates = wins.nonzero()[0]
            # Cheapest first: the first that is confirmed is the best of them. Some may be refused,
            # as the objective has not seen the way to the leaf yet.
            for winner in candidates[np.argsort(totals[candidates], kind="stable")]:
                verdict = self._confirm(trial, int(rows[winner]), runs, part.start + int(winner))
                if verdict.is_bug:
                    trial.verdict = verdict
                    break

    def _better(
        self, trial: _Trial, values: NDArray[np.float64], totals: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which leaves may lead to a better run: the way to them is not looked at yet."""
        if trial.bound is not None:
            better: NDArray[np.bool_] = totals < trial.bound
        elif self.bench.objective.minimise:
            better = values < trial.value
        else:
            better = values > trial.value
        return better

    def _confirm(self, trial: _Trial, leaf: int, runs: RunTable, row: int) -> Verdict:
        plan = (*trial.ahead.path(leaf), *runs.plan(row))
        reason = f"the policy does better from a state within {self.depth} steps"
        return self.confirm(trial.state, trial.value, plan, reason)

    def _without_bug(self, ahead: Lookahead) -> Verdict:
        if ahead.result.status in _PROOFS:
            return passed(_PROOFS[ahead.result.status])
        cut = "" if ahead.is_complete else f", cut short by the limit on {ahead.result.status}"
        return inconclusive(f"no better run within {self.depth} steps{cut}")


@dataclass(eq=False)
class _Trial:
    """A suspect with the states within the depth, and what has come out so far."""

    row: int
    state: StateArray
    value: float
    bound: int | None
    ahead: Lookahead
    order: NDArray[np.int64]
    """The leaves to try, cheap ones first."""
    verdict: Verdict | None = field(default=None)


def _depth(text: str) -> int:
    digits = text.strip().lstrip("0")
    is_short = digits.isdecimal() and len(digits) <= len(str(_MAX_DEPTH))
    if not is_short or int(digits) > _MAX_DEPTH:
        shown = text[:40]
        raise UsageError(f"the depth must be a whole number from 1 to {_MAX_DEPTH}, got {shown!r}")
    return int(digits)
