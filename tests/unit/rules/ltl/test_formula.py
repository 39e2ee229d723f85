"""Formulas: equal trees are equal, however they share parts and wherever they were made."""

from __future__ import annotations

import pickle
import subprocess
import sys

from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    atom,
    atoms_of,
    conjunction,
    disjunction,
    distinct_parts,
    fold,
    globally,
    negation,
    subformulas,
)

P, Q = atom("p"), atom("q")


def doubled(levels: int) -> Formula:
    """A formula of 2 ** levels leaves that share their parts."""
    formula = P
    for _ in range(levels):
        formula = Formula("and", (formula, formula))
    return formula


def test_shared_parts_cost_nothing() -> None:
    assert doubled(60) == doubled(60)
    assert doubled(60) != Formula("or", doubled(60).parts)
    assert atoms_of(doubled(60)) == ("p",)
    assert fold(doubled(60), lambda item, parts: sum(parts) or 1) == 2**60


def test_deep_formulas_are_compared_and_folded_without_recursion() -> None:
    one, two = P, atom("p")
    for _ in range(5000):
        one, two = globally(one), globally(two)
    assert one == two
    assert len(distinct_parts(one)) == 5001


def test_formulas_of_another_process_are_the_same() -> None:
    """Hashes of texts differ between processes."""
    made = "from bugsieve.rooms.rules.ltl.formula import *; import pickle, sys; "
    made += "sys.stdout.buffer.write(pickle.dumps(globally(atom('p'))))"
    data = subprocess.run([sys.executable, "-c", made], capture_output=True, check=True).stdout
    assert {globally(P): 1}[pickle.loads(data)] == 1


def test_conjunctions_are_flat_and_without_constants() -> None:
    assert conjunction((P & Q, TRUE, P)) == P & Q
    assert conjunction((P, FALSE)) == FALSE
    assert conjunction(()) == TRUE
    assert conjunction((P,)) == P
    assert disjunction((P | Q, FALSE)) == P | Q
    assert disjunction((P, TRUE)) == TRUE
    assert disjunction(()) == FALSE


def test_parts_come_before_what_holds_them() -> None:
    formula = globally(P & Q)
    assert distinct_parts(formula) == [P, Q, P & Q, formula]
    assert list(subformulas(formula)) == [formula, P & Q, P, Q]


def test_a_double_negation_is_none() -> None:
    assert negation(negation(P)) == P
    assert ~~P == P
