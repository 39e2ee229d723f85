"""A measurement of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.arguments import texts
from bugsieve.campaigns.measured import measured_lines
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.campaigns.python_calls.find import find_with, policy_text, tasks_of
from bugsieve.campaigns.samplers import SAMPLERS
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.measuring.figures import Figures, Risk, Share
from bugsieve.pipeline.pool.options import DEFAULT_WALK_LENGTH
from bugsieve.pipeline.pool.sample import ALL_TESTS, sampling

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Measurement:
    """What a measurement has come to; printed, the verdict and the two figures in words."""

    share: Share | None
    """Of tests with a bug: `low`, `high` and the counts; None before the first look."""
    risk: Risk | None
    """That one more test shows a cause not seen before: `limit` and `estimate`; None likewise."""
    causes: Mapping[str, int]
    """How many tests show each cause, by its id, those of most tests first."""
    figures: Figures = field(repr=False)
    """All looks, and how tests are drawn."""
    bugs: Bugs[Any] = field(repr=False)
    """What was proven, as `find_bugs` gives it: one bug for each state, or decision."""

    def __str__(self) -> str:
        """The lines that the command prints first."""
        summary = self.bugs.summary
        return "\n".join([summary.verdict.sentence, *measured_lines(summary, self.figures)])


def measure(
    task: Any,
    policy: Any,
    *,
    tests: int = 1600,
    until_risk: float | None = None,
    folder: AnyPath | None = None,
    objective: str = "quantitative",
    oracles: str | Sequence[str] = (),
    walk_length: int = DEFAULT_WALK_LENGTH,
    seed: int = 0,
    max_time: float | None = None,
) -> Measurement:
    """The share of tests with a bug, and the risk of a new cause, with limits that hold.

    `task` and `policy` are what `find_bugs` takes, or a model and what `find_safety_bugs` takes;
    `objective` and `walk_length` are for tasks. Tests are drawn by `seed` and their numbers alone.
    """
    settings: dict[str, Any] = {
        "policy_seed": seed,
        "oracles": texts(oracles, "oracles"),
        "sample": str(ALL_TESTS),
        "stop": StopRules(max_time=max_time, tests=tests, until_risk=until_risk),
    }
    found: Bugs[Any]
    sampler = next((one for one in SAMPLERS.values() if one.takes(task)), None)
    if sampler is not None:
        found = sampler.find(task, policy, folder, settings)
    else:
        fuzz = sampling(walk_length=walk_length, seed=seed)
        options = CostOptions(
            task=(), policy=policy_text(policy), fuzz=fuzz, objective=objective, **settings
        )
        found = find_with(options, tasks_of(task), policy, folder=folder)
    figures = found.summary.measured
    assert figures is not None
    return Measurement(figures.share, figures.risk, figures.causes, figures, found)
