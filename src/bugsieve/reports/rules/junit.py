"""Tests of rules as JUnit XML.

A test that should have passed and did not is a failure, one that nobody could decide an error:
undecided is not green. What no domain could show is skipped.
"""

from __future__ import annotations

from pathlib import Path

from bugsieve.basis.files import write_atomically
from bugsieve.basis.junit import JUnitCase, Outcome, junit_text
from bugsieve.campaigns.rules.options import options_in
from bugsieve.campaigns.rules.summary import summarise
from bugsieve.results.rules.records import RulesRecords
from bugsieve.results.rules.rows import ObligationRow
from bugsieve.rules.obligations.answers import NOT_COUNTED, Answer
from bugsieve.timelines.plans.plan import token_text


def write_junit(folder: Path, path: Path) -> None:
    """Write the results of the campaign in a folder."""
    with RulesRecords(folder) as records:
        name = records.header.subject.rules_file or "constraints"
        write_atomically(path, junit_text(name, junit_cases(records)).encode())


def junit_cases(records: RulesRecords) -> list[JUnitCase]:
    """A test for each obligation of each task."""
    no_vacuous = options_in(records).no_vacuous
    expected = {rule.rule for rule in summarise(records).rules if rule.is_as_expected}
    answers = {row.number: (row.answer, row.seconds) for row in records.answers()}
    names = {row.number: row.task.name for row in records.tasks()}
    cases = []
    for row in records.obligations():
        answer, seconds = answers.get(row.number, (None, 0.0))
        outcome, reason = _outcome(row, answer, expected, no_vacuous=no_vacuous)
        about = f"{row.obligation.rule}: " if row.obligation.rule else ""
        name = f"{row.number} {about}{row.obligation.title}"
        cases.append(JUnitCase(name, names[row.task], outcome, reason, seconds=seconds))
    return cases


def _outcome(
    row: ObligationRow, answer: Answer | None, expected: set[str], *, no_vacuous: bool
) -> tuple[Outcome, str]:
    if answer is None:
        return "error", "not judged yet"
    if answer.verdict == "inconclusive":
        return "error", f"undecided: {answer.reason}"
    if answer.verdict in NOT_COUNTED:
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
