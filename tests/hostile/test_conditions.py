"""Conditions that nest deeply or stand for too much end with a sentence, not with the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.fond.loading import load_fond
from bugsieve.tasks.grounded.conditions import MAX_CHARACTERS, Condition, parse_condition
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.conditions import MAX_PARTS
from bugsieve.tasks.pddl.declarations import Vocabulary
from tests.reference.sas import SasTask, SasVariable
from tests.unit.policies.line import as_task
from tests.unit.tasks.fond.test_loading import load

OBJECTS = [f"block{number}" for number in range(40)]
VOCABULARY = Vocabulary(
    types={"object": (), "block": ("object",), "lamp": ("object",)},
    predicates={"on": (("block",),) * 2, "lit": ()},
)


def parsed(text: str) -> Condition:
    pairs = [f"Atom on({a}, {b})" for a in OBJECTS for b in OBJECTS]
    names = ["Atom lit()", *pairs]
    variables = tuple(SasVariable("var", (name, "<none of those>")) for name in names)
    plain = as_task(SasTask(False, variables, (), (0,) * len(names), ((0, 0),), ()))
    objects = {**dict.fromkeys(OBJECTS, "block"), "one": "lamp"}
    task = Task(plain.native, name="many", objects=objects)
    return parse_condition(text, task, vocabulary=VOCABULARY)


def nested(word: str, inner: str, times: int) -> str:
    return f"({word} " * times + inner + ")" * times


@pytest.mark.parametrize(
    "text",
    [
        nested("not", "(lit)", 15_000),
        nested("and (lit)", "(lit)", 8_000),
        nested("imply (not (lit))", "(lit)", 4_000),
        nested("exists (?x - block)", "(lit)", 2),
        nested("exists (?x - lamp)", "(lit)", 3_000),
        "".join(f"(forall (?x{n} - lamp) " for n in range(3_000)) + "(lit)" + ")" * 3_000,
    ],
)
def test_deep_conditions_are_read(text: str) -> None:
    assert parsed(text).holds([[0] * 1601, [1] * 1601]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(forall (?a ?b ?c ?d) (imply (on ?a ?b) (on ?c ?d)))", f"more than {MAX_PARTS} parts"),
        (nested("exists (?x)", "(or)", 30), f"more than {MAX_PARTS} parts"),
        (
            "(forall (?a ?b ?c - block) (or (on ?a ?b) (on ?b ?c)))",
            f"and may have {MAX_CHARACTERS}",
        ),
        ("(" * 90_000, "a '(' is never closed"),
        (")" * 90_000, "a ')' closes nothing"),
        ("(lit) " * 10_000, "one formula was expected"),
        ("(" + "x" * 90_000 + ")", "is ever true in this task"),
        ("(l\x00t \udc80)", "unknown object"),
        ("(exists (?x - blok) (lit))", "did you mean 'block'"),
        ("(forall (?x) (on one ?x))", "it never holds"),
        ("(exists (?x ?x) (lit))", "the variable '?x' twice"),
        ("(exists ?x (lit))", "needs its variables in parentheses"),
        ("(exists (?x - (either block object)) (lit))", "'either' types"),
    ],
)
def test_what_is_too_much_or_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert sentence in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("unsafe", "sentence"),
    [
        (nested("exists (?p - place)", "(or)", 60), f"more than {MAX_PARTS} parts"),
        (nested("not", "(flat)", 300), "nesting deeper than 200 levels"),
        ("(flat) (flat)", "unsafe condition:1: one formula was expected"),
    ],
)
def test_so_it_is_for_unsafe_conditions(tmp_path: Path, unsafe: str, sentence: str) -> None:
    load(tmp_path)
    with pytest.raises(InputError, match=sentence):
        load_fond(tmp_path / "domain.pddl", tmp_path / "problem.pddl", unsafe)
