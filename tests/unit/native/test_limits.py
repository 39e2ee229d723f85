"""Searches stop at their limits and say which one it was; Ctrl-C stops them at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

import pytest

from bugsieve import _native
from tests.reference.sas import SasEffect, SasOperator, SasTask
from tests.unit.native.chains import chain, native, switches, variables

HUGE = native(switches(60))
SEARCHES: list[Callable[..., _native.SearchResult]] = [
    lambda **limits: _native.astar(HUGE, HUGE.initial_state, "blind", **limits),
    lambda **limits: _native.greedy(HUGE, HUGE.initial_state, "blind", **limits),
    lambda **limits: _native.greedy(HUGE, HUGE.initial_state, "blind", deferred=False, **limits),
    lambda **limits: _native.lookahead(HUGE, HUGE.initial_state, 40, **limits)[0],
]


@pytest.mark.parametrize("search", SEARCHES)
def test_each_limit_ends_the_search_under_its_name(
    search: Callable[..., _native.SearchResult],
) -> None:
    assert search(max_expansions=100).status == "expansions"
    assert search(max_expansions=100).expanded <= 100
    assert search(max_seconds=0.05).status == "time"
    assert search(max_bytes=100_000).status == "memory"


@pytest.mark.parametrize("search", SEARCHES)
def test_an_interrupt_ends_the_search(search: Callable[..., _native.SearchResult]) -> None:
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.2, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(max_seconds=60)
    timer.join()
    assert pressed


def test_another_thread_runs_during_a_search() -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    _native.astar(HUGE, HUGE.initial_state, "blind", max_seconds=0.3)
    done.set()
    ticker.join()
    assert ticks > 5


def test_a_bound_at_the_optimal_cost_leaves_no_plan() -> None:
    task = native(chain(5, cost=3))
    assert _native.astar(task, task.initial_state, cost_bound=15).status == "bound"
    assert _native.astar(task, task.initial_state, cost_bound=16).cost == 15


@pytest.mark.parametrize("name", _native.HEURISTICS)
def test_bounds_hold_for_heuristics_that_overestimate(name: str) -> None:
    """h^add counts the chain once for each of two goals; a plan below the bound exists."""
    climb = chain(3)
    done = tuple(SasOperator(f"goal {v}", ((0, 3),), (SasEffect((), v, 0, 1),), 1) for v in (1, 2))
    task = native(
        SasTask(
            True, variables(4, 2, 2), (), (0, 0, 0), ((1, 1), (2, 1)), (*climb.operators, *done)
        )
    )
    assert _native.astar(task, task.initial_state, name, cost_bound=6).cost == 5
    assert _native.astar(task, task.initial_state, name, cost_bound=5).status == "bound"


def test_the_clock_is_watched_between_the_children_of_one_state() -> None:
    task = native(switches(300))
    done = _native.astar(task, task.initial_state, "lmcut", max_seconds=0)
    assert (done.status, done.expanded) == ("time", 0)
    assert done.evaluated <= 1
    for search in (_native.astar, _native.greedy):
        late = search(task, task.initial_state, "lmcut", max_seconds=0.001)
        assert late.status == "time"
        assert late.evaluated < 300


def test_a_lookahead_counts_all_it_holds() -> None:
    limit = 1_000_000
    result, leaves = _native.lookahead(HUGE, HUGE.initial_state, 50, max_bytes=limit)
    assert result.status == "memory"
    assert not leaves.is_complete
    assert 100 < len(leaves.costs) < limit / 20


@pytest.mark.parametrize(
    ("limit", "status"),
    [({"max_states": 1000}, "expansions"), ({"max_bytes": 1 << 20}, "memory")],
)
def test_too_many_states_for_exact_costs(limit: dict[str, int], status: str) -> None:
    found = _native.explore_exact_costs(HUGE, **limit)
    assert found.status == status
    assert 1000 < found.count < 50_000
    assert len(found.states) == len(found.costs) == 0
    assert _native.explore_exact_costs(HUGE, max_seconds=0.05).status == "time"
