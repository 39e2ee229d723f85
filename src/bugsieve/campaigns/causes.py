"""How people are told of the causes of a campaign's bugs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from bugsieve.base.wording import counted
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.explanation.causes.groups import Group, count_lines

MOST_CAUSES = 10
"""So many are listed, unless somebody asks for more."""


UNKNOWN_RULES = (
    "causes without a rule are by schema and ending: what other actions would have cost is unknown"
)


class Described(Protocol):
    """Bugs of which somebody knows what is wrong with each."""

    def about(self, name: str) -> str:
        """What is wrong with the bug of this id, in a line."""
        ...


def listed_examples(groups: Sequence[Group], most: int) -> list[str]:
    """The bugs that `cause_lines` names."""
    return [one.example for group in groups[:most] for one in group]


def unknown_rules(groups: Sequence[Group], records: CampaignRecords[Any]) -> list[str]:
    """What is said of causes where no rule is known; a measurement looks for none."""
    is_unknown = any(one.is_by_schema for group in groups for one in group)
    return [UNKNOWN_RULES] if is_unknown and not records.is_sample else []


def cause_lines(groups: Sequence[Group], found: Described, most: int) -> list[str]:
    """How many causes there are, and the first of them: count, words and the smallest example."""
    causes = count_lines(groups)
    bugs = sum(group.total for group in groups)
    verb = "has" if bugs == 1 else "have"
    lines = [f"{counted(bugs, 'bug')} {verb} {counted(causes, 'cause')}:"]
    width = len(str(max((group.count for group in groups[:most]), default=0)))
    indent = " " * (width + 5)
    for group in groups[:most]:
        lines.append(f"  {group.count:>{width}} × {group.words}")
        lines.append(f"{indent}as {group.example}: {found.about(group.example)}")
        lines += [
            f"{indent}also {other.count} {other.words}, as {other.example}" for other in group.also
        ]
    return lines
