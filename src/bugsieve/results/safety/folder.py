"""The folder of a safety campaign: beside the store, files for people, all derived from it."""

from __future__ import annotations

from pathlib import Path

from bugsieve.results.folder import (
    OPTIONS_FILE,
    README_FILE,
    write_bugs,
    write_missing,
    write_timeline,
)
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import SafetyHeader, SafetyTimelineRow

MODEL_FILE = "model.jani"

_README = """\
This folder holds a safety campaign of Bugsieve: tests of the policy
  {policy}
on the model {model}.

campaign.sqlite   everything that was found; all other files can be written again from it
options.toml      what was asked for
model.jani        the model with its property; certificates refer to it
bugs/             one file for each bug, with its proof: the policy's way to danger, how the
                  danger is avoided, and for a fault why its outcome is lost
timeline.csv      walks, unsafe runs and bugs over the running time in seconds
campaign.lock     keeps two processes from running the campaign at once

bugsieve status {folder}       how far it is
bugsieve resume {folder}       continue where it stopped
bugsieve explain {folder} BUG  the run step by step, with its fault
bugsieve replay {folder} BUG   ask the policy again and check the certificate
bugsieve shield {folder}       the policy without its proven faults
bugsieve export {folder} --csv OUT
"""


def restore_safety(directory: Path) -> None:
    """Write all derived files that are missing or may be out of date."""
    with SafetyRecords(directory) as records:
        write_safety_descriptions(directory, records.header)
        write_bugs(directory, records.bugs())
        write_safety_timeline(records)


def write_safety_descriptions(directory: Path, header: SafetyHeader) -> None:
    """The files that say what the campaign is about, those that are missing."""
    readme = _README.format(policy=header.policy, model=header.name, folder=directory.name)
    files = {
        README_FILE: readme.encode(),
        OPTIONS_FILE: header.options.encode(),
        MODEL_FILE: header.document.encode(),
    }
    write_missing(directory, files)


def write_safety_timeline(records: SafetyRecords) -> None:
    """The whole timeline as CSV, in place of the old one."""
    write_timeline(records.directory, SafetyTimelineRow, records.timeline())
