"""Draws are numbered, even, and the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.pipeline.pool.draws import draws_of
from tests.reference import fuzzing as reference

BOUNDS = [1, 2, 3, 1000, 2**32, 2**32 + 1, 3 * 2**61, 2**63 - 1]
"""With 3 · 2**61, one word in four is drawn again."""


def below(seed: int, walks: list[int], number: int, bound: int) -> list[int]:
    draws = draws_of(seed, np.array(walks))
    rows = np.arange(len(walks))
    drawn: list[int] = draws.below(rows, number, np.full(len(walks), bound)).tolist()
    return drawn


def chi_square(counts: list[int], expected: list[float]) -> float:
    return sum((n - e) ** 2 / e for n, e in zip(counts, expected, strict=True))


def test_they_never_change() -> None:
    assert [below(0, [0, 1, 2, 3], number, 1000) for number in range(3)] == [
        [681, 925, 150, 131],
        [223, 915, 606, 746],
        [905, 327, 146, 118],
    ]
    assert below(2**70, [0, 10**12], 7, 2**63 - 1) == [6835030928870121597, 3856564448980696737]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("seed", [0, 1, -5, 2**80])
def test_they_are_those_of_the_reference(seed: int, bound: int) -> None:
    plain = reference.Draws(seed)
    walks = [0, 1, 2, 63, 10**9, 2**40, *range(100, 130)]
    for number in (0, 1, 2, 6, 1000):
        expected = [plain.below(walk, number, bound) for walk in walks]
        assert below(seed, walks, number, bound) == expected


def test_rows_may_come_in_any_order() -> None:
    draws = draws_of(3, np.arange(50))
    rows = np.array([7, 7, 49, 0])
    bounds = np.array([10, 10**6, 10**6, 10**6])
    single = [int(draws.below(rows[i : i + 1], 4, bounds[i : i + 1])[0]) for i in range(4)]
    assert draws.below(rows, 4, bounds).tolist() == single


@pytest.mark.parametrize("bound", [2, 6, 97])
def test_numbers_are_evenly_spread(bound: int) -> None:
    drawn = below(1, list(range(100 * bound)), 2, bound)
    counts = np.bincount(drawn, minlength=bound).tolist()
    assert len(counts) == bound
    # Five standard deviations of the chi-square distribution above its mean.
    assert chi_square(counts, [100.0] * bound) < bound - 1 + 5 * (2 * (bound - 1)) ** 0.5


@pytest.mark.parametrize(("walk_lag", "draw_lag", "seed_lag"), [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_neighbours_are_independent(walk_lag: int, draw_lag: int, seed_lag: int) -> None:
    walks = list(range(20_000))
    first = below(5, walks, 2, 4)
    second = below(5 + seed_lag, [w + walk_lag for w in walks], 2 + draw_lag, 4)
    pairs = np.bincount(4 * np.array(first) + np.array(second), minlength=16).tolist()
    assert chi_square(pairs, [len(walks) / 16] * 16) < 15 + 5 * 30**0.5


def test_every_bit_of_a_draw_is_even() -> None:
    drawn = np.array(below(9, list(range(4096)), 2, 2**62))
    for bit in range(62):
        ones = int(np.count_nonzero(drawn >> bit & 1))
        assert abs(ones - 2048) < 5 * 32, f"bit {bit}"


def test_wrong_calls_are_refused() -> None:
    draws = draws_of(0, np.arange(3))
    with pytest.raises(ValueError, match="bounds must be positive"):
        draws.below(np.array([0]), 0, np.array([0]))
    with pytest.raises(ValueError, match="each row needs one bound"):
        draws.below(np.array([0, 1]), 0, np.array([5]))
    for row in (-1, 3):
        with pytest.raises(IndexError, match=f"no walk in row {row}"):
            draws.below(np.array([row]), 0, np.array([5]))
