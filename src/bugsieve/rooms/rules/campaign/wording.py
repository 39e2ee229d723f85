"""The wording of tests of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bugsieve.base.commands import command_line
from bugsieve.base.wording import counted
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.judging.findings import BugRow
from bugsieve.rooms.rules.campaign.summary import RuleResult, RulesSummary
from bugsieve.rooms.rules.scale import VIOLATED
from bugsieve.rooms.rules.store.bug import RuleBug
from bugsieve.rooms.rules.store.languages import LANGUAGES
from bugsieve.rooms.rules.store.records import RulesRecords

_MOST_NAMED = 5
_MOST_WARNINGS = 3
_MOST_LINES = 20
_ARGUMENTS = re.compile(r"(?<=\S)\([^)]*\)")


@dataclass(frozen=True)
class FoundViolations:
    """Violations, in the order of the rules."""

    rows: list[BugRow[RuleBug]]

    @property
    def ids(self) -> list[str]:
        """Their names."""
        return [row.id for row in self.rows]

    def lines(self, most: int) -> list[str]:
        """The rule that each bug violates, and how soon."""
        return [f"  {row.id}  {_about(row.bug)}" for row in self.rows[:most]]

    def about(self, name: str) -> str:
        """The rule that the bug of this id violates."""
        return "".join(_about(row.bug) for row in self.rows if row.id == name)

    def json(self) -> list[dict[str, Any]]:
        """The same for programs."""
        return [
            {"id": row.id, "rule": row.bug.rule, "steps": row.bug.steps, "task": _task(row.bug)}
            for row in self.rows
        ]


class RulesWording:
    """The texts that commands print about tests of rules."""

    def heading(self, header: CampaignHeader) -> str:
        """The domain and its rules."""
        rules = header.subject.rules_file or "its own constraints"
        what = LANGUAGES[header.subject.language].what
        return f"rules {rules}, {what} {header.subject.name}"

    def first_lines(self, summary: RulesSummary) -> list[str]:
        """No lines beside the verdict."""
        return []

    def count_lines(self, summary: RulesSummary) -> list[str]:
        """A line for each rule, then coverage and what is vacuous."""
        why = f" ({summary.reason})" if summary.reason else ""
        return [
            *_table(_grouped(summary.rules)),
            "",
            f"{summary.judged} of {counted(summary.obligations, 'obligation')} on "
            f"{counted(summary.tasks, 'task')} in {summary.seconds:.1f} s{why}",
            _coverage(summary),
            *_vacuous_lines(summary),
            *(f"no trace satisfies {rules}" for rules in _conflicts(summary)),
            *_warnings(summary.warnings),
        ]

    def found(self, records: RulesRecords) -> FoundViolations:
        """The violations."""
        return FoundViolations(records.bugs())

    def hints(self, records: RulesRecords, summary: RulesSummary) -> list[str]:
        """Hints: commands that show the results."""
        folder = records.directory
        return [
            "",
            f"every test: {command_line('rules', '--show', folder)}",
            f"test again: {command_line('replay', folder, '--domain', 'FILE')}",
        ]

    def progress(self, state: RoundDone) -> list[str]:
        """The progress of a running campaign."""
        found = sum(state.bugs.values())
        return [f"obligation {state.judged} of {state.limit}", counted(found, "violation")]


def _grouped(rules: tuple[RuleResult, ...]) -> list[RuleResult]:
    """Instances as they are if there are few; else one line for those of a rule that agree."""
    if len(rules) <= _MOST_LINES:
        return list(rules)
    groups: dict[tuple[str, str, str], list[RuleResult]] = {}
    for rule in rules:
        family = rule.rule.partition("[")[0]
        key = rule.rule if rule.grade == VIOLATED else family
        groups.setdefault((key, rule.verdict, _remark(rule)), []).append(rule)
    return [_joined(name, group) for (name, _, _), group in groups.items()]


def _joined(name: str, group: list[RuleResult]) -> RuleResult:
    if len(group) == 1:
        return group[0]
    return replace(
        group[0],
        rule=f"{name} ({len(group)} instances)",
        met=sum(rule.met for rule in group),
        feasible=sum(rule.feasible for rule in group),
    )


def _table(rules: list[RuleResult]) -> list[str]:
    names = max((len(rule.rule) for rule in rules), default=0)
    verdicts = max((len(rule.verdict) for rule in rules), default=0)
    return [
        f"  {rule.rule:{names}}  {rule.verdict:{verdicts}}  {rule.met} of {rule.feasible} met"
        f"  {_remark(rule)}".rstrip()
        for rule in rules
    ]


def _remark(rule: RuleResult) -> str:
    if not rule.is_as_expected:
        return f"{rule.detail}; expected: {rule.expect}" if rule.expect else rule.detail
    return f"{rule.detail}, as expected" if rule.expect and not rule.left else rule.detail


def _conflicts(summary: RulesSummary) -> list[str]:
    """The first of the rules that contradict themselves or each other, for tasks that agree."""
    lines = []
    for told in summary.conflicts:
        pairs, _, where = told.rpartition(" in ") if summary.tasks > 1 else (told, "", "")
        found = pairs.split("; ")
        more = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
        shown = "; ".join([*found[:_MOST_NAMED], *more])
        lines.append(f"{shown} in {where}" if where else shown)
    return lines


def _warnings(warnings: tuple[str, ...]) -> list[str]:
    lines = [f"warning: {warning}" for warning in warnings[:_MOST_WARNINGS]]
    more = len(warnings) - _MOST_WARNINGS
    return [*lines, f"… and {counted(more, 'warning')} more"] if more > 0 else lines


def _coverage(summary: RulesSummary) -> str:
    if summary.met_share is None:
        return "coverage: there is no obligation that some domain could meet"
    rest = f"; {summary.unjudged} not judged" if summary.unjudged else ""
    return (
        f"coverage {summary.met_share:.1f} %: {summary.met} of {summary.feasible} obligations "
        f"met, of those that some domain could meet{rest}"
    )


def _vacuous_lines(summary: RulesSummary) -> list[str]:
    found = [rule for rule in summary.rules if rule.vacuous]
    lines = [f"vacuous in {name}: {conditions}" for name, conditions in _vacuous(found)]
    if summary.unreached:
        lines.append(f"in no state: {', '.join(summary.unreached)}")
    return lines


def _vacuous(rules: list[RuleResult]) -> Iterator[tuple[str, str]]:
    """Each of few rules with its conditions; of many one for those instances that agree."""
    if len(rules) <= _MOST_NAMED:
        yield from ((rule.rule, ", ".join(rule.vacuous)) for rule in rules)
        return
    groups: dict[tuple[str, str], list[RuleResult]] = {}
    for rule in rules:
        names = ", ".join(_ARGUMENTS.sub("", name) for name in rule.vacuous)
        groups.setdefault((rule.rule.partition("[")[0], names), []).append(rule)
    for (family, names), group in groups.items():
        if len(group) == 1:
            yield group[0].rule, ", ".join(group[0].vacuous)
        else:
            yield f"{family} ({len(group)} instances)", names


def _about(bug: RuleBug) -> str:
    cause = f" because of {bug.literal}" if bug.literal else ""
    if "plan" in bug.certificate:
        return f"{bug.rule} violated{cause} by a plan of {_task(bug)}"
    how = "for ever after" if bug.certificate["lasso"] else "after"
    return f"{bug.rule} violated{cause} {how} {counted(bug.steps, 'step')} in {_task(bug)}"


def _task(bug: RuleBug) -> str:
    return str(bug.certificate["task"]["name"])
