"""What campaigns have found, in lines for people: causes with examples, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bugsieve.base.commands import command_line, typed_words
from bugsieve.campaigns.causes import cause_lines, listed_examples, unknown_rules
from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.several.several import JointSummary, joint_causes, place_of
from bugsieve.campaigns.several.several_wording import AboutAll
from bugsieve.campaigns.store.folder import BUGS_FOLDER, EXAMPLES_FOLDER, has_all_bugs


def found_lines(kind: Kind[Any], folder: Path, records: Any) -> list[str]:
    """The causes of the bugs, or the bugs themselves where they have none, and what to do next."""
    found, causes, shown = kind.wording.found(records), records.causes(), kind.bugs_shown
    if causes:
        lines = cause_lines(causes, found, shown)
        more = len(causes) - shown
        listed = listed_examples(causes, shown)
        command = f": {command_line('status', folder, '--causes', len(causes))}"
        notes = [f"  {note}" for note in unknown_rules(causes, records)]
    else:
        lines = found.lines(shown)
        more, listed = len(found.ids) - shown, found.ids[:1]
        command, notes = f": {_place_of_all(len(found.ids), folder)}", []
    if more > 0:
        indent = lines[-1][: -len(lines[-1].lstrip())] if not causes else "  "
        lines.append(f"{indent}… and {more} more{command}")
    lines += [*notes, "", *next_lines(folder, *listed)]
    if causes and len(found.ids) > len(causes):
        lines.append(f"all bugs:    {_place_of_all(len(found.ids), folder)}")
    return [*lines, report_line(folder)]


def joint_found_lines(directory: Path, summary: JointSummary, most: int) -> list[str]:
    """The causes of the bugs of all campaigns together, and what to do with their examples."""
    groups = joint_causes(directory, summary)
    if not groups or not most:
        return []
    lines = ["", *cause_lines(groups, AboutAll(directory), most)]
    if (more := len(groups) - most) > 0:
        every = command_line("status", directory, "--causes", len(groups))
        lines.append(f"  … and {more} more: {every}")
    first, *others = listed_examples(groups, most)
    named = (typed_words(*place_of(directory, example)) for example in others)
    following = next_lines(*place_of(directory, first), *named)
    return [*lines, "", *following, report_line(directory)]


def next_lines(folder: Path, bug: str, *others: str) -> list[str]:
    """The commands that go on with a bug, and what they can be told instead of its id."""
    lines = [
        f"look closer: {command_line('explain', folder, bug)}",
        f"ask again:   {command_line('replay', folder, bug)}",
    ]
    if (folder / EXAMPLES_FOLDER / bug).is_dir():
        lines.append(f"smallest:    {folder / EXAMPLES_FOLDER / bug}")
    return [*lines, f"likewise:    {', '.join(others)}"] if others else lines


def report_line(folder: Path) -> str:
    """The command that shows all of it."""
    return f"in pictures: {command_line('report', folder)}"


def _place_of_all(bugs: int, folder: Path) -> str:
    """Where all bugs are."""
    if has_all_bugs(folder, bugs):
        return f"{folder}/{BUGS_FOLDER}"
    return command_line("export", folder, "--every-bug", "OUT")
