"""Shards: parts of an experiment that several machines run at the same time, in one folder.

What builds on the same pool, start-up phase or network stays together, so that no shard ever waits
for a result of another one; only the final tests of trainings need all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bugsieve.base.errors import UsageError
from bugsieve.rooms.lab.experiments.grid import Cell

MOST_SHARDS = 100_000
_TEXT = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})", re.ASCII)


@dataclass(frozen=True)
class Shard:
    """One of so many parts; the first is number 1."""

    number: int
    count: int

    @classmethod
    def of(cls, text: str) -> Shard:
        """The shard that `2/8` names; UsageError for anything else."""
        match = _TEXT.fullmatch(text.strip())
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count <= MOST_SHARDS:
            raise UsageError(
                f"{text!r} is no shard: write I/N with I from 1 to N (at most {MOST_SHARDS}), "
                "as in 2/8"
            )
        return cls(number, count)

    def __str__(self) -> str:
        """The shard as it is typed."""
        return f"{self.number}/{self.count}"

    @property
    def lock_file(self) -> str:
        """The lock file that keeps it from being run twice at the same time."""
        return f"shard-{self.number}-of-{self.count}.lock"


def shards_of(cells: Sequence[Cell], count: int) -> list[Shard]:
    """The shard of each cell: every so many-th of what stays together, in the order of cells."""
    groups: dict[str, int] = {}
    numbers = [groups.setdefault(_common(cell), len(groups)) for cell in cells]
    return [Shard(number % count + 1, count) for number in numbers]


def _common(cell: Cell) -> str:
    """The key that the cell has in common with those that stay with it."""
    return cell.after or (cell.training.network if cell.training else cell.folder)
