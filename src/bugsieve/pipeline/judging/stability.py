"""Asks a policy again before a bug counts: one that changes its answers has no proven bugs.

Every state on the run of a bug is asked about once more: those of a run in one batch, in reverse
order, past every cache, in a second process if the policy is a program. The first runs are asked
about some times more, and under another hash seed as well where the policy has one. Runs without
a bug are asked about in `determinism`, by the same askers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import getitem
from typing import Any, Protocol, cast

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import run_part
from bugsieve.pipeline.judging.findings import AnyBug, BugRow, Finding, UnstableRow
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.policies.asking import decide_anew, is_ours, legal_rows, weigh_anew
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.distributions import Weights, differ, probabilities
from bugsieve.policies.graph import PolicyGraph, source_of
from bugsieve.policies.limits import MAX_HASH_SEED
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import RunSource
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task

_SURE = 64
"""So many answers, the same ones again and again if need be, are wanted of a run at first, and
once the policy is known to change: short runs come out alike by luck."""
_WARY = 100
"""After so many questions without a change, each state once more is enough."""
_ORDERED_BUGS = 20
"""The bugs that are looked at under another hash seed."""
_ASKED_AT_THE_END = {
    ending.label: ending
    for ending in (
        Ending.NO_ACTION,
        Ending.ILLEGAL_ACTION,
        Ending.POLICY_CRASH,
        Ending.POLICY_HANG,
    )
}

Decided = int | Failure
Answer = Decided | Weights


@dataclass(frozen=True)
class Difference:
    """Two answers of a policy in one state."""

    row: int
    first: Answer
    second: Answer


class Asker:
    """Asks one policy of any kind again, and counts the questions."""

    def __init__(self, policy: Any, counter: CallCounter | None = None) -> None:
        self.calls = 0
        self._policy = policy
        self._counter = CallCounter() if counter is None else counter
        """Its budget is the one that the runs of the policy have, too."""
        self._is_exempt = is_ours(policy)
        self._has_changed = False
        self._settled: set[int] = set()
        """Hashes of states with the answer that was given twice: runs have many in common."""

    @property
    def hash_seed(self) -> int | None:
        """The policy's, if its answers may depend on one."""
        seed: int | None = getattr(self._policy, "hash_seed", None)
        return seed

    @property
    def is_exempt(self) -> bool:
        """Return true if the policy is not asked: our tests did so, or its runs are records."""
        return self._is_exempt

    def difference(
        self,
        states: Any,
        recorded: Sequence[Answer],
        read: Callable[[Any, int], Answer],
        *,
        hash_seed: int | None = None,
        ask: Callable[..., Any] = decide_anew,
    ) -> Difference | None:
        """The first state whose answer is another one; `read` takes answers out of decisions."""
        keys = [_key(state, answer) for state, answer in zip(states, recorded, strict=True)]
        settled = frozenset[int]() if self._has_changed else self._settled
        rows = [row for row in range(len(keys)) if keys[row] not in settled]
        if not rows:
            return None
        is_wary = hash_seed is None and (self._has_changed or self.calls < _WARY)
        asked = rows[::-1] * (self._affordable(-(-_SURE // len(rows)), rows) if is_wary else 1)
        changes = self.changes(
            states, recorded, asked, read, partial(ask, self._policy, hash_seed=hash_seed)
        )
        if not changes:
            self._settled.update(keys)
            return None
        row = min(changes)
        return Difference(row, recorded[row], changes[row])

    def changes(
        self,
        states: Any,
        recorded: Sequence[Answer],
        rows: Sequence[int],
        read: Callable[[Any, int], Answer],
        ask: Callable[[Any], Any],
    ) -> dict[int, Answer]:
        """Ask about some of the states, in this order; the answers that differ, by row."""
        self.claim(len(rows))
        decisions = ask(states[list(rows)])
        self._count(len(rows))
        answers = ((row, read(decisions, place)) for place, row in enumerate(rows))
        changes = {row: said for row, said in answers if not _is_same(recorded[row], said)}
        self._has_changed = self._has_changed or bool(changes)
        return changes

    @property
    def left(self) -> int | None:
        """The questions that the budget has left; None for no limit."""
        return self._counter.left

    def claim(self, calls: int) -> None:
        """Raise CallsSpent if the budget has not so many questions left."""
        self._counter.claim(calls)

    def _count(self, calls: int) -> None:
        self.calls += calls
        self._counter.again += calls

    def _affordable(self, times: int, rows: Sequence[int]) -> int:
        """Return how often to ask about these rows, at most so many times, by the budget.

        More than once only for a tenth of that. Once in any case: a claim of which the policy was
        not asked again is not a bug.
        """
        left = self.left
        return times if left is None else max(1, min(times, left // (10 * len(rows))))


def _key(state: Any, answer: Answer) -> int:
    said = answer.ending.label if isinstance(answer, Failure) else answer
    return hash((state.tobytes(), said))


def _is_same(first: Answer, second: Answer) -> bool:
    """Return true if both are one action, or failures of one kind: words of a crash may differ.

    Probabilities may, too, by what batches do to them.
    """
    if isinstance(first, tuple) and isinstance(second, tuple):
        return bool(first) == bool(second) and not differ(first, second)
    if not isinstance(first, Failure) or not isinstance(second, Failure):
        return first == second
    said_which = first.ending is Ending.ILLEGAL_ACTION and first.detail
    same_words = not said_which or first.detail == second.detail
    return first.ending is second.ending and same_words


class CostAsker(Asker):
    """Asks the policy of a bench about the runs of its bugs."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench.policy, bench.source.calls)
        self._is_exempt = self._is_exempt or bench.is_recorded
        self._bench = bench

    def check(self, case: int, bug: AnyBug, *, hash_seed: int | None = None) -> UnstableRow | None:
        """The answers in which the policy contradicts a bug's run; None if there are none."""
        if self.is_exempt:
            return None
        task, certificate = self._bench.task, bug.certificate
        run = certificate["run"]
        start = np.array(certificate["state"], dtype=np.uint16)
        states = path_states(task, start, run["operators"])
        weights = self._bench.objective.recorded_weights(certificate)
        if weights is not None:
            return self._check_weights(case, bug, states, weights, hash_seed)
        answers = recorded_answers(run)
        if isinstance(self._bench.source, PolicyGraph):
            asked = states[: len(answers)]
            found = self.difference(asked, answers, task_answer, hash_seed=hash_seed)
        else:
            found = self._other_runs(start, answers, hash_seed)
        if found is None:
            return None
        state = states[min(found.row, len(states) - 1)]
        return self.row(case, bug.id, found, found.row, state, hash_seed)

    def _check_weights(
        self,
        case: int,
        bug: AnyBug,
        run: StateArray,
        recorded: tuple[StateArray, Sequence[Weights | Failure]],
        hash_seed: int | None,
    ) -> UnstableRow | None:
        """The same for distributions: in all states of the proof, on the run and beside it."""
        states, answers = recorded
        found = self.difference(states, answers, getitem, hash_seed=hash_seed, ask=self._weights)
        if found is None:
            return None
        on_run = np.flatnonzero((run == states[found.row]).all(axis=1))
        position = int(on_run[0]) if len(on_run) else len(run)
        return self.row(case, bug.id, found, position, states[found.row], hash_seed)

    def _weights(
        self, policy: Policy, states: StateArray, *, hash_seed: int | None
    ) -> list[Weights | Failure]:
        answers = weigh_anew(policy, states, hash_seed=hash_seed)
        return legal_rows(self._bench.task, states, answers)

    def row(
        self,
        case: int,
        claim: str,
        found: Difference,
        position: int,
        state: StateArray,
        hash_seed: int | None,
    ) -> UnstableRow:
        """Make the row of a difference; `hash_seed` if it is seen under that one alone."""
        return UnstableRow(
            case,
            position,
            self.shown(state),
            self._said(found.first),
            self._said(found.second),
            claim,
            "" if hash_seed is None else f"--hash-seed {self.hash_seed}",
        )

    def other_run(
        self, start: StateArray, run: Mapping[str, Any], *, hash_seed: int | None = None
    ) -> Difference | None:
        """The first difference of a new run from a run of a source without a graph."""
        return self._another_run(start, recorded_answers(run), hash_seed)

    def _other_runs(
        self, start: StateArray, answers: Sequence[Answer], hash_seed: int | None
    ) -> Difference | None:
        """The policy looks at more than the state: its whole run is made anew, at first often."""
        is_wary = hash_seed is None and (self._has_changed or self.calls < _WARY)
        for _ in range(-(-_SURE // max(1, len(answers))) if is_wary else 1):
            found = self._another_run(start, answers, hash_seed)
            if found is not None:
                self._has_changed = True
                return found
        return None

    def _another_run(
        self, start: StateArray, answers: Sequence[Answer], hash_seed: int | None
    ) -> Difference | None:
        fresh = self._bench.afresh(_anew(hash_seed))
        run = run_part(self._bench, fresh.runs(start))
        again = recorded_answers(run)
        self._count(fresh.decisions_taken)
        ended: Answer = NO_ACTION
        longest = max(len(answers), len(again))
        rows = ((*item, *[ended] * (longest - len(item))) for item in (answers, again))
        for row, (first, second) in enumerate(zip(*rows, strict=True)):
            if not _is_same(first, second):
                return Difference(row, first, second)
        return None

    def shown(self, state: StateArray) -> str:
        """The facts of a state that can change, as JSON."""
        task = self._bench.task
        return json.dumps([fact for fact in task.facts(state) if fact not in task.static_facts])

    def _said(self, answer: Answer) -> str:
        return said(answer, self._bench.task.operator_names)


def _anew(hash_seed: int | None) -> Callable[[Task, Policy], RunSource]:
    """Runs past every cache, by a second process where the policy has one."""

    def source(task: Task, policy: Policy) -> RunSource:
        bring = getattr(policy, "run_source_anew", None)
        if bring is None:
            return source_of(task, policy)
        return cast("RunSource", bring(task, hash_seed=hash_seed))

    return source


def recorded_answers(run: Mapping[str, Any]) -> list[Decided]:
    """The answers that a run consists of; the last one may have ended it."""
    answers: list[Decided] = list(run["operators"])
    ending = _ASKED_AT_THE_END.get(run["ending"])
    if ending is Ending.NO_ACTION:
        return [*answers, NO_ACTION]
    if ending is None:
        return answers
    chosen = NO_ACTION if run["chosen"] is None else run["chosen"]
    return [*answers, Failure(ending, run["detail"]) if chosen == NO_ACTION else chosen]


def task_answer(decisions: Decisions, row: int) -> Answer:
    """Return the decision of a policy of a task in a row."""
    failure = decisions.failures.get(row)
    return int(decisions.actions[row]) if failure is None else failure


def said(answer: Answer, names: Sequence[str]) -> str:
    """An answer in words."""
    if isinstance(answer, Failure):
        return f"{answer.ending.label}: {answer.detail}" if answer.detail else answer.ending.label
    if isinstance(answer, tuple):
        parts = zip(answer, probabilities(answer), strict=True)
        return ", ".join(f"{names[action]} {p:.6g}" for (action, _), p in parts) or "no action"
    if 0 <= answer < len(names):
        return names[answer]
    return "no action" if answer == NO_ACTION else f"action {answer}, which there is not"


class AnyAsker(Protocol):
    """An asker for bugs of any kind."""

    calls: int

    @property
    def hash_seed(self) -> int | None:
        """The policy's, if its answers may depend on one."""
        ...

    def check(self, case: int, bug: Any, *, hash_seed: int | None = None) -> UnstableRow | None:
        """The answers in which the policy contradicts the run of a bug; None if there are none."""
        ...


class SetOrder:
    """Asks about the runs of a campaign's first bugs under another hash seed.

    One difference is enough: the campaign then knows that the order of sets matters. `bugs` are
    those found before; `is_known` if such a difference was.
    """

    def __init__(self, asker: AnyAsker, *, bugs: int = 0, is_known: bool = False) -> None:
        seed = None if is_known else asker.hash_seed
        self._seed = None if seed is None else (seed + 1) % (MAX_HASH_SEED + 1)
        self._asker = asker
        self._bugs = bugs

    @property
    def asked_again(self) -> int:
        """The number of questions that took."""
        return self._asker.calls

    def looked_at(self, finding: Finding) -> Finding:
        """The finding, with the difference if one of its bugs has the first."""
        for row in finding.bugs:
            found = self._difference(row)
            if found is not None:
                return replace(finding, unstable=(*finding.unstable, found))
        return finding

    def _difference(self, row: BugRow[Any]) -> UnstableRow | None:
        self._bugs += 1
        if self._seed is None or self._bugs > _ORDERED_BUGS:
            return None
        found = self._asker.check(row.case, row.bug, hash_seed=self._seed)
        self._seed = self._seed if found is None else None
        return found
