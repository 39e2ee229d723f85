"""Reads smallest examples that lie in the folder of a campaign; they may be anybody's.

An example is shown if its certificate holds on its own task, and it is about the same policy and
objective; one that does not is as good as none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BugsieveError
from bugsieve.base.files_and_processes.foreign_json import parse_json
from bugsieve.campaigns.cost.bench import plan_of, stored_options
from bugsieve.campaigns.cost.smallest import BUG_FILE, SAS_FILE, example_folder
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, bug_from_json
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.policies.policy import NoPolicy
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.sources import DOMAIN_FILE, PROBLEM_FILE, read_regular

_LARGEST = 20_000_000
"""Bytes of a file; nobody looks at larger examples."""
_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True, eq=False)
class StoredExample:
    """A smallest example that holds."""

    bench: Bench
    bug: Bug


def stored_example(directory: Path, header: CampaignHeader, bug: Bug) -> StoredExample | None:
    """The smallest example of a bug; None if there is none that holds."""
    folder = example_folder(directory, bug)
    if not (folder / BUG_FILE).is_file():
        return None
    try:
        sas, data = _text(folder / SAS_FILE), parse_json(_text(folder / BUG_FILE))
        checker_of(sas).check_bug(data)
        found = bug_from_json(data, source=str(folder / BUG_FILE))
        if not _is_alike(found, bug):
            return None
        task = _task(folder, header.subject, sas)
        bench = plan_of(stored_options(directory, header)).bench(task, NoPolicy())
    except (BugsieveError, OSError, ValueError):
        return None
    return StoredExample(bench, found)


def _is_alike(one: Bug, other: Bug) -> bool:
    names = ("objective", "policy", "kind")
    return all(one.certificate[name] == other.certificate[name] for name in names)


def _task(folder: Path, whole: SavedTask, sas: str) -> Task:
    """The task of an example: of what the whole one has, what is about its objects."""
    problem = _text(folder / PROBLEM_FILE)
    words = set(_WORD.findall(problem))
    objects = tuple((name, kind) for name, kind in whole.objects if name in words)
    names = {name for name, _ in whole.objects} - {name for name, _ in objects}
    static = tuple(fact for fact in whole.static_facts if not names.intersection(_words(fact)))
    domain = _text(folder / DOMAIN_FILE).encode()
    saved: Any = SavedTask(
        whole.name, sas, objects, static, domain, problem.encode(), unit_cost=whole.unit_cost
    )
    task: Task = saved.load()
    return task


def _words(fact: str) -> list[str]:
    return _WORD.findall(fact)


def _text(path: Path) -> str:
    """A file that is no larger than it should be; ValueError if it is."""
    return read_regular(path, kind="PDDL", max_bytes=_LARGEST).decode("utf-8")
