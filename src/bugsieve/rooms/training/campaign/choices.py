"""Selection of the final model of a stored training, and the policy that is made of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.store.schema import STORE_FILE, damaged
from bugsieve.rooms.formats.asnets.files import save_weights
from bugsieve.rooms.formats.asnets.signature import Signature, signature_of
from bugsieve.rooms.formats.asnets.weights import Weights
from bugsieve.rooms.training.asnets.model import Model
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.campaign.summary import options_in
from bugsieve.rooms.training.candidates import Candidate, scores
from bugsieve.rooms.training.selection import BY_VALIDATION, CRITERIA, TEST, select_offline
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.tables import TRAINING_TASK


@dataclass(frozen=True)
class Choice:
    """The model that a criterion takes."""

    criterion: str
    model: Candidate
    epoch: int
    score: float
    solved_tests: int | None = None
    """Test tasks whose initial state it solves, where they are known."""


def choices(
    records: TrainingRecords, *, solved_tests: Sequence[int] | None = None
) -> list[Choice]:
    """The model of every criterion; the one that peeks where test tasks are known.

    Those by validation tasks are left out where there are none.

    `solved_tests` says for each model how many of them it solves.
    """
    candidates = candidates_in(records)
    if not candidates:
        raise UsageError(f"{records.directory}: no model is trained yet")
    found, rows = scores(candidates), records.models()
    tasks = len(records.task_files(TRAINING_TASK))
    is_validated = bool(records.validation_numbers())
    made = []
    for criterion in CRITERIA:
        if criterion == TEST and solved_tests is None:
            continue
        if criterion in BY_VALIDATION and not is_validated:
            continue  # all models are equal, and the oldest is untrained
        number = select_offline(
            candidates, criterion, training_tasks=tasks, solved_tests=solved_tests
        )
        tests = None if solved_tests is None else solved_tests[number]
        made.append(
            Choice(criterion, candidates[number], rows[number].epoch, float(found[number]), tests)
        )
    return made


def marks_of(found: Sequence[Choice]) -> dict[int, str]:
    """The criteria that take a model, by its number."""
    marks: dict[int, str] = {}
    for choice in found:
        number = choice.model.number
        marks[number] = ", ".join(filter(None, (marks.get(number), choice.criterion)))
    return marks


def stored_signature(records: TrainingRecords) -> Signature:
    """The signature of the domain of a training."""
    try:
        task = records.training_tasks()[0].task.load()
        assert task.pddl is not None
        return signature_of(task.pddl)
    except (InputError, IndexError, AssertionError) as error:
        raise damaged(records.directory, f"table tasks: {error}") from None


def stored_weights(records: TrainingRecords, number: int, signature: Signature) -> Weights:
    """The weights of a model."""
    name = f"{Path(records.directory, STORE_FILE)}: model {number}"
    return Model.from_bytes(records.content(number), signature, name=name).weights


def write_policy(
    records: TrainingRecords,
    number: int,
    path: str | os.PathLike[str],
    about: Mapping[str, str],
) -> None:
    """Write the weights of a model as a file for `asnets:FILE`, with what is known of them."""
    signature = stored_signature(records)
    seed = str(options_in(records).fuzz.seed)
    weights = stored_weights(records, number, signature)
    save_weights(path, weights, signature, {**about, "model": str(number), "seed": seed})
