"""The narrow door to the rules engine: what suites and mutants ask about flight rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from bugsieve.rooms.rules.scale import Grade, Standing, standing
from bugsieve.tasks.search_limits import NO_LIMITS, Limits

if TYPE_CHECKING:
    from bugsieve.tasks.grounded.task import Task

RuleVerdict: TypeAlias = Grade | Literal["vacuous"]
"""One of the scale; `vacuous`: holds, but some literal of the rule can never be its cause."""


@dataclass(frozen=True)
class Reading:
    """The reading of rules, and the limits of judging them."""

    criterion: str = "ufc"
    view: str | None = None
    """None: the views of the table of verdicts."""
    with_goal: bool = False
    limits: Limits = NO_LIMITS
    certified: bool = True
    """True if proofs are written down and checked; of mutants there are too many for that."""


@dataclass(frozen=True)
class Requirement:
    """A rule that a case has itself."""

    rule: str | Mapping[str, Any]
    """In LTL or English, or the keys of a `[[rule]]`."""
    atoms: Mapping[str, str]


@dataclass(frozen=True)
class RuleFinding:
    """The result of one instance of a rule, with a trace where it is violated."""

    verdict: RuleVerdict
    rule: str = ""
    """The instance in LTL."""
    actions: tuple[str, ...] = ()
    letters: tuple[tuple[str, ...], ...] = ()
    """The atoms that are true in each state of the trace, the first state's first."""
    reason: str = ""
    """The reason why it is undecided."""
    expect: str | None = None
    """The expectation of the rules file itself."""

    def standing(self, expect: str) -> Standing:
        """The standing of the verdict where this is expected."""
        if self.verdict == "vacuous":
            return standing("holds", expect, is_vacuous=True)
        return standing(self.verdict, expect)


class InstanceJudge(Protocol):
    """Judges every instance of every rule of a rules file, or of a requirement, on one task."""

    def __call__(
        self, task: Task, rules: str | Requirement, *, name: str, reading: Reading
    ) -> Mapping[str, RuleFinding]:
        """Instance, such as `FR-2[rover1]`, to what was found; `name` is the file in errors."""


def engine_judge() -> InstanceJudge:
    """The judge that asks the rules engine, which is loaded when it is first needed."""

    def judge(
        task: Task, rules: str | Requirement, *, name: str, reading: Reading
    ) -> Mapping[str, RuleFinding]:
        from bugsieve.rooms.domain_testing.engine_judge import judge_rules

        return judge_rules(task, rules, name=name, reading=reading)

    return judge
