"""Examples from the bugs of a campaign, for training elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from bugsieve.base.current_activity import progressing
from bugsieve.base.stopping import check_stop
from bugsieve.base.wording import counted
from bugsieve.campaigns.campaign import AnyPath
from bugsieve.campaigns.cost.bench import judged_bench
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.checked_certificates import proof_of
from bugsieve.campaigns.store.table_files import Table, check_table_file, write_table
from bugsieve.checkers.cost import CertificateError
from bugsieve.explanation.examples.decisions import Example, examples_of
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.checking import checker_of


def export_examples(directory: AnyPath, target: AnyPath) -> int:
    """Write the examples of all bugs, the worst first, as JSON lines or Parquet; how many it were.

    The name of the file says which: `.jsonl` or `.parquet`.
    """
    folder = Path(directory)
    check_table_file(Path(target))
    with CostRecords(folder) as records:
        bench = judged_bench(folder, records.header)
        bugs = (row.bug for row in records.named(records.ranked()))
        table = table_of(examples_of(bench, _checked(folder, bench.task.to_sas(), bugs)))
    write_table(target, table)
    return len(table["bug"])


def _checked(folder: Path, sas: str, bugs: Iterable[Bug]) -> Iterator[Bug]:
    """The bugs, one after the other; InputError for one that is not proven."""
    checker = checker_of(sas, poll=check_stop)
    done = 0
    with progressing(lambda: f"{counted(done, 'bug')} looked at"):
        for bug in bugs:
            with proof_of(bug.id, folder, CertificateError):
                checker.check(bug.certificate)
            yield bug
            done += 1


def table_of(examples: Iterable[Example]) -> Table:
    """A column for each field; tuples become lists."""
    rows = list(examples)
    return {
        column.name: [
            list(value) if isinstance(value := getattr(row, column.name), tuple) else value
            for row in rows
        ]
        for column in fields(Example)
    }
