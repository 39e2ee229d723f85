"""What was checked, as build servers are told: one line of theirs for each check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CheckOutcome = Literal["passed", "failure", "undecided", "error", "skipped"]


@dataclass(frozen=True)
class Check:
    """One thing that was checked, and what came out."""

    name: str
    group: str
    """What it belongs to, such as a campaign or a file of tests."""
    outcome: CheckOutcome = "passed"
    reason: str = ""
    details: tuple[str, ...] = ()
    """Further lines for people."""
    seconds: float | None = None
    file: str | None = None
    """What was tested, by its path from the current folder."""
