"""Asks the policy of a model again about walks without a bug, before that is believed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np

from bugsieve.base.seeds import Stream
from bugsieve.base.stopping import Stopped
from bugsieve.pipeline.judging.findings import MOST_CHANGES_KEPT, DeterminismCheck, UnstableRow
from bugsieve.pipeline.judging.questions import (
    FEWEST_RUNS,
    OUT_OF_TIME,
    SHARE,
    Questions,
    Tally,
    Way,
)
from bugsieve.pipeline.judging.stability import Answer, Difference
from bugsieve.policies.asking import decide_anew
from bugsieve.policies.decisions import Decisions
from bugsieve.rooms.jani.policies.policy import ModelPolicy
from bugsieve.rooms.safety.walks.stability import SafetyAsker
from bugsieve.tasks.grounded.task import NO_ACTION


class SafetyDeterminism:
    """Asks the policy of a model again, in states in which this session has asked it."""

    def __init__(self, policy: ModelPolicy, seed: int = 0) -> None:
        self._policy = policy
        self._asker = SafetyAsker(policy)
        self._stream = Stream(seed, "determinism check")

    @property
    def is_exempt(self) -> bool:
        """Return true if there is no need to ask, by our own tests."""
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
        tally = Tally()
        answers: list[Answer] = np.maximum(actions, NO_ACTION).tolist()
        questions = Questions(self._asker, states, answers, _action_of, self._anew)
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

    def _anew(self, seed: int | None) -> Way:
        return partial(decide_anew, self._policy, hash_seed=seed)  # type: ignore[arg-type]

    def _told(self, questions: Questions, tally: Tally) -> Iterator[UnstableRow]:
        for row, second in islice(sorted(tally.changes.items()), MOST_CHANGES_KEPT):
            found = Difference(row, questions.answers[row], second)
            yield self._asker.row(questions.states[row], found)


def _action_of(decisions: Decisions, row: int) -> int:
    """A failure ends a run of a model as no action does."""
    return max(int(decisions.actions[row]), NO_ACTION)
