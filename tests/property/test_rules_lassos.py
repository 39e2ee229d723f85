"""Lassos of random tiny tasks: those that the engine finds, and those that enumeration finds."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings

from bugsieve.rooms.rules.checker.rules import Checker
from bugsieve.rooms.rules.engine.certificates import Statement, none_certificate, trace_certificate
from bugsieve.rooms.rules.engine.lassos import Lasso, NoLasso, find_lasso
from bugsieve.rooms.rules.ltl.printer import to_text
from tests.depth import examples
from tests.property.rules_cases import RuleShape, random_rule
from tests.property.strategies import Shape, seeded_task, seeds
from tests.reference.rules import is_satisfying_lasso, lassos
from tests.unit.policies.line import as_task

SHAPE = Shape(max_variables=2, max_size=3, max_operators=4, conditional=4)
LONGEST = 5


def check_seed(seed: int) -> str:
    """One rule on one task; what was found."""
    random = Random(seed)
    sas = seeded_task(seed, SHAPE)
    rule = random_rule(random, sas, RuleShape(max_atoms=2, depth=random.choice((2, 3))))
    task = as_task(sas)
    found = find_lasso(task, rule.formula, rule.atoms)
    given = rule.formula, rule.atoms, sas.initial
    statement = Statement(
        to_text(rule.formula), "trap", "neutral", rule.formula, rule.atoms, lasso=True
    )
    checker = Checker(task.to_sas())
    if isinstance(found, Lasso):
        assert is_satisfying_lasso(sas, *given, (found.operators, found.loop_start))
        checker.check(
            trace_certificate(task, statement, found.operators, loop_start=found.loop_start)
        )
        return "lasso"
    assert isinstance(found, NoLasso)
    checker.check(none_certificate(task, statement, {"by": "rerun"}))
    for lasso in lassos(sas, sas.initial, LONGEST):
        assert not is_satisfying_lasso(sas, *given, lasso)
    return "none"


@given(seeds())
@settings(max_examples=examples(1000, quick=40))
def test_lassos_are_those_of_enumeration(seed: int) -> None:
    check_seed(seed)


def test_both_answers_occur() -> None:
    seen = Counter(check_seed(seed) for seed in range(40))
    assert min(seen["lasso"], seen["none"]) >= 5, seen
