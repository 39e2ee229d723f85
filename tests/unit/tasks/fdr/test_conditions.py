"""Conditions as users write them: what they mean, and what is said about wrong ones."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import InputError
from bugsieve.tasks.grounded.conditions import MAX_CHARACTERS, parse_condition
from bugsieve.tasks.grounded.task import Task
from tests.reference.sas import SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task

SAS = SasTask(
    metric=False,
    variables=(
        SasVariable("var0", ("Atom on(a, b)", "Atom on(a, c)", "<none of those>")),
        SasVariable("var1", ("Atom lit()", "NegatedAtom lit()")),
        SasVariable("var2", ("Atom on(a, b)", "NegatedAtom on(a, b)")),
    ),
    mutexes=(),
    initial=(0, 0, 0),
    goal=((1, 1),),
    operators=(SasOperator("wait", (), (), 1),),
)


@pytest.fixture
def task() -> Task:
    plain = as_task(SAS)
    return Task(plain.native, name="small", initial_atoms=frozenset({"(road a b)"}))


@pytest.mark.parametrize(
    ("text", "canonical", "truths"),
    [
        ("(lit)", "(lit)", [1, 0, 1]),
        ("  ( LIT )\n", "(lit)", [1, 0, 1]),
        ("(on a b)", "(on a b)", [1, 0, 1]),
        ("(not (on a c))", "(not (on a c))", [1, 0, 1]),
        ("(and (lit) (on a b))", "(and (lit) (on a b))", [1, 0, 1]),
        ("(or (on a c) (and (not (lit)) (on a b)))", None, [0, 1, 0]),
        ("(and (on a c))", "(on a c)", [0, 1, 0]),
        ("(and (road a b) (lit))", "(lit)", [1, 0, 1]),
        ("(or (not (road a b)) (lit))", "(lit)", [1, 0, 1]),
        ("(and (and) (or (lit) (or)))", "(lit)", [1, 0, 1]),
        ("(imply (on a c) (lit))", "(or (not (on a c)) (lit))", [1, 0, 1]),
        ("(and (lit) ; a comment )\n (not (= a b)) (= b b))", "(lit)", [1, 0, 1]),
    ],
)
def test_meaning(task: Task, text: str, canonical: str | None, truths: list[int]) -> None:
    condition = parse_condition(text, task)
    assert condition.text == (canonical or text)
    # In the last state the variables disagree about (on a b): one of them is enough.
    states = [[0, 0, 0], [1, 1, 1], [2, 0, 0]]
    assert condition.holds(states).tolist() == [bool(truth) for truth in truths]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "one formula was expected"),
        ("lit", "'lit' stands where a formula in parentheses was expected"),
        ("(lit) (lit)", "one formula was expected"),
        ("(lit))", "a ')' closes nothing"),
        ("((lit)", "a '(' is never closed"),
        ("()", "an empty () where a condition belongs"),
        ("((lit))", "one '(' too many here: a name must follow '('"),
        ("(not)", "'not' in the condition must have the form (not CONDITION)"),
        ("(not (lit) (lit))", "'not' in the condition must have the form (not CONDITION)"),
        ("(imply (lit))", "must have the form (imply CONDITION CONDITION)"),
        ("(and lit)", "the word 'lit' where a condition in parentheses belongs"),
        ("(and (lit) lit)", "the word 'lit' where a condition in parentheses belongs"),
        ("(on (lit) (lit))", "a block in parentheses where an object or variable belongs"),
        ("(on a ?x)", "the undeclared variable '?x'"),
        ("(= a x)", "the undeclared object 'x'"),
        ("(forall (?x) (on a ?x))", "'forall' in the condition needs the objects of the task"),
        ("(lit)\n;(\n)", ":3: a ')' closes nothing"),
        ("(on a x)", "unknown object 'x'"),
        ("(lid)", "did you mean 'lit'?"),
        ("(on b a)", "is never true in this task"),
        ("(on a)", "'on' has 2 arguments, not 1"),
        ("(road a b)", "it holds in every state, so there is nothing to test"),
        ("(and (lit) (not (road a b)))", "it never holds"),
        ("(or)", "it never holds"),
    ],
)
def test_what_is_said_about_a_wrong_condition(task: Task, text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_condition(text, task)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("condition ")


def test_deep_nesting_is_read_and_too_long_texts_are_not(task: Task) -> None:
    depth = 3_000
    text = "(not " * depth + "(lit)" + ")" * depth
    assert parse_condition(text, task).holds([[0, 0, 0], [0, 1, 0]]).tolist() == [True, False]
    with pytest.raises(InputError, match=f"may have {MAX_CHARACTERS} characters"):
        parse_condition(" " * MAX_CHARACTERS + "(lit)", task)
