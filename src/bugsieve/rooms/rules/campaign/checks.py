"""Tests of rules for build servers: a check for each obligation of each task.

A test that should have passed and did not is a failure. Undecided tests do not count as
passed. Tests that no domain could show are skipped, and so are those of a rule that fails at once.
"""

from __future__ import annotations

from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.rooms.rules.campaign.options import options_in
from bugsieve.rooms.rules.campaign.summary import RuleResult, summarise
from bugsieve.rooms.rules.obligations.answers import NO_PLAN, Answer, Verdict
from bugsieve.rooms.rules.scale import BOUNDED, SAFETY, Grade
from bugsieve.rooms.rules.store.languages import SubjectLanguage
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow

_SO_FAR: tuple[Grade, ...] = (BOUNDED, SAFETY)
"""Grades that speak for a rule, for plans of some size or in part, and may not be enough."""
_SKIPPED: tuple[Verdict, ...] = ("infeasible", "undecidable", "not testable")


def rules_checks(records: RulesRecords) -> list[Check]:
    """Return a check for each obligation."""
    no_vacuous = options_in(records).no_vacuous
    rules = {rule.rule: rule for rule in summarise(records).rules}
    answers = {row.number: (row.answer, row.seconds) for row in records.answers()}
    names = {row.number: row.task.name for row in records.tasks()}
    checks = []
    for row in records.obligations():
        answer, seconds = answers.get(row.number, (None, 0.0))
        rule = rules.get(row.obligation.rule)
        outcome, reason = _outcome(row, answer, rule, records.subject_language)
        vacuous = _unwanted(row, rule) if no_vacuous else ""
        if vacuous and outcome in ("passed", "skipped"):
            outcome, reason = "failure", f"vacuous: {vacuous}"
        name = f"{row.number} {row.obligation.name}"
        checks.append(Check(name, names[row.task], outcome, reason, seconds=seconds))
    return checks


def _unwanted(row: ObligationRow, rule: RuleResult | None) -> str:
    """The vacuous conditions of the rule, which are told where the rule itself is."""
    if rule is None or row.obligation.aim != "violation" or rule.expect == "vacuous":
        return ""
    return ", ".join(rule.vacuous)


def _outcome(
    row: ObligationRow,
    answer: Answer | None,
    rule: RuleResult | None,
    language: SubjectLanguage,
) -> tuple[CheckOutcome, str]:
    if answer is None:
        return "undecided", "not judged yet"
    if answer.verdict == "inconclusive":
        return "undecided", f"undecided: {answer.reason}"
    if rule is not None and row.obligation.aim == "violation":
        if rule.grade in _SO_FAR:
            return "undecided" if rule.is_open else "passed", answer.reason
        if answer.verdict == "undecidable" and answer.reason != NO_PLAN:
            return "undecided", answer.reason
    if answer.verdict in _SKIPPED:
        return "skipped", answer.reason
    if answer.verdict == "failed" and rule is not None and not rule.is_as_expected:
        return "failure", f"violated: {_trace_text(answer, language)}"
    if answer.verdict == "conflict":
        return "failure", f"no trace satisfies {answer.reason}"
    return "passed", ""


def _trace_text(answer: Answer, language: SubjectLanguage) -> str:
    return "" if answer.trace is None else language.trace_text(answer.trace)
