"""The figures of a measurement of cost testing."""

from __future__ import annotations

from bugsieve.campaigns.cost.bench import stored_options
from bugsieve.campaigns.cost.joint_measuring import judged_tests
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.pipeline.measuring.figures import Figures, figures_of
from bugsieve.pipeline.pool.sample import distribution


def cost_figures(records: CostRecords) -> Figures:
    """The figures of a measurement as it is now; of one problem alone if there are several."""
    options = stored_options(records.directory, records.header)
    return figures_of([shown for _, shown in judged_tests(records)], distribution(options.fuzz))
