"""Replaces derived variables by what they mean.

The translator turns `forall`, negated `exists` and compound goals into axioms. These axioms are
never recursive, so every use of a derived variable can be replaced by a case distinction over the
others: an operator becomes one operator per case (with the same name), an effect one effect per
case. A goal that still needs several cases is disjunctive and refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.grounded.cases import Case, Cases, TooManyCasesError
from bugsieve.tasks.grounded.encoding import (
    CaseEffect,
    CaseOperator,
    CaseTask,
    SeveralGoalsError,
    encode,
)
from bugsieve.tasks.grounded.sas_text import (
    NOT_DERIVED,
    Fact,
    SasAxiom,
    SasOperator,
    SasTask,
    read_sas,
    write_sas,
)
from bugsieve.tasks.grounded.translator import TrivialGoalError

MAX_CASES = 5_000
MAX_OPERATORS = 1_000_000


class DisjunctiveGoalError(UnsupportedError):
    """The goal can be reached in several ways; where it says so, only its PDDL text tells."""

    def __init__(self, place: str, cause: str = "") -> None:
        super().__init__(
            f"{place}: the goal uses a disjunction{cause}, which Bugsieve does not support: "
            "state it as a conjunction"
        )


def without_axioms(text: bytes, problem: str) -> bytes:
    """The translator's output with its axioms compiled away; `problem` is named in errors."""
    try:
        return write_sas(encode(_Elimination(read_sas(text), problem).task()))
    except SeveralGoalsError:
        raise DisjunctiveGoalError(problem) from None


class _Elimination:
    def __init__(self, task: SasTask, problem: str) -> None:
        self.source = task
        self.problem = problem
        sizes = [len(variable.values) for variable in task.variables]
        self.cases = Cases(sizes, task.mutexes, MAX_CASES)
        self.rules: dict[int, list[SasAxiom]] = {}
        for axiom in task.axioms:
            self.rules.setdefault(axiom.head[0], []).append(axiom)
        self._known: dict[Fact, list[Case]] = {}

    @cached_property
    def derived(self) -> frozenset[int]:
        variables = enumerate(self.source.variables)
        return frozenset(index for index, item in variables if item.layer != NOT_DERIVED)

    def task(self) -> CaseTask:
        """The task with case conditions; derived variables are no longer mentioned."""
        source = self.source
        operators: list[CaseOperator] = []
        for operator in source.operators:
            operators += self._operators(operator)
            if len(operators) > MAX_OPERATORS:
                raise self._too_many(operator, MAX_OPERATORS, "operators")
        return CaseTask(
            metric=source.metric,
            variables=source.variables,
            dropped=self.derived,
            mutexes=source.mutexes,
            initial=source.initial,
            goal=self._goal(),
            operators=operators,
        )

    def _goal(self) -> Case:
        try:
            cases = self._condition(self.source.goal)
        except TooManyCasesError:
            # Two cases stand for too many: either way the goal is a disjunction.
            cases = [{}, {}]
        if len(cases) > 1:
            raise DisjunctiveGoalError(self.problem)
        if not cases or not cases[0]:
            when = "holds in every state" if cases else "can never hold"
            sentence = f"{self.problem}: the goal {when}, so there is nothing to test"
            raise TrivialGoalError(sentence, holds=bool(cases))
        return cases[0]

    def _operators(self, operator: SasOperator) -> list[CaseOperator]:
        try:
            preconditions = self._condition(operator.precondition.items())
            effects = [
                CaseEffect(case, variable, value)
                for conditions, variable, value in operator.effects
                for case in self._condition(conditions.items())
            ]
        except TooManyCasesError:
            raise self._too_many(operator, MAX_CASES, "cases") from None
        # Cases may overlap. Then several operators of one name are applicable and do the same, and
        # an effect is listed twice: neither changes what can be reached, or at which cost.
        return [
            CaseOperator(
                operator.name,
                precondition,
                self._within(precondition, effects),
                operator.cost,
            )
            for precondition in preconditions
        ]

    def _within(self, precondition: Case, effects: list[CaseEffect]) -> list[CaseEffect]:
        """The effects that can happen under the precondition."""
        return [
            effect
            for effect in effects
            if not effect.condition or self.cases.meet(precondition, effect.condition) is not None
        ]

    def _too_many(self, operator: SasOperator, limit: int, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"{self.problem}: the quantified condition of action ({operator.name}) expands to "
            f"more than {limit} {what}, which Bugsieve does not support; use fewer objects or a "
            "simpler condition"
        )

    def _condition(self, facts: Iterable[Fact]) -> list[Case]:
        """The cases in which all facts hold."""
        plain: Case = {}
        derived = []
        for variable, value in facts:
            if variable in self.derived:
                derived.append((variable, value))
            else:
                plain[variable] = 1 << value
        tight = self.cases.tightened(plain)
        cases = [] if tight is None else [tight]
        # Short definitions first keep the products on the way small.
        for definition in sorted((self._meaning(fact) for fact in derived), key=len):
            cases = self.cases.product(cases, definition)
        return cases

    def _meaning(self, fact: Fact) -> list[Case]:
        """The cases in which a derived fact holds."""
        if fact not in self._known:
            variable, value = fact
            rules = self.rules.get(variable, [])
            # Axioms are evaluated anew in each state: a derived variable has its initial value
            # unless a rule fires. One without rules therefore keeps it for ever.
            true_value = rules[0].head[1] if rules else 1 - self.source.initial[variable]
            self._known[fact] = (
                self._some_rule(rules) if value == true_value else self._no_rule(rules)
            )
        return self._known[fact]

    def _some_rule(self, rules: list[SasAxiom]) -> list[Case]:
        return self.cases.union(case for rule in rules for case in self._condition(rule.body))

    def _no_rule(self, rules: list[SasAxiom]) -> list[Case]:
        cases: list[Case] = [{}]
        for rule in sorted(rules, key=lambda rule: len(rule.body)):
            cases = self.cases.product(cases, self._negation(rule.body))
        return cases

    def _negation(self, body: list[Fact]) -> list[Case]:
        """Disjoint cases: the first i facts hold and the next one does not.

        Facts of large variables come first: that they hold excludes most, by mutexes, and keeps
        products small.
        """
        plain = [fact for fact in body if fact[0] not in self.derived]
        plain.sort(key=lambda fact: (-self.cases.full[fact[0]], fact))
        cases: list[Case] = []
        prefix: Case = {}
        for variable, value in plain:
            cases.append({**prefix, variable: self.cases.full[variable] & ~(1 << value)})
            prefix[variable] = 1 << value
        # Derived facts come last, where all plain facts hold: their opposites are many cases each,
        # which need not be disjoint.
        for variable, value in body:
            if variable in self.derived:
                opposite = self._meaning((variable, 1 - value))
                cases += self.cases.product([dict(prefix)], opposite)
        possible = (self.cases.tightened(case) for case in cases)
        return self.cases.union(case for case in possible if case is not None)
