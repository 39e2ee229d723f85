"""Certificates of flight rules that lie, grow or nest end with a sentence, never otherwise."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.rules.checker.rules import CertificateError, check, main
from bugsieve.rooms.rules.checker.rules_pddl import check_trace, validate_plan
from tests.depth import examples
from tests.property.rule_cases import RuleCase, rule_case
from tests.unit.checkers.test_rules import PROOFS, TEXT, certificate, rejection, trap
from tests.unit.checkers.test_rules_pddl import ATOMS, DOMAIN, PLAN, PROBLEM
from tests.unit.checkers.test_rules_pddl import certificate as pddl_certificate

FUZZED = examples(20_000, quick=1_500)
SECONDS = 20
"""Much more than any of them takes."""

JUNK: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**31, 2**200, 1.5, float("nan"), float("inf"), "", "a", "X"),
    *("G(a -> F b)", "(" * 1000, "\ud800", "\x1b[2J", [], {}, [[]], {"by": "facts"}, ["not"]),
    *(["fact", 0, 0], ["did", [0]], [0, 0], [[0, 0]], {"": None}, ["or", ["fact", -1, 0]]),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all parts of JSON data."""
    found = [path]
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            found += places(part, (*path, number))
    return found


def mutated(value: Any, random: Random) -> Any:
    """A copy in which some parts are others, gone or there twice."""
    changed = deepcopy(value)
    for _ in range(random.randint(1, 3)):
        path = random.choice(places(changed)[1:] or [()])
        if not path:
            return random.choice(JUNK)
        inside = changed
        for key in path[:-1]:
            inside = inside[key]
        action = random.randrange(4)
        if action == 0:
            del inside[path[-1]]
        elif action == 1 and isinstance(inside, dict):
            inside[random.choice(("more", "by", "facts", "kind", ""))] = random.choice(JUNK)
        elif action == 1:
            inside.append(deepcopy(random.choice((*inside, random.choice(JUNK)))))
        elif action == 2:
            source = changed
            for key in random.choice(places(changed)):
                source = source[key]
            inside[path[-1]] = deepcopy(source)
        else:
            inside[path[-1]] = deepcopy(random.choice(JUNK))
    return changed


def originals(seed: int) -> list[tuple[RuleCase, dict[str, Any]]]:
    case = rule_case(seed)
    return [(case, case.none(by)) for by in PROOFS] + [(case, case.trace([]))]


def test_fuzzed_certificates() -> None:
    answers: Counter[str] = Counter()
    random = Random(0)
    made = [one for seed in range(20) for one in originals(seed)]
    for _ in range(FUZZED):
        case, right = random.choice(made)
        changed = mutated(right, random)
        try:
            check(case.text, changed, budget=2_000)
        except CertificateError as error:
            answers[str(error)[:24]] += 1
        else:
            answers["accepted"] += 1
    assert len(answers) > 20
    assert answers["accepted"] < FUZZED / 4


def test_fuzzed_traces_on_pddl() -> None:
    random = Random(0)
    right = pddl_certificate("F(moving & X(stowed | sampled))", PLAN)
    for _ in range(FUZZED // 10):
        with suppress(CertificateError):
            check_trace(DOMAIN, PROBLEM, mutated(right, random), ATOMS)


def test_fuzzed_pddl() -> None:
    random = Random(0)
    for _ in range(FUZZED // 10):
        domain, problem = _torn(DOMAIN, random), _torn(PROBLEM, random)
        with suppress(CertificateError):
            validate_plan(domain, problem, PLAN)


def _torn(text: str, random: Random) -> str:
    words = text.split(" ")
    for _ in range(random.randint(0, 2)):
        place = random.randrange(len(words))
        words[place] = random.choice(
            ("", ")", "(", "and", "-", "?x", "(either", random.choice(words))
        )
    return " ".join(words)


WIDE = "&".join(f"(X a{i} | X b{i})" for i in range(60))
NESTED = "F(" * 60 + "a0" + " & b0)" * 60
FLAT = "|".join(f"(a{i} U b{i})" for i in range(60))
NAMES = [f"{letter}{i}" for letter in "ab" for i in range(60)]


@pytest.mark.parametrize("by", [*PROOFS, "lasso"])
@pytest.mark.parametrize(
    "formula", [WIDE, NESTED, FLAT, f"!({WIDE})", f"G({FLAT})", "<->".join(NAMES)]
)
def test_large_formulas(formula: str, by: str) -> None:
    started = time.process_time()
    atoms = {name: ["fact", i % 3, i % 2] for i, name in enumerate(NAMES) if name in formula}
    atoms = {name: atoms[name] for name in atoms if _occurs(name, formula)}
    proof = PROOFS["rerun" if by == "lasso" else by]
    made = certificate(
        claim="trap", rule=formula, formula=formula, atoms=atoms, proof=proof, lasso=by == "lasso"
    )
    with suppress(CertificateError):
        check(TEXT, made, budget=1_000)
    assert time.process_time() - started < SECONDS


def _occurs(name: str, formula: str) -> bool:
    return any(f"{name}{after}" in f"{formula} " for after in " )<&|")


@pytest.mark.parametrize("view", ["strong", "weak"])
def test_claims_whose_equality_is_hard_to_tell(view: str) -> None:
    started = time.process_time()
    names = NAMES[:9] + NAMES[60:61]
    rule = "&".join(f"F({name} & X F b0)" for name in names[:9])
    formula = "&".join(f"F(X F b0 & {name})" for name in names[:8])
    made = certificate(rule=rule, formula=formula, view=view, atoms=dict.fromkeys(names, True))
    assert rejection(made)
    assert time.process_time() - started < SECONDS


def test_deep_and_wide_conditions() -> None:
    deep: Any = True
    for _ in range(100_000):
        deep = ["not", deep]
    atoms = {"moving(r)": deep, "stowed(r)": True}
    assert "too deep or too large" in rejection(certificate(atoms=atoms))
    wide = ["or", *([["fact", 0, 1]] * 300_000)]
    assert "too large" in rejection(certificate(atoms={**atoms, "moving(r)": wide}))
    did = ["did", [0] * 300_000]
    assert "too large" in rejection(certificate(atoms={**atoms, "moving(r)": did}))


def test_files_that_nest_or_repeat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, proof = tmp_path / "task.sas", tmp_path / "proof.json"
    task.write_text(TEXT, encoding="utf-8", newline="")
    right = json.dumps(certificate())
    for text in (
        "[" * 100_000,
        right.replace('"view"', '"rule": "G a", "view"'),
        right[:-1],
        right.replace("false", "NaN"),
        "1" * 10_000,
        "",
    ):
        proof.write_text(text, encoding="utf-8")
        assert main([str(task), str(proof)]) == 4
        assert capsys.readouterr().err.startswith("rejected: ")


def test_tasks_that_are_none() -> None:
    for text in ("", "begin_version\n3\n", TEXT[:-4], TEXT.replace("begin_goal", "begin_gaol")):
        made = certificate(text=text)
        assert "malformed" in rejection(made, text)
    with pytest.raises(CertificateError):
        check(None, certificate())  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [10, 100, 2_000])
def test_many_conditional_effects_on_one_variable(count: int) -> None:
    effects = [f"1 1 {i % 2} 0 -1 {i // 2 % 2}" for i in range(count)]
    operator = ["begin_operator", "strange", "0", str(len(effects)), *effects, "1", "end_operator"]
    text = TEXT.replace(
        "\n5\nbegin_operator\ngo r", "\n".join(["", "6", *operator, "begin_operator", "go r"])
    )
    assert text != TEXT
    for proof in PROOFS.values():
        started = time.process_time()
        with suppress(CertificateError):
            check(text, trap("F(moving(r) & !stowed(r))", text=text, proof=proof))
        assert time.process_time() - started < SECONDS
