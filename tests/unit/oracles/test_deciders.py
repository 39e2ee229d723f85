"""Deciders of solvability against exhaustive exploration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bugsieve._native import DEAD_END
from bugsieve.base.errors import BudgetError
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.pipeline.oracles.deciders import Decider, decider_for
from bugsieve.pipeline.oracles.deciders.guided import guided_search
from bugsieve.rooms.zoo.domains import domain_text
from bugsieve.rooms.zoo.floortile.decider import FloortileDecider
from bugsieve.rooms.zoo.graphs import components, source_parts
from bugsieve.rooms.zoo.matching_blocksworld.decider import MatchingBlocksworldDecider
from bugsieve.rooms.zoo.spanner.decider import SpannerDecider
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits, exact_goal_distances
from tests.depth import examples
from tests.unit.oracles.grounding import grounded_task
from tests.unit.oracles.small_problems import blocks_problem, floor_problem, spanner_problem
from tests.unit.policies.generated import generated_task

BENCHMARKS = Path(__file__).parents[3].parent / "shared" / "benchmarks" / "pddl"

DOMAINS: dict[str, Callable[[int], str]] = {
    "spanner": spanner_problem,
    "matching-blocksworld": blocks_problem,
    "floortile": floor_problem,
}
GENERATED = {
    "spanner": {"spanners": 4, "nuts": 2, "locations": 3},
    "matching-blocksworld": {"blocks": 4},
    "floortile": {"rows": 2, "columns": 2, "robots": 2},
}


def compare(task: Task, decider: Decider, *, states: int) -> tuple[int, int]:
    """Compare with exhaustive values; returns how many states had a plan, and how many none."""
    try:
        reached, distances = exact_goal_distances(task, max_states=30_000)
    except BudgetError:
        return 0, 0
    rows = np.random.default_rng(0).permutation(len(reached))[:states]
    solvable = 0
    for state, distance in zip(reached[rows], distances[rows], strict=True):
        answer = decider.solvable(state)
        assert answer == (distance != DEAD_END), sorted(task.facts(state))
        solvable += bool(answer)
    return solvable, len(rows) - solvable


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("first", [0, 100, 200])
def test_deciders_agree_with_exhaustive_exploration(domain: str, first: int) -> None:
    text = domain_text(domain)
    counts = np.zeros(3, dtype=np.int64)
    for seed in range(first, first + examples(100, quick=40)):
        task = grounded_task(text, DOMAINS[domain](seed))
        decider = decider_for(task)
        if decider is None:
            continue
        counts += (1, *compare(task, decider, states=60))
    tasks, solvable, dead = counts
    assert tasks > examples(60) and min(solvable, dead) > examples(200)


@pytest.mark.parametrize("domain", DOMAINS)
def test_without_pddl_deciders_may_know_less_but_nothing_wrong(domain: str) -> None:
    text = domain_text(domain)
    answers = 0
    for seed in range(examples(100)):
        task = grounded_task(text, DOMAINS[domain](seed), with_pddl=False)
        decider = decider_for(task)
        if decider is None:
            continue
        try:
            reached, distances = exact_goal_distances(task, max_states=5_000)
        except BudgetError:
            continue
        for state, distance in zip(reached[:40], distances[:40], strict=True):
            answer = decider.solvable(state)
            assert answer in (None, distance != DEAD_END)
            answers += answer is not None
    assert answers > examples(300)


@pytest.mark.parametrize("domain", DOMAINS)
def test_deciders_read_the_translators_encoding(domain: str, tmp_path: Path) -> None:
    task = generated_task(tmp_path, domain, seed=2, **GENERATED[domain])
    decider = decider_for(task)
    assert decider is not None
    solvable, dead = compare(task, decider, states=500)
    assert solvable and dead


@pytest.mark.parametrize(
    ("domain", "problem", "kind"),
    [
        ("ipc2023-learning/spanner", "testing/easy/p05.pddl", SpannerDecider),
        ("ipc2023-learning/floortile", "testing/easy/p05.pddl", FloortileDecider),
        ("ipc-classical/floortile-opt11-strips", "opt-p01-001.pddl", FloortileDecider),
        (
            "ipc-classical/matching-blocksworld",
            "train/mbw-b5-t1-s20.pddl",
            MatchingBlocksworldDecider,
        ),
    ],
)
def test_published_domains_are_recognised(domain: str, problem: str, kind: type) -> None:
    folder = BENCHMARKS / domain
    if not folder.is_dir():
        pytest.skip(f"the benchmarks are not beside the repository ({folder})")
    task = load_task(folder / "domain.pddl", folder / problem)
    decider = decider_for(task)
    assert decider is not None and type(decider) is kind
    assert decider.solvable(task.initial_state)


def test_other_domains_are_not_recognised(tmp_path: Path) -> None:
    for domain in ("blocksworld", "gripper", "satellite"):
        assert decider_for(generated_task(tmp_path, domain)) is None


@pytest.mark.parametrize(
    ("domain", "old", "new"),
    [
        ("spanner", "(not (usable ?s))", "(usable ?s)"),
        ("spanner", "(not (at ?m ?here))", ""),
        ("spanner", "(link ?here ?there)", "(link ?there ?here)"),
        ("matching-blocksworld", "(not (solid ?b))", ""),
        ("matching-blocksworld", "(solid ?under)", ""),
        ("floortile", "(painted ?there ?c)", "(painted ?there ?c) (clear ?here)"),
        ("floortile", "(not (robot-at ?r ?here))", ""),
    ],
)
def test_a_domain_is_known_by_what_its_actions_do(domain: str, old: str, new: str) -> None:
    original = domain_text(domain)
    place = original.index(":action")
    changed = original[:place] + original[place:].replace(old, new, 1)
    assert changed != original
    refused = 0
    for seed in range(examples(30, quick=10)):
        if decider_for(grounded_task(original, DOMAINS[domain](seed))) is None:
            continue
        task = grounded_task(changed, DOMAINS[domain](seed))
        decider = decider_for(task)
        if decider is None:
            refused += 1
        else:  # on this problem the change makes no difference
            compare(task, decider, states=30)
    assert refused


def test_blocks_are_rearranged_without_search() -> None:
    text = domain_text("matching-blocksworld")
    planned = 0
    for seed in range(examples(200)):
        task = grounded_task(text, blocks_problem(seed))
        decider = decider_for(task)
        if decider is None:
            continue
        reached, distances = exact_goal_distances(task)
        for state, distance in zip(reached[:40], distances[:40], strict=True):
            plan = decider.plan(state)
            assert (plan is None) == (distance == DEAD_END)
            if plan is not None:
                planned += 1
                assert task.is_goal(path_states(task, state, plan)[-1])[0]
    assert planned > examples(1000)


@pytest.mark.parametrize("domain", DOMAINS)
def test_guided_search_finds_a_plan_wherever_there_is_one(domain: str) -> None:
    text = domain_text(domain)
    found = 0
    for seed in range(examples(60, quick=20)):
        task = grounded_task(text, DOMAINS[domain](seed))
        decider = decider_for(task)
        if decider is None or not decider.solvable(task.initial_state):
            continue
        found += 1
        result = guided_search(task, decider, task.initial_state, Limits())
        assert result.plan is not None and result.cost == len(result.plan)
        assert task.is_goal(path_states(task, task.initial_state, result.plan)[-1])[0]
        limited = guided_search(task, decider, task.initial_state, Limits(expansions=1))
        assert limited.plan in (None, result.plan) and limited.expanded <= 1
        timed = guided_search(task, decider, task.initial_state, Limits(seconds=0.0))
        assert timed.status == ("time" if result.plan else "solved")
    assert found > examples(10)


def test_states_that_no_blocks_can_form_are_left_open() -> None:
    task = grounded_task(domain_text("matching-blocksworld"), blocks_problem(3))
    decider = decider_for(task)
    assert decider is not None
    nothing_true = np.zeros_like(task.initial_state)
    assert decider.solvable(nothing_true) is None


def test_robots_without_a_place_are_left_open() -> None:
    task = grounded_task(domain_text("floortile"), floor_problem(1))
    decider = decider_for(task)
    assert decider is not None
    assert decider.solvable(np.zeros_like(task.initial_state)) is None


@pytest.mark.parametrize("seed", range(200))
def test_source_parts_are_those_that_nothing_leads_into(seed: int) -> None:
    random = Random(seed)
    nodes = [f"n{i}" for i in range(random.randint(1, 7))]
    graph = {node: {other for other in nodes if random.random() < 0.25} for node in nodes}
    reach = {node: {node} for node in nodes}
    for middle, start in product(nodes * 3, nodes):
        if reach[start] & {middle} or middle in graph[start]:
            reach[start] |= {middle} | graph[middle]
    for start in nodes * len(nodes):
        reach[start] = set().union(reach[start], *(reach[other] for other in graph[start]))
    expected = {
        frozenset(part)
        for node in nodes
        if (part := {other for other in nodes if node in reach[other]}) <= reach[node]
    }
    assert {frozenset(part) for part in source_parts(graph)} == expected
    assert len(source_parts(graph)) == len(expected)


def test_components_cover_the_nodes() -> None:
    graph = {"a": {"b"}, "b": {"a", "c"}, "c": {"b"}, "d": set()}
    assert sorted(map(sorted, components({"a", "b", "d"}, graph))) == [["a", "b"], ["d"]]
    assert sorted(map(sorted, components({"a", "c"}, graph))) == [["a"], ["c"]]
