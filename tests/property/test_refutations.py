"""Traces that refute a rule for good on random tasks: none is missed, and none is in vain."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings

from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from bugsieve.rooms.rules.engine import refutations
from bugsieve.rooms.rules.engine.certificates import Statement, trace_certificate
from bugsieve.rooms.rules.engine.refutations import NoRefutation, Refutation, find_refutation
from bugsieve.rooms.rules.ltl.formula import negation
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.ltl.printer import to_text
from tests.depth import examples
from tests.property.rules_cases import RuleCase, RuleShape, random_condition, random_rule
from tests.property.strategies import Shape, seeded_task, seeds
from tests.reference.refutations import first_refutation, refutes
from tests.reference.sas import SasTask
from tests.reference.successors import successor, successors
from tests.unit.policies.line import as_task

SHAPE = Shape(max_variables=2, max_size=3, max_operators=4, conditional=4)


def case(seed: int) -> tuple[SasTask, RuleCase]:
    random = Random(seed)
    sas = seeded_task(seed, SHAPE)
    return sas, random_rule(random, sas, RuleShape(max_atoms=2, depth=random.choice((2, 2, 3))))


def check_seed(seed: int) -> str:
    """One rule on one task; what was found."""
    sas, rule = case(seed)
    task = as_task(sas)
    found = find_refutation(task, rule.formula, rule.atoms)
    wanted = first_refutation(sas, rule.formula, rule.atoms)
    if isinstance(found, NoRefutation):
        assert wanted is None, "missed"
        return "none"
    assert isinstance(found, Refutation)
    assert wanted is not None and refutes(sas, rule.formula, rule.atoms, found.operators), (
        "in vain"
    )
    check(sas, rule, found)
    return "refuted at once" if not wanted else "refuted later"


def check(sas: SasTask, rule: RuleCase, found: Refutation) -> None:
    """The checker accepts the certificate."""
    task = as_task(sas)
    wrong = nnf(negation(rule.formula))
    statement = Statement(to_text(rule.formula), "refutation", "neutral", wrong, rule.atoms)
    certificate = trace_certificate(task, statement, found.operators, rest=found.by)
    Checker(task.to_sas()).check(certificate)


@given(seeds())
@settings(max_examples=examples(1000, quick=60))
def test_refutations_are_those_of_the_definition(seed: int) -> None:
    check_seed(seed)


@given(seeds())
@settings(max_examples=examples(1000, quick=60))
def test_atoms_that_can_change_no_more_never_refute_in_vain(seed: int) -> None:
    sas, rule = case(seed)
    task = as_task(sas)
    with patch.object(refutations, "MAX_PLACES", 1):
        found = find_refutation(task, rule.formula, rule.atoms)
    if isinstance(found, Refutation):
        assert refutes(sas, rule.formula, rule.atoms, found.operators)
        check(sas, rule, found)


@given(seeds())
@settings(max_examples=examples(1000, quick=40))
def test_the_checker_accepts_exactly_what_refutes(seed: int) -> None:
    """A random trace, said to refute."""
    sas, rule = case(seed)
    random, state, operators = Random(seed), sas.initial, []
    for _ in range(random.randint(0, 4)):
        fitting = [n for n, _ in successors(sas, state)]
        if fitting:
            operators.append(random.choice(fitting))
            state = successor(sas, state, operators[-1])
    is_right = refutes(sas, rule.formula, rule.atoms, operators)
    for by in ("rerun", "letters"):
        try:
            check(sas, rule, Refutation(tuple(operators), by))
        except CertificateError:
            assert not is_right or by == "letters"
        else:
            assert is_right


def forged(random: Random, sas: SasTask, rule: RuleCase, found: Refutation) -> tuple[Any, ...]:
    """The rule, what it means and the trace, one of them changed."""
    other = random_rule(random, sas, RuleShape(max_atoms=2, depth=2))
    operators, way = list(found.operators), random.randrange(5)
    if way == 0:
        atoms = {**other.atoms, **rule.atoms}
        return RuleCase(other.formula, atoms), operators
    if way == 1:
        names = sorted(rule.atoms)
        atoms = {**rule.atoms, random.choice(names): random_condition(random, sas, 1, False)}
        return RuleCase(rule.formula, atoms), operators
    if way == 2:
        return RuleCase(negation(rule.formula), rule.atoms), operators
    if way == 3 and operators:
        return rule, operators[:-1]
    place = random.randint(0, len(operators))
    return rule, [*operators[:place], random.randrange(len(sas.operators)), *operators[place:]]


def check_forged(seed: int) -> str:
    """A certificate with one thing changed is accepted if it is true by chance, else refused."""
    sas, rule = case(seed)
    found = find_refutation(as_task(sas), rule.formula, rule.atoms)
    if not isinstance(found, Refutation) or not sas.operators:
        return "none"
    changed, operators = forged(Random(seed), sas, rule, found)
    try:
        is_true = refutes(sas, changed.formula, changed.atoms, operators)
    except KeyError:  # an operator is not applicable
        is_true = False
    for by in ("rerun", "letters"):
        try:
            check(sas, changed, Refutation(tuple(operators), by))
        except CertificateError:
            assert not is_true or by == "letters"
        else:
            assert is_true
    return "true" if is_true else "false"


def test_forged_certificates_are_refused() -> None:
    seen = Counter(check_forged(seed) for seed in range(examples(4000, quick=200)))
    assert min(seen["true"], seen["false"]) >= 10, seen


def test_all_answers_occur() -> None:
    seen = Counter(check_seed(seed) for seed in range(examples(300, quick=80)))
    assert min(seen[name] for name in ("none", "refuted at once", "refuted later")) >= 5, seen
