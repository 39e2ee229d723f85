"""The checker of flight rules accepts right certificates, and nothing that is false.

What is true is found by brute force on the reachable states (`tests/reference/rule_traces`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, lru_cache
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from tests.depth import examples
from tests.property.rule_cases import CLAIMS, VIEWS, RuleCase, random_formula, rule_case
from tests.reference.rule_traces import closed_facts, lasso_satisfies, lassos
from tests.reference.successors import successors
from tests.reference.temporal import to_text

CASES = examples(600, quick=150)
MUTANTS = examples(10, quick=5)
KINDS = ("facts", "pairs", "states", "rerun")


@cache
def cases() -> list[RuleCase]:
    return [rule_case(seed) for seed in range(CASES)]


@lru_cache(maxsize=4)
def checker(text: str) -> Checker:
    return Checker(text)


def accepts(case: RuleCase, certificate: dict[str, Any]) -> bool:
    try:
        checker(case.text).check(certificate)
    except CertificateError:
        return False
    return True


@pytest.mark.parametrize("by", ["states", "rerun"])
def test_exploration_decides(by: str) -> None:
    answers: Counter[Any] = Counter()
    for case in cases():
        answer = accepts(case, case.none(by))
        assert answer == (not case.has_trace), case
        answers[answer] += 1
    assert min(answers.values()) > CASES / 5


def test_the_least_set_of_facts_is_accepted_where_it_proves_something() -> None:
    answers: Counter[Any] = Counter()
    for case in cases():
        answer = accepts(case, case.none("facts"))
        assert not (answer and case.has_trace), case
        _, proves = closed_facts(case.task, case.formula, case.atoms, with_goal=case.with_goal)
        answers[proves, answer] += 1
    assert answers[False, True] == 0
    # The naive set knows of effects that others always overwrite in reachable states only.
    assert answers[True, False] <= CASES / 100
    assert answers[True, True] > CASES / 4


def test_pairs_prove_nearly_everything_in_small_tasks() -> None:
    answers: Counter[Any] = Counter()
    for case in cases():
        answer = accepts(case, case.none("pairs"))
        assert not (answer and case.has_trace), case
        answers[case.has_trace, answer] += 1
    assert answers[False, False] <= CASES / 20
    assert answers[False, True] > CASES / 4


def _other_formula(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
    names = sorted(case.atoms) or ["a"]
    certificate["formula"] = to_text(random_formula(random, names, 2))


def _other_rule(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
    names = sorted(case.atoms) or ["a"]
    certificate["rule"] = to_text(random_formula(random, names, 2))


def _dropped(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
    rows = certificate["proof"].get(certificate["proof"]["by"], [])
    for _ in range(random.randint(1, 3)):
        if rows:
            rows.pop(random.randrange(len(rows)))


def _other_atoms(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
    for name, condition in certificate["atoms"].items():
        if random.random() < 0.5:
            certificate["atoms"][name] = ["not", condition]


def _flipped(key: str) -> Callable[[dict[str, Any], RuleCase, Random], None]:
    def flip(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
        certificate[key] = not certificate[key]

    return flip


def _replaced(
    key: str, values: tuple[str, ...]
) -> Callable[[dict[str, Any], RuleCase, Random], None]:
    def replace(certificate: dict[str, Any], case: RuleCase, random: Random) -> None:
        certificate[key] = random.choice(values)

    return replace


MUTATIONS = {
    "formula": _other_formula,
    "rule": _other_rule,
    "dropped": _dropped,
    "atoms": _other_atoms,
    "with_goal": _flipped("with_goal"),
    "lasso": _flipped("lasso"),
    "view": _replaced("view", VIEWS),
    "claim": _replaced("claim", CLAIMS),
}


def is_true(case: RuleCase, certificate: dict[str, Any], rule: Any, formula: Any) -> bool:
    """Whether what the certificate says is so, whatever its proof; formulas are given parsed."""
    changed = RuleCase(
        task=case.task,
        rule=rule,
        atoms=certificate["atoms"],
        claim=certificate["claim"],
        view=certificate["view"],
        with_goal=certificate["with_goal"],
    )
    if certificate["claim"] == "trap":
        changed = RuleCase(
            case.task, formula, certificate["atoms"], "trap", "neutral", changed.with_goal
        )
    if certificate["lasso"]:
        return not any(
            lasso_satisfies(case.task, changed.formula, certificate["atoms"], operators, start)
            for operators, start in _few_lassos(case)
        )
    return not changed.has_trace


def _few_lassos(case: RuleCase) -> Iterator[tuple[list[int], int]]:
    for number, lasso in enumerate(lassos(case.task, 4)):
        if number == 150:
            return
        yield lasso


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("by", KINDS)
def test_nothing_false_is_accepted_after_a_change(by: str, mutation: str) -> None:
    answers: Counter[Any] = Counter()
    for seed, case in enumerate(cases()[: CASES // 3]):
        random = Random(seed)
        names = sorted(case.atoms) or ["a"]
        original = case.none(by)
        for _ in range(MUTANTS if mutation == "dropped" else 1):
            certificate = deepcopy(original)
            state = random.getstate()
            MUTATIONS[mutation](certificate, case, random)
            random.setstate(state)
            other = random_formula(random, names, 2)
            rule = other if mutation == "rule" else case.rule
            formula = other if mutation == "formula" else case.formula
            answer = accepts(case, certificate)
            if answer:
                assert is_true(case, certificate, rule, formula), (seed, certificate)
            answers[answer] += 1
            random.random()
    assert answers[False] > 0


def test_traces() -> None:
    answers: Counter[Any] = Counter()
    for seed, case in enumerate(cases()):
        random = Random(seed)
        operators: list[int] = []
        state = case.task.initial
        for _ in range(random.randint(0, 5)):
            following = successors(case.task, state)
            if not following:
                break
            operator, state = random.choice(following)
            operators.append(operator)
        expected = case.satisfied_by(operators)
        assert accepts(case, case.trace(operators)) == expected, case
        answers[expected] += 1
        if operators:
            _check_forged(case, operators, random)
    assert min(answers.values()) > CASES / 5


def _check_forged(case: RuleCase, operators: list[int], random: Random) -> None:
    """Another order, or other operators: accepted only if that is a trace as well."""
    changed = random.sample(operators, len(operators))
    changed[random.randrange(len(changed))] = random.randrange(len(case.task.operators))
    if accepts(case, case.trace(changed)):
        assert case.satisfied_by(changed)


def test_lassos() -> None:
    answers: Counter[Any] = Counter()
    for case in cases():
        if case.view != "neutral" or len(case.task.operators) > 8:
            continue
        case = RuleCase(case.task, case.rule, case.atoms, case.claim, "neutral", False)
        found = False
        for operators, start in _few_lassos(case):
            expected = lasso_satisfies(case.task, case.formula, case.atoms, operators, start)
            assert accepts(case, case.trace(operators, start)) == expected
            found = found or expected
            answers[expected] += 1
        none = accepts(case, {**case.none("rerun"), "lasso": True})
        assert not (none and found), case
        answers["none", none] += 1
    assert answers[True] and answers[False] and answers["none", True] and answers["none", False]
