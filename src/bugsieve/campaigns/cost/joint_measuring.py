"""Tests of campaigns as parts of one measurement, which may be over several problems.

Each test draws a problem, whose campaign makes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from bugsieve.base.errors import BugsieveError
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.summary import Summary
from bugsieve.pipeline.measuring.figures import UNDECIDED, Figures, SampledTest, figures_of
from bugsieve.pipeline.measuring.looks import looks
from bugsieve.pipeline.pool.sample import ALL_MADE, SampleShare, distribution, drawn_problems

_AT_ONCE = 1000


def judged_tests(records: CostRecords) -> list[tuple[int, SampledTest]]:
    """What tests have shown, by their numbers in the measurement.

    The last one is left out as long as a search that it waits for has not been made.
    """
    tests = records.tests()
    name = str(records.directory)
    levels = CostOptions.from_toml(records.header.options, name=name).levels
    waits = any(last.is_open and last.effort < len(levels) for last in records.outlays()[-1:])
    return tests[:-1] if waits else tests


def rules_of_looks(rules: StopRules) -> Iterator[StopRules]:
    """What lets all campaigns go on to the next look, one look after the other."""
    for tests in looks(rules.most_tests):
        yield replace(rules, tests=tests, until_risk=None)


def has_made(tests: int, part: Summary) -> bool:
    """Whether a campaign has made all its tests up to this look."""
    return part.reason == ALL_MADE and part.walks >= tests


def part_of(options: CostOptions, number: int, problems: int) -> CostOptions:
    """The options of the campaign that makes the tests of a problem."""
    return replace(options, sample=str(SampleShare(number, problems)))


def joint_figures(
    directory: Path, names: Sequence[str], failed: Collection[str], options: CostOptions
) -> Figures:
    """The figures of all tests together, as far as all that came before them are judged.

    Those that draw a problem which could not be tested are undecided; a store that cannot be read
    ends what is known.
    """
    shown: dict[int, SampledTest] = {}
    lost = {problem for problem, name in enumerate(names) if name in failed}
    for problem, name in enumerate(names):
        if problem not in lost and (directory / name / STORE_FILE).exists():
            with suppress(BugsieveError), CostRecords(directory / name) as records:
                shown.update(judged_tests(records))
    made = _in_order(shown, lost, options.fuzz.seed, len(names)) if shown else []
    return figures_of(made, distribution(options.fuzz, len(names)))


def _in_order(
    shown: Mapping[int, SampledTest], lost: set[int], seed: int, problems: int
) -> list[SampledTest]:
    """What tests have shown up to the first that is neither judged nor of a lost problem."""
    made: list[SampledTest] = []
    while True:
        numbers = np.arange(len(made), len(made) + _AT_ONCE)
        for problem in drawn_problems(seed, numbers, problems).tolist():
            if len(made) not in shown and problem not in lost:
                return made
            made.append(shown.get(len(made), UNDECIDED))
