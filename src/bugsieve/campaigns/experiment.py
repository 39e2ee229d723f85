"""Experiments: a grid of campaigns in one folder, run on all cores and resumable at any point."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bugsieve.basis.errors import BugsieveError, InputError, InternalError, UsageError
from bugsieve.basis.files import write_together
from bugsieve.campaigns.experiment_file import Cell, Grid, folder_name
from bugsieve.campaigns.experiment_index import (
    INDEX_FILE,
    Index,
    IndexEntry,
    read_index,
    write_index,
)
from bugsieve.campaigns.experiment_jobs import (
    Crew,
    Job,
    JobDone,
    JobFailed,
    JobReport,
)
from bugsieve.campaigns.option_tables import table_of
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.results.folder import DOMAIN_FILE, PROBLEM_FILE
from bugsieve.results.lock import EXPERIMENT_LOCK_FILE, FolderLock
from bugsieve.results.records import Records
from bugsieve.results.rows import CampaignHeader
from bugsieve.results.schema import STORE_FILE, explained

TASKS_FOLDER = "tasks"
FILE_COPY = "experiment.toml"

SOME_FAILED = 4


@dataclass(frozen=True)
class ExperimentStarted:
    """The experiment begins, or goes on."""

    campaigns: int
    done: int
    """How many had come to their end before."""
    workers: int


ExperimentListener = Callable[[ExperimentStarted | JobReport], None]


@dataclass(frozen=True)
class ExperimentSummary:
    """What has become of the campaigns."""

    campaigns: int
    done: int
    failures: Mapping[str, JobFailed]
    """By the folder of the campaign."""
    rejected: int
    """Claims of oracles that the checker did not believe, in the campaigns of this session."""

    @property
    def exit_code(self) -> int:
        """0 if all campaigns are done, 3 if there was a fault of ours, else 4."""
        if self.rejected or any(
            f.exit_code == InternalError.exit_code for f in self.failures.values()
        ):
            return InternalError.exit_code
        return SOME_FAILED if self.failures else 0


class Experiment:
    """The grid of an experiment file, in a folder."""

    def __init__(self, grid: Grid, directory: Path) -> None:
        self.grid = grid
        self.directory = directory

    def run(
        self, *, workers: int | None = None, on_event: ExperimentListener | None = None
    ) -> ExperimentSummary:
        """Run all campaigns that are not done yet; by default one on each core.

        A campaign that fails does not stop the others. Ctrl-C is passed on; whatever ends the
        run, the next one goes on where it stopped.
        """
        tell = _ignore if on_event is None else on_event
        with self._locked():
            done = self._prepare()
            jobs = [job for job in self._jobs() if job.number not in done]
            count = max(1, min(len(jobs), workers or len(os.sched_getaffinity(0))))
            tell(ExperimentStarted(len(self.grid.cells), len(done), count))
            return self._run(jobs, count, len(done), tell)

    def _run(
        self, jobs: Sequence[Job], count: int, done: int, tell: ExperimentListener
    ) -> ExperimentSummary:
        failures: dict[str, JobFailed] = {}
        rejected = 0
        with Crew(count) as crew:
            for report in crew.run(jobs):
                if isinstance(report, JobDone):
                    done += 1
                    rejected += len(report.summary.rejected)
                elif isinstance(report, JobFailed):
                    failures[self.grid.cells[report.number].folder] = report
                    self._write_index(failures)
                tell(report)
        return ExperimentSummary(len(self.grid.cells), done, failures, rejected)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Make the folder if need be, and keep other processes from running the experiment."""
        if self.directory.exists() and not self.directory.is_dir():
            raise UsageError(f"{self.directory}: is a file, name a folder for the experiment")
        with explained(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            names = {name for name in os.listdir(self.directory) if not name.startswith(".")}
        names -= {EXPERIMENT_LOCK_FILE}
        if STORE_FILE in names or (names and INDEX_FILE not in names):
            raise UsageError(
                f"{self.directory}: holds something else than an experiment: name a new folder"
            )
        lock = FolderLock(self.directory, EXPERIMENT_LOCK_FILE)
        try:
            yield
        finally:
            lock.close()

    def _prepare(self) -> set[int]:
        """Write what the campaigns need; returns the numbers of those that are done."""
        done = {number for number, cell in enumerate(self.grid.cells) if self._is_done(cell)}
        self._write_index({})
        files: dict[Path, bytes] = {}
        for cell in self.grid.cells:
            if cell.instance.files is None:
                paths = map(Path, self._task(cell))
                files.update(zip(paths, cell.instance.texts, strict=True))
        with explained(self.directory):
            for path in files:
                path.parent.mkdir(parents=True, exist_ok=True)
            source = self.grid.source.read_bytes()
            write_together({self.directory / FILE_COPY: source, **files})
        return done

    def _is_done(self, cell: Cell) -> bool:
        """Whether the campaign has come to its end; InputError if it is another one."""
        folder = self.directory / cell.folder
        if not (folder / STORE_FILE).exists():
            return False
        try:
            with Records(folder) as records:
                header, progress = records.header, records.progress()
        except BugsieveError:
            return False  # the process that opens it will say what is wrong with it
        difference = _difference(header, cell, folder)
        if difference is not None:
            raise InputError(
                f"{folder}: was begun with another file than {self.grid.source} is now "
                f"({difference}): name a new folder with -o, or delete this one"
            )
        return progress.finished is not None

    def _write_index(self, failures: Mapping[str, JobFailed]) -> None:
        """Campaigns that the file no longer asks for keep their labels."""
        old = read_index(self.directory)
        entries = dict(old.entries) if old else {}
        for cell in self.grid.cells:
            failure = failures.get(cell.folder)
            entries[cell.folder] = IndexEntry(
                cell.instance.domain,
                cell.instance.name,
                cell.policy,
                cell.fuzzer,
                cell.oracles,
                cell.seed,
                None if failure is None else failure.error,
            )
        write_index(self.directory, Index(self.grid.name, entries))

    def _jobs(self) -> list[Job]:
        return [
            Job(
                number,
                str(self.directory / cell.folder),
                replace(cell.options, task=self._task(cell)),
            )
            for number, cell in enumerate(self.grid.cells)
        ]

    def _task(self, cell: Cell) -> tuple[str, str]:
        """The files of the campaign's task."""
        instance = cell.instance
        if instance.files is not None:
            return instance.files
        folder = self.directory / TASKS_FOLDER
        folder = folder / folder_name(instance.domain) / folder_name(instance.name)
        return str(folder / DOMAIN_FILE), str(folder / PROBLEM_FILE)


def _difference(header: CampaignHeader, cell: Cell, folder: Path) -> str | None:
    """What the campaign has that the cell has not, in half a sentence."""
    if (header.task.domain, header.task.problem) != cell.instance.texts:
        return f"the task {cell.instance.name} is another one"
    place = str(folder / "options.toml")
    had = _flat(replace(CampaignOptions.from_toml(header.options, name=place), task=()))
    for name, value in _flat(cell.options).items():
        if had.get(name) != value:
            return f"{name} was {had.get(name)!r} and is {value!r}"
    return None


def _flat(options: CampaignOptions) -> dict[str, Any]:
    """The options as they are written to a file, without the tables they are in."""
    flat: dict[str, Any] = {}
    for name, value in table_of(options).items():
        if isinstance(value, Mapping):
            flat.update({f"{name}.{inner}": part for inner, part in value.items()})
        else:
            flat[name] = value
    return flat


def _ignore(event: object) -> None:
    """Nobody listens."""
