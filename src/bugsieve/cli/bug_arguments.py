"""Commands that look at single bugs of a campaign name them by the folder and the id."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import suggest

if TYPE_CHECKING:
    from bugsieve.benches.bench import Bench
    from bugsieve.policies.models.policy import ModelPolicy
    from bugsieve.results.folder import StoredBug
    from bugsieve.results.rows import BugRow
    from bugsieve.results.safety.rows import SafetyBugRow

_MATCHES_SHOWN = 5

Row = TypeVar("Row", bound="StoredBug")


class RecordsOf(Protocol[Row]):
    """Records of campaigns of any kind, as far as bugs are concerned."""

    directory: Path

    def bug(self, name: str) -> Row | None:
        """The bug of this id, or of the only one that begins so."""
        ...

    def bugs(self) -> list[Row]:
        """All bugs."""
        ...


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
        rows, header = _named_bugs(records, args.bug), records.header
    with bench_of(args.folder, header, policy=args.policy) as bench:
        yield bench, rows


@contextmanager
def open_safety_bugs(
    args: argparse.Namespace,
) -> Iterator[tuple[ModelPolicy, list[SafetyBugRow]]]:
    """The policy of a safety campaign, or another one, and the bugs that were named."""
    from bugsieve.campaigns.safety.campaign import policy_of
    from bugsieve.results.safety.records import SafetyRecords

    with SafetyRecords(args.folder) as records:
        rows, header = _named_bugs(records, args.bug), records.header
    with policy_of(args.folder, header, spec=args.policy) as policy:
        yield policy, rows


def _named_bugs(records: RecordsOf[Row], names: list[str] | str) -> list[Row]:
    """The bugs of these names; all if none is named."""
    named = names if isinstance(names, list) else [names]
    rows = [find_bug(records, name) for name in named] or records.bugs()
    if not rows:
        raise UsageError(f"{records.directory}: has no bugs")
    return rows


def find_bug(records: RecordsOf[Row], name: str) -> Row:
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
        rest = len(matching) - _MATCHES_SHOWN
        shown = ", ".join(matching[:_MATCHES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        raise UsageError(f"{folder}: several bugs begin with {name!r}: {shown}")
    raise UsageError(
        f"{folder}: has no bug {name!r}{suggest(name, ids)}; 'bugsieve status {folder}' lists them"
    )
