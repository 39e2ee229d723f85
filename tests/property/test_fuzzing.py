"""The fuzzer builds the pool that Algorithm 1 builds, whatever way its walks are batched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.pipeline.biases import Bias, make_bias
from bugsieve.pipeline.biases.detour import Detour
from bugsieve.pipeline.biases.loopiness import Loopiness
from bugsieve.pipeline.biases.surface import Surface
from bugsieve.pipeline.pool import walks
from bugsieve.pipeline.pool.fuzzer import NO_WAY_OUT, Fuzzer
from bugsieve.pipeline.pool.options import INSERT_ONE, INSERTS, FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from tests.depth import examples
from tests.property.engine import batch, rows
from tests.property.fuzz_cases import WALKABLE, Case, case
from tests.property.strategies import seeds, some_states
from tests.reference import biases, fuzzing
from tests.reference.search import reachable

BIASES = ["uniform", "policy-quality", "heuristic:hadd", "loopiness", "detour", "surface"]
TRACES: dict[str, Callable[..., Bias]] = {
    "loopiness": Loopiness,
    "detour": Detour,
    "surface": Surface,
}
LARGER = replace(WALKABLE, max_variables=6, min_operators=20, max_operators=40)


@st.composite
def options(draw: st.DrawFn, *, bias: str | None = None) -> FuzzOptions:
    return FuzzOptions(
        insert=draw(st.sampled_from(INSERTS)),
        pool_size=draw(st.sampled_from([5, 30, 1000])),
        walk_length=draw(st.integers(1, 6)),
        novelty=draw(st.integers(0, 3)),
        bias=bias or draw(st.sampled_from(BIASES)),
        round_walks=draw(st.sampled_from([1, 7, 64])),
        seed=draw(st.integers(0, 2**70)),
        prune_dead_ends=draw(st.booleans()),
    )


def contents(pool: Pool) -> list[fuzzing.Entry]:
    return [
        fuzzing.Entry(state, entry.parent, entry.actions, entry.walk)
        for entry, state in zip(pool, rows(pool.states()), strict=True)
    ]


def twin(one: Case, given_options: FuzzOptions) -> fuzzing.Fuzzer:
    policy, limit = one.policy.action, one.step_limit
    return fuzzing.Fuzzer(
        one.task,
        biases.make_bias(given_options.used_bias, one.task, policy, step_limit=limit),
        given_options.pool_size,
        given_options.walk_length,
        given_options.first_novelty,
        given_options.round_walks,
        given_options.seed,
        given_options.prune_dead_ends,
        given_options.insert == INSERT_ONE,
    )


@pytest.mark.parametrize("bias", BIASES)
@given(seed=seeds(), data=st.data())
@settings(max_examples=examples(60))
def test_the_pool_is_that_of_the_plain_algorithm(
    bias: str, seed: int, data: st.DataObject
) -> None:
    one, chosen = case(seed), data.draw(options(bias=bias))
    fuzzer, plain = Fuzzer(one.bench(), chosen), twin(one, chosen)
    for _ in range(120 // chosen.round_walks + 1):
        before = len(fuzzer.pool)
        entries = fuzzer.round()
        plain.round()
        assert entries == [fuzzer.pool.entry(index) for index in range(before, len(fuzzer.pool))]
    assert contents(fuzzer.pool) == plain.pool
    assert fuzzer.walks_done == plain.walks_done


@given(seeds(), options(), st.integers(1, 60))
@settings(max_examples=examples(80))
def test_the_pool_does_not_depend_on_the_batches(
    seed: int, chosen: FuzzOptions, cells: int
) -> None:
    whole = Fuzzer(case(seed).bench(), chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "_CELLS_AT_ONCE", cells)
        pieces = Fuzzer(case(seed).bench(), chosen)
    for _ in range(6):
        whole.round()
        pieces.round()
    assert contents(pieces.pool) == contents(whole.pool)
    assert pieces.steps_done == whole.steps_done


@given(seeds(), options(), st.booleans(), st.integers(0, 6))
@settings(max_examples=examples(150))
def test_continuing_equals_never_having_stopped(
    seed: int, given_options: FuzzOptions, is_loosened: bool, rounds: int
) -> None:
    one = case(seed)
    chosen = replace(given_options, novelty=None, patience=10) if is_loosened else given_options
    whole, first = Fuzzer(one.bench(), chosen), Fuzzer(one.bench(), chosen)
    for _ in range(rounds):
        first.round()
    bench = one.bench()
    pool = Pool(bench.task)
    for entry, state in zip(first.pool, first.pool.states(), strict=True):
        pool.add(state, parent=entry.parent, actions=entry.actions, walk=entry.walk)
    second = Fuzzer(bench, chosen, pool=pool, walks_done=first.walks_done, loosened=first.loosened)
    assert second.finished == first.finished
    for step in range(8):
        whole.round()
        if step >= rounds:
            second.round()
            assert second.finished == whole.finished
    assert contents(second.pool) == contents(whole.pool)
    assert second.walks_done == whole.walks_done
    assert second.loosened == whole.loosened


@given(seeds(), options())
@settings(max_examples=examples(100))
def test_where_no_walk_can_leave_the_pool_none_does(seed: int, chosen: FuzzOptions) -> None:
    fuzzer = Fuzzer(case(seed).bench(), replace(chosen, pool_size=10**6))
    while fuzzer.finished is None and fuzzer.walks_done < 150:
        fuzzer.round()
    if fuzzer.finished == NO_WAY_OUT:
        for _ in range(150 // chosen.round_walks + 1):
            assert fuzzer.round() == []
        assert fuzzer.finished == NO_WAY_OUT


@given(seeds(), st.integers(300, 400), st.sampled_from([1, 64]))
@settings(max_examples=examples(60))
def test_walks_whose_filter_nobody_chose_find_all_states(
    seed: int, patience: int, round_walks: int
) -> None:
    one = case(seed)
    bench = one.bench()
    chosen = FuzzOptions(
        pool_size=10**6,
        bias="uniform",
        prune_dead_ends=False,
        patience=patience,
        round_walks=round_walks,
    )
    fuzzer = Fuzzer(bench, chosen)
    while fuzzer.finished is None:
        fuzzer.round()
    assert fuzzer.finished == NO_WAY_OUT
    assert {entry.state for entry in contents(fuzzer.pool)} == set(
        reachable(one.task, tuple(one.task.initial))
    )


@given(seeds(), st.integers(0, 2**40))
@settings(max_examples=examples(60))
def test_every_entry_is_reached_as_it_says(seed: int, walk_seed: int) -> None:
    fuzzer = Fuzzer(case(seed, LARGER).bench(), FuzzOptions(pool_size=60, seed=walk_seed))
    for _ in range(4):
        fuzzer.round()
    task, pool = fuzzer.bench.task, fuzzer.pool
    for entry in pool:
        root, path = pool.root_path(entry.number)
        state = pool.states([root])
        for operator in path:
            state = task.successors(state, [operator])
        assert np.array_equal(state, pool.states([entry.number]))


@pytest.mark.parametrize("name", [*BIASES, "heuristic"])
@given(seed=seeds(), horizon=st.sampled_from([1, 2, 5, 50]), data=st.data())
@settings(max_examples=examples(60))
def test_weights_are_those_of_the_definition(
    name: str, seed: int, horizon: int, data: st.DataObject
) -> None:
    one = case(seed, LARGER)
    bench = one.bench()
    bias = TRACES[name](bench, horizon=horizon) if name in TRACES else make_bias(name, bench)
    plain = biases.make_bias(
        name, one.task, one.policy.action, step_limit=one.step_limit, horizon=horizon
    )
    for part in range(3):  # later batches meet states that the bias remembers
        states = some_states(one.task, seed + part, data.draw(st.integers(0, 12)))
        cuts = sorted(Random(seed).choices(range(len(states) + 1), k=4))
        offsets = np.array([0, *cuts, len(states)])
        result = bias.weights(batch(one.task, states), offsets)
        pieces = [states[low:high] for low, high in pairwise(offsets)]
        expected = [pair for piece in pieces for pair in plain(piece)]
        assert result.weights.dtype == np.int64
        assert result.weights.tolist() == [weight for weight, _ in expected]
        offered = [False] * len(states) if result.insert is None else result.insert.tolist()
        assert offered == [wanted for _, wanted in expected]
