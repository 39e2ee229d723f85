"""How people are told of the causes of a campaign's bugs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bugsieve.basis.wording import counted
from bugsieve.faults.causes.groups import Group
from bugsieve.faults.causes.words import in_words

MOST_CAUSES = 10
"""So many are listed, unless somebody asks for more."""


class Described(Protocol):
    """Bugs of which somebody knows what is wrong with each."""

    def about(self, name: str) -> str:
        """What is wrong with the bug of this id, in a line."""
        ...


def listed_examples(groups: Sequence[Group], most: int) -> list[str]:
    """The bugs that `cause_lines` names."""
    return [one.example for group in groups[:most] for one in group]


def causes_in(groups: Sequence[Group]) -> int:
    """How many causes there are."""
    return sum(1 + len(group.also) for group in groups)


def cause_lines(groups: Sequence[Group], found: Described, most: int) -> list[str]:
    """How many causes there are, and the first of them: count, words and the smallest example."""
    causes = causes_in(groups)
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
