"""The start-up phase of another training, taken over instead of trained again (papers/003).

Configurations of Algorithm 2 that differ in their main phase only begin with the same models, if
seed, tasks and options are the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.summary import options_in
from bugsieve.rooms.training.selection import RANDOM
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.rows import TrainedModel


def taken_model(options: TrainingOptions, number: int) -> TrainedModel | None:
    """The model as the training that is named in `start_from` has it.

    None where a model is of the main phase, or that training does not have it (any more): then it
    is trained here, and is the same.
    """
    if not options.start_from or number >= options.schedule.start_models:
        return None
    folder = Path(options.start_from)
    if not (folder / STORE_FILE).exists():
        return None
    with TrainingRecords(folder) as records:
        if number >= records.case_count():
            return None
        row, tests = records.models()[number], records.tests().get(number, {})
        learnt = list(records.examples(number))
        return TrainedModel(row, records.content(number), list(tests.items()), learnt)


def check_start(options: TrainingOptions, records: TrainingRecords) -> None:
    """UsageError if the training in `start_from` is one that begins with other models."""
    folder = Path(options.start_from or "")
    if not options.start_from or not (folder / STORE_FILE).exists():
        return
    with TrainingRecords(folder) as other:
        difference = ""
        if _of_the_start(options_in(other)) != _of_the_start(options):
            difference = "other options, or another seed"
        elif other.task_digests() != records.task_digests():
            difference = "other tasks"
    if difference:
        raise UsageError(
            f"{folder}: its start-up phase cannot be taken over, for it has {difference}"
        )


def _of_the_start(options: TrainingOptions) -> TrainingOptions:
    """The options that models of the start-up phase depend on, beside the tasks."""
    schedule = replace(options.schedule, main_epochs=0, model_expansions=1, online=RANDOM)
    return replace(
        options,
        domain="",
        training=("-",),
        validation=(),
        workers=1,
        stop=StopRules(),
        start_from=None,
        schedule=schedule,
    )
