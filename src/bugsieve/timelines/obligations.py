"""Tests a timeline model with rules: the violation of each rule, and each of its literals.

The verdicts are those of flight rules everywhere; "none" is said of plans with so many tokens per
timeline, and each verdict carries the decision that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bugsieve.rules.file.reading import RulesFile
from bugsieve.rules.ltl.causes import Criterion, literals, trap
from bugsieve.rules.ltl.formula import Formula, negation
from bugsieve.rules.ltl.traces import holds
from bugsieve.rules.ltl.views import VIEWS, View, in_view
from bugsieve.timelines.binding import TimelineRule, TimelineRules, bind_rules
from bugsieve.timelines.deciding import (
    DEFAULT_SLOTS,
    Decision,
    Inconclusive,
    Limits,
    NoPlan,
    PlanFound,
    decide,
)
from bugsieve.timelines.models.model import Model
from bugsieve.timelines.plans.plan import Plan

Verdict: TypeAlias = Literal[
    "fail",
    "pass",
    "undecidable on prefixes",
    "covered",
    "vacuous",
    "infeasible",
    "confirmed impossible",
    "inconclusive",
]


@dataclass(frozen=True)
class Obligation:
    """One test of a rule: its violation, or one literal as a cause."""

    rule: str
    literal: str
    """Empty for the test of the violation (of a forbidden rule: the satisfaction) itself."""
    polarity: Literal["positive", "negative"]
    is_error: bool
    """A plan is a counterexample, not a test that was wished for."""
    formulas: tuple[tuple[View, Formula], ...]
    """What a plan must satisfy, the strongest view first."""


@dataclass(frozen=True)
class Outcome:
    """What came of an obligation."""

    obligation: Obligation
    verdict: Verdict
    view: View | None
    """In which a plan was found."""
    decision: Decision


@dataclass(frozen=True)
class Settings:
    """How a rules file is tested on a model."""

    criterion: Criterion = "ufc"
    horizon: tuple[int, int] | None = None
    slots: int = DEFAULT_SLOTS
    limits: Limits = field(default_factory=Limits)


def judge_rules(
    model: Model, file: RulesFile, settings: Settings | None = None
) -> tuple[Outcome, ...]:
    """A verdict for each obligation of each rule, in the order of the file."""
    return _Tests(model, bind_rules(file, model), settings or Settings()).run()


def obligations(rule: TimelineRule, criterion: Criterion = "ufc") -> Iterator[Obligation]:
    """The tests of a rule: what must not be found first, then what should be."""
    is_desired = rule.kind == "desired"
    wrong = negation(rule.formula) if is_desired else rule.formula
    bad: Literal["positive", "negative"] = "negative" if is_desired else "positive"
    strong: View = "strong"
    yield Obligation(rule.id, "", bad, True, ((strong, in_view(wrong, strong)),))
    for found in literals(wrong):
        formula = trap(wrong, found, strong, criterion)
        yield Obligation(rule.id, str(found), bad, True, ((strong, formula),))
    for found in literals(rule.formula) if is_desired else ():
        views = tuple((view, trap(rule.formula, found, view, criterion)) for view in VIEWS)
        yield Obligation(rule.id, str(found), "positive", False, views)


class _Tests:
    def __init__(self, model: Model, bound: TimelineRules, settings: Settings) -> None:
        self.model = model
        self.atoms = bound.atoms
        self.settings = settings
        self.obligations = [
            found for rule in bound.rules for found in obligations(rule, settings.criterion)
        ]
        self.plans: list[PlanFound] = []
        self.known: dict[Formula, Decision] = {}

    def run(self) -> tuple[Outcome, ...]:
        return tuple(self._outcome(item) for item in self.obligations)

    def _outcome(self, item: Obligation) -> Outcome:
        spent: Inconclusive | None = None
        decision: Decision = Inconclusive("nothing was tried")
        for view, formula in item.formulas:
            decision = self._decide(formula)
            if isinstance(decision, PlanFound):
                return Outcome(item, "fail" if item.is_error else "covered", view, decision)
            if isinstance(decision, Inconclusive):
                spent = decision
        if spent is not None or not isinstance(decision, NoPlan):
            return Outcome(item, "inconclusive", None, spent or decision)
        return Outcome(item, _absence(item, decision), None, decision)

    def _decide(self, formula: Formula) -> Decision:
        """Plans that were found for other tests are tried first."""
        if formula not in self.known:
            plan = next((p for p in self.plans if holds(formula, p.plan.letters)), None)
            self.known[formula] = plan or self._search(formula)
        return self.known[formula]

    def _search(self, formula: Formula) -> Decision:
        settings = self.settings
        decision = decide(
            self.model,
            formula,
            self.atoms,
            horizon=settings.horizon,
            slots=settings.slots,
            limits=settings.limits,
        )
        if isinstance(decision, PlanFound):
            self.plans.append(decision)
        return decision


def _absence(item: Obligation, decision: NoPlan) -> Verdict:
    if not item.is_error:
        return "infeasible" if decision.is_logical else "vacuous"
    if item.literal and decision.is_logical:
        return "infeasible"
    if decision.is_logical:
        return "undecidable on prefixes"
    return "pass" if item.polarity == "negative" else "confirmed impossible"


def plan_of(outcome: Outcome) -> Plan | None:
    """The plan behind a verdict, if there is one."""
    return outcome.decision.plan if isinstance(outcome.decision, PlanFound) else None
