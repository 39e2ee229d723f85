"""How people and programs are told of the causes of a campaign's bugs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.basis.wording import counted
from bugsieve.campaigns.kind import FoundBugs
from bugsieve.faults.causes.groups import Group
from bugsieve.faults.causes.words import in_words


def cause_lines(groups: Sequence[Group], found: FoundBugs, most: int) -> list[str]:
    """How many causes there are, and the first of them: count, words and the smallest example."""
    causes = sum(1 + len(group.also) for group in groups)
    bugs = sum(group.total for group in groups)
    verb = "has" if bugs == 1 else "have"
    lines = [f"{counted(bugs, 'bug')} {verb} {counted(causes, 'cause')}:"]
    width = len(str(max((group.count for group in groups[:most]), default=0)))
    indent = " " * (width + 5)
    for group in groups[:most]:
        lines.append(f"  {group.count:>{width}} × {in_words(group.cause)}")
        lines.append(f"{indent}as {group.example}: {found.about(group.example)}")
        lines += [
            f"{indent}also {other.count} {in_words(other.cause)}, as {other.example}"
            for other in group.also
        ]
    return lines


def causes_json(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The same for programs; those that are shown with another follow it."""
    return [
        {
            "id": one.cause.id,
            "bugs": one.count,
            "words": in_words(one.cause),
            "ending": one.cause.ending,
            "steps": [step._asdict() for step in one.cause.steps],
            "details": list(one.cause.details),
            "example": one.example,
            "with": None if one is group else group.cause.id,
        }
        for group in groups
        for one in (group, *group.also)
    ]
