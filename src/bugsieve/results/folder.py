"""The folder of a campaign: beside the store, files for people.

Everything but the store is derived from it and can be written again at any time.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path

from bugsieve.basis.errors import UsageError
from bugsieve.basis.files import write_atomically
from bugsieve.results.lock import LOCK_FILE
from bugsieve.results.records import Records
from bugsieve.results.rows import BugRow, CampaignHeader, TimelineRow
from bugsieve.results.schema import STORE_FILE, explained
from bugsieve.results.store import PART_FILE

README_FILE = "README.txt"
OPTIONS_FILE = "options.toml"
TASK_FILE = "task.sas"
DOMAIN_FILE = "domain.pddl"
PROBLEM_FILE = "problem.pddl"
TIMELINE_FILE = "timeline.csv"
BUGS_FOLDER = "bugs"

_README = """\
This folder holds a campaign of Bugsieve: tests of the policy
  {policy}
on the task {task}.

campaign.sqlite   everything that was found; all other files can be written again from it
options.toml      what was asked for
task.sas          the grounded task; certificates refer to it
{pddl}bugs/             one file for each bug, with its proof: the policy's run and a better one
timeline.csv      pool, verdicts and bugs over the running time in seconds
campaign.lock     keeps two processes from running the campaign at once

bugsieve status {folder}      how far it is
bugsieve resume {folder}      continue where it stopped
bugsieve replay {folder} BUG  ask the policy again and check the certificate
bugsieve export {folder} --csv OUT
"""


def check_free(directory: Path) -> None:
    """UsageError unless a new campaign may be put into the folder: it is missing or empty."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file, name a new folder for the campaign")
    with explained(directory):
        names = set(os.listdir(directory)) if directory.exists() else set()
    if STORE_FILE in names:
        raise UsageError(
            f"{directory}: holds a campaign already: continue it with 'bugsieve resume "
            f"{directory}', or name a new folder"
        )
    leftovers = {LOCK_FILE, PART_FILE, f"{PART_FILE}-wal", f"{PART_FILE}-shm"}
    if names - leftovers:
        raise UsageError(f"{directory}: is not empty: name a new folder for the campaign")


def restore(directory: Path) -> None:
    """Write all derived files that are missing or may be out of date."""
    with Records(directory) as records:
        write_descriptions(directory, records.header)
        write_bugs(directory, records.bugs())
        write_timeline(directory, records.timeline())


def write_descriptions(directory: Path, header: CampaignHeader) -> None:
    """The files that say what the campaign is about, those that are missing."""
    task = header.task
    files = {
        README_FILE: _readme(directory, header).encode(),
        OPTIONS_FILE: header.options.encode(),
        TASK_FILE: task.sas.encode(),
        DOMAIN_FILE: task.domain,
        PROBLEM_FILE: task.problem,
    }
    with explained(directory):
        for name, content in files.items():
            if content is not None and not (directory / name).exists():
                write_atomically(directory / name, content)


def write_bugs(directory: Path, bugs: Iterable[BugRow]) -> None:
    """One JSON file for each bug that has none yet."""
    with explained(directory):
        folder = directory / BUGS_FOLDER
        folder.mkdir(exist_ok=True)
        for bug in bugs:
            path = folder / f"{bug.id}.json"
            if not path.exists():
                text = json.dumps(bug.bug.to_json(), indent=2, allow_nan=False)
                write_atomically(path, f"{text}\n".encode())


def write_timeline(directory: Path, rows: Iterable[TimelineRow]) -> None:
    """The whole timeline as CSV, in place of the old one."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(TimelineRow)])
    for row in rows:
        writer.writerow([f"{row.seconds:.3f}", *astuple(row)[1:]])
    with explained(directory):
        write_atomically(directory / TIMELINE_FILE, text.getvalue().encode())


def _readme(directory: Path, header: CampaignHeader) -> str:
    pddl = "domain.pddl, problem.pddl   the files it came from\n"
    return _README.format(
        policy=header.policy,
        task=header.task.name,
        folder=directory.name,
        pddl=pddl if header.task.domain is not None else "",
    )
