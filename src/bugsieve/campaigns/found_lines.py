"""What campaigns have found, in lines for people: causes with examples, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bugsieve.campaigns.causes import cause_lines
from bugsieve.campaigns.kind import Kind, kind_in
from bugsieve.campaigns.several import JointSummary
from bugsieve.faults.causes.groups import Member, grouped
from bugsieve.results.folder import BUGS_FOLDER, BUGS_IN_FILES


def found_lines(kind: Kind[Any], folder: Path, records: Any) -> list[str]:
    """The causes of the bugs, or the bugs themselves where they have none, and what to do next."""
    found, causes, shown = kind.wording.found(records), records.causes(), kind.bugs_shown
    if causes:
        lines = cause_lines(causes, found, shown)
        more, example = len(causes) - shown, causes[0].example
        command = f": bugsieve status {folder} --causes {len(causes)}"
    else:
        lines = found.lines(shown)
        more, example = len(found.ids) - shown, found.ids[0]
        command = f": {_place_of_all(len(found.ids), folder)}"
    if more > 0:
        indent = lines[-1][: -len(lines[-1].lstrip())] if not causes else "  "
        lines.append(f"{indent}… and {more} more{command}")
    lines += ["", *next_lines(folder, example)]
    if causes and len(found.ids) > len(causes):
        lines.append(f"all bugs:    {_place_of_all(len(found.ids), folder)}")
    return lines


def joint_found_lines(directory: Path, summary: JointSummary, most: int) -> list[str]:
    """The causes of the bugs of all campaigns together, and what to do with the first example."""
    groups = grouped(joint_members(directory, summary))
    if not groups or not most:
        return []
    lines = ["", *cause_lines(groups, _About(directory), most)]
    if (more := len(groups) - most) > 0:
        lines.append(f"  … and {more} more: bugsieve status {directory} --causes {len(groups)}")
    return [*lines, "", *next_lines(*place_of(directory, groups[0].example))]


def next_lines(folder: Path, bug: str) -> list[str]:
    """The commands that go on with a bug."""
    return [
        f"look closer: bugsieve explain {folder} {bug}",
        f"ask again:   bugsieve replay {folder} {bug}",
    ]


def joint_members(directory: Path, summary: JointSummary) -> list[Member]:
    """The bugs of all campaigns, each by its campaign and its id."""
    members = []
    for name, part in summary.parts.items():
        if part.bugs and part.mistake is None:
            with kind_in(directory / name).records(directory / name) as records:
                found = records.members_of_causes()
            members += [one._replace(id=f"{name}/{one.id}") for one in found]
    return members


def place_of(directory: Path, name: str) -> tuple[Path, str]:
    """The folder of the campaign and the id of a bug, by what `joint_members` calls it."""
    folder, _, bug = name.rpartition("/")
    return directory / folder, bug


class _About:
    """What is wrong with bugs that are named by their campaigns and ids."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def about(self, name: str) -> str:
        folder, bug = place_of(self._directory, name)
        kind = kind_in(folder)
        with kind.records(folder) as records:
            return kind.wording.found(records).about(bug)


def _place_of_all(bugs: int, folder: Path) -> str:
    """Where all bugs are."""
    if bugs <= BUGS_IN_FILES:
        return f"{folder}/{BUGS_FOLDER}"
    return f"bugsieve export {folder} --bugs OUT"
