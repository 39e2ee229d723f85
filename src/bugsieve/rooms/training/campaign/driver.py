"""Drives a training: one model after the other, each tested before the next (Algorithm 2)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InputError
from bugsieve.base.seeds import Stream
from bugsieve.base.wording import counted
from bugsieve.campaigns.session import Counts, Driver, Session
from bugsieve.campaigns.store.progress import Progress
from bugsieve.campaigns.store.schema import STORE_FILE, damaged
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import Finding, RejectedRow
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from bugsieve.rooms.training.asnets.model import Model
from bugsieve.rooms.training.asnets.trainer import Epoch, Trainer
from bugsieve.rooms.training.campaign.candidates import candidate_of, candidates_in
from bugsieve.rooms.training.campaign.equipment import TrainingEquipment
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.replay import examples_of_bugs
from bugsieve.rooms.training.campaign.start import check_start, taken_model
from bugsieve.rooms.training.candidates import best
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.rows import ExamplesRow, ModelRow, TrainedModel
from bugsieve.rooms.training.store.tables import BUGS, TEACHER, TRAINING_TASK

ALL_TRAINED = "all models are trained"


@dataclass(frozen=True, eq=False)
class _Made:
    """A model that has just been made, before it is tested."""

    parent: int | None
    model: Model
    epoch: Epoch | None


class TrainingDriver(Driver):
    """Makes models, has them tested, and remembers what they learn from."""

    def __init__(
        self, options: TrainingOptions, equipment: TrainingEquipment, records: TrainingRecords
    ) -> None:
        self.seed = options.fuzz.seed
        self.workers = options.workers
        self._options = options
        self._equipment = equipment
        self._folder = records.directory
        self._dropped = records.header.subject.dropped
        self._validation = records.validation_numbers()
        self._candidates = candidates_in(records)
        self._epochs = [row.epoch for row in records.models()]
        self._calls = records.progress().policy_calls
        self._data = _data_of(records, equipment)
        self._last: tuple[int, Model] | None = None
        """Lines go on with it, so that it need not be read again."""

    def step(self, session: Session) -> str | None:
        """Make and test one model, and store it whole; a reason if all are made."""
        reason = self.left_nothing(session.progress)
        if reason is not None:
            return reason
        number = len(self._candidates)
        trained = self._taken(number) or self._trained(number)
        row, tests = trained.row, trained.tests
        session.accept(Finding(Visit(number, number), trained, rejected=_rejected(number, tests)))
        self._candidates.append(candidate_of(row, dict(tests), self._validation))
        self._epochs.append(row.epoch)
        self._calls += sum(test.decisions for _, test in tests)
        session.progress = replace(session.progress, rounds=number + 1)
        session.commit()
        return None

    def left_nothing(self, progress: Progress) -> str | None:
        """Say that all models are made; None if some are not."""
        return ALL_TRAINED if len(self._candidates) >= self._options.schedule.models else None

    def fresh_cases(self) -> None:
        """The tasks are stored already."""
        return

    def counts(self, progress: Progress) -> Counts:
        """The number of models."""
        made = progress.visits
        return Counts(made, self._options.schedule.models, made, made)

    def progress(self, progress: Progress) -> Progress:
        """The progress with the decisions of all tests."""
        return replace(progress, policy_calls=self._calls)

    def _taken(self, number: int) -> TrainedModel | None:
        """A model of the start-up phase of another training, if that is to be taken over."""
        trained = taken_model(self._options, number)
        if trained is not None:
            for row in trained.examples:
                self._data.add([Examples.from_bytes(row.content, self._equipment.tasks)])
        return trained

    def _trained(self, number: int) -> TrainedModel:
        """A new model, tested."""
        made = self._make(number)
        start = time.perf_counter()
        tests = self._tests(made.model)
        row = self._row(number, made, time.perf_counter() - start)
        learnt = [*self._taught(made), *self._replayed(tests)]
        self._last = (number, made.model)
        return TrainedModel(row, made.model.to_bytes(), tests, learnt)

    def notes(self) -> tuple[str, ...]:
        """The dropped tasks, and the best model whenever that is another one."""
        notes = [f"{file}: it is dropped, {reason}" for file, reason in self._dropped]
        if self._candidates:
            chosen = self._candidates[best(self._candidates)]
            tasks = counted(len(self._validation), "validation task")
            if chosen.solved_validation:
                solves = f"it solves {chosen.solved_validation} of {tasks}"
                notes.append(f"model {chosen.number}: the best so far, {solves}")
        return tuple(notes)

    def _make(self, number: int) -> _Made:
        """Algorithm 2, lines 6, 9-10 and 13-15."""
        trainer = self._equipment.trainer
        parent = self._options.schedule.following(self._candidates, self.seed)
        if parent is None:
            return _Made(None, trainer.initial(self._draw("random weights", number)), None)
        with doing(f"training model {number} from model {parent}"):
            epoch = trainer.epoch(self._model(parent), self._data, self._draw("epoch", number))
        return _Made(parent, epoch.model, epoch)

    def _draw(self, what: str, number: int) -> int:
        return Stream(self.seed, what, number).integer(0, 2**63 - 1)

    def _model(self, number: int) -> Model:
        if self._last is not None and self._last[0] == number:
            return self._last[1]
        with TrainingRecords(self._folder) as records:
            return stored_model(records, number, self._equipment.trainer)

    def _tests(self, model: Model) -> list[tuple[int, PoolTest]]:
        tests = self._equipment.tester.test(model.weights)
        numbers = (row.number for row in self._equipment.tested)
        return list(zip(numbers, tests, strict=True))

    def _row(self, number: int, made: _Made, test_seconds: float) -> ModelRow:
        epoch = made.epoch
        if made.parent is None or epoch is None:
            return ModelRow(number, None, 0, test_seconds=test_seconds)
        return ModelRow(
            number,
            made.parent,
            self._epochs[made.parent] + 1,
            epoch.loss,
            epoch.solved,
            epoch.teacher_calls,
            epoch.teacher_failures,
            epoch.seconds["rollouts"],
            epoch.seconds["teacher"],
            epoch.seconds["learning"],
            test_seconds,
        )

    def _taught(self, made: _Made) -> Iterator[ExamplesRow]:
        """The teacher's examples of the epoch; they are among the data already."""
        for part in () if made.epoch is None else made.epoch.examples:
            yield ExamplesRow(TEACHER, part.to_bytes())

    def _replayed(self, tests: Sequence[tuple[int, PoolTest]]) -> Iterator[ExamplesRow]:
        """The new examples from the proofs of bugs on training tasks."""
        equipment = self._equipment
        if not self._options.replay_bugs:
            return
        pools = {row.number: row for row in equipment.tested if row.role == TRAINING_TASK}
        found: list[Examples] = []
        for number, test in tests:
            if number in pools:
                states = pools[number].states
                found += examples_of_bugs(number, equipment.tasks[number], states, test.plans)
        for part in self._data.add(found):
            yield ExamplesRow(BUGS, part.to_bytes())


def drive(
    equipment: TrainingEquipment, options: TrainingOptions, records: TrainingRecords
) -> TrainingDriver:
    """The driver that goes on where the records end."""
    check_start(options, records)
    return TrainingDriver(options, equipment, records)


def stored_model(records: TrainingRecords, number: int, trainer: Trainer) -> Model:
    """A model as it was stored."""
    name = f"{Path(records.directory, STORE_FILE)}: model {number}"
    return Model.from_bytes(records.content(number), trainer.signature, name=name)


def _data_of(records: TrainingRecords, equipment: TrainingEquipment) -> TrainingData:
    """The data that models have learnt from so far, in the order in which it came."""
    data = TrainingData()
    try:
        for row in records.examples():
            data.add([Examples.from_bytes(row.content, equipment.tasks)])
    except InputError as error:
        raise damaged(records.directory, f"table examples: {error}") from None
    return data


def _rejected(number: int, tests: Sequence[tuple[int, PoolTest]]) -> tuple[RejectedRow, ...]:
    """Claims that the checker did not believe; the case is the model, the position the task."""
    return tuple(
        replace(row, case=number, position=task) for task, test in tests for row in test.rejected
    )
