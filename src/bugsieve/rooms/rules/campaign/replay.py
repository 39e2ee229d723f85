"""Tests of rules again, on the domain or model as it is now: which of them still say the same."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.rooms.rules.campaign.equipment import make_judge
from bugsieve.rooms.rules.campaign.options import RulesOptions, options_in
from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.obligations.answers import NO_PLAN, Answer
from bugsieve.rooms.rules.obligations.judge import RuleJudge
from bugsieve.rooms.rules.obligations.obligation import Obligation, obligations_of
from bugsieve.rooms.rules.scale import SAFETY
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow


class Status(enum.Enum):
    """The result of replaying a test."""

    STILL_COVERED = "STILL COVERED"
    NOW_COVERED = "NOW COVERED"
    LOST = "LOST"
    PROOF_HOLDS = "PROOF HOLDS"
    HOLDS_SO_FAR = "HOLDS UP TO K"
    SAFETY_HOLDS = "SAFETY PART HOLDS"
    PROOF_LOST = "PROOF LOST"
    NOW_VIOLATED = "NOW VIOLATED"
    STILL_VIOLATED = "STILL VIOLATED"
    AS_EXPECTED = "AS EXPECTED"
    UNEXPECTED = "UNEXPECTED"
    FIXED = "FIXED"
    UNDECIDED = "UNDECIDED"
    NOT_COUNTED = "NOT COUNTED"


FAILURES = (Status.NOW_VIOLATED, Status.STILL_VIOLATED, Status.UNEXPECTED, Status.LOST)
OPEN = (Status.PROOF_LOST, Status.UNDECIDED, Status.HOLDS_SO_FAR, Status.SAFETY_HOLDS)

_PROVEN = ("passed", "vacuous", "not testable", "infeasible", "conflict")


@dataclass(frozen=True)
class ReplayedTest:
    """A test, and what has become of it."""

    row: ObligationRow
    status: Status
    sentence: str = ""

    def check(self, group: str) -> Check:
        """The check for build servers."""
        reason = ": ".join(filter(None, (self.status.value, self.sentence)))
        return Check(f"{self.row.number} {self.row.obligation.name}", group, self._outcome, reason)

    @property
    def _outcome(self) -> CheckOutcome:
        if self.status in FAILURES:
            return "failure"
        if self.status is Status.NOT_COUNTED:
            return "skipped"
        return "undecided" if self.status in OPEN else "passed"


def replay_rules(
    folder: Path, domain: Path | None = None, *, bugs: Sequence[str] = ()
) -> Iterator[ReplayedTest]:
    """The tests of a campaign on its own domain or model, or on the one in another file.

    All of them, or those of the rules that these bugs violate.

    The PDDL is grounded anew. The traces of the campaign are followed again by the names of their
    actions, plans on timelines are checked again; where they do not do any more, and for
    everything that was proven, the search begins anew. Nothing that the folder says is believed:
    this is how to check a stranger's.
    """
    with RulesRecords(folder) as records:
        options = options_in(records)
        answers = {row.number: row.answer for row in records.answers()}
        tasks = _tasks(records, domain)
        rules = {row.bug.rule for row in records.named(bugs)}
        rows = [row for row in records.obligations() if not bugs or row.obligation.rule in rules]
    expected = _Expected(rows)
    for number, task in enumerate(tasks):
        own = [row for row in rows if row.task == number and row.number in answers]
        if isinstance(task, str):
            yield from (ReplayedTest(row, _unread(answers[row.number]), task) for row in own)
            continue
        traces = (answers[row.number].trace for row in own)
        judge = make_judge(task, options.judging, filter(None, traces))
        for item in _replayed(task, judge, own, answers, options):
            yield expected.weighed(item) if _should_fail(task, item.row) else item


def _tasks(records: RulesRecords, domain: Path | None) -> Sequence[Bound | str]:
    """Its own, or those with another domain, or why they do not go with that."""
    language = records.subject_language
    return language.own(records) if domain is None else language.other(records, domain)


def _replayed(
    task: Bound,
    judge: RuleJudge,
    rows: list[ObligationRow],
    answers: Mapping[int, Answer],
    options: RulesOptions,
) -> Iterator[ReplayedTest]:
    expectations = {rule.id: rule.expect for rule in task.rules.rules}
    now = {_key(item): item for item in obligations_of(task.rules.rules)}
    for row in rows:
        before = answers[row.number]
        obligation = now.get(_key(row.obligation))
        if obligation is None:
            status = Status.LOST if before.verdict == "covered" else Status.PROOF_LOST
            yield ReplayedTest(row, status, "the rule reads differently there")
            continue
        after = judge.judge(obligation)
        status = _status(before, after)
        if status is Status.PROOF_HOLDS and obligation.aim == "violation" and after.bound:
            status = Status.HOLDS_SO_FAR
        if status is Status.UNDECIDED and _is_not_counted(obligation, after):
            status = Status.NOT_COUNTED
        if status is Status.SAFETY_HOLDS and expectations[row.obligation.rule] == SAFETY:
            status = Status.AS_EXPECTED
        if status is Status.HOLDS_SO_FAR and options.accept_bounded:
            status = Status.PROOF_HOLDS
        yield ReplayedTest(row, status, _remark(before, after))


class _Expected:
    """Weighs tests of rules that should be violated, in one task or another."""

    def __init__(self, rows: Sequence[ObligationRow]) -> None:
        about = (row for row in rows if row.obligation.aim == "violation")
        self._last = {row.obligation.rule: row.number for row in about}
        self._may_fail: set[str] = set()

    def weighed(self, item: ReplayedTest) -> ReplayedTest:
        """A violation is as expected; that no task has one is known when the last is judged."""
        rule = item.row.obligation.rule
        is_violated = item.status in (Status.NOW_VIOLATED, Status.STILL_VIOLATED)
        if is_violated or item.status in OPEN:
            self._may_fail.add(rule)
        if is_violated:
            return replace(item, status=Status.AS_EXPECTED)
        if item.row.number != self._last.get(rule) or rule in self._may_fail:
            return item
        return ReplayedTest(item.row, Status.UNEXPECTED, "one is expected, but there is none")


def _should_fail(task: Bound, row: ObligationRow) -> bool:
    rules = task.rules.rules
    return any(rule.id == row.obligation.rule and rule.expect == "violated" for rule in rules)


def _key(item: Obligation) -> tuple[object, ...]:
    return (item.aim, item.rule, item.formula, item.literal, item.occurrence)


def _status(before: Answer, after: Answer) -> Status:
    wrong = ("failed", "conflict")
    if after.verdict in wrong:
        return Status.STILL_VIOLATED if before.verdict in wrong else Status.NOW_VIOLATED
    if after.verdict == "covered":
        return Status.STILL_COVERED if before.verdict == "covered" else Status.NOW_COVERED
    if before.verdict == "covered" and after.verdict != "inconclusive":
        return Status.LOST
    if after.is_undecided:
        return Status.PROOF_LOST if _is_proven(before) else Status.UNDECIDED
    if after.verdict == SAFETY:
        return Status.PROOF_LOST if _is_proven(before) else Status.SAFETY_HOLDS
    return Status.FIXED if before.verdict in wrong else Status.PROOF_HOLDS


def _unread(before: Answer) -> Status:
    """The status of a test whose task cannot be read any more."""
    if before.trace is not None or before.verdict == "covered":
        return Status.LOST
    return Status.PROOF_LOST if _is_proven(before) else Status.UNDECIDED


def _is_proven(answer: Answer) -> bool:
    return answer.verdict in _PROVEN and not answer.is_undecided


def _is_not_counted(obligation: Obligation, after: Answer) -> bool:
    """Return true for a cause that no trace of the kind that counts could show.

    That leaves nothing open: whether the rule holds is a test of its own.
    """
    is_cause = obligation.aim != "violation"
    return is_cause and after.verdict == "undecidable" and after.reason != NO_PLAN


def _remark(before: Answer, after: Answer) -> str:
    """A remark: the reason, or that a trace shows less than the old one."""
    ranks = {"weak": 1, "neutral": 2, "strong": 3}
    old, new = before.view or "", after.view or ""
    is_less = before.verdict == after.verdict and ranks.get(new, 0) < ranks.get(old, 0)
    return f"only {new} now, {old} before" if is_less else after.reason
