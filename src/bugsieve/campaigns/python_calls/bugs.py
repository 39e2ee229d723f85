"""The bugs that a call has found, with what was left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, overload

from bugsieve.base.errors import UsageError
from bugsieve.base.notebooks import line_html, table_html
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.found import Found
from bugsieve.campaigns.several.several import JointSummary
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignResult, CampaignVerdict
from bugsieve.explanation.causes.groups import BugInGroup, Group, grouped
from bugsieve.explanation.examples.decisions import Example, examples_of
from bugsieve.pipeline.judging.findings import UnstableRow

BugT = TypeVar("BugT", bound=Found)

_BUGS_LISTED = 10
_LONGEST_BUG = 110
"""Test runners cut long lines in their middle."""


class Bugs(Sequence[BugT]):
    """The bugs of a policy, and what was left open beside them.

    It counts and lists bugs. It is true, and equal to no list, while there are bugs or anything is
    undecided: nobody takes "nothing proven" for "nothing wrong". As a text it begins with the
    verdict, and lists the worst.
    """

    def __init__(
        self,
        found: Iterable[BugT],
        summary: Summary,
        *,
        about: str = "",
        parts: Mapping[str, Bugs[BugT]] | None = None,
    ) -> None:
        self._found = list(found)
        self.summary = summary
        self.parts: Mapping[str, Bugs[BugT]] = parts or {}
        """Where several problems were tested, the bugs of each by its name."""
        self._about = about

    @property
    def verdict(self) -> CampaignVerdict:
        """What the campaign has come to: the first line that commands print, with its outcome."""
        return self.summary.verdict

    @property
    def undecided(self) -> int:
        """Cases in which the policy fails and nobody knows whether it had to."""
        return self.summary.undecided

    @property
    def unstable(self) -> tuple[UnstableRow, ...]:
        """What would be bugs, had the policy not changed its answers."""
        return self.summary.changed

    def causes(self) -> list[Group]:
        """What is wrong, instead of where: the lines that `bugsieve test` lists.

        Bugs of one rule of the policy are one line, the others are grouped by their causes; those
        of most bugs come first. Bugs of several problems are grouped by their causes alone.
        """
        return grouped(map(self._member, self._found))

    def _member(self, bug: BugT) -> BugInGroup:
        pattern = bug.pattern if isinstance(bug, FoundBug) and not self.parts else None
        return BugInGroup(bug.id, bug.steps, bug.cause, pattern)

    def to_examples(self) -> list[Example]:
        """From the culprit of each bug on, the states of a better plan, each with its action.

        For training; `bugsieve export --examples` writes the same. UsageError for safety bugs.
        """
        by_bench: dict[int, list[FoundBug]] = {}
        for bug in self._found:
            if not isinstance(bug, FoundBug):
                raise UsageError("examples are made of the bugs of cost testing")
            by_bench.setdefault(id(bug.bench), []).append(bug)
        return [
            example for bugs in by_bench.values() for example in examples_of(bugs[0].bench, bugs)
        ]

    @overload
    def __getitem__(self, index: int) -> BugT: ...

    @overload
    def __getitem__(self, index: slice) -> list[BugT]: ...

    def __getitem__(self, index: int | slice) -> BugT | list[BugT]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found) or self.is_open

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bugs):
            return (self._found, self.undecided, self.unstable) == (
                other._found,
                other.undecided,
                other.unstable,
            )
        return not self.is_open and self._found == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """In one line, which is what a failing `assert not find_bugs(…)` shows."""
        worst = f"; the worst: {str(self._found[0])[:_LONGEST_BUG]}" if self._found else ""
        return f"<{self.headline}{worst}>"

    def __str__(self) -> str:
        """The verdict, and a line on each of the worst."""
        lines = [self.headline, *(f"  {bug}" for bug in self._found[:_BUGS_LISTED])]
        rest = len(self._found) - _BUGS_LISTED
        return "\n".join([*lines, f"  … and {rest} more"] if rest > 0 else lines)

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and a row on each of the worst."""
        rows = ((str(bug), str(bug.steps)) for bug in self._found)
        told = line_html(self.headline)
        return told + table_html(("bug", "steps"), rows, len(self)) if self._found else told

    @property
    def headline(self) -> str:
        """The verdict, what was left open beside it, and of which policy."""
        about = f" ({self._about})" if self._about else ""
        is_told = self.verdict.outcome is CampaignResult.UNDECIDED or not self.undecided
        open_runs = "" if is_told else f", {self.undecided} undecided"
        untested = f", not tested: {', '.join(self.untested)}" if self.untested else ""
        return f"{self.verdict.sentence}{open_runs}{untested}{about}"

    @property
    def untested(self) -> list[str]:
        """The names of problems that could not be tested, or were not before the end."""
        summary = self.summary
        if not isinstance(summary, JointSummary):
            return []
        silent = [n for n, part in summary.parts.items() if part.unanswered is not None]
        return [*summary.failed, *summary.not_begun, *silent]

    @property
    def is_open(self) -> bool:
        """Whether something is undecided, would be a bug of a policy that stands by it, or could
        not be tested."""
        return bool(self.undecided or self.unstable or self.untested)
