"""Cases as ledgers tell learning oracles of them, and what these say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import run_part
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle
from bugsieve.tasks.grounded.task import StateArray


def known_cases(bench: Bench, states: StateArray) -> list[KnownCase]:
    """The states with the policy's runs, numbered from 0."""
    suspects = bench.suspects(states)
    return [
        KnownCase(
            number,
            states[number],
            float(suspects.values[number]),
            run_part(bench, suspects.runs.rows(np.array([number]))),
        )
        for number in range(len(states))
    ]


def last_words(oracle: LearningOracle, cases: Iterable[KnownCase]) -> dict[int, Verdict]:
    """The best of all that an oracle says of each case, its revisions included."""
    said: dict[int, Verdict] = {}
    for case in cases:
        learnt = oracle.learn(case)
        words = [(case.number, learnt.verdict)]
        words += [(revision.case, revision.verdict) for revision in learnt.revisions]
        for number, verdict in words:
            known = said.get(number)
            if known is None or _strength(verdict) >= _strength(known):
                said[number] = verdict
    return said


def _strength(verdict: Verdict) -> tuple[int, float]:
    order = (Outcome.INCONCLUSIVE, Outcome.PASS, Outcome.IMPLIED, Outcome.BUG)
    return order.index(verdict.outcome), verdict.gap


def bugs(said: Mapping[int, Verdict]) -> set[int]:
    """The cases that are proven to be bugs."""
    return {number for number, verdict in said.items() if verdict.is_bug}
