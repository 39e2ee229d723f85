"""What a campaign found, without the times it took: equal for equal campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bugsieve.campaigns.cost.records import CostRecords


def contents(directory: Path) -> dict[str, Any]:
    """Every record of the campaign that must not depend on the machine or on interruptions."""
    with CostRecords(directory) as records:
        pool, runs, progress = records.pool(), records.runs(), records.progress()
        return {
            "pool": [
                pool.states.tolist(),
                pool.parents.tolist(),
                pool.walks.tolist(),
                pool.actions.tolist(),
                pool.offsets.tolist(),
            ],
            "runs": [
                runs.numbers.tolist(),
                runs.endings.tolist(),
                runs.steps.tolist(),
                runs.costs.tolist(),
                [str(value) for value in runs.values.tolist()],
            ],
            "verdicts": [verdicts(records, oracle) for oracle in records.header.used_oracles],
            "bugs": [replace(row, seconds=0.0) for row in records.bugs()],
            "causes": [(row.cause.key, row.cause.traits) for row in records.bugs()],
            "patterns": records.patterns(),
            "rejected": records.rejected(),
            "progress": [progress.walks, progress.steps, progress.rounds, progress.visits],
            "finished": progress.finished,
        }


def verdicts(records: CostRecords, oracle: str, level: int = 0) -> list[Any]:
    """What one oracle said."""
    columns = records.verdicts(oracle, level)
    return [
        oracle,
        columns.numbers.tolist(),
        columns.outcomes.tolist(),
        columns.reasons,
        columns.gaps.tolist(),
        [str(value) for value in columns.values.tolist()],
        columns.exact.tolist(),
        records.plans(oracle, level),
    ]
