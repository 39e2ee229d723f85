"""The models of a stored training as selection sees them."""

from __future__ import annotations

from collections.abc import Mapping, Set

from bugsieve.rooms.training.candidates import Candidate
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.rows import ModelRow


def candidate_of(row: ModelRow, tests: Mapping[int, PoolTest], validation: Set[int]) -> Candidate:
    """A model with its tests, of which those on validation tasks count."""
    counting = [test for task, test in tests.items() if task in validation]
    sums = [sum(column) for column in zip(*(test.counted for test in counting), strict=True)]
    return Candidate(
        row.number,
        row.parent,
        row.loss,
        row.solved,
        sum(test.is_solved for test in counting),
        *sums,
    )


def candidates_in(records: TrainingRecords) -> list[Candidate]:
    """All models, in the order of training."""
    validation = records.validation_numbers()
    tests = records.tests()
    return [candidate_of(row, tests.get(row.number, {}), validation) for row in records.models()]
