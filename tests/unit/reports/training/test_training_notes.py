"""What the notes below tables of trainings say."""

from __future__ import annotations

from bugsieve.rooms.lab.reports.training.training_notes import sizes_text
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import Schedule


def test_single_things_are_counted_as_such() -> None:
    schedule = Schedule(inits=1, start_epochs=1, main_epochs=0)
    options = TrainingOptions(domain="", training=("-",), validation=("-",), schedule=schedule)
    assert sizes_text(options) == (
        f"1 initialisation, 1 epoch of {options.asnets.steps} steps, 1 training task, "
        f"1 validation task with pools of {options.fuzz.pool_size}"
    )
