"""Several campaigns in one folder, as of a domain or an experiment, and one summary of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.files_and_processes.unlinked_folders import INDEX_FILE, PROBLEMS_FILE
from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.coverage import joint_coverage
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignVerdict, joint_verdict
from bugsieve.explanation.causes.groups import Group, grouped


@dataclass(frozen=True, kw_only=True)
class JointSummary(Summary):
    """What campaigns have done together; it has finished when all have."""

    parts: Mapping[str, Summary]
    """By their folders below the common one."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Why others could not be run, by their folders."""
    not_begun: tuple[str, ...] = ()
    """Those that were planned and have not begun."""
    told: Mapping[str, str] = field(default_factory=dict)
    """What parts that look for no bugs have come to, in words, by their folders."""
    noun: str = "campaign"
    """What a part is called."""

    @property
    def unfinished(self) -> set[str]:
        """The folders of all that have not come to their end."""
        under_way = (name for name, part in self.parts.items() if part.reason is None)
        return {*under_way, *self.failed, *self.not_begun}

    @property
    def certain(self) -> int:
        """Bugs that must be there, but for which nobody has a proof."""
        return sum(part.certain for part in self.parts.values())

    @property
    def undecided(self) -> int:
        """Cases that were left open, in all campaigns together."""
        return sum(part.undecided for part in self.parts.values())

    @property
    def is_telling(self) -> bool:
        """Whether some campaign found anything out."""
        return any(part.is_telling for part in self.parts.values())

    @property
    def tested(self) -> Mapping[str, int]:
        """Cases of all campaigns, by what they are called."""
        numbers = Counter[str]()
        for part in self.parts.values():
            numbers.update(part.tested)
        return numbers

    @property
    def planned(self) -> int:
        """How many campaigns there are, or should be."""
        return len({*self.parts, *self.failed, *self.not_begun})

    @property
    def looks_for_none(self) -> bool:
        """Whether no campaign looks for bugs."""
        return bool(self.told) and self.told.keys() == self.parts.keys()

    @property
    def verdict(self) -> CampaignVerdict:
        """The first line on all campaigns together, with its outcome and exit code."""
        return joint_verdict(self)


def require_directory(directory: Path) -> None:
    """InputError if there is no such folder."""
    if not directory.is_dir():
        what = "is a file" if directory.exists() else "there is no such folder"
        raise InputError(f"{directory}: {what}, give folders of campaigns or experiments")


def is_joint(directory: Path) -> bool:
    """Whether a folder holds campaigns, or says which it is to hold."""
    plans = (directory / name for name in (INDEX_FILE, PROBLEMS_FILE))
    return any(map(Path.is_file, plans)) or bool(campaigns_in(directory))


def campaigns_in(directory: str | os.PathLike[str]) -> list[Path]:
    """The folders of campaigns right below a folder, by name; of an experiment, all of its."""
    where = (
        f"*/*/*/{STORE_FILE}" if (Path(directory) / INDEX_FILE).is_file() else f"*/{STORE_FILE}"
    )
    return sorted(path.parent for path in Path(directory).glob(where))


def joint_summary(
    directory: str | os.PathLike[str],
    planned: Mapping[str, str | None] | None = None,
    *,
    noun: str = "campaign",
) -> JointSummary:
    """One summary of all campaigns in a folder; InputError if there are none, nor any planned.

    `planned` has those that there should be, with what kept them from being run; `noun` is what
    one of them is called.
    """
    planned = planned or {}
    parts: dict[str, Summary] = {}
    told: dict[str, str] = {}
    causes: set[str] = set()
    failed = {name: error for name, error in planned.items() if error}
    for path in campaigns_in(directory):
        name = path.relative_to(directory).as_posix()
        try:
            part = summary_of(path)
            keys = _cause_keys(path, part)
            # Rules of a policy name objects of one task: over several, bugs are counted by causes.
            parts[name] = replace(part, cause_count=len(keys))
            told.update(_told(name, path, parts[name]))
            causes |= keys
        except BugsieveError as error:  # a damaged store is one of several
            failed[name] = str(error)
    if not parts and not planned and not failed:
        raise InputError(f"{directory}: there is no campaign in this folder")
    found = list(parts.values())
    # Where a policy was never connected as it should be, nothing counts as a bug.
    proper = [part for part in found if part.mistake is None]
    kinds = Counter[str]()
    for part in proper:
        kinds.update(part.bugs_by_kind)
    not_begun = tuple(name for name in planned if name not in parts and name not in failed)
    is_done = not not_begun and all(part.reason is not None for part in found)
    return JointSummary(
        reason="all campaigns are done" if is_done else None,
        seconds=sum(part.seconds for part in found),
        walks=sum(part.walks for part in found),
        steps=sum(part.steps for part in found),
        bugs=sum(part.bugs for part in proper),
        bugs_by_kind=dict(sorted(kinds.items())),
        cause_count=len(causes),
        rejected=tuple(row for part in found for row in part.rejected),
        troubles={},
        parts=parts,
        unstable=tuple(row for part in found for row in part.unstable),
        failed=failed,
        not_begun=not_begun,
        told=told,
        noun=noun,
        coverage=joint_coverage([part.coverage for part in found]),
    )


def _told(name: str, path: Path, summary: Summary) -> dict[str, str]:
    kind = kind_in(path)
    return {} if kind.is_test else {name: kind.wording.first_lines(summary)[0]}


def _cause_keys(path: Path, summary: Summary) -> set[str]:
    """The causes of the bugs that count."""
    if not summary.bugs or summary.mistake is not None:
        return set()
    with kind_in(path).records(path) as records:
        return records.cause_keys()


def joint_causes(directory: Path, summary: JointSummary) -> list[Group]:
    """The causes of the bugs of all campaigns together, each bug as `FOLDER/ID`.

    Patterns name objects of one task, so bugs of several are grouped by their causes alone.
    """
    members = []
    for name, part in summary.parts.items():
        if part.bugs and part.mistake is None:
            with kind_in(directory / name).records(directory / name) as records:
                found = records.members_of_causes()
            members += [one._replace(id=f"{name}/{one.id}", pattern=None) for one in found]
    return grouped(members)


def place_of(directory: Path, name: str) -> tuple[Path, str]:
    """The folder of the campaign and the id of a bug, by what `joint_causes` calls it."""
    folder, _, bug = name.rpartition("/")
    return directory / folder, bug
