"""The store of tests of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bugsieve.campaigns.store.certificate_blobs import json_text, packed
from bugsieve.campaigns.store.store import Row, Store
from bugsieve.campaigns.store.tables import RULES
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.store.languages import LANGUAGES
from bugsieve.rooms.rules.store.rows import (
    AnswerRow,
    ObligationRow,
    RulesCases,
    RulesSubject,
    RulesTaskRow,
)
from bugsieve.rooms.rules.store.tables import RULES_TABLES


class RulesStore(Store):
    """Adds records to the store of tests of rules."""

    kind = RULES
    tables = RULES_TABLES

    @classmethod
    def subject_meta(cls, subject: RulesSubject) -> Mapping[str, Any]:
        """The entries of the table `meta` about the domain and the rules."""
        return {
            "domain name": subject.name,
            "domain": subject.domain,
            "rules file": subject.rules_file,
            "rules": subject.rules,
            "warnings": json_text(subject.warnings),
            "language": subject.language,
        }

    def insert_cases(self, cases: RulesCases, seconds: float) -> None:
        """Insert tasks and obligations, before the first answer."""
        self.many("tasks", map(_task_row, cases.tasks), verb="INSERT")
        self.many("obligations", map(_obligation_row, cases.obligations), verb="INSERT")

    def insert_own(self, findings: Sequence[Finding]) -> None:
        """Insert answers."""
        self.many("answers", (_answer_row(finding.run) for finding in findings), verb="INSERT")


def _task_row(row: RulesTaskRow) -> Row:
    return (row.number, row.file, *LANGUAGES[row.language].columns(row.task))


def _obligation_row(row: ObligationRow) -> Row:
    item = row.obligation
    about = (item.aim, item.rule, item.family, to_text(item.formula))
    return (row.number, row.task, *about, item.literal, item.occurrence)


def _answer_row(row: AnswerRow) -> Row:
    answer = row.answer
    return (
        *(row.number, answer.verdict, answer.reason, answer.view, answer.reading),
        *(packed(list(answer.certificates)), answer.expanded, int(answer.is_known), row.seconds),
    )
