"""One measurement over several problems: each test draws one, whose campaign makes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bugsieve.campaigns.cost.measuring import judged_tests
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.summary import Summary
from bugsieve.fuzzing.sample import ALL_MADE, Part, distribution
from bugsieve.measuring.figures import UNDECIDED, Figures, Shown, figures_of
from bugsieve.measuring.looks import looks
from bugsieve.results.cost.records import CostRecords
from bugsieve.results.schema import STORE_FILE


def rules_of_looks(rules: StopRules) -> Iterator[StopRules]:
    """What lets all campaigns go on to the next look, one look after the other."""
    for tests in looks(rules.most_tests):
        yield replace(rules, tests=tests, until_risk=None)


def has_made(tests: int, part: Summary) -> bool:
    """Whether a campaign has made all its tests up to this look."""
    return part.reason == ALL_MADE and part.walks >= tests


def part_of(options: CostOptions, number: int, problems: int) -> CostOptions:
    """The options of the campaign that makes the tests of a problem."""
    return replace(options, sample=str(Part(number, problems)))


def joint_figures(
    directory: Path, names: Sequence[str], failed: Collection[str], options: CostOptions
) -> Figures:
    """The figures of all tests together, as far as all that came before them are judged.

    Those that draw a problem which could not be tested are undecided.
    """
    shown: dict[int, Shown] = {}
    done = []
    for name in names:
        if (directory / name / STORE_FILE).exists():
            with CostRecords(directory / name) as records:
                tests = judged_tests(records)
                done.append(records.tests_done(len(tests)))
            shown.update(tests)
        elif name not in failed:
            done.append(0)
    count = min(done, default=0)
    made = [shown.get(number, UNDECIDED) for number in range(count)]
    return figures_of(made, distribution(options.fuzz, len(names)))
