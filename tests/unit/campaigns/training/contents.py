"""What a training came to, without the times it took: equal for equal trainings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import Schedule
from bugsieve.rooms.training.store.records import TrainingRecords
from tests.unit.training.networks import write_visitall


def small_options(folder: Path, **changes: Any) -> TrainingOptions:
    """A tree of eight models for tiny tasks, in seconds."""
    domain, problems = write_visitall(folder, 2, 3, 2, 3, 3)
    usual: dict[str, Any] = {
        "domain": domain,
        "training": tuple(problems[:2]),
        "validation": tuple(problems[2:]),
        "schedule": Schedule(inits=2, start_epochs=1, main_epochs=4, model_expansions=2),
        "asnets": AsnetOptions(steps=3, batch=8, learning_rate=0.02, hidden=4, layers=1),
    }
    made = TrainingOptions(**{**usual, **changes})
    # With this seed the first untrained network solves two of the validation tasks.
    return replace(made, fuzz=replace(made.fuzz, pool_size=6, seed=28))


def contents(directory: Path) -> dict[str, Any]:
    """Every record of a training that must not depend on the machine or on interruptions.

    The teacher may be asked again about states in which it failed, so its calls do not count.
    """
    with TrainingRecords(directory) as records:
        rows, progress = records.models(), records.progress()
        return {
            "models": [(r.number, r.parent, r.epoch, r.loss, r.solved) for r in rows],
            "weights": [records.content(row.number) for row in rows],
            "tests": records.tests(),
            "examples": [(row.source, row.content) for row in records.examples()],
            "progress": (progress.visits, progress.rounds, progress.policy_calls),
            "finished": progress.finished,
        }
