"""Campaigns: tests of one policy on one task, kept in a folder and resumable at any point."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bugsieve.basis.arguments import require_folder, require_kind
from bugsieve.basis.errors import UsageError
from bugsieve.benches.bench import Bench
from bugsieve.campaigns.events import Listener
from bugsieve.campaigns.folder_campaign import FolderCampaign, check_policy_given, make_folder
from bugsieve.campaigns.judging import BenchPlan, Judge, close_policy
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.session import Counters, Session
from bugsieve.campaigns.start_states import start_states
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.summary import Summary, summarise
from bugsieve.campaigns.workers import WorkerSetup, make_judges
from bugsieve.fuzzing.fuzzer import Fuzzer
from bugsieve.fuzzing.pool import Pool
from bugsieve.oracles.oracle import Oracle
from bugsieve.oracles.registry import check_oracle_spec
from bugsieve.policies.function import PolicyFunction
from bugsieve.policies.policy import Policy, policy_name
from bugsieve.policies.registry import check_spec
from bugsieve.results.folder import check_free, restore, write_descriptions
from bugsieve.results.lock import FolderLock
from bugsieve.results.records import PoolColumns, Records
from bugsieve.results.rows import Addition, CampaignHeader, OracleRow, Progress
from bugsieve.results.saved_task import SavedTask
from bugsieve.results.store import Store
from bugsieve.tasks.fdr.loading import load_task
from bugsieve.tasks.fdr.task import StateArray, Task, require_task

AnyPath = str | os.PathLike[str]
AnyPolicy = Policy | PolicyFunction


class Campaign(FolderCampaign[Summary]):
    """A campaign of cost testing that this process may run."""

    def __init__(
        self,
        directory: Path,
        lock: FolderLock,
        header: CampaignHeader,
        options: CampaignOptions,
        bench: Bench,
        oracles: Sequence[Oracle],
        *,
        owns_policy: bool,
    ) -> None:
        super().__init__(directory, lock)
        self.header = header
        self.options = options
        self.bench = bench
        self._oracles = oracles
        self._owns_policy = owns_policy

    @classmethod
    def create(
        cls,
        directory: AnyPath,
        options: CampaignOptions,
        *,
        task: Task | None = None,
        policy: AnyPolicy | None = None,
        states: StateArray | None = None,
    ) -> Campaign:
        """A new campaign in a folder that is missing or empty.

        `task`, `policy` and `states` stand in for what the options would load; a policy that is a
        Python object can be asked in this process only.
        """
        folder = require_folder(directory, "directory")
        require_kind(options, CampaignOptions, "options", "of type CampaignOptions")
        check_free(folder)
        _check_specs(options, policy)
        saved, loaded = _loaded(options, task)
        starts = start_states(loaded, options.from_states) if states is None else states
        plan = plan_of(options)
        bench = plan.bench(loaded, _bound(policy, loaded))
        try:
            made = plan.examined(bench, options.oracles)
            header = CampaignHeader(
                options.to_toml(),
                saved,
                policy_name(bench.policy),
                policy is not None,
                bench.objective.spec,
                tuple(OracleRow(o.spec) if isinstance(o, Oracle) else o for o in made),
            )
            lock = _make(folder, header, loaded, starts)
        except BaseException:
            if policy is None:
                close_policy(bench.policy)
            raise
        oracles = [oracle for oracle in made if isinstance(oracle, Oracle)]
        return cls(folder, lock, header, options, bench, oracles, owns_policy=policy is None)

    @classmethod
    def open(
        cls,
        directory: AnyPath,
        *,
        policy: AnyPolicy | None = None,
        workers: int | None = None,
        stop: StopRules | None = None,
    ) -> Campaign:
        """An existing campaign, ready to go on; `workers` and `stop` replace what it had."""
        folder = require_folder(directory, "directory")
        with Records(folder) as records:  # says what is wrong before a lock file is written
            header = records.header
        options = CampaignOptions.from_toml(header.options, name=str(folder / "options.toml"))
        options = replace(
            options,
            workers=options.workers if workers is None else workers,
            stop=options.stop if stop is None else stop,
        )
        check_policy_given(header, folder, policy)
        _check_specs(options, policy)
        lock = FolderLock(folder)
        try:
            restore(folder)
            return cls._opened(folder, lock, header, options, policy)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def _opened(
        cls,
        folder: Path,
        lock: FolderLock,
        header: CampaignHeader,
        options: CampaignOptions,
        policy: AnyPolicy | None,
    ) -> Campaign:
        task = header.task.load()
        plan = plan_of(options)
        bench = plan.bench(task, _bound(policy, task))
        try:
            oracles = plan.oracles(bench, header.used_oracles)
        except BaseException:
            if policy is None:
                close_policy(bench.policy)
            raise
        return cls(folder, lock, header, options, bench, oracles, owns_policy=policy is None)

    def _work(self, listener: Listener) -> None:
        with Store.open(self.directory) as store:
            self._run(store, listener)

    def _outcome(self) -> Summary:
        with Records(self.directory) as records:
            return summarise(records)

    def _run(self, store: Store, listener: Listener) -> None:
        with Records(self.directory) as records:
            bugs = Counter(records.bugs_by_kind())
            counters = Counters(records.progress(), records.pool_size(), bugs)
            pool = _restored_pool(self.bench.task, records.pool())
        fuzzer = Fuzzer(
            self.bench, self.options.fuzz, pool=pool, walks_done=counters.progress.walks
        )
        setup = WorkerSetup(self.header.task, plan_of(self.options), self.header.used_oracles)
        judge = Judge(self.bench, self._oracles)
        judges = make_judges(judge, setup, self.options.workers)
        at_once = True
        try:
            session = Session(store, self.header, self.options, fuzzer, judges, counters, listener)
            session.run()
            at_once = False
        finally:
            judges.close(at_once=at_once)

    def close(self) -> None:
        """Let go of the policy, the oracles and the folder."""
        for oracle in self._oracles:
            oracle.close()
        self._oracles = ()
        if self._owns_policy:
            close_policy(self.bench.policy)
        super().close()


def check_new(options: CampaignOptions, directory: AnyPath | None = None) -> None:
    """Raise what is wrong with a new campaign whatever the task is, before it is grounded."""
    if directory is not None:
        check_free(Path(directory))
    _check_specs(options, None)


@contextmanager
def bench_of(
    directory: AnyPath, header: CampaignHeader, *, policy: str | None = None
) -> Iterator[Bench]:
    """The bench of a campaign, to look at its bugs; with another policy if one is named."""
    folder = Path(directory)
    options = CampaignOptions.from_toml(header.options, name=str(folder / "options.toml"))
    if policy is not None:
        options = replace(options, policy=policy)
        check_spec(policy)
    elif header.policy_is_object:
        raise UsageError(f"{folder}: tests the Python object {header.policy}: name a policy")
    bench = plan_of(options).bench(header.task.load())
    try:
        yield bench
    finally:
        close_policy(bench.policy)


def plan_of(options: CampaignOptions) -> BenchPlan:
    """The part of the options that judging depends on."""
    return BenchPlan(
        options.policy,
        options.policy_seed,
        options.policy_limits,
        options.objective,
        options.step_limit,
        options.limits,
    )


def _check_specs(options: CampaignOptions, policy: AnyPolicy | None) -> None:
    """What is wrong whatever the task is, before a large task is grounded."""
    if policy is None:
        check_spec(options.policy)
    elif options.workers > 1:
        raise UsageError("a policy that is a Python object can be tested with one worker only")
    for spec in options.oracles:
        check_oracle_spec(spec)


def _loaded(options: CampaignOptions, task: Task | None) -> tuple[SavedTask, Task]:
    if task is None and not options.task:
        raise UsageError("a campaign needs a task: a domain and a problem file, or one .sas file")
    loaded = load_task(*options.task) if task is None else require_task(task)
    return SavedTask.of(loaded), loaded


def _bound(policy: AnyPolicy | None, task: Task) -> Policy | None:
    return policy.bind(task) if isinstance(policy, PolicyFunction) else policy


def _make(folder: Path, header: CampaignHeader, task: Task, states: StateArray) -> FolderLock:
    """Make the folder with its store; returns the lock on it."""

    def fill() -> None:
        pool = Pool(task)
        for state in task.checked_states(states):
            pool.add(state)
        Store.create(folder, header, Addition(Progress(), list(pool), pool.states()))
        write_descriptions(folder, header)

    return make_folder(folder, fill)


def _restored_pool(task: Task, columns: PoolColumns) -> Pool:
    pool = Pool(task)
    for number, state in enumerate(columns.states):
        parent, walk = int(columns.parents[number]), int(columns.walks[number])
        start, stop = columns.offsets[number : number + 2]
        pool.add(
            state,
            parent=None if parent < 0 else parent,
            actions=columns.actions[start:stop].tolist(),
            walk=None if walk < 0 else walk,
        )
    return pool
