"""Experiments: a grid of campaigns in one folder, run on all cores and resumable at any point."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from bugsieve.base.errors import BugsieveError, InputError, InternalError
from bugsieve.base.files_and_processes.files import write_together
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.base.trust.trust import trusting
from bugsieve.base.wording import counted
from bugsieve.campaigns.options import CampaignOptions, CostOptions
from bugsieve.campaigns.several.index import Index, IndexEntry, read_index, write_index
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.lab.experiments.campaigns import require_trusted_cell, state_of
from bugsieve.rooms.lab.experiments.final_records import FINAL_FOLDER
from bugsieve.rooms.lab.experiments.final_tests import FinalTests
from bugsieve.rooms.lab.experiments.folder import finishing, running, writing
from bugsieve.rooms.lab.experiments.grid import Cell, Grid, folder_name
from bugsieve.rooms.lab.experiments.jobs import (
    AnyCrew,
    Crew,
    Job,
    JobDone,
    JobFailed,
    JobReport,
    TrainingJob,
)
from bugsieve.rooms.lab.experiments.models import ModelInstance
from bugsieve.rooms.lab.experiments.shards import Shard, shards_of
from bugsieve.rooms.lab.experiments.training import is_trained, network_spec
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.training.campaign.options import TrainingOptions

TASKS_FOLDER = "tasks"
FILE_COPY = "experiment.toml"

SOME_FAILED = 4


@dataclass(frozen=True)
class ExperimentStarted:
    """The experiment begins, or goes on."""

    campaigns: int
    done: int
    """The number of those that had come to their end before."""
    workers: int
    """Processes of this machine; 0 where a crew from outside does the work."""
    trainings: Mapping[int, str] = field(default_factory=dict)
    """The networks that are trained first, by the numbers of the jobs."""


@dataclass(frozen=True)
class TestsStarted:
    """All trainings have come to their end, and a part of the final tests begins."""

    __test__ = False  # for pytest, which would take it for a test

    what: str
    tasks: Mapping[int, str]
    """Test tasks by the numbers of the jobs."""


ExperimentEvent = ExperimentStarted | TestsStarted | JobReport
ExperimentListener = Callable[[ExperimentEvent], None]


@dataclass(frozen=True)
class ExperimentSummary:
    """The results of the campaigns."""

    campaigns: int
    done: int
    failures: Mapping[str, JobFailed]
    """By the folder of the campaign."""
    rejected: int
    """Claims of oracles that the checker did not believe, in the campaigns of this session."""
    postponed: str = ""
    """The reason why the final tests of trainings were left to others, if they were."""

    @property
    def exit_code(self) -> int:
        """0 if all campaigns are done, 3 if there was a fault of ours, else 4."""
        if self.rejected or any(
            f.exit_code == InternalError.exit_code for f in self.failures.values()
        ):
            return InternalError.exit_code
        return SOME_FAILED if self.failures else 0


class Experiment:
    """The grid of an experiment file, in a folder; of its campaigns, those of a shard."""

    def __init__(self, grid: Grid, directory: Path, *, shard: Shard | None = None) -> None:
        self.grid = grid
        self.directory = directory
        self.shard = shard
        cells = range(len(grid.cells))
        self._shards = [] if shard is None else shards_of(grid.cells, shard.count)
        self.numbers = [n for n in cells if shard is None or self._shards[n] == shard]
        """The cells that are to be run."""

    def run(
        self,
        *,
        workers: int | None = None,
        crew: AnyCrew | None = None,
        on_event: ExperimentListener | None = None,
        trust_policy: bool = False,
    ) -> ExperimentSummary:
        """Run all campaigns that are not done yet; by default one on each core.

        A `crew` of the caller is left open.

        A campaign that fails does not stop the others. Ctrl-C is passed on. After every ending of
        a run, the next one goes on where it stopped. UsageError where the file names a policy that
        the user has never typed, without `trust_policy`.
        """
        with trusting(trust_policy):
            for cell in self.grid.cells:
                require_trusted_cell(cell, self.grid.source)
        tell = _ignore if on_event is None else on_event
        with running(self.directory, self.shard):
            done = self._prepare()
            jobs = [job for job in self._jobs(trust_policy) if job.number not in done]
            trainings = self._trainings(jobs)
            wanted = max(len(jobs), len(trainings))
            count = max(1, min(wanted, workers or len(os.sched_getaffinity(0))))
            networks = {job.number: job.network for job in trainings}
            own = count if crew is None else 0
            tell(ExperimentStarted(len(self.numbers), len(done), own, networks))
            with Crew(count) if crew is None else nullcontext(crew) as those:
                return self._run(those, trainings, jobs, len(done), tell)

    def _run(
        self,
        crew: AnyCrew,
        trainings: Sequence[TrainingJob],
        jobs: Sequence[Job],
        done: int,
        tell: ExperimentListener,
    ) -> ExperimentSummary:
        failures: dict[str, JobFailed] = {}
        rejected = 0
        for report in self._reports(crew, trainings, jobs):
            if isinstance(report, JobDone):
                rejected += report.rejected
            if report.number < len(self.grid.cells):
                if isinstance(report, JobDone):
                    done += 1
                elif isinstance(report, JobFailed):
                    failures[self.grid.cells[report.number].folder] = report
                    self._write_index(failures)
            tell(report)
        tested: dict[str, JobReport] = {}
        postponed = self._missing()
        if self.grid.final is not None and not postponed:
            with finishing(self.directory) as is_ours:
                postponed = "" if is_ours else "another shard makes the final tests now"
                if is_ours:
                    tested = dict(self._test(crew, len(self.grid.cells) + len(trainings), tell))
        failures.update((n, r) for n, r in tested.items() if isinstance(r, JobFailed))
        rejected += sum(r.rejected for r in tested.values() if isinstance(r, JobDone))
        return ExperimentSummary(len(self.numbers), done, failures, rejected, postponed)

    def _missing(self) -> str:
        """The campaigns that the final tests wait for: in a shard, those of all shards."""
        if self.shard is None or self.grid.final is None:
            return ""
        undone = [n for n, cell in enumerate(self.grid.cells) if not self._is_done(cell)]
        if not undone:
            return ""
        parts = ", ".join(dict.fromkeys(str(self._shards[number]) for number in undone))
        return (
            f"final tests wait for {counted(len(undone), 'training')} (shard {parts}): the "
            "shard that ends last makes them, or the same command without --shard"
        )

    def _test(
        self, crew: AnyCrew, first: int, tell: ExperimentListener
    ) -> Iterator[tuple[str, JobReport]]:
        """Run the final tests of trained policies; gives how each ended, by what it tested."""
        done = [cell for cell in self.grid.cells if self._is_done(cell)]
        tests = FinalTests(self.grid, self.directory, done, self._task_folder)
        for what, jobs in tests.stages(first):
            names = {job.number: f"{FINAL_FOLDER}: {name}, {what}" for name, job in jobs.items()}
            tell(TestsStarted(what, names))
            for report in crew.run(list(jobs.values())):
                tell(report)
                if isinstance(report, JobDone | JobFailed):
                    yield names[report.number], report

    def _reports(
        self, crew: AnyCrew, trainings: Sequence[TrainingJob], jobs: Sequence[Job]
    ) -> Iterator[JobReport]:
        """Train networks, then what builds on nothing else, as pools, then what builds on that.

        Those fail for whom something could not be made.
        """
        missing: dict[str, JobFailed] = {}
        networks = {job.number: job.network for job in trainings}
        yield from _noting(crew.run(trainings), networks, missing)
        cells = self.grid.cells
        bases = {cell.after for cell in cells}
        folders = {job.number: cells[job.number].folder for job in jobs}
        made = {number: folder for number, folder in folders.items() if folder in bases}
        for some in (
            [job for job in jobs if not cells[job.number].after],
            [job for job in jobs if cells[job.number].after],
        ):
            ready = []
            for job in some:
                failure = self._failure_before(cells[job.number], missing)
                if failure is None:
                    ready.append(job)
                else:
                    yield replace(failure, number=job.number)
            yield from _noting(crew.run(ready), made, missing)

    def _failure_before(self, cell: Cell, missing: Mapping[str, JobFailed]) -> JobFailed | None:
        """The reason why the campaign cannot be run: what it needs could not be made."""
        base = "pool" if isinstance(cell.options, CostOptions) else "start-up phase"
        for needed, what in ((self._network(cell), "policy"), (cell.after, base)):
            if needed in missing:
                done = "made" if what == "pool" else "trained"
                sentence = f"its {what} could not be {done}: {missing[needed].error}"
                return replace(missing[needed], error=sentence)
        return None

    def _prepare(self) -> set[int]:
        """Write what the campaigns need; returns the numbers of those that are done."""
        done = {number for number in self.numbers if self._is_done(self.grid.cells[number])}
        self._write_index({})
        files: dict[Path, bytes] = {}
        for cell in self.grid.cells:
            files.update(cell.instance.contents_in(self._task_folder(cell)))
        with writing(self.directory):
            for path in files:
                make_folders(path.parent)
            source = self.grid.source.read_bytes()
            write_together({self.directory / FILE_COPY: source, **files})
        return done

    def _is_done(self, cell: Cell) -> bool:
        """Return true if the campaign has come to its end; InputError if it is another one."""
        folder = self.directory / cell.folder
        if not (folder / STORE_FILE).exists():
            return False
        try:
            is_finished, difference = state_of(folder, cell)
        except BugsieveError:
            return False  # the process that opens it will say what is wrong with it
        if difference is not None:
            raise InputError(
                f"{folder}: was begun with another file than {self.grid.source} is now "
                f"({difference}): name a new folder with -o, or delete this one"
            )
        return is_finished

    def _write_index(self, failures: Mapping[str, JobFailed]) -> None:
        """Campaigns that the file no longer asks for keep their labels, other shards all."""
        with writing(self.directory):
            old = read_index(self.directory)
            entries = dict(old.entries) if old else {}
            own = set(self.numbers)
            for number, cell in enumerate(self.grid.cells):
                failure = failures.get(cell.folder)
                entry = self._entry(number, None if failure is None else failure.error)
                if number not in own and cell.folder in entries:
                    entry = replace(entry, error=entries[cell.folder].error)
                entries[cell.folder] = entry
            write_index(self.directory, Index(self.grid.name, entries))

    def _entry(self, number: int, error: str | None) -> IndexEntry:
        cell = self.grid.cells[number]
        instance = cell.instance
        labels = (instance.domain, instance.name, cell.policy, cell.fuzzer, cell.oracles)
        shard = str(self._shards[number]) if self._shards else ""
        return IndexEntry(*labels, cell.seed, error, shard)

    def _jobs(self, trust_policy: bool) -> list[Job]:
        return [
            Job(number, str(self.directory / cell.folder), self._options(cell), trust_policy)
            for number in self.numbers
            for cell in [self.grid.cells[number]]
        ]

    def _trainings(self, jobs: Sequence[Job]) -> list[TrainingJob]:
        """The networks that these campaigns need and that are not there yet."""
        found: dict[str, TrainingJob] = {}
        for job in jobs:
            cell = self.grid.cells[job.number]
            network = self._network(cell)
            if cell.training is None or network in found:
                continue
            assert isinstance(cell.instance, ModelInstance)
            assert isinstance(job.options, SafetyOptions)
            options = cell.training.options
            if not is_trained(Path(network), cell.instance.document, options):
                number = len(self.grid.cells) + len(found)
                found[network] = TrainingJob(number, network, job.options, options)
        return list(found.values())

    def _options(self, cell: Cell) -> CampaignOptions:
        """The options of the campaign, with the files of this folder."""
        files = cell.instance.files_in(self._task_folder(cell))
        options = cell.instance.named_in(cell.options, files)
        base = str((self.directory / cell.after).absolute()) if cell.after else None
        if isinstance(options, CostOptions):
            options = replace(options, pool_from=base)
        elif isinstance(options, TrainingOptions):
            options = replace(options, start_from=base)
        if cell.training is None:
            return options
        return replace(options, policy=network_spec(Path(self._network(cell))))

    def _network(self, cell: Cell) -> str:
        """The network that the campaign tests, if it is one of ours."""
        return str(self.directory / cell.training.network) if cell.training else ""

    def _task_folder(self, cell: Cell) -> Path:
        """The folder for the files of the campaign's task or model, if they must be written."""
        instance = cell.instance
        folder = self.directory / TASKS_FOLDER
        return folder / folder_name(instance.domain) / folder_name(instance.name)


def _noting(
    reports: Iterable[JobReport], names: Mapping[int, str], missing: dict[str, JobFailed]
) -> Iterator[JobReport]:
    """The reports; whose job failed is missing, by the name of what it was to make."""
    for report in reports:
        if isinstance(report, JobFailed) and report.number in names:
            missing[names[report.number]] = report
        yield report


def _ignore(event: object) -> None:
    """Ignore the event."""
