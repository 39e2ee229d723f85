"""The final tests of an experiment with trainings (papers/003, Table 1).

First the models that criteria take are run on the test tasks. Then, for the criterion that peeks,
all models of the training on which criteria are compared are run on them. Last the models of
criteria are tested on the pools of test tasks. Stored results are not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.rooms.lab.experiments.configurations import ComparedModel, Configuration
from bugsieve.rooms.lab.experiments.final_jobs import (
    FinalJob,
    TestedModel,
    checked_record,
    model_digest,
    untested,
)
from bugsieve.rooms.lab.experiments.final_records import (
    FinalChoice,
    FinalChoices,
    FinalRecord,
    read_choices,
    read_record,
    record_file,
    write_choices,
)
from bugsieve.rooms.lab.experiments.grid import Cell, Grid
from bugsieve.rooms.lab.experiments.trainings import TrainingInstance
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.selection import CRITERIA, PI_TEST, SOLVED, TEST, select_offline
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.tables import TRAINING_TASK

ON_POOLS = (SOLVED, PI_TEST, TEST)
"""Criteria whose models are compared on pools: those that look at other tasks than training's."""

_TaskFolder = Callable[[Cell], Path]


@dataclass(frozen=True)
class _Peeked:
    """A training on which criteria are compared, with all its models."""

    domain: str
    choice: FinalChoice
    """The choice of any criterion there; the peeking one differs in criterion and model."""
    models: tuple[TestedModel, ...]


class FinalTests:
    """Knows which models are to be tested on which tasks, and which of that is done."""

    def __init__(
        self, grid: Grid, directory: Path, done: Iterable[Cell], task_folder: _TaskFolder
    ) -> None:
        assert grid.final is not None
        self._options = grid.final
        self._directory = directory
        self._configurations = {made.label: made for made in grid.configurations}
        self._cells = list(done)
        self._task_folder = task_folder
        self._tasks = {
            cell.instance.domain: _tests(cell, task_folder(cell)) for cell in self._cells
        }
        self._unit_cost = {cell.instance.domain: _unit_cost(cell) for cell in self._cells}
        self._choices: list[FinalChoice] = []
        self._peeked: list[_Peeked] = []

    def stages(self, first: int) -> Iterator[tuple[str, dict[str, FinalJob]]]:
        """The work step by step, as jobs by name; numbers of jobs begin with `first`.

        Each step depends on what the jobs of the one before it have stored.
        """
        self._choose()
        chosen = self._jobs(self._chosen_models(), first)
        yield "initial states", chosen
        first += len(chosen)
        peeking = self._jobs(self._rivals(), first)
        yield "all models", peeking
        first += len(peeking)
        self._peek()
        self._write_choices()
        yield "pools", self._jobs_on_pools(first)

    def _choose(self) -> None:
        """The models that criteria take, without a look at test tasks."""
        for cell in self._cells:
            configuration = self._configurations[cell.policy]
            with TrainingRecords(self._directory / cell.folder) as records:
                chosen = list(_choices(cell, configuration, records))
                self._choices += chosen
                if configuration.is_compared and chosen:
                    models = tuple(self._all_models(cell, records))
                    self._peeked.append(_Peeked(cell.instance.domain, chosen[0], models))

    def _all_models(self, cell: Cell, records: TrainingRecords) -> Iterator[TestedModel]:
        folder = str(self._directory / cell.folder)
        for number in range(records.case_count()):
            yield TestedModel(folder, number, model_digest(records.content(number)))

    def _chosen_models(self) -> dict[tuple[str, str], list[TestedModel]]:
        return {
            (domain, task): [self._model(c) for c in self._choices if c.domain == domain]
            for domain, tests in self._tasks.items()
            for task in tests
        }

    def _model(self, choice: FinalChoice) -> TestedModel:
        return TestedModel(str(self._directory / choice.training), choice.model, choice.digest)

    def _rivals(self) -> dict[tuple[str, str], list[TestedModel]]:
        """All models that may solve more tasks than those that criteria take."""
        wanted: dict[tuple[str, str], list[TestedModel]] = {}
        for peeked in self._peeked:
            records = self._records(peeked.domain)
            known = [model for model in peeked.models if _is_known(model, records)]
            best = max((_coverage(model, records) for model in known), default=0)
            most = len(records) - best
            rivals = [m for m in peeked.models if _failures(m, records) <= most]
            for task in records:
                wanted.setdefault((peeked.domain, task), []).extend(
                    replace(model, most_failures=most) for model in rivals
                )
        return wanted

    def _peek(self) -> None:
        """Add what the criterion takes that looks at the test tasks; ties go to the older."""
        for peeked in self._peeked:
            records = self._records(peeked.domain)
            known = [model for model in peeked.models if _is_known(model, records)]
            if not known or not records:
                continue
            best = max(known, key=lambda model: (_coverage(model, records), -model.number))
            self._choices.append(
                replace(peeked.choice, criterion=TEST, model=best.number, digest=best.digest)
            )

    def _write_choices(self) -> None:
        """Domains that this call leaves out keep their choices."""
        old = read_choices(self._directory) or FinalChoices({}, ())
        tasks = {domain: tuple(tests) for domain, tests in self._tasks.items()}
        kept = (choice for choice in old.choices if choice.domain not in tasks)
        found = FinalChoices({**old.tasks, **tasks}, (*kept, *self._choices))
        write_choices(self._directory, found)

    def _jobs_on_pools(self, first: int) -> dict[str, FinalJob]:
        """Tests of the compared models on the pools of tasks that all of them solve."""
        wanted: dict[tuple[str, str], list[TestedModel]] = {}
        for peeked in self._peeked:
            same = replace(peeked.choice, criterion="", model=0, digest="")
            compared = [
                self._model(choice)
                for choice in self._choices
                if choice.criterion in ON_POOLS
                and replace(choice, criterion="", model=0, digest="") == same
            ]
            for task, record in self._records(peeked.domain).items():
                if all(record.solved.get(model.digest) for model in compared):
                    wanted.setdefault((peeked.domain, task), []).extend(compared)
        return self._jobs(wanted, first, on_pool=True)

    def _records(self, domain: str) -> dict[str, FinalRecord]:
        """Those of the test tasks that are not dropped."""
        found = {
            task: read_record(record_file(self._directory, domain, task))
            for task in self._tasks[domain]
        }
        return {
            task: record
            for task, record in found.items()
            if record is not None and record.dropped is None
        }

    def _jobs(
        self,
        wanted: Mapping[tuple[str, str], Sequence[TestedModel]],
        first: int,
        *,
        on_pool: bool = False,
    ) -> dict[str, FinalJob]:
        """Jobs for what is not stored yet."""
        jobs: dict[str, FinalJob] = {}
        for (domain, task), models in wanted.items():
            job = FinalJob(
                first + len(jobs),
                str(record_file(self._directory, domain, task)),
                self._tasks[domain][task],
                self._unit_cost[domain],
                self._options,
                tuple(models),
                on_pool,
            )
            if untested(job, checked_record(job)):
                jobs[f"{domain}/{task}"] = job
        return jobs


def _tests(cell: Cell, folder: Path) -> dict[str, tuple[str, str]]:
    assert isinstance(cell.instance, TrainingInstance)
    return cell.instance.tests_in(folder)


def _unit_cost(cell: Cell) -> bool:
    assert isinstance(cell.options, TrainingOptions)
    return cell.options.unit_cost


def _is_known(model: TestedModel, records: Mapping[str, FinalRecord]) -> bool:
    return all(model.digest in record.solved for record in records.values())


def _failures(model: TestedModel, records: Mapping[str, FinalRecord]) -> int:
    return sum(record.solved.get(model.digest) is False for record in records.values())


def _coverage(model: TestedModel, records: Mapping[str, FinalRecord]) -> int:
    return sum(record.solved[model.digest] for record in records.values())


def _choices(
    cell: Cell, configuration: Configuration, records: TrainingRecords
) -> Iterator[FinalChoice]:
    """The choices of criteria among the models of a training, for each column that it has."""
    candidates = candidates_in(records)
    tasks = len(records.task_files(TRAINING_TASK))
    for column in configuration.columns:
        for criterion in _criteria(configuration, column):
            among = candidates[: column.models]
            if not among:
                continue
            number = select_offline(among, criterion, training_tasks=tasks)
            yield FinalChoice(
                cell.instance.domain,
                cell.seed,
                column.configuration,
                column.budget,
                criterion,
                cell.folder,
                number,
                model_digest(records.content(number)),
            )


def _criteria(configuration: Configuration, column: ComparedModel) -> tuple[str, ...]:
    if configuration.is_compared:
        return tuple(criterion for criterion in CRITERIA if criterion != TEST)
    return (column.criterion,)
