"""Judges the obligations of one task or model, one after the other.

Every trace that is found is tried on all later obligations, so that few traces show much; equal
automata are decided once. What is said of an obligation depends on those before it, in order, and
on nothing else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.certificates import Statement
from bugsieve.rooms.rules.engine.words import has_word
from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.causes import Criterion, trap
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, negation
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.views import View, in_view, is_proven_by_prefixes, shows_on_prefixes
from bugsieve.rooms.rules.obligations.answers import NO_PLAN, Answer, Reading
from bugsieve.rooms.rules.obligations.limits import DEFAULT_LIMITS
from bugsieve.rooms.rules.obligations.obligation import Obligation, caused, occurrences, required
from bugsieve.rooms.rules.obligations.world import Certificate, Sought, World
from bugsieve.tasks.search_limits import Limits

Check: TypeAlias = Callable[[Certificate], None]

_VIEWS: tuple[View, ...] = ("strong", "neutral", "weak")
_REFUSED = ("none", "empty")
_NOWHERE = "no trace of any task does that"
_FOR_GOOD = "nothing that can come after it keeps the rule"
MAX_AUTOMATON = 10_000


@dataclass(frozen=True)
class JudgeOptions:
    """The reading of obligations, and the limits for each of them."""

    criterion: Criterion = "ufc"
    with_goal: bool = False
    """True if only traces count that end in a goal state."""
    lassos: bool = False
    """True if violations are also sought among traces that go on for ever."""
    limits: Limits = DEFAULT_LIMITS
    view: View | None = None
    """In which a trace violates a rule; None: strong, but neutral where its end is the end."""


@dataclass(frozen=True)
class _Test:
    """A formula to find a trace for, and what that would show."""

    formula: Formula
    claim: str
    view: View
    reading: Reading


_ANY_PLAN = _Test(TRUE, "trap", "neutral", "plan")


@dataclass(frozen=True)
class _Found:
    """The result of a test."""

    outcome: str
    """"trace", "none", "empty" or "inconclusive"."""
    reason: str = ""
    """The reason, or the traces of which it is said that there is none."""
    certificate: Certificate | None = None
    expanded: int = 0
    is_known: bool = False


class RuleJudge:
    """Judges obligations of the rules of one world.

    `check` accepts certificates or raises a ValueError. Refused certificates are `rejected`, and
    their obligations stay open. Without a check, proofs that there is no trace are not written
    down either: that is for mutants, of which there are many.
    """

    def __init__(self, world: World, options: JudgeOptions, check: Check | None) -> None:
        self._world = world
        self._options = options
        self._check = check
        self.rejected: list[tuple[Certificate, str]] = []
        self._automata: dict[Formula, Automaton] = {}
        self._decided: dict[tuple[Automaton, Reading], Sought] = {}

    def judge(self, obligation: Obligation) -> Answer:
        """The answer to the obligation within the limits."""
        if obligation.must_fail:
            answer = self._refuted(obligation)
        elif obligation.aim == "together":
            answer = self._agreed()
        else:
            answer = self._shown(obligation)
        self.recall(answer)
        return answer

    def formulas(self, obligation: Obligation) -> Iterator[tuple[View, Formula, bool]]:
        """The finite traces to search: view, formula, and true if they must end at the goal."""
        if obligation.aim == "together":
            return
        tests = self._refutations if obligation.must_fail else self._demonstrations
        for test in tests(obligation):
            if test.reading != "lasso":
                yield test.view, test.formula, test.reading == "plan"

    def recall(self, answer: Answer) -> None:
        """Learn the trace of an answer of this judge, or of an earlier session."""
        if answer.trace is not None:
            self._world.learn(answer.trace)

    @property
    def _reading(self) -> Reading:
        return "plan" if self._options.with_goal else "prefix"

    def _refuted(self, obligation: Obligation) -> Answer:
        """A trace fails the rule; proofs that there is none pass it."""
        whole, beyond = obligation, _Found("none")
        if obligation.aim == "violation":
            obligation = replace(obligation, formula=self._plainest(obligation.formula))
        found: list[tuple[_Test, _Found]] = []
        for test in self._refutations(obligation):
            result = self._find(test, obligation.formula)
            found.append((test, result))
            if result.outcome == "trace":
                return _answer("failed", test, [result], found)
            if self._may_refute_otherwise(test, obligation):
                beyond = self._find_refutation(whole.formula)
                if beyond.outcome == "trace":
                    found.append((test, beyond))
                    return _answer("failed", test, [beyond], found, _FOR_GOOD)
        decided = [result for _, result in found if result.outcome == "none"]
        open_ones = [pair for pair in found if pair[1].outcome == "inconclusive"]
        if open_ones:
            return _answer("inconclusive", open_ones[0][0], decided, found, open_ones[0][1].reason)
        last = found[-1][0]
        why = self._not_judged(obligation, last, beyond)
        if not decided:
            is_open = obligation.aim == "violation" and last.reading != "plan"
            why = why or ("no prefix refutes it" if is_open else "")
            return self._irrefutable(obligation, last, found, why)
        if self._needs_plans and self._has_no_plan:
            return _answer("undecidable", last, decided, found, NO_PLAN)
        if why:
            return _answer("safety part holds", last, decided, found, why)
        return _answer("passed", last, decided, found, self._scope(last) or decided[-1].reason)

    def _plainest(self, formula: Formula) -> Formula:
        """The rule as it was written, unless atoms that never change may hide a refutation.

        As in F(a & p) | G q, which prefixes refute as little as any F, unless a is never true.
        """
        if is_proven_by_prefixes(negation(formula)):
            return formula
        return with_constants(formula, self._world.folded)

    def _may_refute_otherwise(self, test: _Test, obligation: Obligation) -> bool:
        """Return true if traces may refute the rule without satisfying its strong negation.

        False if a trace that breaks the rule as it ends does so with every continuation, and for
        safety rules where no trace gets stuck.
        """
        if obligation.aim != "violation" or (test.reading, test.view) != ("prefix", "strong"):
            return False
        if self._world.plans_only:
            return False
        plain = with_constants(obligation.formula, self._world.folded)
        if self._world.goes_on and is_proven_by_prefixes(negation(plain)):
            return False  # a violation without end has a prefix that shows it
        with contextlib.suppress(TooManyStatesError):
            wrong = nnf(negation(plain))
            return self._automaton(wrong) != self._automaton(in_view(wrong, "strong"))
        return True

    def _find_refutation(self, formula: Formula) -> _Found:
        """A trace after which nothing that can come in the world keeps the rule."""
        test = _Test(nnf(negation(formula)), "refutation", "neutral", "prefix")
        sought = self._world.search_refutation(formula, limits=self._options.limits)
        if sought.outcome == "trace":
            return replace(self._told(test, formula, sought), expanded=sought.expanded)
        return _Found(sought.outcome, sought.reason, expanded=sought.expanded)

    def _not_judged(self, obligation: Obligation, last: _Test, beyond: _Found) -> str:
        """The limits of a proof that no prefix refutes the rule; empty if it says all."""
        if last.reading == "plan" or obligation.aim != "violation":
            return ""
        if beyond.outcome != "none":
            return f"no prefix was found that refutes it: {beyond.reason}"
        if last.reading == "lasso" or is_proven_by_prefixes(negation(obligation.formula)):
            return ""
        return f"no prefix refutes it; what must come some day needs {self._readings}"

    def _scope(self, last: _Test) -> str:
        """The traces that a proof speaks of, where its last reading alone would say too much."""
        if last.reading == "lasso" and self._options.with_goal:
            # A trace that violates the rule and is stuck then is not one of these.
            return "on all plans, and on all traces without end"
        return ""

    @property
    def _readings(self) -> str:
        """The options that read more of a rule than prefixes show."""
        return "--with-goal" if self._world.plans_only else "--with-goal, or --lassos"

    @property
    def _needs_plans(self) -> bool:
        return self._options.with_goal or self._world.plans_only

    @property
    def _has_no_plan(self) -> bool:
        """Return true if all that is said of plans is empty, since there are none."""
        return self._find(_ANY_PLAN, TRUE).outcome == "none"

    def _irrefutable(
        self, obligation: Obligation, test: _Test, found: list[tuple[_Test, _Found]], open_: str
    ) -> Answer:
        """The answer where no trace of the kinds that were tried is a refutation, in any task.

        Only if none of any kind is one, it is infeasible: a tautology, or no cause of anything.
        """
        why = self._never(obligation, test.reading)
        if why:
            return _answer("infeasible", test, [], found, why)
        if test.reading == "plan":
            # Where every trace is a plan, there is nothing else to try.
            why = "no plan can show that" + ("" if self._world.plans_only else ": try --lassos")
            return _answer("undecidable", test, [], found, why)
        if self._needs_plans and self._has_no_plan:
            return _answer("undecidable", test, [], found, NO_PLAN)
        if open_:
            return _answer("safety part holds", test, [], found, open_)
        why = f"no prefix can show that: try {self._readings}"
        return _answer("undecidable", test, [], found, why)

    def _never(self, obligation: Obligation, reading: Reading) -> str:
        """The reason why no trace of any task shows it; empty where one may."""
        with contextlib.suppress(TooManyStatesError):
            if obligation.aim != "violation":
                return _NOWHERE if self._automaton(self._trap(obligation, "weak")).is_empty else ""
            wrong = nnf(negation(obligation.formula))
            if self._automaton(wrong).is_empty:
                if has_word(wrong) is False:
                    return "a tautology, which nothing can violate"
                # As G F p -> F G p, which infinite words violate.
                return "no trace that ends can violate it" if reading == "plan" else ""
        return ""

    def _refutations(self, obligation: Obligation) -> Iterator[_Test]:
        lassos: tuple[Reading, ...] = ("lasso",) if self._options.lassos else ()
        for reading in (self._reading, *lassos):
            # Where a trace merely stops, only the strong view is a refutation; the end of a plan
            # and the loop of a lasso mean something.
            usual: View = "strong" if reading == "prefix" else "neutral"
            view = self._options.view or usual
            if obligation.aim == "violation":
                formula = in_view(nnf(negation(obligation.formula)), view)
                yield _Test(formula, "violation", view, reading)
            else:
                yield _Test(self._trap(obligation, view), "trap", view, reading)

    def _shown(self, obligation: Obligation) -> Answer:
        """The strongest view in which a trace shows what the obligation is about."""
        found: list[tuple[_Test, _Found]] = []
        for test in self._demonstrations(obligation):
            result = self._find(test, obligation.formula)
            found.append((test, result))
            if result.outcome == "trace":
                unsure = [one.reason for _, one in found if one.outcome == "inconclusive"]
                why = f"whether more can be shown is undecided: {unsure[0]}" if unsure else ""
                return _answer("covered", test, [result], found, why)
        weakest, last = found[-1]
        if last.outcome == "empty":
            return _answer("infeasible", weakest, [], found, _NOWHERE)
        if last.outcome == "none":
            # The weakest view is implied by all others: its proof is theirs.
            if self._needs_plans and self._has_no_plan:
                verdict = "vacuous" if obligation.aim == "reached" else "not testable"
                return _answer(verdict, weakest, [last], found, NO_PLAN)
            why = self._fails_at_once(obligation) if obligation.aim == "satisfied by" else ""
            if why:
                return _answer("not testable", weakest, [last], found, why)
            return _answer("vacuous", weakest, [last], found, last.reason)
        return _answer("inconclusive", weakest, [], found, last.reason)

    def _demonstrations(self, obligation: Obligation) -> Iterator[_Test]:
        if obligation.aim == "reached":
            yield _Test(obligation.formula, "trap", "strong", self._reading)
            return
        for view in _VIEWS:
            yield _Test(self._trap(obligation, view), "trap", view, self._reading)

    def _agreed(self) -> Answer:
        """Judge if every two rules can be kept together; those that cannot are named."""
        if self._needs_plans and self._has_no_plan:  # which is not the fault of two rules
            found_plan = self._find(_ANY_PLAN, TRUE)
            return _answer("vacuous", _ANY_PLAN, [found_plan], [], NO_PLAN)
        found = list(self._pairs())
        expanded = sum(result.expanded for _, result in found)
        against = [(names, result) for names, result in found if result.outcome in _REFUSED]
        if against:
            proofs = (result.certificate for _, result in against)
            return Answer(
                "conflict",
                "; ".join(f"{names} ({r.reason})" if r.reason else names for names, r in against),
                reading=self._reading,
                certificates=tuple(proof for proof in proofs if proof is not None),
                expanded=expanded,
            )
        open_ones = [(names, r) for names, r in found if r.outcome == "inconclusive"]
        if open_ones:
            names, result = open_ones[0]
            return Answer("inconclusive", f"{names}: {result.reason}", expanded=expanded)
        return Answer("covered", reading=self._reading, expanded=expanded)

    def _pairs(self) -> Iterator[tuple[str, _Found]]:
        """Rules that no trace satisfies, and every two others of which no known trace satisfies
        both, with what a search says."""
        # A rule that is expected to be violated cannot be kept with others.
        rules = [rule for rule in self._world.rules if rule.expect != "violated"]
        kept = [self._kept(rule) for rule in rules]
        lost: set[int] = set()
        for number, rule in enumerate(rules):
            if not kept[number]:
                result = self._jointly(self._keeping(rule))
                if result.outcome in _REFUSED:  # which is not the fault of any other rule
                    lost.add(number)
                    yield f"{rule.id} by itself", result
        for one, other in combinations(range(len(rules)), 2):
            check_stop()
            if kept[one] & kept[other] or lost & {one, other}:
                continue
            result = self._jointly(self._keeping(rules[one], rules[other]))
            yield f"{rules[one].id} and {rules[other].id}", result
            trace = result.certificate if result.outcome == "trace" else None
            if trace is not None:
                self._world.learn(trace)
                kept = [self._kept(rule) for rule in rules]

    def _keeping(self, *rules: RuleInstance) -> _Test:
        """That a trace keeps all of these rules."""
        formulas = [nnf(required(rule)) for rule in rules]
        wanted = Formula("and", tuple(formulas)) if len(formulas) > 1 else formulas[0]
        return _Test(wanted, "trap", "neutral", self._reading)

    def _kept(self, rule: RuleInstance) -> int:
        """The ends of known traces at which they satisfy the rule, as bits."""
        with contextlib.suppress(TooManyStatesError):
            automaton = self._automaton(nnf(required(rule)))
            return self._world.ends(automaton, with_goal=self._options.with_goal)
        return 0

    def _jointly(self, test: _Test) -> _Found:
        """Find a trace, or an infinite one where traces need not end as they are met."""
        found = self._find(test, TRUE)
        is_final = test.reading == "plan" or shows_on_prefixes(test.formula)
        if found.outcome not in _REFUSED or is_final:
            return found
        if self._world.plans_only:
            return _Found("inconclusive", "what comes again and again needs --with-goal")
        return self._find(replace(test, reading="lasso"), TRUE)

    def _trap(self, obligation: Obligation, view: View) -> Formula:
        formula = caused(obligation)
        occurrence = occurrences(formula)[obligation.occurrence]
        return trap(formula, occurrence, view, self._options.criterion)

    def _fails_at_once(self, obligation: Obligation) -> str:
        """The reason why no trace satisfies the rule, in the weakest view; empty if some may.

        Where traces begin alike, that is to be seen in the first state.
        """
        kept = in_view(nnf(obligation.formula), "weak")
        letter = self._world.first_letter
        if letter is None:
            test = _Test(kept, "trap", "weak", self._reading)
            is_lost = self._find(test, obligation.formula).outcome in _REFUSED
            return "no plan keeps the rule" if is_lost else ""
        automaton = self._automaton(kept)
        state = automaton.step(automaton.initial, letter)
        return "the rule fails in the initial state" if state in automaton.rejecting_sinks else ""

    def _automaton(self, formula: Formula) -> Automaton:
        if formula not in self._automata:
            self._automata[formula] = automaton_of(formula, max_states=MAX_AUTOMATON)
        return self._automata[formula]

    def _find(self, test: _Test, wanted: Formula) -> _Found:
        if test.reading == "lasso":
            return self._find_lasso(test, wanted)
        try:
            automaton = self._automaton(test.formula)
        except TooManyStatesError as error:
            return _Found("inconclusive", str(error))
        if automaton.is_empty:
            return _Found("empty")
        with_goal = test.reading == "plan"
        known = self._world.known(automaton, with_goal=with_goal)
        if known is not None:
            shown = self._world.shown(self._statement(test, wanted), known)
            return replace(self._accepted([shown]), is_known=True)
        return self._searched(test, wanted, automaton)

    def _searched(self, test: _Test, wanted: Formula, automaton: Automaton) -> _Found:
        key = (automaton, test.reading)
        spent = 0
        if key not in self._decided:
            self._decided[key] = self._world.search(
                test.formula, with_goal=test.reading == "plan", limits=self._options.limits
            )
            spent = self._decided[key].expanded
        return replace(self._told(test, wanted, self._decided[key]), expanded=spent)

    def _find_lasso(self, test: _Test, wanted: Formula) -> _Found:
        sought = self._world.search_for_ever(test.formula, limits=self._options.limits)
        return replace(self._told(test, wanted, sought), expanded=sought.expanded)

    def _told(self, test: _Test, wanted: Formula, sought: Sought) -> _Found:
        statement = self._statement(test, wanted)
        if sought.outcome == "trace":
            return self._accepted([self._world.shown(statement, sought.trace)])
        if sought.outcome != "none" or self._check is None:
            return _Found(sought.outcome, sought.reason)
        found = self._accepted(self._world.excluded(statement))
        return replace(found, reason=sought.reason) if found.outcome == "none" else found

    def _accepted(self, certificates: Iterable[Certificate]) -> _Found:
        refused = []
        for certificate in certificates:
            try:
                if self._check is not None:
                    self._check(certificate)
            except ValueError as error:
                refused.append((certificate, str(error)))
            else:
                return _Found(certificate["kind"], certificate=certificate)
        self.rejected += refused[-1:]
        return _Found("inconclusive", "the checker did not accept the certificate")

    def _statement(self, test: _Test, wanted: Formula) -> Statement:
        return Statement(
            to_text(wanted),
            test.claim,
            test.view,
            test.formula,
            with_goal=test.reading == "plan",
            lasso=test.reading == "lasso",
        )


def _answer(
    verdict: Any,
    test: _Test,
    proofs: Sequence[_Found],
    found: Sequence[tuple[_Test, _Found]],
    reason: str = "",
) -> Answer:
    is_shown = verdict in ("covered", "failed")
    answer = Answer(verdict, reason, test.view if is_shown else None, test.reading)
    return replace(
        answer,
        certificates=tuple(item.certificate for item in proofs if item.certificate is not None),
        expanded=sum(result.expanded for _, result in found),
        is_known=is_shown and proofs[0].is_known,
    )
