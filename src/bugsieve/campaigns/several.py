"""Several campaigns in one folder, as of a domain or an experiment, and one summary of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bugsieve.basis.errors import BugsieveError, InputError
from bugsieve.basis.ours import INDEX_FILE, PROBLEMS_FILE
from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.summary import (
    BUGS_FOUND,
    LEFT_OPEN,
    NOTHING_TESTED,
    OUR_FAULT,
    Outcome,
    Summary,
)
from bugsieve.faults.causes.groups import Group, grouped
from bugsieve.results.schema import STORE_FILE


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
    def outcome(self) -> Outcome:
        """A bug in one of them is one; fine are only campaigns that all are."""
        found = {part.outcome for part in self.parts.values()}
        if Outcome.BUG in found:
            return Outcome.BUG
        is_fine = found == {Outcome.FINE} and not self.failed and not self.not_begun
        return Outcome.FINE if is_fine else Outcome.UNDECIDED

    @property
    def exit_code(self) -> int:
        """That of the worst part.

        3 for a fault of ours, 1 for bugs, 4 if there are none but something could not be run, 5 if
        no campaign found anything out, 6 if one did not or left something open.
        """
        codes = {part.exit_code for part in self.parts.values()}
        for code in (OUR_FAULT, BUGS_FOUND):
            if code in codes:
                return code
        if self.failed:
            return InputError.exit_code
        if codes <= {NOTHING_TESTED}:
            return NOTHING_TESTED
        return LEFT_OPEN if codes - {0} or self.not_begun else 0


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
    directory: str | os.PathLike[str], planned: Mapping[str, str | None] | None = None
) -> JointSummary:
    """One summary of all campaigns in a folder; InputError if there are none, nor any planned.

    `planned` has those that there should be, with what kept them from being run.
    """
    planned = planned or {}
    parts: dict[str, Summary] = {}
    told: dict[str, str] = {}
    failed = {name: error for name, error in planned.items() if error}
    for path in campaigns_in(directory):
        name = path.relative_to(directory).as_posix()
        try:
            parts[name] = summary_of(path)
            told.update(_told(name, path, parts[name]))
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
        rejected=tuple(row for part in found for row in part.rejected),
        troubles={},
        parts=parts,
        unstable=tuple(row for part in found for row in part.unstable),
        failed=failed,
        not_begun=not_begun,
        told=told,
    )


def _told(name: str, path: Path, summary: Summary) -> dict[str, str]:
    kind = kind_in(path)
    return {} if kind.is_test else {name: kind.wording.first_lines(summary)[0]}


def joint_causes(directory: Path, summary: JointSummary) -> list[Group]:
    """The causes of the bugs of all campaigns together, each bug as `FOLDER/ID`."""
    members = []
    for name, part in summary.parts.items():
        if part.bugs and part.mistake is None:
            with kind_in(directory / name).records(directory / name) as records:
                found = records.members_of_causes()
            members += [one._replace(id=f"{name}/{one.id}") for one in found]
    return grouped(members)


def place_of(directory: Path, name: str) -> tuple[Path, str]:
    """The folder of the campaign and the id of a bug, by what `joint_causes` calls it."""
    folder, _, bug = name.rpartition("/")
    return directory / folder, bug
