"""What is said of obligations of random rules on random tasks is what their definitions say."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from hypothesis import given, settings

from bugsieve.rooms.rules.checker.rules import Checker
from bugsieve.rooms.rules.engine.lassos import Lasso, find_lasso
from bugsieve.rooms.rules.file.binding import BoundRules, RuleInstance
from bugsieve.rooms.rules.file.grounding import GroundAtom
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.automaton import automaton_of
from bugsieve.rooms.rules.ltl.causes import Criterion, literals, trap
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, negation, subformulas
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.ltl.views import View, in_view
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.obligation import Obligation, obligations_of, required
from bugsieve.rooms.rules.obligations.task_world import TaskWorld
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.property.rules_cases import RuleCase, RuleShape, random_rule
from tests.property.strategies import CONDITIONAL, SMALL, seeded_task, seeds
from tests.reference.refutations import first_refutation, refutes
from tests.reference.rules import satisfies, shortest_trace, word_of
from tests.reference.sas import SasTask
from tests.reference.successors import is_goal, successor
from tests.unit.policies.line import as_task

VIEWS: tuple[View, ...] = ("strong", "neutral", "weak")
CRITERIA: tuple[Criterion, ...] = ("ufc", "ufc-first", "flip")


def instance(number: int, case: RuleCase, kind: Any) -> RuleInstance:
    position = Position("rules.toml", 1, 1)
    formula = case.formula
    return RuleInstance(
        f"R{number}", f"R{number}", (), kind, formula, formula, "ltl", "", position
    )


def judged(seed: int, *, expansions: int | None = None) -> Counter[str]:
    """Judge all obligations of two rules on one task; how often each verdict was given."""
    random = Random(seed)
    sas = seeded_task(seed, (SMALL, CONDITIONAL)[seed % 2])
    task = as_task(sas)
    first = random_rule(random, sas, RuleShape(max_atoms=2, depth=2))
    second = RuleCase(random_rule(random, sas, RuleShape(max_atoms=1, depth=2)).formula, {})
    kinds = random.choices(("desired", "forbidden"), k=2)
    rules = [instance(0, first, kinds[0]), instance(1, second, kinds[1])]
    atoms = {"a": ("fact", 0, 0), **first.atoms}
    ground = {name: GroundAtom(name, "", condition) for name, condition in atoms.items()}
    options = JudgeOptions(
        random.choice(CRITERIA), random.random() < 0.3, limits=Limits(expansions=expansions)
    )
    world = TaskWorld(task, BoundRules(tuple(rules), ground, ()))
    judge = RuleJudge(world, options, Checker(task.to_sas()).check)
    twin = Twin(sas, atoms, options, [required(rule) for rule in rules])
    seen: Counter[str] = Counter()
    for obligation in obligations_of(rules):
        answer = judge.judge(obligation)
        assert not judge.rejected, judge.rejected
        seen[answer.verdict] += 1
        is_unsure = answer.verdict == "inconclusive" or "undecided" in answer.reason
        if "no plan to judge" in answer.reason:
            assert answer.verdict not in ("passed", "conflict")
            assert answer.verdict != "vacuous" or not obligation.rule
            assert options.with_goal and not twin.exists(TRUE)
            continue
        assert expansions is not None or not is_unsure
        if answer.verdict == "inconclusive":
            continue
        twin.check(obligation, answer)
    return seen


class Twin:
    """Verdicts by exhaustive search for a trace, test by test."""

    def __init__(
        self, task: SasTask, atoms: dict[str, Any], options: JudgeOptions, wanted: list[Formula]
    ) -> None:
        self.task, self.atoms, self.options, self.wanted = task, atoms, options, wanted

    def exists(self, formula: Formula) -> bool:
        found = shortest_trace(
            self.task, formula, self.atoms, with_goal=self.options.with_goal, most=20_000
        )
        return found is not None

    def check(self, obligation: Obligation, answer: Answer) -> None:
        if answer.trace is not None:
            self.check_trace(obligation, answer)
        if obligation.must_fail:
            self.check_refuted(obligation, answer)
        elif obligation.aim == "together":
            self.check_together(answer)
        else:
            self.check_shown(obligation, answer)

    def check_refuted(self, obligation: Obligation, answer: Answer) -> None:
        wanted = self.refutation(obligation)
        is_empty = automaton_of(wanted).is_empty
        self.is_refuted = False
        if obligation.aim == "violation" and not self.options.with_goal:
            found = first_refutation(self.task, obligation.formula, self.atoms)
            self.is_refuted = found is not None and "was found" not in answer.reason
            assert "was found" not in answer.reason or self.options.limits.expansions is not None
        assert (answer.verdict == "failed") == (self.exists(wanted) or self.is_refuted)
        if obligation.aim == "violation" and not self.options.with_goal:
            kept = ("passed", "safety part holds", "infeasible")
            assert (answer.verdict in kept) == (not self.exists(wanted) and not self.is_refuted)
        else:
            assert (answer.verdict == "passed") == (not is_empty and not self.exists(wanted))
        if answer.verdict == "infeasible":
            # Nobody can say so who has seen another view in which some trace does it.
            wrong = nnf(negation(obligation.formula))
            if obligation.aim == "violation":
                known = {name: c for name, c in self.atoms.items() if isinstance(c, bool)}
                assert automaton_of(with_constants(wrong, known)).is_empty
            else:
                occurrence = literals(wrong)[obligation.occurrence]
                weak = trap(wrong, occurrence, "weak", self.options.criterion)
                assert automaton_of(weak).is_empty
        if answer.verdict == "passed" and obligation.aim == "violation":
            lasting = {"globally", "weak-until", "release"}
            parts = subformulas(nnf(negation(obligation.formula)))
            is_all = self.options.with_goal or all(p.operator not in lasting for p in parts)
            assert is_all

    def check_together(self, answer: Answer) -> None:
        both = self.wanted[0] & self.wanted[1]
        if self.exists(both):
            assert answer.verdict == "covered"
        elif self.options.with_goal:
            assert answer.verdict == "conflict"
        else:
            # Rules may be kept for ever that no trace keeps as it ends: G F p and G F !p.
            lasso = find_lasso(as_task(self.task), both, self.atoms)
            assert (answer.verdict == "covered") == isinstance(lasso, Lasso)

    def refutation(self, obligation: Obligation) -> Formula:
        view: View = "neutral" if self.options.with_goal else "strong"
        wrong = nnf(negation(obligation.formula))
        if obligation.aim == "violation":
            lasting = {"globally", "weak-until", "release"}
            if any(part.operator in lasting for part in subformulas(wrong)):
                truths = {n: c for n, c in self.atoms.items() if isinstance(c, bool)}
                wrong = nnf(negation(with_constants(obligation.formula, truths)))
            return in_view(wrong, view)
        occurrence = literals(wrong)[obligation.occurrence]
        return trap(wrong, occurrence, view, self.options.criterion)

    def demonstration(self, obligation: Obligation, view: View) -> Formula:
        if obligation.aim == "reached":
            return obligation.formula
        formula = nnf(obligation.formula)
        return trap(
            formula, literals(formula)[obligation.occurrence], view, self.options.criterion
        )

    def check_shown(self, obligation: Obligation, answer: Answer) -> None:
        shown = [view for view in VIEWS if self.exists(self.demonstration(obligation, view))]
        if answer.verdict == "covered":
            assert answer.view == shown[0] or (answer.reason and answer.view in shown)
        else:
            assert answer.verdict in ("vacuous", "infeasible", "not testable") and not shown
        if answer.verdict == "not testable":
            weak = in_view(nnf(obligation.formula), "weak")
            anywhere = shortest_trace(self.task, weak, self.atoms, most=20_000)
            assert anywhere is None

    def check_trace(self, obligation: Obligation, answer: Answer) -> None:
        assert answer.trace is not None and answer.view is not None
        operators = answer.trace["trace"]["operators"]
        word = word_of(self.task, operators, self.atoms)
        if obligation.must_fail and answer.trace["claim"] == "refutation":
            assert refutes(self.task, obligation.formula, self.atoms, operators)
        elif obligation.must_fail:
            assert satisfies(word, self.refutation(obligation))
        else:
            assert satisfies(word, self.demonstration(obligation, answer.view))
        if self.options.with_goal:
            state = self.task.initial
            for number in operators:
                state = successor(self.task, state, number)
            assert is_goal(self.task, state)


@given(seeds())
@settings(max_examples=examples(2000, quick=60))
def test_verdicts_are_those_of_the_definitions(seed: int) -> None:
    judged(seed)


@given(seeds())
@settings(max_examples=examples(500, quick=20))
def test_a_spent_budget_is_never_a_verdict(seed: int) -> None:
    judged(seed, expansions=seed % 3)


def test_all_verdicts_occur() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(400, quick=60)):
        seen += judged(seed)
        seen += judged(seed, expansions=0)
    usual = ("failed", "passed", "covered", "vacuous", "infeasible", "undecidable")
    rare = ("inconclusive", "conflict", "not testable")
    assert not {*usual, *rare} - set(seen), seen
