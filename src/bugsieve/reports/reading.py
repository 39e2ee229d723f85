"""Reads folders of campaigns into the contents of a page; asks no policy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BugsieveError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.base.wording import counted, kind_in_words
from bugsieve.campaigns.causes import unknown_rules
from bugsieve.campaigns.kind import Kind, kind_in
from bugsieve.campaigns.several.several import (
    JointSummary,
    is_joint,
    joint_causes,
    require_directory,
)
from bugsieve.campaigns.several.several_wording import joint_first_lines, joint_notes, joint_rows
from bugsieve.campaigns.status import first_lines, status_lines
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.summary import Summary
from bugsieve.explanation.causes.groups import Group
from bugsieve.reports.contents import BugLine, CampaignPart, CausePart, Chapter, ShownBug
from bugsieve.reports.joint import joint_of, missing_in
from bugsieve.reports.privacy import Veil, typed_folder

MOST_EXAMPLES = 50
"""Causes whose examples are shown with pictures."""
MOST_BUGS = 5000
"""Rows in the tables of all bugs together."""


@dataclass(frozen=True)
class ReadingLimits:
    """The limits on what is read of the folders."""

    bugs: int | None = MOST_BUGS
    """None: all."""
    examples: int = MOST_EXAMPLES


def read_chapter(folder: Path, limits: ReadingLimits) -> Chapter:
    """The content of a folder: one campaign, or several."""
    require_directory(folder)
    if not (folder / STORE_FILE).exists() and is_joint(folder):
        return _several(folder, limits)
    kind = kind_in(folder)
    with kind.records(folder) as records:
        summary = kind.summarise(records)
        veil = _veil(kind, records.header)
        part = _campaign(kind, records, summary, typed_folder(folder), "", limits.bugs)
        groups = [] if summary.mistake is not None else records.causes()
        found = _Found({"": _Campaign(folder, kind, part, veil)})
        lines = [veil(line) for line in first_lines(kind, summary)]
        causes = found.causes(groups, limits.examples)
        notes = unknown_rules(groups, records)
    verdict, more, printed = _parted(lines, veil(summary.trace))
    return Chapter(
        part.folder,
        verdict,
        [*more, *notes],
        part.heading,
        summary.outcome if kind.is_test else None,
        summary.reason is not None,
        [part],
        causes,
        printed,
        summary.bugs if summary.mistake is None else 0,
    )


def _several(folder: Path, limits: ReadingLimits) -> Chapter:
    summary = joint_of(folder)
    typed = typed_folder(folder)
    found = _Found({})
    left, is_test = limits.bugs, False
    for name, part in summary.parts.items():
        kind = kind_in(folder / name)
        is_test = is_test or kind.is_test
        with kind.records(folder / name) as records:
            veil = _veil(kind, records.header)
            made = _campaign(kind, records, part, f"{typed}/{name}", name, left)
        left = None if left is None else left - len(made.bugs)
        found.campaigns[name] = _Campaign(folder / name, kind, made, veil)
    notes = [note.short for note in joint_notes(summary)]
    lines = [*joint_first_lines(summary), *notes]
    campaigns = [one.part for one in found.campaigns.values()]
    return Chapter(
        typed,
        lines[0],
        lines[1:],
        _tested(summary, campaigns),
        summary.outcome if is_test or not summary.parts else None,
        summary.reason is not None,
        campaigns,
        found.causes(joint_causes(folder, summary), limits.examples),
        bugs=summary.bugs,
        each=joint_rows(summary),
        missing=missing_in(folder, summary),
    )


def _tested(summary: JointSummary, campaigns: Sequence[CampaignPart]) -> str:
    """The common heading of the campaigns, or how many there are."""
    headings = {part.heading for part in campaigns}
    if len(headings) == 1:
        return headings.pop()
    words = counted(summary.planned, summary.noun)
    kinds = {kind_in_words(part.kind) for part in campaigns}
    tested = f"{words} of {' and '.join(sorted(kinds))}" if kinds else words
    for name in ("policy", "objective"):
        values = {part.provenance.get(name, "") for part in campaigns}
        if len(values) == 1 and (value := values.pop()):
            tested += f", {name} {value}"
    return tested


@dataclass(frozen=True, eq=False)
class _Campaign:
    """A campaign that was read, and where it is."""

    folder: Path
    kind: Kind[Any]
    part: CampaignPart
    veil: Veil


@dataclass(eq=False)
class _Found:
    """The findings in the campaigns of a folder, by their names below it."""

    campaigns: dict[str, _Campaign]

    def causes(self, groups: Sequence[Group], most: int) -> list[CausePart]:
        """The causes, those of most bugs first; bugs where these have none."""
        made = [self._cause(group) for group in groups] or self._bugs_alone()
        exhibits = dict(self._exhibits(made[:most]))
        return [_with(part, exhibits) for part in made]

    def _cause(self, group: Group) -> CausePart:
        name, _, bug = group.example.rpartition("/")
        campaign = self.campaigns[name]
        return CausePart(
            group.count,
            campaign.veil(group.words),
            group.id,
            ShownBug(campaign.part, bug, _about(campaign.part, bug)),
            [self._cause(other) for other in group.also],
        )

    def _bugs_alone(self) -> list[CausePart]:
        return [
            CausePart(1, bug.about, "", ShownBug(one.part, bug.id, ""))
            for one in self.campaigns.values()
            for bug in one.part.bugs
        ]

    def _exhibits(self, causes: Sequence[CausePart]) -> Iterator[tuple[tuple[str, str], Any]]:
        """The exhibits of the examples, one campaign after the other."""
        wanted = [part.example for cause in causes for part in (cause, *cause.also)]
        for name, campaign in self.campaigns.items():
            bugs = [one.bug for one in wanted if one.campaign.name == name]
            if bugs:
                with campaign.kind.records(campaign.folder) as records:
                    exhibits = campaign.kind.exhibits(records)
                    for bug in bugs:
                        yield (name, bug), _veiled(exhibits.exhibit(bug), campaign.veil)


def _with(part: CausePart, exhibits: Mapping[tuple[str, str], Any]) -> CausePart:
    example = part.example
    known = exhibits.get((example.campaign.name, example.bug))
    also = [_with(other, exhibits) for other in part.also]
    about = (known.about if known else "") or example.about
    return replace(part, example=replace(example, exhibit=known, about=about), also=also)


def _veiled(exhibit: Any, veil: Veil) -> Any:
    sentences = tuple(map(veil, exhibit.sentences))
    printed, about = veil(exhibit.printed), veil(exhibit.about)
    return replace(exhibit, sentences=sentences, printed=printed, about=about)


def _about(part: CampaignPart, bug: str) -> str:
    return next((line.about for line in part.bugs if line.id == bug), "")


def _campaign(
    kind: Kind[Any], records: Any, summary: Summary, folder: str, name: str, most: int | None
) -> CampaignPart:
    header, veil = records.header, _veil(kind, records.header)
    said = [line for line in status_lines(kind, header, summary) if line not in _trace(summary)]
    is_shown = summary.mistake is None
    bugs = _bugs(kind, records, veil, most, is_part=bool(name)) if is_shown else []
    return CampaignPart(
        folder,
        name,
        kind.name,
        veil(kind.wording.heading(header)),
        [veil(line) for line in said if line],
        bugs,
        (summary.bugs if summary.mistake is None else 0) - len(bugs),
        kind.exhibits(records).panels(summary),
        _options(header.options, veil),
        _provenance(kind, header, summary, veil),
    )


def _trace(summary: Summary) -> set[str]:
    return {f"  {line}" for line in summary.trace.splitlines()}


def _parted(lines: Sequence[str], trace: str) -> tuple[str, list[str], str]:
    """The verdict, what follows it, and what a policy printed that gave no answer."""
    verdict, *more = lines
    return verdict, [line for line in more if line and not (trace and line[0] == " ")], trace


def _bugs(
    kind: Kind[Any], records: Any, veil: Veil, most: int | None, *, is_part: bool
) -> list[BugLine]:
    """The bugs, those first that matter most; of one of several campaigns by their causes."""
    found = kind.wording.found(records)
    rows = {row.id: row for row in records.listed_bugs()}
    members = records.members_of_causes()
    lines = {one.id: one.cause.id if is_part else one.line for one in members}
    return [
        BugLine(
            row.id,
            row.kind,
            veil(found.about(row.id)),
            row.steps,
            row.seconds,
            tuple(map(veil, row.finders)),
            lines.get(row.id, ""),
        )
        for row in (rows[name] for name in found.ids[:most] if name in rows)
    ]


def _veil(kind: Kind[Any], header: CampaignHeader) -> Veil:
    """The veil over the policy's place."""
    folder = parse_toml(header.options, "the options").get("policy_folder", "")
    try:
        table = kind.policies
        places = () if table is None else table.started_by(header.policy).connections
    except (BugsieveError, OSError):  # a foreign spec
        places = ()
    return Veil([folder] if isinstance(folder, str) and folder else [], places)


_HIDDEN = ("policy_folder",)


def _options(text: str, veil: Veil) -> dict[str, str]:
    """The options by their names, those of tables with the name of the table before them."""
    return dict(_flat(parse_toml(text, "the options"), "", veil))


def _flat(table: Mapping[str, Any], prefix: str, veil: Veil) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.", veil)
        elif name not in _HIDDEN and value != "":
            plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{prefix}{name}", veil(plain)


def _provenance(
    kind: Kind[Any], header: CampaignHeader, summary: Summary, veil: Veil
) -> dict[str, str]:
    """The data by which two campaigns are known to be about the same."""
    subject = header.subject
    given = {
        "campaign of": kind_in_words(kind.name),
        "about": subject.name,
        "SHA-256 of the task": getattr(subject, "sha256", ""),
        "policy": veil(header.policy),
        "fingerprint of the policy": header.policy_fingerprint,
        "objective": veil(header.objective),
        "running time": f"{summary.seconds:.1f} s",
        "questions to the policy": str(summary.policy_calls) if summary.policy_calls else "",
        "ended": summary.reason or "not finished",
    }
    return {name: value for name, value in given.items() if value}
