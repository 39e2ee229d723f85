"""Decision diagrams: equal functions have equal numbers."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from bugsieve.rooms.rules.ltl.diagrams import ALWAYS, NEVER, Diagrams, TooManyStatesError


def value(diagrams: Diagrams, function: int, row: tuple[bool, ...]) -> bool:
    while function > ALWAYS:
        side = diagrams.high if row[diagrams.level[function]] else diagrams.low
        function = side[function]
    return function == ALWAYS


def test_operations_are_those_of_truth_tables() -> None:
    diagrams = Diagrams(1000)
    a, b, c = map(diagrams.variable, range(3))
    for row in product((False, True), repeat=3):
        x, y, z = row
        assert value(diagrams, diagrams.both(a, b), row) == (x and y)
        assert value(diagrams, diagrams.either(b, c), row) == (y or z)
        assert value(diagrams, diagrams.complement(a), row) == (not x)
        assert value(diagrams, diagrams.choice(b, c, a), row) == (z if y else x)


def test_equal_functions_are_one() -> None:
    diagrams = Diagrams(1000)
    a, b = map(diagrams.variable, range(2))
    no = diagrams.complement
    assert diagrams.both(a, no(a)) == NEVER
    assert diagrams.either(a, no(a)) == ALWAYS
    assert no(diagrams.both(a, b)) == diagrams.either(no(b), no(a))
    assert diagrams.either(a, diagrams.both(a, b)) == a


def test_nodes_are_counted() -> None:
    diagrams = Diagrams(3)
    diagrams.variable(0)
    diagrams.variable(1)
    with pytest.raises(TooManyStatesError) as raised:
        diagrams.variable(2)
    assert raised.value.size == 4
    assert raised.value.exit_code == 5


def test_steps_are_counted() -> None:
    """There are 256 functions of three variables, but many more ways to join them."""
    diagrams = Diagrams(300)
    for level in range(3):
        diagrams.variable(level)
    with pytest.raises(TooManyStatesError, match="take more than 1500 steps"):
        join_at_random(diagrams, 10_000)
    assert len(diagrams.level) <= 256


def join_at_random(diagrams: Diagrams, times: int) -> None:
    random = Random(1)
    for _ in range(times):
        diagrams.choice(*random.choices(range(len(diagrams.level)), k=3))
