"""What a safety campaign found, without the times it took: equal for equal campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bugsieve.rooms.safety.oracles.analysis import RunVerdict
from bugsieve.rooms.safety.store.records import SafetyRecords


def contents(directory: Path) -> dict[str, Any]:
    """Every record of the campaign that must not depend on the machine or on interruptions."""
    with SafetyRecords(directory) as records:
        walks, runs, progress = records.walks(), records.runs(), records.progress()
        return {
            "walks": [walks.numbers.tolist(), walks.outcomes, walks.steps.tolist()],
            "runs": [runs.walks.tolist(), runs.same_as.tolist(), runs.steps.tolist()],
            "states": [records.run(walk).states.tolist() for walk in runs.walks.tolist()],
            "actions": [records.run(walk).actions.tolist() for walk in runs.walks.tolist()],
            "verdicts": [
                [(walk, *verdict(row)) for walk, row in records.verdicts(oracle).items()]
                for oracle in records.header.used_oracles
            ],
            "alone": [
                [(walk, replace(row, seconds=0.0)) for walk, row in records.alone(oracle)]
                for oracle in records.header.used_oracles
            ],
            "bugs": [replace(row, seconds=0.0) for row in records.bugs()],
            "causes": [(row.cause.key, row.cause.traits) for row in records.bugs()],
            "sightings": records.sightings(),
            "unproven": records.unproven(),
            "rejected": records.rejected(),
            "progress": [progress.walks, progress.steps, progress.news_round, progress.finished],
        }


def verdict(row: RunVerdict) -> list[Any]:
    """What one oracle said of one run."""
    return [row.safety.tolist(), row.faults, row.open_faults, row.reached, row.expanded]
