"""The files that a job needs on a node, by their contents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.registry.spec_folder import located, spec_folder, typed_in
from bugsieve.base.trust.trust import trusting
from bugsieve.campaigns.campaign import read_campaign
from bugsieve.campaigns.kind import KINDS, require_trusted_oracles, require_trusted_policy
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.store.schema import STORE_FILE, companions
from bugsieve.rooms.cluster.packing import digest_of, plain_files
from bugsieve.rooms.lab.experiments.final_jobs import FinalJob
from bugsieve.rooms.lab.experiments.jobs import AnyJob, Job, TrainingJob
from bugsieve.rooms.lab.experiments.training import files_of_network
from bugsieve.tasks.sources import MEBIBYTE, read_regular

_MAX_BYTES = 1024 * MEBIBYTE
_FILES = ("task", "model", "domain", "training", "validation")
"""Options that name files, or lists of them."""
_FOLDERS = ("policy_folder", "pool_from", "start_from")
"""Options that name folders."""


@dataclass(frozen=True)
class SentFile:
    """A file of the driver."""

    name: str
    """Its absolute path there."""
    digest: str
    """The SHA-256 of its content."""
    is_program: bool
    """True if it may be executed."""


@dataclass(frozen=True)
class NodeJob:
    """A job with all that it needs on a node."""

    job: AnyJob
    here: str
    """The folder in which the command was typed: the job starts there, too."""
    files: tuple[SentFile, ...]
    folders: tuple[str, ...]
    """Folders of the driver that the job names."""
    brings: tuple[str, ...]
    """Absolute paths of files and folders that come back."""


def node_job_of(job: AnyJob, more: Iterable[str] = ()) -> tuple[NodeJob, dict[str, bytes]]:
    """A job with the files it names and more, and contents by their digests.

    UsageError where something of it cannot travel.
    """
    named = dict.fromkeys(map(os.path.abspath, (*_files_of(job), *more)))
    contents: dict[str, bytes] = {}
    sent = []
    for name in named:
        content = read_regular(name, kind="regular", max_bytes=_MAX_BYTES)
        digest = digest_of(content)
        contents[digest] = content
        sent.append(SentFile(name, digest, os.access(name, os.X_OK)))
    brings = tuple(map(os.path.abspath, _made_by(job)))
    return NodeJob(job, os.getcwd(), tuple(sent), _folders_of(job), brings), contents


def _made_by(job: AnyJob) -> Sequence[str]:
    """The paths that the job makes or changes."""
    if isinstance(job, Job):
        return (job.directory,)
    return files_of_network(job.network) if isinstance(job, TrainingJob) else (job.record,)


def _files_of(job: AnyJob) -> Iterator[str]:
    if isinstance(job, Job):
        yield from _named_in(job.options)
        yield from _campaign(job)
    elif isinstance(job, TrainingJob):
        yield from _named_in(job.model, with_policy=False)
    else:
        yield from _tested(job)


def _folders_of(job: AnyJob) -> tuple[str, ...]:
    if not isinstance(job, Job):
        return ()
    folders = (getattr(job.options, name, None) for name in _FOLDERS)
    return tuple(folder for folder in folders if folder)


def _named_in(options: CampaignOptions, *, with_policy: bool = True) -> Iterator[str]:
    """The files that the options of a campaign name."""
    for name in _FILES:
        value = getattr(options, name, ())
        yield from filter(os.path.isfile, (value,) if isinstance(value, str) else value)
    for name in _FOLDERS[1:]:
        if folder := getattr(options, name, None):
            yield from _store(folder)
    yield from filter(os.path.isfile, [getattr(options, "objective", "").partition(":")[2]])
    policies = KINDS[options.kind].policies
    if policies is not None and with_policy:
        with typed_in(options.policy_folder):
            yield from _of_spec(policies, options.policy)


def _store(folder: str) -> Iterator[str]:
    """The store of a campaign that is read, and what SQLite keeps beside it."""
    store = Path(folder) / STORE_FILE
    yield from (str(path) for path in (store, *companions(store)) if path.is_file())


def _of_spec(policies: MemberTable[Any], spec: str) -> Iterator[str]:
    """The files of a policy: what it names, its programs, and modules beside them.

    What was found on a path of the system (an interpreter, an installed package) must be on the
    node as well.
    """
    named, started = policies.reach_of(spec), policies.started_by(spec)
    programs = (n for n in named.programs if os.path.dirname(n) and not os.path.isabs(n))
    for name in (*named.files, *programs, *started.files):
        path = os.path.abspath(located(name))
        is_elsewhere = os.path.commonpath([path, spec_folder()]) != spec_folder()
        if name not in named.files and started.runs_code and is_elsewhere:
            continue
        if started.needs_trust and path in spec:
            raise UsageError(
                f"the policy {spec!r} names {path}: on other machines it will be elsewhere, so "
                f"name it as it is seen from {spec_folder()}"
            )
        yield from map(str, plain_files(Path(path))) if os.path.isdir(path) else [path]
    for inner, folder, _ in policies.named_by(spec):
        with typed_in(folder):
            yield from _of_spec(policies, inner)


def _campaign(job: Job) -> Iterator[str]:
    """The files of a campaign that was begun already, if it names nothing that is not trusted."""
    folder = Path(job.directory)
    if not (folder / STORE_FILE).exists():
        return
    kind, _, options = read_campaign(folder)
    with trusting(job.trust_policy):
        require_trusted_policy(kind, options, folder)
        require_trusted_oracles(kind, options, folder)
    yield from map(str, plain_files(folder))


def _tested(job: FinalJob) -> Iterator[str]:
    """The task, the models, and what is known of them on this task and its neighbours."""
    yield from job.task
    for folder in dict.fromkeys(model.training for model in job.models):
        yield from _store(folder)
    yield from map(str, sorted(Path(job.record).parent.glob("*.json")))
