"""Tells when the walks of a safety campaign were all alike, so that more of them add nothing."""

from __future__ import annotations

from enum import Enum

from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.campaign.summary import SafetySummary
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome

_STARTS = 1000
"""With two start states, so many draws show both."""


class Sameness(Enum):
    """Common features of several walks."""

    NONE = "they differ"
    ONE_RUN = "all of them are one run"
    ALIKE = "they have the same start, ending and number of steps: most likely one run"


def sameness_of(records: SafetyRecords, summary: SafetySummary) -> Sameness:
    """The common features of all walks; the states of unsafe runs alone are stored."""
    if summary.walks < 2 or len(summary.outcomes) != 1:
        return Sameness.NONE
    if summary.runs:
        return Sameness.ONE_RUN if summary.different_runs == 1 else Sameness.NONE
    if WalkOutcome.STEP_LIMIT.value in summary.outcomes:
        return Sameness.NONE  # the limit alone makes their lengths equal
    least, most = records.walk_steps()
    is_alike = least == most and _has_one_start(records, summary.walks)
    return Sameness.ALIKE if is_alike else Sameness.NONE


def _has_one_start(records: SafetyRecords, walks: int) -> bool:
    options = SafetyOptions.from_toml(records.header.options, name=str(records.directory))
    model = records.header.subject.load(source=str(records.directory))
    sampler = StartSampler(model, options.fuzz.seed)
    starts = sampler.sample(range(min(walks, _STARTS)))
    return bool((starts == starts[0]).all())
