"""Commands that look at single bugs of a campaign name them by the folder and the id."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import suggest

if TYPE_CHECKING:
    from bugsieve.bugs.bench import Bench
    from bugsieve.results.records import Records
    from bugsieve.results.rows import BugRow


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


@contextmanager
def open_bug(args: argparse.Namespace) -> Iterator[tuple[Bench, list[BugRow]]]:
    """The bench of a campaign, with its policy or another one, and the bugs that were named."""
    from bugsieve.campaigns.campaign import bench_of
    from bugsieve.results.records import Records

    with Records(args.folder) as records:
        named = args.bug if isinstance(args.bug, list) else [args.bug]
        rows = [find_bug(records, name) for name in named] or records.bugs()
        if not rows:
            raise UsageError(f"{args.folder}: has no bugs")
        header = records.header
    with bench_of(args.folder, header, policy=args.policy) as bench:
        yield bench, rows


def find_bug(records: Records, name: str) -> BugRow:
    """The bug of this id, or of the only one that begins so; UsageError otherwise."""
    row = records.bug(name)
    if row is not None:
        return row
    ids = [row.id for row in records.bugs()]
    folder = records.directory
    if not ids:
        raise UsageError(f"{folder}: has no bugs")
    matching = [bug for bug in ids if bug.startswith(name)]
    if matching:
        raise UsageError(f"{folder}: several bugs begin with {name!r}: {', '.join(matching)}")
    raise UsageError(
        f"{folder}: has no bug {name!r}{suggest(name, ids)}; 'bugsieve status {folder}' lists them"
    )
