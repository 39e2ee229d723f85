"""Reads the records of tests of rules."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from bugsieve.base.errors import BudgetError, InputError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.foreign_json import fitting
from bugsieve.campaigns.store.certificate_blobs import unpacked
from bugsieve.campaigns.store.records import CampaignRecords, json_of, text_of
from bugsieve.campaigns.store.schema import damaged, understood
from bugsieve.campaigns.store.tables import RULES
from bugsieve.pipeline.judging.findings import BugRow
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.obligation import Aim, Obligation
from bugsieve.rooms.rules.store.bug import RuleBug, require_shape
from bugsieve.rooms.rules.store.languages import LANGUAGES, SubjectLanguage
from bugsieve.rooms.rules.store.rows import AnswerRow, ObligationRow, RulesSubject, RulesTaskRow
from bugsieve.rooms.rules.store.tables import RULES_CONDITIONS, RULES_TABLES

_ANSWERS = (
    "SELECT number, verdict, reason, view, reading, certificates, expanded, is_known, seconds"
    " FROM answers ORDER BY number"
)
_REFUSALS = (BudgetError, InputError, UnicodeDecodeError, UnsupportedError, UsageError)
_PROVEN = ("passed", "vacuous", "not testable")


class RulesRecords(CampaignRecords[BugRow[RuleBug]]):
    """The records of tests of rules, as they were when they were opened."""

    wanted_kind = RULES
    tables = RULES_TABLES
    conditions = RULES_CONDITIONS

    @property
    def subject_language(self) -> SubjectLanguage:
        """The language of what was tested."""
        return LANGUAGES[self.header.subject.language]

    @contextlib.contextmanager
    def whole(self, what: str) -> Iterator[None]:
        """Say that the store is damaged where what it holds is refused."""
        try:
            yield
        except _REFUSALS as error:
            raise damaged(self.directory, f"{what}: {error}") from None

    def case_count(self) -> int:
        """The number of obligations."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM obligations")
        return int(count)

    def tasks(self) -> list[RulesTaskRow]:
        """All tasks."""
        query = (
            "SELECT number, file, name, sas, sha256, objects, static_facts, problem FROM tasks"
            " ORDER BY number"
        )
        return [self._task(*row) for row in self._rows(query)]

    def obligations(self) -> list[ObligationRow]:
        """All obligations, in the order in which they are judged."""
        query = (
            "SELECT number, task, aim, rule, family, formula, literal, occurrence FROM obligations"
            " ORDER BY number"
        )
        return [self._obligation(*row) for row in self._rows(query)]

    def answers(self) -> Iterator[AnswerRow]:
        """The answers in order, one after the other, since certificates may be large."""
        for row in self._each(_ANSWERS):
            with understood(self.directory):
                answer = self._answer_row(*row)
            yield answer

    def first_unreadable_answer(self) -> tuple[int, str] | None:
        """The number of the first answer with unreadable certificates, and the reason."""
        for row in self._each(_ANSWERS):
            try:
                self._answer_row(*row)
            except ValueError as error:
                return int(row[0]), str(error)
        return None

    def _obligation(
        self, number: int, task: int, aim: Aim, rule: str, family: str, text: str, *rest: Any
    ) -> ObligationRow:
        try:
            formula = read_ltl(text, place=Place(f"table obligations, row {number}"))
        except InputError as error:
            raise damaged(self.directory, str(error)) from None
        return ObligationRow(number, task, Obligation(aim, rule, family, formula, *rest))

    def _task(self, number: int, file: str, *columns: Any) -> RulesTaskRow:
        name, _, digest, *_ = columns
        with understood(self.directory):
            task = self.subject_language.saved(self.header.subject, file, columns)
            if (task.name, task.sha256) != (name, digest):
                raise ValueError(f"table tasks, row {number}: is not what was stored")
        return RulesTaskRow(number, file, task, self.header.subject.language)

    def _subject(self, meta: dict[str, Any]) -> RulesSubject:
        for name in ("domain", "rules"):
            if not isinstance(meta[name], bytes):
                raise TypeError(f"{name} is no file")
        language = text_of(meta, "language")
        if language not in LANGUAGES:
            raise ValueError(f"there is no language {language[:20]!r}")
        return RulesSubject(
            text_of(meta, "domain name"),
            meta["domain"],
            text_of(meta, "rules file"),
            meta["rules"],
            tuple(json_of(meta, "warnings", [str])),
            language,
        )

    def _bug(self, case: int, data: Any, *rest: Any) -> BugRow[RuleBug]:
        with understood(self.directory):
            return BugRow(case, RuleBug.from_json(data), *rest)

    def _answer_row(
        self,
        number: int,
        verdict: Any,
        reason: str,
        view: Any,
        reading: Any,
        packed: bytes,
        *rest: Any,
    ) -> AnswerRow:
        expanded, is_known, seconds = rest
        try:
            certificates = tuple(fitting(unpacked(packed), [dict]))
            kinds = [require_shape(certificate) for certificate in certificates]
            if view is not None and kinds != ["trace"]:
                raise ValueError("what was shown has one trace")
            if verdict in _PROVEN and (not kinds or set(kinds) != {"none"}):
                raise ValueError("what was proven has proofs")
            plans_only = self.subject_language.plans_only
            if view is not None and ("plan" in certificates[0]) != plans_only:
                raise ValueError("plans are on timelines, and nowhere else")
        except ValueError as error:
            raise ValueError(f"table answers, row {number}: {error}") from None
        answer = Answer(verdict, reason, view, reading, certificates, expanded, bool(is_known))
        return AnswerRow(number, answer, seconds)
