"""Checks of the models in a damaged training that need the tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.rooms.formats.asnets.signature import signature_of
from bugsieve.rooms.training.asnets.data import Examples
from bugsieve.rooms.training.campaign.choices import stored_weights
from bugsieve.rooms.training.campaign.equipment import stored_tasks
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.tasks.grounded.task import Task


def first_wrong_model(records: TrainingRecords) -> tuple[int, str] | None:
    """The first model whose weights or examples do not fit the tasks, and the reason.

    InputError where the tasks themselves are wrong: without them no model can be made.
    """
    _, tasks = stored_tasks(records)
    found = (_wrong_weights(records, tasks), _wrong_examples(records, tasks))
    return min((wrong for wrong in found if wrong is not None), default=None)


def checker(header: CampaignHeader) -> Callable[[Any], None]:
    """A check that accepts nothing: a training has no bugs, hence no certificates."""

    def check(certificate: Any) -> None:
        raise ValueError("a training has none")

    return check


def _wrong_weights(records: TrainingRecords, tasks: Sequence[Task]) -> tuple[int, str] | None:
    assert tasks[0].pddl is not None
    signature = signature_of(tasks[0].pddl)
    for number in range(records.case_count()):
        try:
            stored_weights(records, number, signature)
        except InputError as error:
            return number, f"table models: {error}"
    return None


def _wrong_examples(records: TrainingRecords, tasks: Sequence[Task]) -> tuple[int, str] | None:
    for model, row in records.examples_of_models():
        try:
            Examples.from_bytes(row.content, tasks)
        except InputError as error:
            return model, f"table examples, model {model}: {error}"
    return None
