"""Campaigns: tests of one policy on one subject, kept in a folder and resumable at any point."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bugsieve.base.arguments import require_folder, require_function, require_kind
from bugsieve.base.commands import quoted_command
from bugsieve.base.current_activity import doing
from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.base.notebooks import table_html
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import trusting
from bugsieve.campaigns.events import Event, Finished, Listener
from bugsieve.campaigns.kind import (
    KINDS,
    Equipment,
    Kind,
    as_typed,
    kind_in,
    remember_oracles,
    require_trusted_oracles,
    require_trusted_policy,
)
from bugsieve.campaigns.options import CampaignOptions, CostOptions
from bugsieve.campaigns.session import Session
from bugsieve.campaigns.status import status_lines
from bugsieve.campaigns.stop_rules import StopRules, require_utf8
from bugsieve.campaigns.store.folder import check_free, restore, write_descriptions
from bugsieve.campaigns.store.lock import FolderLock
from bugsieve.campaigns.store.progress import Addition, CampaignHeader
from bugsieve.campaigns.store.schema import explained
from bugsieve.policies.fingerprints import earlier_spec, policy_fingerprint

AnyPath = str | os.PathLike[str]

INTERRUPTED = "interrupted"


class Campaign(Closing):
    """A campaign that this process may run; holds its folder until it is run or closed."""

    def __init__(
        self,
        kind: Kind[Any],
        directory: Path,
        lock: FolderLock,
        header: CampaignHeader,
        options: CampaignOptions,
        equipment: Equipment,
    ) -> None:
        self.kind = kind
        self.directory = directory
        self.header = header
        self.options = options
        self.equipment: Any = equipment
        """The bench or the policy, and whatever else the kind needs to run."""
        self.warnings: Sequence[str] = ()
        """What whoever has made it just now should know of what they typed."""
        self._lock = lock

    def _repr_html_(self) -> str:
        """For notebooks: what `bugsieve status` says first."""
        with self.kind.records(self.directory) as records:
            lines = status_lines(self.kind, records.header, self.kind.summarise(records))
        return table_html(
            (f"campaign in {self.directory}",), ([line] for line in lines), len(lines)
        )

    @classmethod
    def create(
        cls,
        directory: AnyPath,
        options: CampaignOptions,
        subject: object | None = None,
        *,
        policy: object | None = None,
        states: Any = None,
    ) -> Campaign:
        """A new campaign in a folder that is missing or empty; its kind is that of the options.

        The specs of the policy and the oracles count as typed here, in the current folder.

        `subject` is the task or model, `policy` and `states` stand in for what the options would
        load. A policy that is a Python object can be asked in this process only, and a resumed
        campaign must get it again.
        """
        folder = require_folder(directory, "directory")
        require_kind(options, CampaignOptions, "options", "the options of a kind of campaigns")
        check_free(folder)
        kind = KINDS[options.kind]
        if policy is None:
            with typed_in(options.policy_folder):
                kind.check(options)
            options = as_typed(kind, options)
        remember_oracles(kind, options)
        with doing("preparing the campaign"):
            begun = kind.begin(options, subject, policy, states)
        try:
            start = Addition(begun.progress, begun.cases)
            lock = make_folder(folder, lambda: _fill(kind, folder, begun.header, start))
        except BaseException:
            begun.equipment.close()
            raise
        kept = options if begun.options is None else begun.options
        made = cls(kind, folder, lock, begun.header, kept, begun.equipment)
        made.warnings = begun.warnings
        return made

    @classmethod
    def open(
        cls,
        directory: AnyPath,
        *,
        policy: object | None = None,
        workers: int | None = None,
        stop: StopRules | None = None,
        trust_policy: bool = False,
    ) -> Campaign:
        """An existing campaign, ready to go on; `workers` and `stop` replace what it had.

        Of the workers that it had it gets as many as there are processors.

        A policy that is given must be bound to the subject of the campaign. One that the folder
        names is started if the user has typed it before, or with `trust_policy`; so is what an
        oracle would start.
        """
        with trusting(trust_policy):
            return cls._open(directory, policy, workers, stop)

    @classmethod
    def _open(
        cls,
        directory: AnyPath,
        policy: object | None,
        workers: int | None,
        stop: StopRules | None,
    ) -> Campaign:
        folder = require_folder(directory, "directory")
        kind, header, options = read_campaign(folder)
        options = replace(
            options,
            # What a store says must not fill the machine with processes: it may be a stranger's.
            workers=min(options.workers, os.cpu_count() or 1) if workers is None else workers,
            stop=options.stop if stop is None else stop,
        )
        _check_policy_given(header, folder, policy)
        if policy is None:
            with typed_in(options.policy_folder):
                kind.check(options)
            require_trusted_policy(kind, options, folder)
        require_trusted_oracles(kind, options, folder)
        lock = FolderLock(folder)
        try:
            with doing(f"opening {folder}"):
                with kind.records(folder) as records:
                    restore(records, kind.describe(header))
                equipment = kind.equip(header, options, folder, policy)
        except BaseException:
            lock.close()
            raise
        return cls(kind, folder, lock, header, options, equipment)

    def run(self, on_event: Listener | None = None) -> Any:
        """Work until there is a reason to stop, then close; what is stored is kept, come what may.

        Returns the `Summary` of its kind: `CostSummary`, `SafetySummary`.

        Ctrl-C and errors are passed on. Whatever ends the run, the campaign can be opened again.
        """
        if on_event is not None:
            require_function(on_event, "on_event", "of one event, or None")
        listener = _ignore if on_event is None else on_event
        try:
            self._work(listener)
        except KeyboardInterrupt:
            listener(Finished(INTERRUPTED))
            raise
        finally:
            self.close()
        return summary_of(self.directory)

    def close(self) -> None:
        """Let go of the folder, and of what the campaign needs to run."""
        self.equipment.close()
        self._lock.close()

    def _work(self, listener: Listener) -> None:
        kind = self.kind
        with kind.store.open(self.directory) as store:
            with kind.records(self.directory) as records, doing("recalling what is stored"):
                driver = kind.drive(self.equipment, self.options, records)
            is_under_way = True
            try:
                with kind.records(self.directory) as records:
                    session = Session(kind.name, store, records, self.options, driver, listener)
                session.run()
                is_under_way = False
            finally:
                driver.close(at_once=is_under_way)


def read_campaign(folder: Path) -> tuple[Kind[Any], CampaignHeader, Any]:
    """The kind, the header and the options of a stored campaign; writes nothing."""
    kind = kind_in(folder)
    with kind.records(folder) as records:
        header = records.header
    options = kind.options.from_toml(header.options, name=str(folder / "options.toml"))
    if isinstance(options, CostOptions) and header.objective:
        # It was checked to hold all that it is about; options may be a stranger's.
        options = replace(options, objective=header.objective)
    return kind, header, options


def summary_of(directory: AnyPath) -> Any:
    """The `Summary` of the campaign in a folder, as its kind has it."""
    kind = kind_in(Path(directory))
    with kind.records(directory) as records:
        return kind.summarise(records)


def check_new(options: CampaignOptions, directory: AnyPath | None = None) -> None:
    """Raise what is wrong with a new campaign whatever its subject is, before that is loaded."""
    if directory is not None:
        check_free(Path(directory))
    with typed_in(options.policy_folder):
        KINDS[options.kind].check(options)


def make_folder(folder: Path, fill: Callable[[], None]) -> FolderLock:
    """Make the folder of a new campaign and fill it; returns the lock on it."""
    require_utf8(folder.name)
    with explained(folder):
        make_folders(folder)
    lock = FolderLock(folder)
    try:
        check_free(folder)
        fill()
    except BaseException:
        lock.close()
        raise
    return lock


def _fill(kind: Kind[Any], folder: Path, header: CampaignHeader, start: Addition) -> None:
    kind.store.create(folder, header, start)
    write_descriptions(folder, header, kind.describe(header))


def _check_policy_given(header: CampaignHeader, folder: Path, policy: object | None) -> None:
    """A campaign goes on with the policy it began with: a Python object if that was one."""
    if header.policy_is_object and policy is None:
        raise UsageError(
            f"{folder}: tests the Python object {header.policy}: open it in Python with policy=…"
        )
    if policy is not None and not header.policy_is_object:
        raise UsageError(f"{folder}: makes its policy from the spec {header.policy!r} by itself")


def check_unchanged(header: CampaignHeader, folder: Path, policy: object, *, command: str) -> None:
    """UsageError if the policy is another one than when the campaign began.

    `command` makes new campaigns of this kind.
    """
    if policy_fingerprint(policy) == header.policy_fingerprint:
        return
    spec = earlier_spec(policy, header.policy_fingerprint)
    if spec is not None:
        raise UsageError(
            f"{folder}: tests {header.policy} as an earlier version of Bugsieve understood it, "
            f"which is {spec} today: test that in a new folder, with "
            f"{quoted_command(command, '--from', folder, '--policy', spec, '-o', 'NEW')}"
        )
    raise UsageError(
        f"{folder}: tests {header.policy} as it was when the campaign began, but what it names "
        "has changed since: put the old file back, or test the new one in a new folder, with "
        f"{quoted_command(command, '--from', folder, '-o', 'NEW')}"
    )


def _ignore(event: Event) -> None:
    """Nobody listens."""
