"""Several campaigns in one folder, as of a domain or an experiment, and one summary of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bugsieve.basis.errors import InputError
from bugsieve.basis.ours import INDEX_FILE
from bugsieve.campaigns.campaign import summary_of
from bugsieve.campaigns.summary import Summary
from bugsieve.results.schema import STORE_FILE


@dataclass(frozen=True, kw_only=True)
class JointSummary(Summary):
    """What campaigns have done together; it has finished when all have."""

    parts: Mapping[str, Summary]
    """By their folders below the common one."""

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


def campaigns_in(directory: str | os.PathLike[str]) -> list[Path]:
    """The folders of campaigns right below a folder, by name; of an experiment, all of its."""
    where = (
        f"*/*/*/{STORE_FILE}" if (Path(directory) / INDEX_FILE).is_file() else f"*/{STORE_FILE}"
    )
    return sorted(path.parent for path in Path(directory).glob(where))


def joint_summary(directory: str | os.PathLike[str]) -> JointSummary:
    """One summary of all campaigns in a folder; InputError if there are none."""
    parts: dict[str, Summary] = {
        path.relative_to(directory).as_posix(): summary_of(path)
        for path in campaigns_in(directory)
    }
    if not parts:
        raise InputError(f"{directory}: there is no campaign in this folder")
    found = list(parts.values())
    kinds = Counter[str]()
    for part in found:
        kinds.update(part.bugs_by_kind)
    unfinished = [part for part in found if part.reason is None]
    return JointSummary(
        reason=None if unfinished else "all campaigns are done",
        seconds=sum(part.seconds for part in found),
        walks=sum(part.walks for part in found),
        steps=sum(part.steps for part in found),
        bugs=sum(part.bugs for part in found),
        bugs_by_kind=dict(sorted(kinds.items())),
        rejected=tuple(row for part in found for row in part.rejected),
        troubles={},
        parts=parts,
    )
