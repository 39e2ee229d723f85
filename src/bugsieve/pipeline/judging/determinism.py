"""The determinism check: asks a policy again about runs without a bug, before that is believed.

Claims of bugs are asked about in `stability`. What passes is asked about here, when the work of a
session is done: on a sample of the runs, or in every state where all are tested. Each state is
asked about in a second process, under another hash seed and in another order; then the process
that has answered so far is asked some more. A policy that changes one answer in a hundred is so
found out in 999 of 1000 campaigns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, cycle, islice
from operator import getitem
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import Stopped
from bugsieve.base.wording import counted
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import run_part
from bugsieve.pipeline.judging.findings import MOST_CHANGES_KEPT, DeterminismCheck, UnstableRow
from bugsieve.pipeline.judging.stability import (
    Answer,
    Asker,
    CostAsker,
    Difference,
    SafetyAsker,
    task_answer,
)
from bugsieve.policies.asking import decide, decide_anew, weigh, weigh_anew
from bugsieve.policies.built_in.searching import SearchingPolicy
from bugsieve.policies.call_counter import CallsSpent
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.worker import MAX_HASH_SEED
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.stochastic.graph import legal_rows
from bugsieve.rooms.stochastic.runs import ChanceRuns
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray

FEWEST_RUNS = 50
SHARE = 10
"""So many runs are asked about, or one in so many calls, whichever is more."""

_ANSWERS = 700
"""At least so many, the same ones again if need be: 0.99 ** 700 is below one in a thousand."""
_OF_FIRST_PROCESS = 64
"""At least so many come from the process that has answered before."""
_SECONDS = 5.0
"""More than one answer for each state is wanted only as far as it takes no longer."""
_BATCHES = (1, 8, 64)
"""The first batches; all later ones have the last size, so that little is lost at a deadline."""
_TRIALS = 8
"""So many answers must be the same before a change is put down to the order of sets."""

OUT_OF_TIME, OUT_OF_CALLS = "--max-time", "--max-calls"


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """The cases of a campaign, with what is known of the policy's run from each."""

    numbers: Sequence[int]
    states: StateArray
    ends: Sequence[tuple[int, int, int]]
    """The ending, the steps and the cost of each run."""

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(eq=False)
class _Tally:
    """The answers so far; a limit may end the asking at any batch."""

    wanted: int = 0
    asked: set[int] = field(default_factory=set)
    changes: dict[int, Answer] = field(default_factory=dict)
    """The answers that differ, by the row of their state."""
    later: set[int] = field(default_factory=set)
    """The rows of those that came after one answer for each state."""
    cut: str = ""

    def note(self, rows: Sequence[int], changes: dict[int, Answer]) -> None:
        """Keep the first change of each row."""
        self.asked.update(rows)
        self.changes = {**changes, **self.changes}


class _Way(Protocol):
    """Asks a policy about states, in one of its processes."""

    def __call__(self, states: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class _Questions:
    """States with the answers that are known, and the ways to ask about them."""

    asker: Asker
    states: Any
    answers: Sequence[Answer]
    read: Callable[[Any, int], Answer]
    anew: Callable[[int | None], _Way]
    """Past every cache, in a second process, under the hash seed if one is given."""
    as_before: _Way | None = None
    """By the process that has given the answers, where that can be asked past caches."""

    def ask(self, order: Sequence[int], tally: _Tally) -> None:
        """Ask about all rows in this order, then again as often as it is wanted."""
        tally.wanted = len(order)
        asked = order[: self.asker.left]
        tally.cut = OUT_OF_CALLS if len(asked) < len(order) else ""
        anew = self.anew(_another(self.asker.hash_seed))
        each = math.inf  # the least time: the first answer may take the start of a process
        for rows in _batches(iter(asked)):
            start = time.monotonic()
            tally.note(rows, self._changes(rows, anew))
            each = min(each, (time.monotonic() - start) / len(rows))
        again = islice(cycle(asked), _repeats(len(asked), each))
        with suppress(Stopped):  # all that was wanted in any case is done
            for rows in _batches(islice(again, self.asker.left)):
                found = self._changes(rows, self.as_before or anew)
                tally.later.update(found)
                tally.note(rows, found)

    def by_sets(self, order: Sequence[int], tally: _Tally) -> set[int]:
        """The rows in which the hash seed alone decides which of two answers is given.

        A process under the usual seed, asked in the same order, must answer as before, and the
        one under the other seed must repeat itself.
        """
        seed = self.asker.hash_seed
        if seed is None or not tally.changes:
            return set()
        if not tally.later.isdisjoint(tally.changes) or self._changes(order, self.anew(None)):
            return set()
        said = [tally.changes.get(row, answer) for row, answer in enumerate(self.answers)]
        trials = [row for row in sorted(tally.changes) for _ in range(_TRIALS)]
        return tally.changes.keys() - self._changes(trials, self.anew(_another(seed)), said).keys()

    def _changes(
        self, rows: Sequence[int], way: _Way, known: Sequence[Answer] | None = None
    ) -> dict[int, Answer]:
        recorded = self.answers if known is None else known
        return self.asker.changes(self.states, recorded, rows, self.read, way)


def _another(seed: int | None) -> int | None:
    return None if seed is None else (seed + 1) % (MAX_HASH_SEED + 1)


def _repeats(states: int, each: float) -> int:
    """The number of answers wanted beside one for each state, by the seconds that one takes."""
    if not states:
        return 0
    wanted = max(_ANSWERS - states, _OF_FIRST_PROCESS)
    return min(wanted, int(_SECONDS / max(each, 1e-9)))


def _batches(rows: Iterator[int]) -> Iterator[list[int]]:
    for size in chain(_BATCHES, cycle(_BATCHES[-1:])):
        batch = list(islice(rows, size))
        if not batch:
            return
        yield batch


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
    def calls_of_runs(self) -> int:
        """Calls by which the runs of the sample were made again, where they were forgotten."""
        return self._bench.decisions_taken - self._calls_before

    def check(self, judged: JudgedRuns, *, calls: int, everywhere: bool) -> DeterminismCheck:
        """Ask again about a sample of the runs, by what `calls` they took; or in all states."""
        order = self._order(len(judged))
        tally = _Tally(wanted=1)
        try:
            if isinstance(self._bench.source, (PolicyGraph, ChanceRuns)):
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
        self, judged: JudgedRuns, order: list[int], calls: int, everywhere: bool, tally: _Tally
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
            # Where all states are cases, each of them is the first of its run.
            met += [table.ids] if everywhere else table.paths
            known = np.unique(np.concatenate(met))
            if not everywhere and len(known) * SHARE >= calls:
                break
        if not order:
            return judged.states[:0], ()
        states, answers = source.answered(known)
        # Where no answer came in time, asking again costs that time again and says nothing.
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

    def _questions(self, states: StateArray, answers: Sequence[Answer]) -> _Questions:
        policy, task = self._bench.policy, self._bench.task
        if not isinstance(self._bench.source, ChanceRuns):
            return _Questions(
                self._asker,
                states,
                answers,
                task_answer,
                lambda seed: partial(decide_anew, policy, hash_seed=seed),
                partial(decide, policy),
            )
        # Of a policy that draws its actions the distribution is the answer.
        return _Questions(
            self._asker,
            states,
            answers,
            getitem,
            lambda seed: (
                lambda asked: legal_rows(task, asked, weigh_anew(policy, asked, hash_seed=seed))
            ),
            lambda asked: legal_rows(task, asked, weigh(policy, asked)),
        )

    def _tell(self, questions: _Questions, order: Sequence[int], tally: _Tally) -> None:
        by_sets: set[int] = set()
        with suppress(Stopped):  # then it is told as any other change
            by_sets = questions.by_sets(order, tally)
        for row, second in sorted(tally.changes.items()):
            found = Difference(row, questions.answers[row], second)
            seed = self._asker.hash_seed if row in by_sets else None
            self._rows.append(self._asker.row(0, "", found, 0, questions.states[row], seed))

    def _ask_runs(self, judged: JudgedRuns, order: list[int], tally: _Tally) -> None:
        """Make runs of a policy that looks at more than the state once more."""
        tally.wanted = len(order)
        seed = _another(self._asker.hash_seed)
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


class SafetyDeterminism:
    """Asks the policy of a model again, in states in which this session has asked it."""

    def __init__(self, policy: ModelPolicy, seed: int = 0) -> None:
        self._policy = policy
        self._asker = SafetyAsker(policy)
        self._stream = Stream(seed, "determinism check")

    @property
    def is_exempt(self) -> bool:
        """Return true if there is no need to ask, as above."""
        return self._asker.is_exempt

    def check(
        self, walks: int, *, steps: int, calls: int, everywhere: bool = False
    ) -> DeterminismCheck:
        """Ask again about a sample; `steps` and `calls` are those of all the walks.

        Everywhere where all that the policy can come to was explored: a proof rests on that.
        """
        states, actions = self._policy.given()
        rows = list(range(len(states)))
        self._stream.shuffle(rows)
        most = (
            len(rows)
            if everywhere
            else max(FEWEST_RUNS * -(-steps // max(1, walks)), -(-calls // SHARE))
        )
        tally = _Tally()
        answers: list[Answer] = np.maximum(actions, NO_ACTION).tolist()
        questions = _Questions(self._asker, states, answers, _action_of, self._anew)
        try:
            questions.ask(rows[:most], tally)
        except Stopped:
            tally.cut = OUT_OF_TIME
        return DeterminismCheck(
            cases=walks,
            states=len(tally.asked),
            wanted=tally.wanted,
            calls=self._asker.calls,
            differing=len(tally.changes),
            rows=tuple(self._told(questions, tally)),
            cut=tally.cut,
        )

    def _anew(self, seed: int | None) -> _Way:
        return partial(decide_anew, self._policy, hash_seed=seed)  # type: ignore[arg-type]

    def _told(self, questions: _Questions, tally: _Tally) -> Iterator[UnstableRow]:
        for row, second in islice(sorted(tally.changes.items()), MOST_CHANGES_KEPT):
            found = Difference(row, questions.answers[row], second)
            yield self._asker.row(questions.states[row], found)


def _is_hang(answer: Answer) -> bool:
    return isinstance(answer, Failure) and (answer.excused or answer.ending is Ending.POLICY_HANG)


def _action_of(decisions: Decisions, row: int) -> int:
    """A failure ends a run of a model as no action does."""
    return max(int(decisions.actions[row]), NO_ACTION)


def _run_in_words(end: tuple[int, int, int]) -> str:
    ending, steps, cost = end
    return f"{Ending(ending).label} after {counted(steps, 'step')} of cost {cost}"
