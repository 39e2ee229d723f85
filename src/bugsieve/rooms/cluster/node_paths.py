"""Names of files on the driver and on a node, where all of them are below a folder of the job.

What campaigns store of names is changed on the way there and back, so that records say what they
would say if the job had run on the driver.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.store.folder import OPTIONS_FILE
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.rooms.cluster.packing import plain_files
from bugsieve.rooms.lab.experiments.final_jobs import FinalJob
from bugsieve.rooms.lab.experiments.jobs import AnyJob, Job, TrainingJob

Value = TypeVar("Value")


class Places:
    """The places on the node, below `root`, for files of the driver with these absolute names."""

    def __init__(self, root: str, names: Iterable[str]) -> None:
        self.root = root
        longest_first = sorted(names, key=len, reverse=True)
        # A name is one only where it begins: /a/b is not in /x/a/b, nor in /a/bc.
        names_in_texts = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._names = re.compile(rf"(?<![\w./-])(?:{names_in_texts})(?![\w.-])")

    def path(self, name: str) -> str:
        """The file on the node; relative names mean the same there, as the job starts so."""
        return self.root + name if os.path.isabs(name) else name

    def text(self, text: str) -> str:
        """A text with the names that files have on the node."""
        return self._names.sub(lambda match: self.root + match.group(), text)

    def back(self, text: str) -> str:
        """A text of the node with the names that files have on the driver."""
        return text.replace(self.root, "")

    def moved(self, value: Value) -> Value:
        """The options with the names of the node in all their texts but the policy.

        Ids of bugs may depend on what the policy is called: `rooted_at` finds its files.
        """
        return _mapped(self, value)  # type: ignore[no-any-return]

    def job(self, job: AnyJob) -> AnyJob:
        """The job as the node runs it; whether its policy is trusted was asked on the driver."""
        if isinstance(job, Job):
            directory, options = self.path(job.directory), self.moved(job.options)
            return replace(job, directory=directory, options=options, trust_policy=True)
        if isinstance(job, TrainingJob):
            return replace(job, network=self.path(job.network), model=self.moved(job.model))
        return _moved_test(self, job)

    def settle(self, directory: Path) -> None:
        """Let a stored campaign, if there is one, name files as they are called on the node."""
        if not (directory / STORE_FILE).exists():
            return
        kind = kind_in(directory)
        with kind.records(directory) as records:
            text = records.header.options
        options = kind.options.from_toml(text, name=str(directory / OPTIONS_FILE))
        with kind.store.open(directory) as store:
            store.put_options(self.moved(options).to_toml())

    def unsettle(self, directory: Path) -> None:
        """Let all that is in its folder name files as they are called on the driver."""
        if not (directory / STORE_FILE).exists():
            return
        with kind_in(directory).store.open(directory) as store:
            store.cut_names(self.root)
        root = self.root.encode()
        for path in plain_files(directory):
            if path.name != STORE_FILE and root in (content := path.read_bytes()):
                write_atomically(path, content.replace(root, b""))


def _moved_test(places: Places, job: FinalJob) -> FinalJob:
    domain, problem = map(places.path, job.task)
    models = (replace(model, training=places.path(model.training)) for model in job.models)
    record = places.path(job.record)
    return replace(job, record=record, task=(domain, problem), models=tuple(models))


def _mapped(places: Places, value: Any) -> Any:
    if isinstance(value, str):
        return places.text(value)
    if isinstance(value, tuple):
        return tuple(_mapped(places, part) for part in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = (field.name for field in fields(value) if field.init and field.name != "policy")
    parts = {name: getattr(value, name) for name in names}
    changed = {name: _mapped(places, part) for name, part in parts.items()}
    return value if changed == parts else replace(value, **changed)
