"""The figures of a measurement of cost testing."""

from __future__ import annotations

from bugsieve.campaigns.cost.bench import plan_of, stored_options
from bugsieve.fuzzing.sample import distribution
from bugsieve.measuring.figures import Figures, Shown, figures_of
from bugsieve.results.cost.records import CostRecords


def cost_figures(records: CostRecords) -> Figures:
    """The figures of a measurement as it is now."""
    options = stored_options(records.directory, records.header)
    tests = [shown for _, shown in judged_tests(records)]
    return figures_of(tests, distribution(options.fuzz))


def judged_tests(records: CostRecords) -> list[tuple[int, Shown]]:
    """What tests have shown, by their numbers in the measurement.

    The last one is left out as long as a search that it waits for has not been made.
    """
    tests = records.tests()
    levels = plan_of(stored_options(records.directory, records.header)).escalation
    waits = any(last.is_open and last.effort < len(levels) for last in records.outlays()[-1:])
    return tests[:-1] if waits else tests
