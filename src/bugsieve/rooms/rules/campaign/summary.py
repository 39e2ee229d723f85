"""The results of tests of rules over all tasks, read from the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from bugsieve.base.wording import counted
from bugsieve.campaigns.store.schema import understood
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.verdict import CampaignVerdict
from bugsieve.rooms.rules.campaign.options import options_in
from bugsieve.rooms.rules.campaign.subject import declared_rules
from bugsieve.rooms.rules.campaign.vacuous import vacuous_conditions
from bugsieve.rooms.rules.campaign.verdict import rules_verdict
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.ltl.views import View
from bugsieve.rooms.rules.obligations.answers import (
    MET,
    NO_PLAN,
    VERDICTS_ON,
    Answer,
    Reading,
)
from bugsieve.rooms.rules.obligations.answers import Verdict as AnswerVerdict
from bugsieve.rooms.rules.obligations.grading import graded
from bugsieve.rooms.rules.obligations.obligation import FORBIDDEN, Obligation, occurrences, sides
from bugsieve.rooms.rules.scale import (
    BOUNDED,
    SAFETY,
    VIOLATED,
    Grade,
    Standing,
    shown_grade,
    standing,
)
from bugsieve.rooms.rules.store.records import RulesRecords

_READINGS = {
    "prefix": "on all prefixes",
    "plan": "on all plans",
    "lasso": "on all prefixes, and on all traces without end",
}


@dataclass(frozen=True)
class MergedAnswer:
    """The answer of all tasks together to an obligation: covered if one covers."""

    obligation: Obligation
    verdict: AnswerVerdict | None
    """None while no task was judged."""
    number: int
    """Of the obligation whose answer it is."""
    task: int
    reason: str = ""
    view: View | None = None
    reading: Reading = "prefix"
    bound: int | None = None
    """Of a proof that speaks of plans of some size alone: the tokens of a timeline."""

    @property
    def is_met(self) -> bool:
        """Return true if the obligation is met."""
        return self.verdict in MET

    @property
    def counts(self) -> bool:
        """Return true if some domain could meet it, as far as is known."""
        return self.verdict != "infeasible"

    @property
    def is_judged(self) -> bool:
        """Return true if it is known whether this domain meets it."""
        return self.verdict not in (None, "inconclusive", "undecidable", SAFETY)


@dataclass(frozen=True)
class RuleResult:
    """The findings about one instance of a rule."""

    rule: str
    kind: str
    grade: Grade
    """The verdict, one of the scale."""
    detail: str
    """A detail of how it holds, or of what is wrong."""
    met: int
    feasible: int
    vacuous: tuple[str, ...]
    """The conditions, as the rule mentions them, that cause nothing in any task."""
    expect: str = ""
    left: int = 0
    """Its obligations that are not decided."""
    bound: int | None = None
    """The value of K where it holds up to K."""
    accept_bounded: bool = False
    """True if that is enough."""
    verdict: str = field(init=False, default="")
    """The same in words, with the number for K."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", shown_grade(self.grade, self.bound))

    @property
    def standing(self) -> Standing:
        """The standing of the verdict; a rule should hold where the file expects nothing."""
        return standing(
            self.grade,
            self.expect,
            is_vacuous=bool(self.vacuous),
            may_be_vacuous=self.left > 0,
            accept_bounded=self.accept_bounded,
        )

    @property
    def is_as_expected(self) -> bool:
        """Return true if it is what the file expects, or still may be."""
        return self.standing != "wrong"

    @property
    def is_open(self) -> bool:
        """Return true if it is not known to be as it should."""
        return self.standing == "open"


@dataclass(frozen=True, kw_only=True)
class RulesSummary(Summary):
    """The results of tests of rules so far."""

    tasks: int
    obligations: int
    judged: int
    rules: tuple[RuleResult, ...]
    met: int
    feasible: int
    open_obligations: int
    """Those that a limit left open, and those that are not judged yet."""
    conflicts: tuple[str, ...]
    """Pairs of rules that no trace satisfies together, and in which tasks if there are several."""
    unreached: tuple[str, ...]
    """Atoms, or negated ones, that no state satisfies in any task."""
    unjudged: int = 0
    """The number of obligations not met since nothing is known of them, for every reason."""
    lacks_plans: bool = False
    """True if no trace counts at all: with the goal, where no task has a plan."""
    is_timelines: bool = False
    """True if a model was tested, whose traces are plans alone."""
    min_coverage: float = 0.0
    no_vacuous: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def met_share(self) -> float | None:
        """The share of all obligations that are met, in percent, also of those that were not
        judged; None where no domain could meet any."""
        return 100 * self.met / self.feasible if self.feasible else None

    @property
    def failures(self) -> tuple[RuleResult, ...]:
        """Rules that are not as they should be."""
        return tuple(rule for rule in self.rules if not rule.is_as_expected)

    @property
    def undecided(self) -> int:
        """Obligations that could not be decided."""
        return self.open_obligations

    @property
    def left_open(self) -> str:
        """The same in words."""
        return f"{counted(self.undecided, 'obligation')} left undecided"

    @property
    def would_decide(self) -> str:
        """The rest of the obligations, or more work on those that were judged."""
        return "more time" if self.judged < self.obligations else "higher limits (--expansions)"

    @property
    def lacks_coverage(self) -> bool:
        """Return true if fewer obligations are met than were asked for."""
        return self.met_share is not None and self.met_share < self.min_coverage

    @property
    def is_vacuous(self) -> bool:
        """Return true if there are vacuous conditions and there should be none."""
        return self.no_vacuous and any(
            rule.vacuous for rule in self.rules if rule.expect != "vacuous"
        )

    @property
    def verdict(self) -> CampaignVerdict:
        """The first line on all rules together, with its outcome and exit code."""
        return rules_verdict(self)


def summarise(records: RulesRecords) -> RulesSummary:
    """The counts as they are now."""
    progress, merged = records.progress(), merged_answers(records)
    options = options_in(records)
    counting = [answer for answer in merged if answer.counts]
    return RulesSummary(
        reason=progress.finished,
        seconds=progress.seconds,
        walks=0,
        steps=0,
        bugs=sum(records.bugs_by_kind().values()),
        bugs_by_kind=records.bugs_by_kind(),
        rejected=tuple(records.rejected()),
        troubles={},
        tasks=len(records.tasks()),
        obligations=records.case_count(),
        judged=progress.visits,
        rules=_rules(records, merged),
        met=sum(answer.is_met for answer in counting),
        feasible=len(counting),
        unjudged=sum(not answer.is_judged for answer in counting),
        open_obligations=sum(a.verdict in (None, "inconclusive") for a in merged),
        conflicts=_conflicts(records),
        unreached=tuple(
            a.obligation.literal
            for a in merged
            if a.obligation.aim == "reached" and a.verdict == "vacuous"
        ),
        lacks_plans=_lacks_plans(records),
        min_coverage=options.min_coverage,
        no_vacuous=options.no_vacuous,
        warnings=records.header.subject.warnings,
        is_timelines=records.subject_language.plans_only,
    )


def _lacks_plans(records: RulesRecords) -> bool:
    """Return true if every task in which something was judged was found to have no plan."""
    homes = {row.number: row.task for row in records.obligations()}
    judged = {homes[row.number]: False for row in records.answers()}
    for row in records.answers():
        judged[homes[row.number]] |= row.answer.reason == NO_PLAN
    return bool(judged) and all(judged.values())


def _conflicts(records: RulesRecords) -> tuple[str, ...]:
    """The pairs of every task: another one may have other objects, and other ways."""
    files = {row.number: row.file for row in records.tasks()}
    homes = {row.number: files[row.task] for row in records.obligations()}
    found: dict[str, list[str]] = {}
    for row in records.answers():
        if row.answer.verdict == "conflict":
            found.setdefault(row.answer.reason, []).append(homes[row.number])
    if len(files) == 1:
        return tuple(found)
    return tuple(f"{pairs} in {', '.join(where)}" for pairs, where in found.items())


def merged_answers(records: RulesRecords) -> list[MergedAnswer]:
    """One answer for each obligation, over all tasks, in the order of the first task."""
    answers = {row.number: row.answer for row in records.answers()}
    rows = list(records.obligations())
    repeated = _repeated_literals(row.obligation for row in rows)
    same: dict[tuple[object, ...], list[tuple[int, int, Obligation]]] = {}
    for row in rows:
        item = row.obligation
        key: tuple[object, ...] = (item.aim, item.rule, item.literal)
        if key in repeated:
            # Tasks differ in which atoms never change, hence in the literals that are left: which
            # of several occurrences one is can only be told where the same ones are left.
            key = (*key, item.formula, item.occurrence)
        same.setdefault(key, []).append((row.number, row.task, item))
    return [_merged(rows, answers) for rows in same.values()]


def _repeated_literals(obligations: Iterable[Obligation]) -> set[tuple[object, ...]]:
    """Aim, rule and literal where the literal occurs more than once in the rule as written."""
    rules = {item.rule: item for item in obligations if item.aim == "violation"}
    return {
        (aim, rule, literal)
        for rule, item in rules.items()
        for aim, formula in sides(item.formula)
        for literal, times in Counter(map(str, occurrences(formula))).items()
        if times > 1
    }


def _merged(
    rows: Sequence[tuple[int, int, Obligation]], answers: dict[int, Answer]
) -> MergedAnswer:
    obligation = rows[0][2]
    order = VERDICTS_ON[obligation.aim]
    judged = [(number, task, answers[number]) for number, task, _ in rows if number in answers]
    if len(judged) < len(rows) and not any(a.verdict == order[0] for _, _, a in judged):
        return MergedAnswer(obligation, None, rows[0][0], rows[0][1])
    number, task, answer = min(judged, key=lambda item: order.index(item[2].verdict))
    verdict, reason = answer.verdict, answer.reason
    bounds = [found.bound for _, _, found in judged if found.bound is not None]
    rest = answer.view, answer.reading, min(bounds, default=None)
    return MergedAnswer(obligation, verdict, number, task, reason, *rest)


def _rules(records: RulesRecords, merged: Iterable[MergedAnswer]) -> tuple[RuleResult, ...]:
    by_rule: dict[str, list[MergedAnswer]] = {}
    for answer in merged:
        if answer.obligation.rule:
            by_rule.setdefault(answer.obligation.rule, []).append(answer)
    declared = declared_rules(records)
    written = {name: rule for rules in declared.values() for name, rule in rules.items()}
    families = {rule: answers[0].obligation.family for rule, answers in by_rule.items()}
    accepts = options_in(records).accept_bounded
    with understood(records.directory):  # a store of others may have any rule
        vacuous = vacuous_conditions(records, declared)
        order = list(written)  # of the file; the first task may lack objects of some rules
        found = sorted(by_rule, key=lambda rule: order.index(families[rule]))
        rules = (_rule(rule, by_rule[rule], written[families[rule]]) for rule in found)
        return tuple(
            replace(rule, vacuous=vacuous.get(rule.rule, ()), accept_bounded=accepts)
            for rule in rules
        )


def _rule(rule: str, answers: Sequence[MergedAnswer], written: RuleDeclaration) -> RuleResult:
    # In our own stores the violation itself comes first.
    failed = [a for a in answers if a.verdict == "failed"]
    grade, detail = _graded(answers[0], failed, written.kind)
    counting = [a for a in answers if a.counts]
    return RuleResult(
        rule,
        written.kind,
        grade,
        detail,
        sum(a.is_met for a in counting),
        len(counting),
        (),
        written.expect or "",
        sum(a.verdict in (None, "inconclusive") for a in answers),
        answers[0].bound if grade == BOUNDED else None,
    )


def _graded(
    violation: MergedAnswer, failed: Sequence[MergedAnswer], kind: str
) -> tuple[Grade, str]:
    """The verdict, and how it holds or what is wrong."""
    if failed:
        causes = dict.fromkeys(a.obligation.literal for a in failed if a.obligation.literal)
        return VIOLATED, f"because of {', '.join(causes)}" if causes else failed[0].reason
    grade = graded(violation.verdict, is_forbidden=kind == FORBIDDEN, bound=violation.bound)
    how = _READINGS[violation.reading] if violation.verdict == "passed" else ""
    return grade, violation.reason or how
