"""Tests of rules for build servers: a check for each obligation of each task.

A test that should have passed and did not is a failure. What nobody could decide is not green, and
what no domain could show, or no test of a rule that fails at once, is skipped.
"""

from __future__ import annotations

from bugsieve.basis.build_servers import Check, Outcome
from bugsieve.campaigns.rules.options import options_in
from bugsieve.campaigns.rules.summary import summarise
from bugsieve.results.rules.records import RulesRecords
from bugsieve.results.rules.rows import ObligationRow
from bugsieve.rules.obligations.answers import NOT_COUNTED, Answer
from bugsieve.timelines.plans.plan import token_text


def rules_checks(records: RulesRecords) -> list[Check]:
    """What has become of every obligation."""
    no_vacuous = options_in(records).no_vacuous
    expected = {rule.rule for rule in summarise(records).rules if rule.is_as_expected}
    answers = {row.number: (row.answer, row.seconds) for row in records.answers()}
    names = {row.number: row.task.name for row in records.tasks()}
    checks = []
    for row in records.obligations():
        answer, seconds = answers.get(row.number, (None, 0.0))
        outcome, reason = _outcome(row, answer, expected, no_vacuous=no_vacuous)
        name = f"{row.number} {row.obligation.name}"
        checks.append(Check(name, names[row.task], outcome, reason, seconds=seconds))
    return checks


def _outcome(
    row: ObligationRow, answer: Answer | None, expected: set[str], *, no_vacuous: bool
) -> tuple[Outcome, str]:
    if answer is None:
        return "undecided", "not judged yet"
    if answer.verdict == "inconclusive":
        return "undecided", f"undecided: {answer.reason}"
    if answer.verdict in (*NOT_COUNTED, "not testable"):
        return "skipped", answer.reason
    if answer.verdict == "failed" and row.obligation.rule not in expected:
        return "failure", f"violated: {_actions(answer)}"
    if answer.verdict == "conflict":
        return "failure", f"no trace satisfies both: {answer.reason}"
    if answer.verdict == "vacuous" and no_vacuous:
        return "failure", "vacuous: no trace of this task shows it"
    return "passed", ""


def _actions(answer: Answer) -> str:
    trace = answer.trace
    if trace is None:
        return ""
    if "plan" in trace:
        return ", ".join(map(token_text, trace["plan"]["tokens"]))
    return " ".join(trace["trace"]["actions"])
