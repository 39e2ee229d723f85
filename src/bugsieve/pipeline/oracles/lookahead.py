"""`lookahead:DEPTH`: a few steps of search, then the policy itself (Section 4.4, papers/000).

A state is a bug if a way to some state within the depth and the policy's run from there are
together better than its run from the state. Runs of all suspects are asked for in common batches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, inconclusive, passed
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.policies.run_table import NOT_WITHIN
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits, Lookahead, lookahead

DEFAULT_DEPTH = 2
_MAX_DEPTH = 1_000_000
_FIRST_WAVE = 16
_CELLS_AT_A_TIME = 1 << 24
"""Values of leaf states held at a time: 32 MiB."""

Rows = NDArray[np.int64]

_PROOFS = {"unsolvable": "the goal cannot be reached", "bound": "no plan is cheaper"}


class LookaheadOracle(Oracle):
    """A few steps of search, then the policy from every state they lead to."""

    usage = "lookahead[:DEPTH] (default 2)"
    examples = ("lookahead:1", "lookahead", "lookahead:3")

    def __init__(self, bench: Bench, spec: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(bench, spec, limits=limits)
        self.depth = _depth(spec.partition(":")[2] or str(DEFAULT_DEPTH))

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
        end = self._end(len(portion))
        self._try_all_cheaper([trial for trial in portion if trial.bound is not None], end)
        waiting = [trial for trial in portion if trial.bound is None]
        first, size = 0, _FIRST_WAVE
        while waiting and (not first or time.monotonic() < end):
            self._try(waiting, [trial.order[first : first + size] for trial in waiting])
            first, size = first + size, size if self._is_timed else 2 * size
            waiting = [t for t in waiting if t.verdict is None and first < len(t.order)]
        _cut(waiting)
        for trial in portion:
            verdict = trial.verdict or self._without_bug(trial)
            verdicts[trial.row] = replace(verdict, expanded=trial.ahead.result.expanded)

    @property
    def _is_timed(self) -> bool:
        return self.limits.seconds is not None

    def _end(self, trials: int) -> float:
        """The end of the time of so many suspects, on the clock of `time.monotonic()`."""
        seconds = self.limits.seconds
        return math.inf if seconds is None else time.monotonic() + trials * seconds

    def _try_all_cheaper(self, trials: Sequence[_Trial], end: float) -> None:
        """Try the leaves of all trials in one batch; under a time limit in small waves.

        The policy is not stopped in the middle of a question, so the clock counts between waves.
        """
        waiting, first = list(trials), 0
        size = _FIRST_WAVE if self._is_timed else max((len(t.order) for t in trials), default=0)
        while waiting and (not first or time.monotonic() < end):
            self._try_cheaper(waiting, [trial.order[first : first + size] for trial in waiting])
            first += size
            waiting = [trial for trial in waiting if first < len(trial.order)]
        _cut(waiting)

    def _try_cheaper(self, trials: Sequence[_Trial], leaves: Sequence[Rows]) -> None:
        """Run the policy from these leaves, until it costs too much (Section 5.1, papers/002).

        From a leaf s of t that is as soon as g(s) + c^π(s) ≥ c^π(t).
        """
        limits = [
            (trial.bound or 0) - trial.ahead.costs[rows]
            for trial, rows in zip(trials, leaves, strict=True)
        ]
        costs = self.bench.costs_within(_states(trials, leaves), np.concatenate(limits))
        for trial, rows, part in _parts(trials, leaves):
            own = costs[part]
            self._note_best(trial, rows, trial.ahead.costs[rows] + own, own != NOT_WITHIN)

    def _try(self, trials: Sequence[_Trial], leaves: Sequence[Rows]) -> None:
        """Run the policy from these leaves of each trial, to the end."""
        runs = self.bench.runs(_states(trials, leaves))
        values, solved = self.bench.values(runs), runs.solved
        for trial, rows, part in _parts(trials, leaves):
            # The way to a leaf is not looked at yet.
            minimise = self.bench.objective.minimise
            better = values[part] < trial.value if minimise else values[part] > trial.value
            totals = trial.ahead.costs[rows] + runs.costs[part]
            self._note_best(trial, rows, totals, solved[part] & better)

    def _note_best(self, trial: _Trial, rows: Rows, totals: Rows, wins: NDArray[np.bool_]) -> None:
        """Note the best bug among the leaves that may win, if no earlier one was as good."""
        candidates = (wins & (totals < trial.total)).nonzero()[0]
        # Cheapest first: the first that is confirmed is the best of them. Some may be refused,
        # as the objective has not seen the way to the leaf yet.
        for winner in candidates[np.argsort(totals[candidates], kind="stable")]:
            verdict = self._confirm(trial, int(rows[winner]))
            if verdict.is_bug:
                trial.verdict, trial.total = verdict, float(totals[winner])
                break

    def _confirm(self, trial: _Trial, leaf: int) -> Verdict:
        rest = self.bench.runs(trial.ahead.states[leaf]).plan(0)
        reason = f"the policy does better from a state within {self.depth} steps"
        return self.confirm(trial.state, trial.value, (*trial.ahead.path(leaf), *rest), reason)

    def _without_bug(self, trial: _Trial) -> Verdict:
        ahead = trial.ahead
        # The search knows this by itself: where it meets the goal, it has another status.
        if ahead.result.status in _PROOFS:
            return passed(_PROOFS[ahead.result.status])
        limit = "seconds" if trial.is_cut else ahead.result.status
        is_whole = ahead.is_complete and not trial.is_cut
        cut = "" if is_whole else f", cut short by the limit on {limit}"
        return inconclusive(f"no better run within {self.depth} steps{cut}")


@dataclass(eq=False)
class _Trial:
    """A suspect with the states within the depth, and what has come out so far."""

    row: int
    state: StateArray
    value: float
    bound: int | None
    ahead: Lookahead
    order: Rows
    """The leaves to try, cheap ones first."""
    verdict: Verdict | None = field(default=None)
    total: float = math.inf
    """The cost of the better run, if there is a verdict."""
    is_cut: bool = False
    """True if leaves were left out, as the time was over."""


def _cut(trials: Sequence[_Trial]) -> None:
    for trial in trials:
        trial.is_cut = True


def _states(trials: Sequence[_Trial], leaves: Sequence[Rows]) -> StateArray:
    """The leaves of all trials in one batch."""
    states = [trial.ahead.states[rows] for trial, rows in zip(trials, leaves, strict=True)]
    return np.concatenate(states)


def _parts(
    trials: Sequence[_Trial], leaves: Sequence[Rows]
) -> Iterator[tuple[_Trial, Rows, slice]]:
    """Each trial with its leaves, and where they are in the batch."""
    first = 0
    for trial, rows in zip(trials, leaves, strict=True):
        yield trial, rows, slice(first, first + len(rows))
        first += len(rows)


def _depth(text: str) -> int:
    digits = text.strip().lstrip("0")
    is_short = digits.isdecimal() and len(digits) <= len(str(_MAX_DEPTH))
    if not is_short or int(digits) > _MAX_DEPTH:
        shown = text[:40]
        raise UsageError(f"the depth must be a whole number from 1 to {_MAX_DEPTH}, got {shown!r}")
    return int(digits)
