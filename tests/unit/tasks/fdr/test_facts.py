"""From atoms to states: what can be said, and a clear sentence for what cannot."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.tasks.grounded.atoms import from_sas_name, normalised
from bugsieve.tasks.grounded.facts import FactTable
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.generated import generated_task

FACTS = ["(on a table)", "(on b a)", "(clear b)"]


def test_facts_and_states_are_inverse(stack: Task) -> None:
    for state in stack.all_successors(stack.initial_state)[0]:
        assert np.array_equal(stack.state(stack.facts(state)), state)


def test_static_atoms_may_be_left_out_and_spelling_is_free(stack: Task) -> None:
    spelled = ["( ON a  Table)", "(on b a)", "(clear\tB)", "(red a)"]
    assert np.array_equal(stack.state(spelled), stack.initial_state)
    assert np.array_equal(stack.state(FACTS), stack.initial_state)


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ([*FACTS, "(on a b)"], r"\(on a table\) and \(on a b\) cannot both be true"),
        ([*FACTS, "(on a c)"], r"\(on a c\): unknown object 'c'"),
        ([*FACTS, "(onn a b)"], r"no atom of 'onn' is ever true in this task \(did you mean 'on'"),
        ([*FACTS, "(clear a b)"], "'clear' has 1 arguments, not 2"),
        ([*FACTS, "(red b)"], r"\(red b\): is never true in this task, it is either static"),
        (FACTS[1:], r"the state is incomplete: one of \(on a b\), \(on a table\) must be true"),
        (["on a b"], "'on a b' is not an atom"),
        (["(not (on a b))"], r"'\(not \(on a b\)\)' is not an atom"),
        (["()"], r"'\(\)' is not an atom"),
    ],
)
def test_states_that_cannot_be(stack: Task, facts: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        stack.state(facts)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("blocks"), "blocksworld", blocks=3)


ON_THE_TABLE = [f"({fact} b{i})" for i in (1, 2, 3) for fact in ("ontable", "clear")]


@pytest.mark.parametrize(
    ("facts", "culprits"),
    [
        (["(handempty)", *ON_THE_TABLE, "(on b1 b2)"], {"(ontable b1)", "(on b1 b2)"}),
        (
            [
                "(handempty)",
                "(on b1 b3)",
                "(on b2 b3)",
                "(clear b1)",
                "(clear b2)",
                "(ontable b3)",
            ],
            {"(on b1 b3)", "(on b2 b3)"},
        ),
        (
            ["(handempty)", "(on b1 b2)", "(clear b1)", *ON_THE_TABLE[2:]],
            {"(clear b2)", "(on b1 b2)"},
        ),
        (["(holding b1)", "(handempty)", *ON_THE_TABLE[2:]], {"(handempty)", "(holding b1)"}),
    ],
)
def test_facts_that_exclude_each_other(blocks: Task, facts: list[str], culprits: set[str]) -> None:
    with pytest.raises(InputError) as error:
        blocks.state(facts)
    named = str(error.value).removesuffix(" cannot both be true in this task").split(" and ")
    assert set(named) == culprits


def test_states_on_a_walk_break_no_mutex_group(blocks: Task) -> None:
    assert blocks.mutex_groups
    state = blocks.state(["(handempty)", *ON_THE_TABLE])
    for step in range(100):
        assert np.array_equal(blocks.state(blocks.facts(state)), state)
        operators = blocks.applicable(state).operators
        state = blocks.successors(state, operators[step * 7 % len(operators)])[0]


def test_mutex_groups_of_values_without_atoms() -> None:
    facts = [["(p)", None], ["(q)", None], ["(r)", None]]
    groups = [[(0, 1), (1, 0)], [(0, 0), (1, 0), (2, 0)]]
    table = FactTable(facts, frozenset(), mutex_groups=groups)
    assert table.to_values(["(p)"], {}) == [0, 1, 1]
    with pytest.raises(InputError, match=r"\(not \(p\)\) and \(q\) cannot both be true"):
        table.to_values(["(q)"], {})
    with pytest.raises(InputError, match=r"\(p\) and \(r\) cannot both be true"):
        table.to_values(["(p)", "(r)"], {})


@pytest.mark.parametrize(
    ("name", "atom"),
    [
        ("Atom on(a, b)", "(on a b)"),
        ("Atom handempty()", "(handempty)"),
        ("Atom On(A)", "(on a)"),
        ("Atom on(a,b, c)", "(on a,b c)"),
        ("NegatedAtom on(a, b)", None),
        ("<none of those>", None),
        ("Atom broken", None),
        ("value 3", None),
    ],
)
def test_value_names_of_sas_files(name: str, atom: str | None) -> None:
    assert from_sas_name(name) == atom


def test_atoms_are_normalised() -> None:
    assert normalised(" ( On\ta  B)") == "(on a b)"


def test_literals_of_values_without_atoms() -> None:
    table = FactTable([["(p)", None], ["(q)", "(r)", None]], frozenset())
    assert table.literal(0, 1) == "(not (p))"
    assert table.literal(1, 0) == "(q)"
    assert table.literal(1, 2) == "(and (not (q)) (not (r)))"


def test_an_atom_of_two_variables_sets_both() -> None:
    table = FactTable([["(p)", "(q)"], ["(p)", None]], frozenset({"(p)", "(s)"}))
    assert table.to_values(["(p)"], {}) == [0, 0]
    assert table.to_values(["(q)", "(s)"], {}) == [1, 1]
    assert table.static == {"(s)"}


def test_an_atom_of_two_variables_does_not_exclude_itself() -> None:
    group = [(0, 0), (1, 0), (0, 1)]
    table = FactTable([["(p)", "(q)"], ["(p)", None]], frozenset(), mutex_groups=[group])
    assert table.to_values(["(p)"], {}) == [0, 0]
