"""Safety campaigns: unsafe runs of one policy on one model, kept in a resumable folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bugsieve.basis.arguments import require_folder, require_kind
from bugsieve.basis.errors import UsageError
from bugsieve.campaigns.events import Listener
from bugsieve.campaigns.folder_campaign import FolderCampaign, check_policy_given, make_folder
from bugsieve.campaigns.safety.findings import Findings
from bugsieve.campaigns.safety.options import SafetyOptions
from bugsieve.campaigns.safety.session import SafetyCounters, SafetySession
from bugsieve.campaigns.safety.summary import SafetySummary, summarise_safety
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.fuzzing.unsafe_runs import UnsafeRunFuzzer
from bugsieve.policies.models.policy import ModelPolicy
from bugsieve.policies.models.registry import check_model_spec, make_model_policy
from bugsieve.results.folder import check_free
from bugsieve.results.lock import FolderLock
from bugsieve.results.safety.folder import (
    MODEL_FILE,
    restore_safety,
    write_safety_descriptions,
)
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import SafetyAddition, SafetyHeader, SafetyProgress
from bugsieve.results.safety.store import SafetyStore
from bugsieve.tasks.jani.loading import load_document
from bugsieve.tasks.jani.model import JaniModel, require_model

AnyPath = str | os.PathLike[str]


class SafetyCampaign(FolderCampaign[SafetySummary]):
    """A campaign of safety testing that this process may run."""

    def __init__(
        self,
        directory: Path,
        lock: FolderLock,
        header: SafetyHeader,
        options: SafetyOptions,
        policy: ModelPolicy,
        fuzzer: UnsafeRunFuzzer,
        *,
        owns_policy: bool,
    ) -> None:
        super().__init__(directory, lock)
        self.header = header
        self.options = options
        self.policy = policy
        self._fuzzer = fuzzer
        self._owns_policy = owns_policy

    @classmethod
    def create(
        cls,
        directory: AnyPath,
        options: SafetyOptions,
        model: JaniModel,
        *,
        policy: ModelPolicy | None = None,
    ) -> SafetyCampaign:
        """A new campaign in a folder that is missing or empty.

        `policy` stands in for what the options would make; a resumed campaign must get it again.
        """
        folder = require_folder(directory, "directory")
        require_kind(options, SafetyOptions, "options", "of type SafetyOptions")
        require_model(model)
        check_new_safety(options if policy is None else None, folder)
        made = _made(options, model) if policy is None else policy
        try:
            header = SafetyHeader(
                options.to_toml(),
                model.name,
                json.dumps(model.document, ensure_ascii=False),
                model.actions,
                made.spec,
                policy is not None,
                options.oracles,
                made.fingerprint(),
            )
            fuzzer = UnsafeRunFuzzer(model, made, options.fuzz)  # may refuse the model
            lock = make_folder(folder, lambda: _fill(folder, header))
        except BaseException:
            if policy is None:
                made.close()
            raise
        return cls(folder, lock, header, options, made, fuzzer, owns_policy=policy is None)

    @classmethod
    def open(
        cls,
        directory: AnyPath,
        *,
        policy: ModelPolicy | None = None,
        stop: StopRules | None = None,
    ) -> SafetyCampaign:
        """An existing campaign, ready to go on; `stop` replaces the rules it had.

        A policy that is given must be bound to the model of the campaign (`saved_model`).
        """
        folder = require_folder(directory, "directory")
        header, options = _stored(folder)
        options = options if stop is None else replace(options, stop=stop)
        _check_given(header, folder, policy)
        lock = FolderLock(folder)
        made = policy
        try:
            restore_safety(folder)
            made = _made(options, saved_model(folder, header)) if policy is None else policy
            _check_unchanged(header, folder, made)
            fuzzer = UnsafeRunFuzzer(made.model, made, options.fuzz)
        except BaseException:
            if policy is None and made is not None:
                made.close()
            lock.close()
            raise
        return cls(folder, lock, header, options, made, fuzzer, owns_policy=policy is None)

    def close(self) -> None:
        """Let go of the policy and the folder."""
        if self._owns_policy:
            self.policy.close()
        super().close()

    def _work(self, listener: Listener) -> None:
        with SafetyStore.open(self.directory) as store:
            with SafetyRecords(self.directory) as records:
                counters = SafetyCounters.read(records)
                findings = Findings(self.policy, self.options, records)
            SafetySession(
                store,
                self.header,
                self.options,
                self._fuzzer,
                findings,
                counters,
                self.policy.troubles,
                listener,
            ).run()

    def _outcome(self) -> SafetySummary:
        with SafetyRecords(self.directory) as records:
            return summarise_safety(records)


def check_new_safety(options: SafetyOptions | None, directory: AnyPath | None = None) -> None:
    """Raise what is wrong with a new campaign whatever the model is, before it is loaded."""
    if directory is not None:
        check_free(Path(directory))
    if options is not None:
        check_model_spec(options.policy)


def saved_model(directory: AnyPath, header: SafetyHeader) -> JaniModel:
    """The model of a campaign, as it was when the campaign was made."""
    return load_document(header.document_json(), name=os.fspath(Path(directory, MODEL_FILE)))


@contextmanager
def policy_of(
    directory: AnyPath, header: SafetyHeader, *, spec: str | None = None
) -> Iterator[ModelPolicy]:
    """The policy of a campaign on its model, to look at its bugs; another one if it is named."""
    folder = Path(directory)
    _, options = _stored(folder)
    if spec is not None:
        check_model_spec(spec)
        options = replace(options, policy=spec)
    elif header.policy_is_object:
        raise UsageError(f"{folder}: tests the Python object {header.policy}: name a policy")
    with _made(options, saved_model(folder, header)) as policy:
        yield policy


def _stored(folder: Path) -> tuple[SafetyHeader, SafetyOptions]:
    with SafetyRecords(folder) as records:  # says what is wrong before a lock file is written
        header = records.header
    return header, SafetyOptions.from_toml(header.options, name=str(folder / "options.toml"))


def _made(options: SafetyOptions, model: JaniModel) -> ModelPolicy:
    return make_model_policy(
        options.policy, model, seed=options.policy_seed, limits=options.policy_limits
    )


def _check_given(header: SafetyHeader, folder: Path, policy: ModelPolicy | None) -> None:
    """A campaign goes on with the policy it began with."""
    check_policy_given(header, folder, policy)
    if policy is not None and policy.spec != header.policy:
        raise UsageError(f"{folder}: tests {header.policy}, not {policy.spec}")


def _check_unchanged(header: SafetyHeader, folder: Path, policy: ModelPolicy) -> None:
    if policy.fingerprint() != header.policy_fingerprint:
        raise UsageError(
            f"{folder}: tests {header.policy} as it was when the campaign began, but what it "
            "names has changed since: put the old file back, or test the new one in a new folder"
        )


def _fill(folder: Path, header: SafetyHeader) -> None:
    SafetyStore.create(folder, header, SafetyAddition(SafetyProgress()))
    write_safety_descriptions(folder, header)
