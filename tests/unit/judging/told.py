"""Cases as ledgers tell learning oracles of them."""

from __future__ import annotations

import numpy as np

from bugsieve.benches.bench import Bench
from bugsieve.bugs.cost.certificate import run_part
from bugsieve.oracles.learning import KnownCase
from bugsieve.tasks.fdr.task import StateArray


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
