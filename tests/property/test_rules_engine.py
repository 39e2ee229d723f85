"""The engine of flight rules says of random tasks and rules what their definitions say."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings

from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from bugsieve.rooms.rules.engine.certificates import Statement, none_certificate, trace_certificate
from bugsieve.rooms.rules.engine.deciding import (
    Decision,
    Empty,
    Inconclusive,
    NoTrace,
    Trace,
    decide,
)
from bugsieve.rooms.rules.engine.proofs import proofs
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.depth import examples
from tests.property.engine import single
from tests.property.rules_cases import RuleCase, RuleShape, random_rule
from tests.property.strategies import CONDITIONAL, SMALL, Shape, seeded_task, seeds, some_states
from tests.reference.rules import satisfies, shortest_trace, states_along, word_of
from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal
from tests.unit.policies.line import as_task


def check(
    sas: SasTask, rule: RuleCase, decision: Decision, *, with_goal: bool, start: State
) -> str:
    """Compare a decision with exhaustive exploration; what it was."""
    expected = shortest_trace(sas, rule.formula, rule.atoms, with_goal=with_goal, state=start)
    assert not isinstance(decision, Inconclusive), decision
    if isinstance(decision, Trace):
        assert expected is not None
        assert satisfies(word_of(sas, decision.operators, rule.atoms, start), rule.formula)
        last = states_along(sas, decision.operators, start)[-1]
        assert not with_goal or is_goal(sas, last)
        return "trace"
    assert expected is None
    return "empty" if isinstance(decision, Empty) else decision.how


def certify(
    task: Task, rule: RuleCase, decision: Decision, *, with_goal: bool, start: State
) -> str:
    """The certificate of a decision is accepted by the checker; its kind."""
    given = rule.formula, rule.atoms
    statement = Statement(to_text(rule.formula), "trap", "neutral", *given, with_goal)
    checker = Checker(task.to_sas(start))
    if isinstance(decision, Trace):
        checker.check(trace_certificate(task, statement, decision.operators, state=start))
        return "certified trace"
    refused = []
    for proof in proofs(task, *given, with_goal=with_goal, state=start):
        try:
            checker.check(none_certificate(task, statement, proof, state=start))
        except CertificateError as error:
            refused.append(f"{proof['by']}: {error}")
        else:
            # What the relaxation alone decides needs no longer proof.
            short = isinstance(decision, NoTrace) and decision.how != "search"
            assert not (short and refused), refused
            return f"proof by {proof['by']}"
    raise AssertionError(refused)


def check_seed(seed: int, shape: Shape, rules: RuleShape) -> Counter[str]:
    """Some rules on one random task."""
    random = Random(seed)
    sas = seeded_task(seed, shape)
    task = as_task(sas)
    seen: Counter[str] = Counter()
    for start in some_states(sas, seed, 2):
        rule = random_rule(random, sas, rules)
        with_goal = random.random() < 0.4
        decision = decide(task, rule.formula, rule.atoms, with_goal=with_goal, state=single(start))
        seen[check(sas, rule, decision, with_goal=with_goal, start=start)] += 1
        if not isinstance(decision, Empty):
            seen[certify(task, rule, decision, with_goal=with_goal, start=start)] += 1
    return seen


@given(seeds())
@settings(max_examples=examples(3000, quick=150))
def test_verdicts_are_those_of_exhaustive_search(seed: int) -> None:
    check_seed(seed, (SMALL, CONDITIONAL)[seed % 2], RuleShape())


def test_all_verdicts_occur() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(1000, quick=200)):
        seen += check_seed(seed, (SMALL, CONDITIONAL)[seed % 2], RuleShape())
    assert min(seen[key] for key in ("trace", "start", "relaxation", "search", "empty")) > 0, seen
    assert min(seen[f"proof by {kind}"] for kind in ("facts", "pairs", "states")) > 0, seen


@given(seeds())
@settings(max_examples=examples(500, quick=50))
def test_a_spent_budget_is_inconclusive(seed: int) -> None:
    random = Random(seed)
    sas = seeded_task(seed, SMALL)
    rule = random_rule(random, sas, RuleShape())
    task = as_task(sas)
    limits = Limits(expansions=random.randint(0, 3))
    decision = decide(task, rule.formula, rule.atoms, limits=limits)
    if isinstance(decision, Inconclusive):
        assert decision.reason == f"the expansions were spent ({limits.expansions})"
        assert decision.expanded <= (limits.expansions or 0)
    else:
        check(sas, rule, decision, with_goal=False, start=sas.initial)
    assert not isinstance(decision, NoTrace | Trace) or decision.expanded <= 3
