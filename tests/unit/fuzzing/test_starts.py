"""Start states are uniform over the start set, and each depends on the seed and its number."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bugsieve.base.errors import BudgetError, InputError, UnsupportedError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.starts import StartSampler, planning
from bugsieve.rooms.jani.starts.parts import Rows, Source
from tests.unit.tasks.jani.small import binary, bounded, condition, edge, simple, variable

Json = Any

DRAWS = 12_000


def both(*parts: Json) -> Json:
    return reduce(lambda a, b: binary("∧", a, b), parts)


def total(*names: str) -> Json:
    return reduce(lambda a, b: binary("+", a, b), names)


def different(*names: str) -> Json:
    return both(*(binary("≠", a, b) for a, b in itertools.combinations(names, 2)))


def started(start: Json, variables: list[Json], **more: Json) -> JaniModel:
    document = simple(edge({}), variables=variables, start=start, **more)
    return load_document(document, name="starts")


def integers(names: str, lower: int = 0, upper: int = 3) -> list[Json]:
    return [variable(name, bounded(lower, upper)) for name in names]


def reals(names: str, lower: float = 0.0, upper: float = 1.0) -> list[Json]:
    return [variable(name, bounded(lower, upper, "real")) for name in names]


def all_starts(loaded: JaniModel) -> list[tuple[float, ...]]:
    """By trying every state."""
    spans = [range(int(v.type.lower), int(v.type.upper) + 1) for v in loaded.variables]
    states = np.array(list(itertools.product(*spans)), dtype=np.float64)
    return [tuple(row) for row in states[loaded.is_start(states)].tolist()]


def is_even(counts: list[int]) -> bool:
    """Whether the counts may well come from equally likely cases (chi-square, 5 σ)."""
    mean = sum(counts) / len(counts)
    statistic = sum((count - mean) ** 2 for count in counts) / mean
    freedom = max(len(counts) - 1, 1)
    return statistic <= freedom + 5 * math.sqrt(2 * freedom) + 5


CONDITIONS: dict[str, tuple[Json, list[Json]]] = {
    "box": (both(binary("≥", "a", 1), binary("<", "b", 3)), integers("abc")),
    "everything": (True, [*integers("ab"), variable("f", "bool")]),
    "sum": (binary("=", total("a", "b", "c", "d"), 5), integers("abcd")),
    "weighted sum": (
        binary("=", binary("-", binary("*", 2, "a"), total("b", "c")), 1), integers("abc"),
    ),
    "sum and box": (
        both(binary("=", 4, total("a", "b", "c")), binary("=", "d", 0), binary("≤", "e", 1)),
        integers("abcde"),
    ),
    "permutation": (different("a", "b", "c", "d"), integers("abcd")),
    "all different": (different("a", "b", "c"), integers("abc", 0, 4)),
    "permutation with more": (
        both(different("a", "b", "c"), binary("<", "a", "b")), integers("abc", -1, 3),
    ),
    "disjunction": (
        binary("∨", binary("=", "a", 1), both(binary("<", "b", "a"), binary("≠", "b", 0))),
        integers("ab"),
    ),
    "equality": (both(binary("=", "a", binary("+", "b", 1)), binary("≤", "c", "b")),
                 integers("abc")),
    "flags": (
        both("f", {"op": "¬", "exp": binary("∧", "g", binary("=", "a", 2))}),
        [*integers("a"), variable("f", "bool"), variable("g", "bool")],
    ),
    "not linear": (binary("=", binary("*", "a", "b"), 6), integers("abc", 1, 6)),
    "negated disjunction": (
        {"op": "¬", "exp": binary("∨", binary("<", "a", 1), binary("=", "a", "b"))},
        integers("ab"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("most_cells", [planning.MOST_CELLS, 3])
@pytest.mark.parametrize("name", CONDITIONS)
def test_all_start_states_are_equally_likely(
    name: str, most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With tables, and by rejection where there is no room for tables."""
    monkeypatch.setattr(planning, "MOST_CELLS", most_cells)
    expression, variables = CONDITIONS[name]
    loaded = started(condition(expression), variables)
    expected = all_starts(loaded)
    drawn = Counter(map(tuple, StartSampler(loaded, 1).sample(range(DRAWS)).tolist()))
    assert set(drawn) == set(expected)
    assert is_even([drawn[state] for state in expected])


def test_listed_states_are_equally_likely() -> None:
    values = [[("a", k), ("b", 0)] for k in (0, 1, 3, 3)]
    listed = [
        {"variables": [{"var": name, "value": value} for name, value in state]} for state in values
    ]
    loaded = started({"op": "states-values", "values": listed}, integers("ab"))
    drawn = Counter(map(tuple, StartSampler(loaded, 1).sample(range(DRAWS)).tolist()))
    assert set(drawn) == {(0, 0), (1, 0), (3, 0)}
    assert is_even(list(drawn.values()))


def test_initial_states_with_a_choice() -> None:
    restriction = {"exp": binary("≥", "a", 2)}
    document = simple(
        edge({}),
        variables=[variable("a", bounded(0, 3)), variable("b", bounded(0, 3), 1)],
        **{"restrict-initial": restriction},
    )
    drawn = StartSampler(load_document(document, name="starts"), 0).sample(range(100))
    assert {tuple(row) for row in drawn.tolist()} == {(2, 1), (3, 1)}


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_state_depends_on_the_seed_and_its_number_alone(name: str) -> None:
    expression, variables = CONDITIONS[name]
    loaded = started(condition(expression), variables)
    sampler = StartSampler(loaded, 5)
    whole = sampler.sample(range(200))
    chosen = [199, 3, 3, 77]
    assert np.array_equal(sampler.sample(chosen), whole[chosen])
    assert np.array_equal(StartSampler(loaded, 5).sample(range(200)), whole)
    assert not np.array_equal(StartSampler(loaded, 6).sample(range(200)), whole)
    assert sampler.sample([]).shape == (0, loaded.num_variables)


def quantiles(values: NDArray[np.float64], bins: int = 10) -> list[int]:
    counts: list[int] = np.histogram(values, bins=bins, range=(0.0, 1.0))[0].tolist()
    return counts


def test_a_box_of_reals() -> None:
    limits = both(binary("≤", 0.25, "r"), binary("≤", "r", 0.75), binary("=", "s", 0.1))
    loaded = started(condition(limits), reals("rst"))
    drawn = StartSampler(loaded, 1).sample(range(DRAWS))
    assert set(drawn[:, 1].tolist()) == {0.1}
    assert is_even(quantiles((drawn[:, 0] - 0.25) * 2))
    assert is_even(quantiles(drawn[:, 2]))


def test_a_triangle_of_reals() -> None:
    loaded = started(condition(binary("≤", binary("+", "r", "s"), 1)), reals("rs"))
    r, s = StartSampler(loaded, 1).sample(range(DRAWS)).T
    assert (r + s <= 1).all()
    assert is_even(quantiles((r + s) ** 2))  # the share of the triangle below r + s
    assert is_even(quantiles(r / (r + s)))


@pytest.mark.parametrize(
    "equation",
    [
        binary("=", "s", binary("*", 0.5, "r")),
        binary("=", binary("+", "s", "s"), "r"),
        binary("=", binary("-", "r", binary("*", 2, "s")), 0),
    ],
)
def test_a_real_that_follows_from_another(equation: Json) -> None:
    loaded = started(condition(equation), reals("rs"))
    r, s = StartSampler(loaded, 1).sample(range(DRAWS)).T
    assert np.array_equal(2 * s, r)
    assert is_even(quantiles(r))


def test_integers_and_reals_together() -> None:
    """Each share of the region is as likely as it is large."""
    loaded = started(
        condition(binary("≤", "r", binary("/", "a", 3))), [*integers("a"), *reals("r")]
    )
    whole, real = StartSampler(loaded, 1).sample(range(DRAWS)).T
    assert (real <= whole / 3).all()
    shares = Counter(np.rint(whole).tolist())
    for value, share in ((1, 1 / 6), (2, 2 / 6), (3, 3 / 6)):
        assert abs(shares[value] / DRAWS - share) < 0.02


def test_many_counters_with_more_solutions_than_words_can_number() -> None:
    names = [f"n{k}" for k in range(40)]
    variables = [variable(name, bounded(0, 60)) for name in names]
    loaded = started(condition(binary("=", total(*names), 60)), variables)
    drawn = StartSampler(loaded, 1).sample(range(500))
    assert (drawn.sum(axis=1) == 60).all()
    assert 1.3 < drawn[:, 0].mean() < 1.7 and 1.3 < drawn[:, -1].mean() < 1.7


def test_sixteen_tiles() -> None:
    names = [f"t{k}" for k in range(16)]
    variables = [variable(name, bounded(0, 15)) for name in names]
    loaded = started(condition(different(*names)), variables)
    drawn = StartSampler(loaded, 1).sample(range(DRAWS))
    assert (np.sort(drawn, axis=1) == np.arange(16)).all()
    for column in (0, 7, 15):
        assert is_even(np.bincount(drawn[:, column].astype(int), minlength=16).tolist())


def test_tiles_and_counters_with_another_constraint() -> None:
    """Too many to list: permutations, or sums, are drawn until the rest holds."""
    names = [f"t{k}" for k in range(12)]
    variables = [variable(name, bounded(0, 11)) for name in names]
    ordered = binary("<", "t0", "t11")
    tiles = started(condition(both(different(*names), ordered)), variables)
    drawn = StartSampler(tiles, 1).sample(range(3000))
    assert (np.sort(drawn, axis=1) == np.arange(12)).all() and (drawn[:, 0] < drawn[:, 11]).all()
    assert is_even(np.bincount(drawn[:, 5].astype(int), minlength=12).tolist())
    counters = started(condition(both(binary("=", total(*names), 20), ordered)), variables)
    drawn = StartSampler(counters, 1).sample(range(300))
    assert (drawn.sum(axis=1) == 20).all() and (drawn[:, 0] < drawn[:, 11]).all()


def test_a_condition_that_does_not_bound_a_variable() -> None:
    loaded = started(condition(binary("≤", "u", 3)), [variable("u", "int")])
    with pytest.raises(UnsupportedError, match="does not bound 'u'.*list start states"):
        StartSampler(loaded, 0)


def test_an_unbounded_variable_with_bounds_in_the_condition() -> None:
    limits = both(binary("≤", "u", 3), binary(">", binary("*", 2, "u"), -3))
    loaded = started(condition(limits), [variable("u", "int")])
    drawn = StartSampler(loaded, 0).sample(range(100))
    assert set(drawn[:, 0].tolist()) == {-1, 0, 1, 2, 3}


@pytest.mark.parametrize(
    "expression",
    [
        False,
        both(binary("≤", "a", 1), binary("≥", "a", 2)),
        binary("=", total("a", "b"), 7),
        binary("=", binary("*", "a", "b"), 7),
        both(different("a", "b"), binary("=", "a", 3), binary("=", "b", 3)),
        binary("=", binary("*", 2, "a"), 3),
    ],
)
def test_a_condition_that_no_state_satisfies(expression: Json) -> None:
    loaded = started(condition(expression), integers("ab"))
    with pytest.raises(InputError, match="no state satisfies the start condition"):
        StartSampler(loaded, 0)


def test_a_hopeless_condition_says_what_to_do() -> None:
    never = binary("=", binary("*", "r", "r"), 0.3)
    loaded = started(condition(never), reals("r"))
    with pytest.raises(
        BudgetError,
        match="small: no start state was found, none of 100000 random states .* list start",
    ):
        StartSampler(loaded, 0).sample([0])


def rare(names: Sequence[str], one_in: int) -> JaniModel:
    """A remainder of the sum of large numbers is 1: too many to list them, and few that fit."""
    remainder = binary("=", binary("%", total(*names), one_in), 1)
    variables = [variable(name, bounded(0, 10**9)) for name in names]
    return started(condition(remainder), variables)


def test_states_found_after_many_attempts_depend_on_their_numbers_alone() -> None:
    sampler = StartSampler(rare("abc", 9973), 5)
    together = sampler.sample(range(6))
    assert (together.sum(axis=1) % 9973 == 1).all()
    assert len(np.unique(together, axis=0)) == 6
    for number in (5, 0):
        np.testing.assert_array_equal(sampler.sample([number])[0], together[number])


@pytest.mark.parametrize("count", [30, 300])
def test_the_work_for_a_start_state_is_bounded(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In values and in calls that draw them, also where many states are asked for."""
    drawn = []
    below = Source.below

    def counted(source: Source, rows: Rows, draw: int, bounds: Rows | int) -> Rows:
        drawn.append(len(rows))
        return below(source, rows, draw, bounds)

    monkeypatch.setattr(Source, "below", counted)
    sampler = StartSampler(rare([f"y{k}" for k in range(count)], 10**15 + 37), 0)
    with pytest.raises(BudgetError, match="no start state was found"):
        sampler.sample(range(4))
    assert len(drawn) < 40_000
    assert sum(drawn) < 5_000_000
