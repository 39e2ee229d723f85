"""Counts of the states that walks offered to the pool, by what became of them."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from bugsieve.tasks.grounded.task import StateArray

_TEXT = re.compile(r"offered (\d+), duplicates (\d+), filtered (\d+), stuck (\d+)")


@dataclass(frozen=True)
class WalkCounts:
    """Counts of some walks; those of other walks can be added."""

    offered: int = 0
    duplicates: int = 0
    """Offered states that were in the pool, or were offered before in the same round."""
    filtered: int = 0
    """Others that were not new enough, or that the condition on test states excludes."""
    stuck: int = 0
    """Walks that ended early: every way on led into a dead end, or the bias forbade it."""

    def __add__(self, other: WalkCounts) -> WalkCounts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return WalkCounts(*(one + another for one, another in pairs))

    def __sub__(self, other: WalkCounts) -> WalkCounts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return WalkCounts(*(one - another for one, another in pairs))

    def __str__(self) -> str:
        """The text of timelines; the inverse of `counts_from`."""
        return ", ".join(f"{field.name} {getattr(self, field.name)}" for field in fields(self))


def counts_from(text: str) -> WalkCounts:
    """The counts that a timeline tells of; ValueError for anything else."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError("no counts of walks")
    return WalkCounts(*map(int, found.groups()))


def counts_of(
    offers: StateArray, known: NDArray[np.bool_], novel: NDArray[np.bool_], stuck: int
) -> WalkCounts:
    """The counts of a round: which offers were known before it, and which the filter took."""
    seen: set[bytes] = set()
    again = known.copy()
    for place, state in enumerate(offers):
        again[place] |= state.tobytes() in seen
        seen.add(state.tobytes())
    filtered = int((~novel & ~again).sum())
    return WalkCounts(len(offers), int(again.sum()), filtered, stuck)
