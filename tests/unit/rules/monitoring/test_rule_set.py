"""Rules as a text of their own, which may come from a stranger."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.monitoring.rule_set import (
    MAX_DEPTH,
    GroundRule,
    RuleSet,
    condition_text,
    for_fewer_objects,
    read_rule_set,
    rule_set_of,
)
from tests.unit.policies.line import line_task

TASK = line_task(4)


def text_of(atoms: Any, rules: Any) -> str:
    return json.dumps({"atoms": atoms, "rules": rules})


def read(condition: str) -> RuleSet:
    return read_rule_set(text_of({"a": condition}, [["R", "desired", "G a"]]), TASK)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("(at p1)", ("fact", 0, 1)),
        ("(NOT (At P1))", ("not", ("fact", 0, 1))),
        ("(and (at p1) (or (at p2)))", ("and", ("fact", 0, 1), ("or", ("fact", 0, 2)))),
        ("(did (right p0) (left p1))", ("did", (0, 3))),
        ("(and)", True),
        ("(or)", False),
    ],
)
def test_conditions_are_read(text: str, condition: Any) -> None:
    assert read(text).atoms["a"] == condition


def test_conditions_are_written_as_they_are_read() -> None:
    condition = ("and", ("not", ("fact", 0, 1)), ("or", ("fact", 0, 2), ("did", (0, 3))))
    text = condition_text(TASK, condition)
    assert text == "(and (not (at p1)) (or (at p2) (did (right p0) (left p1))))"
    assert read(text).atoms["a"] == condition
    assert condition_text(TASK, ("did", ())) == "(or)"


def test_only_atoms_that_rules_use_are_kept() -> None:
    formula = read_ltl("G(a -> X b)", place=Place("here"))
    atoms = {name: ("fact", 0, number) for number, name in enumerate("abc")}
    made = rule_set_of(TASK, [GroundRule("R[x]", "forbidden", formula)], atoms)
    assert json.loads(made.text) == {
        "atoms": {"a": "(at p0)", "b": "(at p1)"},
        "rules": [["R[x]", "forbidden", "G(a -> X b)"]],
    }
    assert made.rules[0].requirement == ~formula


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "'atoms' and 'rules'"),
        ('{"atoms": {}, "atoms": {}, "rules": []}', "twice"),
        ('{"atoms": {}, "rules": [], "more": 1}', "'atoms' and 'rules'"),
        (text_of({"a": 1}, []), "'atoms' holds texts"),
        (text_of({"a b": "(at p1)"}, []), "'a b' is no name of an atom"),
        (text_of({}, []), "1 to 10000 rules"),
        (text_of({}, [["R", "wanted", "true"]]), "desired or forbidden"),
        (text_of({}, [["R", "desired"]]), "a name, desired or forbidden"),
        (text_of({}, [["R\x1b", "desired", "true"]]), "cannot be printed"),
        (text_of({}, [["R", "desired", "true"]] * 2), "the same name"),
        (text_of({}, [["R", "desired", "G a"]]), "R is about 'a'"),
        (text_of({}, [["R", "desired", "G ("]]), "rule R:1:3"),
        (text_of({"a": ""}, [["R", "desired", "a"]]), "one expression in parentheses"),
        (text_of({"a": "at p1"}, [["R", "desired", "a"]]), "one expression in parentheses"),
        (text_of({"a": "(at p1))"}, [["R", "desired", "a"]]), "closes nothing"),
        (text_of({"a": "(at p9)"}, [["R", "desired", "a"]]), r"\(at p9\)"),
        (text_of({"a": "(not)"}, [["R", "desired", "a"]]), "'not' joins one"),
        (text_of({"a": "(xor (at p1))"}, [["R", "desired", "a"]]), "an atom, did, and"),
        (text_of({"a": "(did)"}, [["R", "desired", "a"]]), "did"),
        (text_of({"a": "(did (jump p1))"}, [["R", "desired", "a"]]), r"no operator '\(jump p1"),
        (
            text_of({"a": "(not " * 300 + "(at p1)" + ")" * 300}, [["R", "desired", "a"]]),
            f"{MAX_DEPTH} deep",
        ),
    ],
)
def test_what_is_wrong_with_a_text_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_rule_set(text, TASK)


FEWER = text_of(
    {
        "goes(p1)": "(did (right p1) (left p1))",
        "goes(p9)": "(did (right p9))",
        "moves": "(or (at p1) (did (right p0) (right p9)))",
    },
    [
        ["R[p1]", "desired", "G(goes(p1) -> X moves)"],
        ["R[p9]", "desired", "G(goes(p9) -> X moves)"],
    ],
)
"""Rules of a longer line; a task of its own has the objects p0 to p3."""


def test_rules_for_fewer_objects() -> None:
    task = line_task(4)
    task.objects = dict.fromkeys(("p0", "p1", "p2", "p3"), "place")
    made = read_rule_set(for_fewer_objects(FEWER, task), task)
    assert [rule.id for rule in made.rules] == ["R[p1]"]
    assert made.atoms == read_rule_set(made.text, task).atoms
    assert sorted(made.atoms) == ["goes(p1)", "moves"]
    assert made.atoms["moves"] == ("or", ("fact", 0, 1), ("did", (0,)))
    assert for_fewer_objects(made.text, task) == made.text, "nothing else is gone"


@pytest.mark.parametrize("condition", ["(at p9)", "(did (right p9))", "(not (at p9))"])
def test_what_would_be_true_of_objects_that_are_gone_is_not_guessed(condition: str) -> None:
    text = text_of({"a": condition}, [["R", "desired", "G a"]])
    made = for_fewer_objects(text, TASK)
    assert json.loads(made) == json.loads(text)
    with pytest.raises(InputError, match="p9"):
        read_rule_set(made, TASK)
