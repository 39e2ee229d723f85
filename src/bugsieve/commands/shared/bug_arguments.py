"""Commands that look at single bugs of a campaign name them by the folder and the id."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import UsageError
from bugsieve.base.names import suggest

if TYPE_CHECKING:
    from bugsieve.campaigns.store.records import CampaignRecords
    from bugsieve.pipeline.judging.findings import BugRow

_MATCHES_SHOWN = 5

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
    raise UsageError(f"{folder}: is a campaign of {name}, which this command cannot take")


@contextmanager
def open_bugs(args: argparse.Namespace) -> Iterator[tuple[Any, list[BugRow[Any]]]]:
    """The bench or the policy of a campaign, or another policy, and the bugs that were named."""
    from bugsieve.campaigns.cost.bench import bench_of
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.rooms.safety.campaign.policy import policy_of

    openers: dict[str, Any] = {"cost": bench_of, "safety": policy_of}
    opened = for_kind(args.folder, openers)
    with kind_in(args.folder).records(args.folder) as records:
        rows, header = _named_bugs(records, args.bug), records.header
    with opened(args.folder, header, policy=args.policy) as tested:
        yield tested, rows


def _named_bugs(records: CampaignRecords[Any], names: list[str] | str) -> list[BugRow[Any]]:
    """The bugs of these names; all if none is named."""
    named = names if isinstance(names, list) else [names]
    rows = [find_bug(records, name) for name in named] or records.bugs()
    if not rows:
        raise UsageError(f"{records.directory}: has no bugs")
    return rows


def find_bug(records: CampaignRecords[Any], name: str) -> BugRow[Any]:
    """The bug of this id, or of the only one that begins so; UsageError otherwise."""
    row: BugRow[Any] | None = records.bug(name)
    if row is not None:
        return row
    ids = list(records.bug_kinds())
    folder = records.directory
    if not ids:
        raise UsageError(f"{folder}: has no bugs")
    matching = [bug for bug in ids if bug.startswith(name)]
    if matching:
        rest = len(matching) - _MATCHES_SHOWN
        shown = ", ".join(matching[:_MATCHES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        raise UsageError(f"{folder}: several bugs begin with {name!r}: {shown}")
    raise UsageError(
        f"{folder}: has no bug {name!r}{suggest(name, ids)}; "
        f"{quoted_command('status', folder)} lists them"
    )
