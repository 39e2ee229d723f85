"""The algebra of case distinctions, compared with plain enumeration."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bugsieve.tasks.grounded.cases import Case, Cases, TooManyCasesError, is_single, values_of

SIZES = (2, 3, 4)
MUTEXES = [[(0, 0), (1, 2), (2, 1)]]
# The states that respect the mutex group.
STATES = [
    state
    for state in product(*map(range, SIZES))
    if sum(state[variable] == value for variable, value in MUTEXES[0]) <= 1
]

masks = [st.integers(0, (1 << size) - 1) for size in SIZES]
cases = st.fixed_dictionaries({}, optional=dict(enumerate(masks)))


def algebra(limit: int = 1000) -> Cases:
    return Cases(SIZES, MUTEXES, limit)


def models(disjunction: list[Case]) -> set[tuple[int, ...]]:
    return {
        state
        for state in STATES
        if any(all(mask >> state[v] & 1 for v, mask in case.items()) for case in disjunction)
    }


@given(cases, cases)
def test_meet_is_conjunction(first: Case, second: Case) -> None:
    both = algebra().meet(first, second)
    assert models([] if both is None else [both]) == models([first]) & models([second])


@given(st.lists(cases, max_size=5))
def test_union_keeps_the_meaning(disjunction: list[Case]) -> None:
    joined = algebra().union(disjunction)
    assert models(joined) == models(disjunction)
    assert len(joined) <= len(disjunction)


@given(st.lists(cases, max_size=4), st.lists(cases, max_size=4))
def test_product_is_conjunction_of_disjunctions(first: list[Case], second: list[Case]) -> None:
    assert models(algebra().product(first, second)) == models(first) & models(second)


def test_conditions_that_mutexes_decide_are_dropped() -> None:
    # Variable 0 having value 0 excludes value 2 of variable 1.
    assert algebra().tightened({0: 0b01, 1: 0b011}) == {0: 0b01}
    assert algebra().tightened({0: 0b01, 1: 0b100}) is None
    assert algebra().tightened({0: 0b01, 1: 0b110}) == {0: 0b01, 1: 0b010}


def test_cases_that_differ_in_one_variable_are_joined() -> None:
    assert algebra().union([{0: 1, 1: 0b001}, {0: 1, 1: 0b010}]) == [{0: 1, 1: 0b011}]
    assert algebra().union([{0: 0b01}, {0: 0b10}]) == [{}]


def test_the_number_of_cases_is_limited() -> None:
    wide = [{2: 1 << value, 0: 1} for value in range(2)]
    other = [{1: 0b001, 0: 1}, {1: 0b010, 2: 0b0011}]
    with pytest.raises(TooManyCasesError):
        algebra(limit=1).product(wide, other)


def test_masks() -> None:
    assert list(values_of(0b1011)) == [0, 1, 3]
    assert [is_single(mask) for mask in (0b1, 0b100, 0b101)] == [True, True, False]
