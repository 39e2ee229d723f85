"""The determinism check: asks a policy again about runs without a bug, before that is believed.

Claims of bugs are asked about in `stability`. What passes is asked about here, when the work of a
session is done: on a sample of the runs, or in every state where all are tested. Each state is
asked about in a second process, under another hash seed and in another order; then the process
that has answered so far is asked some more. A policy that changes one answer in a hundred is so
found out in 999 of 1000 campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import Stopped
from bugsieve.base.wording import counted
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import run_part
from bugsieve.pipeline.judging.findings import MOST_CHANGES_KEPT, DeterminismCheck, UnstableRow
from bugsieve.pipeline.judging.questions import (
    FEWEST_RUNS,
    OUT_OF_CALLS,
    OUT_OF_TIME,
    SHARE,
    Questions,
    Tally,
    another_seed,
)
from bugsieve.pipeline.judging.stability import Answer, CostAsker, Difference, task_answer
from bugsieve.policies.asking import decide, decide_anew, legal_rows, weigh, weigh_anew
from bugsieve.policies.built_in.searching import SearchingPolicy
from bugsieve.policies.call_counter import CallsSpent
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.graph import PolicyGraph
from bugsieve.tasks.grounded.task import StateArray


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """The cases of a campaign, with what is known of the policy's run from each."""

    numbers: Sequence[int]
    states: StateArray
    ends: Sequence[tuple[int, int, int]]
    """The ending, the steps and the cost of each run."""

    def __len__(self) -> int:
        return len(self.numbers)


class CostDeterminism:
    """Asks the policy of a bench again; `seed` draws the sample and the order."""

    def __init__(self, bench: Bench, seed: int = 0) -> None:
        self._bench = bench
        self._asker = CostAsker(bench)
        self._stream = Stream(seed, "determinism check")
        self._rows: list[UnstableRow] = []
        self._calls_before = bench.decisions_taken

    @property
    def is_exempt(self) -> bool:
        """Return true if there is no need to ask.

        Our own members are functions of the state that our tests have proven equal in every
        batch, process and order; those that keep plans remember each answer they have given, and
        another order may bring other plans, which are as good. Runs that were taken over are
        records of answers.
        """
        policy = self._bench.policy
        keeps_plans = isinstance(policy, SearchingPolicy) and policy.keeps_plans
        return self._asker.is_exempt or keeps_plans

    @property
    def _has_distributions(self) -> bool:
        return getattr(self._bench.source, "gives_distributions", False)

    @property
    def calls_of_runs(self) -> int:
        """Calls by which the runs of the sample were made again, where they were forgotten."""
        return self._bench.decisions_taken - self._calls_before

    def check(self, judged: JudgedRuns, *, calls: int, everywhere: bool) -> DeterminismCheck:
        """Ask again about a sample of the runs, by what `calls` they took; or in all states."""
        order = self._order(len(judged))
        tally = Tally(wanted=1)
        try:
            if isinstance(self._bench.source, PolicyGraph) or self._has_distributions:
                self._ask_states(judged, order, calls, everywhere, tally)
            else:
                self._ask_runs(judged, order if everywhere else order[:FEWEST_RUNS], tally)
        except CallsSpent:
            tally.cut = OUT_OF_CALLS
        except Stopped:
            tally.cut = OUT_OF_TIME
        return DeterminismCheck(
            cases=len(judged),
            states=len(tally.asked),
            wanted=max(tally.wanted, len(tally.asked)),
            calls=self._asker.calls + self.calls_of_runs,
            differing=len({row.state for row in self._rows}),
            rows=tuple(self._rows[:MOST_CHANGES_KEPT]),
            cut=tally.cut,
        )

    def _order(self, count: int) -> list[int]:
        """The first case, the last, then the others as they are drawn."""
        rest = list(range(1, count - 1))
        self._stream.shuffle(rest)
        return [*dict.fromkeys([0, count - 1]), *rest] if count else []

    def _ask_states(
        self, judged: JudgedRuns, order: list[int], calls: int, everywhere: bool, tally: Tally
    ) -> None:
        states, answers = self._sampled(judged, order, calls, everywhere)
        rows = list(range(len(states)))
        self._stream.shuffle(rows)
        questions = self._questions(states, answers)
        try:
            questions.ask(rows, tally)
        finally:
            self._tell(questions, rows, tally)

    def _sampled(
        self, judged: JudgedRuns, order: list[int], calls: int, everywhere: bool
    ) -> tuple[StateArray, Sequence[Answer]]:
        """The states of the runs of the sample in which the policy was asked, each once."""
        source: Any = self._bench.source
        met: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
        size = len(order) if everywhere else FEWEST_RUNS
        for low in range(0, len(order), max(1, size)):
            rows = order[low : low + size]
            table = self._bench.runs(judged.states[rows])
            self._compare(judged, rows, table)
            # If all states are cases, each of them is the first of its run.
            met += [table.ids] if everywhere else table.paths
            known = np.unique(np.concatenate(met))
            if not everywhere and len(known) * SHARE >= calls:
                break
        if not order:
            return judged.states[:0], ()
        states, answers = source.answered(known)
        # If no answer came in time, asking again costs that time again and says nothing.
        kept = [row for row, answer in enumerate(answers) if not _is_hang(answer)]
        return states[kept], [answers[row] for row in kept]

    def _compare(self, judged: JudgedRuns, rows: Sequence[int], table: Any) -> None:
        """Note runs that end otherwise than when they were judged."""
        now = zip(table.endings.tolist(), table.steps.tolist(), table.costs.tolist(), strict=True)
        for row, end in zip(rows, now, strict=True):
            if end != judged.ends[row]:
                first, second = map(_run_in_words, (judged.ends[row], end))
                state = self._asker.shown(judged.states[row])
                self._rows.append(UnstableRow(judged.numbers[row], 0, state, first, second))

    def _questions(self, states: StateArray, answers: Sequence[Answer]) -> Questions:
        policy, task = self._bench.policy, self._bench.task
        if not self._has_distributions:
            return Questions(
                self._asker,
                states,
                answers,
                task_answer,
                lambda seed: partial(decide_anew, policy, hash_seed=seed),
                partial(decide, policy),
            )
        # Of a policy that draws its actions the distribution is the answer.
        return Questions(
            self._asker,
            states,
            answers,
            getitem,
            lambda seed: (
                lambda asked: legal_rows(task, asked, weigh_anew(policy, asked, hash_seed=seed))
            ),
            lambda asked: legal_rows(task, asked, weigh(policy, asked)),
        )

    def _tell(self, questions: Questions, order: Sequence[int], tally: Tally) -> None:
        by_sets: set[int] = set()
        with suppress(Stopped):  # then it is told as any other change
            by_sets = questions.by_sets(order, tally)
        for row, second in sorted(tally.changes.items()):
            found = Difference(row, questions.answers[row], second)
            seed = self._asker.hash_seed if row in by_sets else None
            self._rows.append(self._asker.row(0, "", found, 0, questions.states[row], seed))

    def _ask_runs(self, judged: JudgedRuns, order: list[int], tally: Tally) -> None:
        """Make runs of a policy that looks at more than the state once more."""
        tally.wanted = len(order)
        seed = another_seed(self._asker.hash_seed)
        for row in order:
            table = self._bench.runs(judged.states[row])
            self._compare(judged, [row], table)
            run = run_part(self._bench, table)
            self._asker.claim(1)
            found = self._asker.other_run(judged.states[row], run, hash_seed=seed)
            tally.asked.add(row)
            if found is not None:
                where = self._bench.source.states(table.paths[0])
                state = where[min(found.row, len(where) - 1)]
                number = judged.numbers[row]
                self._rows.append(self._asker.row(number, "", found, found.row, state, None))


def _is_hang(answer: Answer) -> bool:
    return isinstance(answer, Failure) and (answer.excused or answer.ending is Ending.POLICY_HANG)


def _run_in_words(end: tuple[int, int, int]) -> str:
    ending, steps, cost = end
    return f"{Ending(ending).label} after {counted(steps, 'step')} of cost {cost}"
