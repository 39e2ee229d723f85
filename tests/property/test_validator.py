"""Plans found on the built-in domains are plans by the domain's own PDDL, at the stated cost.

The simulator reads the PDDL files and knows nothing of the grounded task the plan was found on.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import bugsieve
from bugsieve.rooms.zoo import domains
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import (
    Limits,
    SearchResult,
    astar,
    enforced_hill_climbing,
    greedy,
    lookahead,
)
from tests.reference.pddl import PddlTask, load, validate_plan

LIMITS = Limits(expansions=5_000)
SEEDS = (0, 1, 2)
WALK_LENGTH = 12


def searches(task: bugsieve.Task, start: StateArray) -> dict[str, SearchResult]:
    """One result per kind of search."""
    return {
        "astar": astar(task, start, "lmcut", limits=LIMITS),
        "deferred": greedy(task, start, limits=LIMITS),
        "eager": greedy(task, start, deferred=False, preferred=False, limits=LIMITS),
        "hadd": greedy(task, start, "hadd", preferred=False, limits=LIMITS),
        "hill-climbing": enforced_hill_climbing(task, start, limits=LIMITS),
        "lookahead": lookahead(task, start, 2, limits=LIMITS).result,
    }


def walk(task: bugsieve.Task, seed: int) -> StateArray:
    """The state at the end of a random walk."""
    random = Random(seed)
    state = task.initial_state
    for _ in range(WALK_LENGTH):
        after, _, _ = task.all_successors(state[None])
        if len(after) == 0:
            break
        state = after[random.randrange(len(after))]
    return state


def check_plans(task: bugsieve.Task, simulated: PddlTask, start: StateArray) -> set[str]:
    """The simulator accepts each plan at its cost, none is cheaper than A*'s; who found one."""
    results = searches(task, start)
    facts = task.facts(start)
    costs: dict[str, int] = {}
    for kind, result in results.items():
        if result.plan is not None:
            names = [task.operator_names[operator] for operator in result.plan]
            costs[kind] = validate_plan(simulated, names, state=facts)
            assert costs[kind] == result.cost, kind
    if "astar" in costs:
        assert min(costs.values()) == costs["astar"]
    return set(costs)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", domains.DOMAINS)
def test_the_simulator_accepts_every_plan_at_its_cost(
    name: str, seed: int, tmp_path: Path
) -> None:
    generated = domains.generate(name, seed=seed)
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(generated.domain, encoding="utf-8")
    problem.write_text(generated.problem, encoding="utf-8")
    task, simulated = bugsieve.load_task(domain, problem, cache=False), load(domain, problem)
    assert task.facts(task.initial_state) == simulated.initial_state
    found = check_plans(task, simulated, task.initial_state)
    assert "deferred" in found, "a generated task is solvable, and these are small"
    check_plans(task, simulated, walk(task, seed))
