"""Counts of bugs per campaign, of each kind, and of states that were judged or left open.

A row for each campaign of every kind that has bugs, in the order of their folders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.wording import counted
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.options import POOL
from bugsieve.campaigns.several.index import IndexEntry
from bugsieve.campaigns.store.tables import TRAINING
from bugsieve.campaigns.summary import Summary
from bugsieve.policies.decisions import Ending
from bugsieve.reports.table import UNDEFINED, Column, Row, Table, Value
from bugsieve.rooms.lab.reports.collection import collect_cards


@dataclass(frozen=True)
class _Counted:
    """A campaign and what it has come to."""

    folder: Path
    policy: str
    instance: str
    summary: Summary
    judged: int | None
    """States, or different unsafe runs; None where nothing of the kind is judged."""
    causes: int

    @property
    def is_unsolved(self) -> bool:
        """Return true if the policy does not reach the goal from the initial state."""
        initial: Any = getattr(self.summary, "initial", None)
        return initial is not None and initial.ending != Ending.SOLVED.label


def bugs_table(directories: Sequence[Path]) -> Table:
    """The table of all campaigns in and below the folders; trainings and pools have no bugs."""
    cards = collect_cards(directories, _card)
    used = [card for card in cards if card is not None]
    if not used:
        raise InputError(f"{directories[0]}: no campaign here looks for bugs")
    kinds = list(dict.fromkeys(kind for item in used for kind in item.summary.bugs_by_kind))
    certain = any(item.summary.certain for item in used)
    return Table(
        label="campaign",
        block="policy",
        columns=tuple(_columns(sorted(kinds), certain=certain)),
        rows=tuple(
            Row(
                item.policy,
                _label(item.folder, directories),
                tuple(_cells(item, sorted(kinds), certain=certain)),
                (item.instance,) if item.is_unsolved else (),
            )
            for item in used
        ),
        notes=tuple(_notes(used, len(cards) - len(used), directories)),
    )


def _card(folder: Path, label: IndexEntry | None) -> _Counted | None:
    """The counts of a campaign; None for one that does not look for bugs."""
    kind = kind_in(folder)
    with kind.records(folder) as records:
        header, summary = records.header, kind.summarise(records)
        causes = records.cause_count()
    options = kind.options.from_toml(header.options, name=str(folder))
    if kind.name == TRAINING or getattr(options, "mode", None) == POOL:
        return None
    return _Counted(
        folder,
        header.policy if label is None else label.policy,
        header.subject.name if label is None else label.instance,
        summary,
        getattr(summary, "judged", getattr(summary, "different_runs", None)),
        causes,
    )


def _label(folder: Path, directories: Sequence[Path]) -> str:
    """The folder, without what all of them have in common."""
    if len(directories) > 1 or folder == directories[0]:
        return str(folder)
    return folder.relative_to(directories[0]).as_posix()


def _columns(kinds: Sequence[str], *, certain: bool) -> Iterator[Column]:
    yield Column("judged", ("states", "judged"), decimals=0)
    yield Column("undecided", ("states", "undecided"), decimals=0)
    yield Column("bugs", ("bugs", "all"), decimals=0)
    yield Column("causes", ("bugs", "causes"), decimals=0)
    for kind in kinds:
        yield Column(kind, ("bugs", kind), decimals=0)
    if certain:
        yield Column("certain", ("bugs", "without proof"), decimals=0)


def _cells(item: _Counted, kinds: Sequence[str], *, certain: bool) -> Iterator[Value]:
    summary = item.summary
    yield UNDEFINED if item.judged is None else float(item.judged)
    yield float(summary.undecided)
    # Where no run got past its first decision, nothing counts as a bug.
    counts = [summary.bugs, item.causes, *(summary.bugs_by_kind.get(kind, 0) for kind in kinds)]
    for count in counts:
        yield float(count) if summary.mistake is None else UNDEFINED
    if certain:
        yield float(summary.certain)


def _notes(used: Sequence[_Counted], left_out: int, directories: Sequence[Path]) -> Iterator[str]:
    proper = [item.summary for item in used if item.summary.mistake is None]
    yield (
        f"{counted(len(used), 'campaign')}: {counted(sum(s.bugs for s in proper), 'bug')}, "
        f"{sum(item.summary.undecided for item in used)} undecided"
    )
    if any(item.is_unsolved for item in used):
        yield "*: the policy does not reach the goal from the initial state"
    for item in used:
        name = _label(item.folder, directories)
        if item.summary.unanswered is not None:
            yield f"{name}: nothing could be tested: {item.summary.unanswered}"
        elif item.summary.reason is None:
            yield f"{name}: not finished"
    if left_out:
        yield f"{counted(left_out, 'campaign')} that look for no bugs left out"
