"""The figures of a measurement of safety testing."""

from __future__ import annotations

import numpy as np

from bugsieve.pipeline.measuring.figures import FINE, UNDECIDED, Figures, SampledTest, figures_of
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.safety.oracles.analysis import RunVerdict
from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.safety.store.records import SafetyRecords
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome


def safety_figures(records: SafetyRecords) -> Figures:
    """The figures of a measurement as it is now."""
    source = str(records.directory)
    options = SafetyOptions.from_toml(records.header.options, name=source)
    return figures_of(_tests(records), _distribution(options.step_limit))


def run_class(row: RunVerdict) -> str:
    """The field of `RunCounts` that counts a run."""
    if row.faults:
        return "with_fault"
    return "unavoidable" if np.all(row.safety == Safety.LOST) else "inconclusive"


def _distribution(step_limit: int) -> str:
    return (
        "a test is one run of the policy from a start state, all start states equally likely and "
        f"all outcomes of an action; it ends in danger, or without a bug after {step_limit} steps "
        "at the latest"
    )


def _tests(records: SafetyRecords) -> list[SampledTest]:
    """The findings of each walk, in order."""
    walks, runs = records.walks(), records.runs()
    first = dict(zip(runs.walks.tolist(), runs.same_as.tolist(), strict=True))
    shown = _shown_by_runs(records)
    return [
        shown.get(first[walk], UNDECIDED) if walk in first else _without_danger(outcome)
        for walk, outcome in zip(walks.numbers.tolist(), walks.outcomes, strict=True)
    ]


def _without_danger(outcome: str) -> SampledTest:
    """The finding of a walk without danger: undecided if the policy itself has ended it."""
    return UNDECIDED if WalkOutcome(outcome).is_failure else FINE


def _shown_by_runs(records: SafetyRecords) -> dict[int, SampledTest]:
    """The findings of different unsafe runs, by the first walk of each."""
    causes = {member.id: member.cause.id for member in records.members_of_causes()}
    sightings = records.sightings()
    claims = {row.case for row in records.unproven()} | {row.case for row in records.rejected()}
    claims |= {row.case for row in records.unstable() if not row.cause}
    verdicts = [records.verdicts(oracle) for oracle in records.header.used_oracles]
    shown = {}
    for walk, first in verdicts[0].items():
        found = frozenset(causes[sighting.bug] for sighting in sightings.get(walk, ()))
        is_avoidable = all(run_class(said[walk]) != "unavoidable" for said in verdicts)
        is_open = walk in claims or bool(first.open_faults) or (not found and is_avoidable)
        shown[walk] = SampledTest(found, is_open)
    return shown
