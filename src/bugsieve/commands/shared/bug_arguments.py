"""Commands that look at single bugs of a campaign name them by the folder and the id."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from bugsieve.base.errors import UsageError

Member = TypeVar("Member")


def add_bug_arguments(parser: argparse.ArgumentParser, *, many: bool) -> None:
    """The folder and the bug."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the campaign")
    add = parser.add_argument
    if many:
        add(
            "bug",
            nargs="*",
            metavar="BUG",
            help="ids of bugs, or their first characters; all bugs if none is named",
        )
    else:
        add("bug", metavar="BUG", help="the id of the bug, or its first characters")


def for_kind(folder: Path, table: Mapping[str, Member]) -> Member:
    """What the table has for the kind of the campaign in a folder; UsageError if nothing."""
    from bugsieve.campaigns.store.records import kind_of

    name = kind_of(folder)
    if name in table:
        return table[name]
    from bugsieve.campaigns.kind import kind_in  # all that runs campaigns: it takes a while

    kind_in(folder)
    return offered(None, folder, name)


def offered(member: Member | None, folder: Path, kind: str) -> Member:
    """What a kind of campaigns has for a command; UsageError if it has nothing."""
    if member is None:
        raise UsageError(f"{folder}: is a campaign of {kind}, which this command cannot take")
    return member
