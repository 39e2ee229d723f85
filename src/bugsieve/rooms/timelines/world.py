"""Models of timelines as worlds of traces: every trace is the word of a plan within the horizon.

"None" is said of plans with so many tokens per timeline, and by CP-SAT alone: to check it is to
ask again. A proof for one formula also excludes every stronger one. Plans are checked by a reader
and an evaluator of their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.pictures.strips import SvgFile
from bugsieve.rooms.rules.engine.certificates import VERSION, Statement
from bugsieve.rooms.rules.engine.deciding import in_time, spent_reason
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.answers import BY_SLOTS
from bugsieve.rooms.rules.obligations.world import Certificate, Sought, World
from bugsieve.rooms.timelines.binding import TimelineRules
from bugsieve.rooms.timelines.checker import timelines as checker
from bugsieve.rooms.timelines.deciding import (
    Decision,
    Inconclusive,
    NoPlan,
    PlanFound,
    PlanLimits,
    atom_text,
    decide,
)
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.saved import SavedModel
from bugsieve.rooms.timelines.plans.charts import chart_svg
from bugsieve.rooms.timelines.plans.plan import Plan
from bugsieve.tasks.search_limits import Limits

EXPANSIONS_PER_UNIT = 1_000_000 / 60
"""Limits count expansions, CP-SAT units of its own time; a million are a minute or so in both."""


class TimelineWorld(World):
    """The plans of a model, as the checker reads them."""

    plans_only: ClassVar[bool] = True

    def __init__(self, model: Model, bound: TimelineRules, slots: int | None) -> None:
        self._model = model
        self._identity = identity_of(model)
        self._atoms = bound.atoms
        self._slots = slots
        self.rules = bound.rules
        self.folded: Mapping[str, bool] = {}
        self._plans: list[Mapping[str, Any]] = []
        self._none: dict[Formula, NoPlan] = {}

    def known(self, automaton: Automaton, *, with_goal: bool) -> Any | None:
        """A plan that is known; each holds the goals."""
        plans = (plan for plan in self._plans if automaton.accepts(plan["letters"]))
        return next(plans, None)

    def ends(self, automaton: Automaton, *, with_goal: bool) -> int:
        """A bit for each plan: a part of a plan is not a plan."""
        accepted = (automaton.accepts(plan["letters"]) for plan in self._plans)
        return sum(1 << place for place, is_accepted in enumerate(accepted) if is_accepted)

    def learn(self, certificate: Certificate) -> None:
        """Know the plan."""
        if certificate["plan"] not in self._plans:
            self._plans.append(certificate["plan"])

    def search(self, formula: Formula, *, with_goal: bool, limits: Limits) -> Sought:
        """A plan with at most so many tokens, or which ones there are none of."""
        known = self._implied(formula)
        if known is not None:
            self._none[formula] = known
            return Sought("none", str(known))
        found = in_time(lambda: self._decision(formula, limits), limits)
        if found is None and formula not in self._none:
            return Sought("inconclusive", spent_reason("time", limits))
        if isinstance(found, Inconclusive):
            return Sought("inconclusive", found.reason)
        if isinstance(found, PlanFound):
            return Sought("trace", trace=found.plan.to_json())
        if found is not None and found.is_logical:
            return Sought("empty")
        return Sought("none", str(self._none[formula]))

    def _implied(self, formula: Formula) -> NoPlan | None:
        """The result for a formula that is weaker than this one; None if there is none."""
        for weaker, none in self._none.items():
            with contextlib.suppress(TooManyStatesError):
                if automaton_of(formula & ~weaker).is_empty:
                    return none
        return None

    def _decision(self, formula: Formula, limits: Limits) -> Decision:
        most = limits.expansions
        spend = PlanLimits() if most is None else PlanLimits(most / EXPANSIONS_PER_UNIT)
        return decide(
            self._model,
            formula,
            self._atoms,
            slots=self._slots,
            limits=spend,
            on_none=lambda none: self._none.update({formula: none}),
        )

    def search_for_ever(self, formula: Formula, *, limits: Limits) -> Sought:
        """Plans end with the horizon."""
        raise UnsupportedError("plans on timelines end: there are none that go on for ever")

    def shown(self, statement: Statement, trace: Any) -> Certificate:
        """The plan, and what the atoms mean."""
        return {**self._beginning(statement, "trace"), "plan": trace}

    def excluded(self, statement: Statement) -> Iterator[Certificate]:
        """The proof with the number of tokens that each timeline might have had."""
        horizon = list(self._model.horizon or ())
        none = self._none.get(statement.formula) or self._equal(statement.formula)
        proof = {"by": BY_SLOTS, "slots": none.slots, "horizon": horizon}
        proof["is_complete"] = none.is_complete
        yield {**self._beginning(statement, "none"), "proof": proof}

    def _equal(self, formula: Formula) -> NoPlan:
        """The result for a searched formula with the same automaton."""
        automaton = automaton_of(formula)
        return next(none for one, none in self._none.items() if automaton_of(one) == automaton)

    def _beginning(self, statement: Statement, kind: str) -> dict[str, Any]:
        names = atoms_of(statement.formula) if kind == "none" else self._atoms
        return {
            "certificate": VERSION,
            "kind": kind,
            "task": self._identity,
            "rule": statement.rule,
            "claim": statement.claim,
            "view": statement.view,
            "formula": to_text(statement.formula),
            "atoms": {name: atom_text(self._atoms[name]) for name in names},
            "with_goal": statement.with_goal,
            "lasso": False,
        }


def identity_of(model: Model) -> dict[str, str]:
    """The model's identity in certificates."""
    saved = SavedModel.of(model)
    return {"name": saved.name, "sha256": saved.sha256}


def check_plan(model: Model, atoms: TimelineRules, certificate: Certificate) -> None:
    """ValueError unless the plan is one of the model's, and its word satisfies the formula.

    Of "none" nothing is checked but what it says of itself.
    """
    if certificate["task"] != identity_of(model):
        raise ValueError("the certificate is about another model")
    if certificate["kind"] == "none":
        if certificate["proof"].get("by") != BY_SLOTS:
            raise ValueError("no proof of ours")
        return
    plan = certificate.get("plan")
    if plan is None or plan["horizon"] != list(model.horizon or ()):
        raise ValueError("the plan has another horizon than the model")
    texts = [text for _, text in model.texts]
    meanings = {name: atom_text(atom) for name, atom in atoms.atoms.items()}
    if certificate.get("atoms") != meanings:
        raise ValueError("the certificate gives other meanings to atoms")
    checker.check_plan(texts, plan, certificate["formula"], meanings)


def draw_plan(certificate: Certificate, *, title: str, picture: str | None) -> SvgFile:
    """The plan of a certificate as a chart."""
    if picture is not None:
        raise UsageError("--picture is for states, and a plan on timelines has none")
    return SvgFile(chart_svg(Plan.from_json(certificate["plan"]), title=title))
